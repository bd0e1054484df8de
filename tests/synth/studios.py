"""Studios for tests: screens without a browser, and workers that die. Also a program that makes a set, to be killed."""

from __future__ import annotations

import hashlib
import os
import random
import signal
import sys
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from zoomground.data.files import write_bytes
from zoomground.synth.crew import BrokenBenchError
from zoomground.synth.parts import Part, Workshop
from zoomground.synth.plan import Plan, ScreenSpec, Supply, make_plan
from zoomground.synth.run import Goal, MadeSet, make_set
from zoomground.synth.sizes import ScreenSize

SUPPLY = Supply(("mail", "settings", "shop"), ("default", "plum"), ("own",))


def plan(**changes: object) -> Plan:
    """A plan of a few names; nothing of it is drawn."""
    return make_plan(SUPPLY, **{"seed": 5, "heldout_share": 0.3, "sizes": [ScreenSize(640, 400, 1.0)], **changes})


@dataclass(frozen=True)
class PaperStudio:
    """Makes screens without a browser: a few bytes for a picture, one to three rows.

    Attributes:
        workshop: Where they go.
        troubles: What befalls screens, by number: "worker" dies once, "browser" goes once, "dies" each time, "raises".
        looks: Difference hash by number; others get one of their own.
    """

    workshop: Workshop
    troubles: tuple[tuple[int, str], ...] = ()
    looks: tuple[tuple[int, int], ...] = ()

    def open(self, stack: ExitStack) -> PaperBench:
        stack.enter_context(self.workshop.attended())
        return PaperBench(self)


@dataclass(frozen=True)
class PaperBench:
    studio: PaperStudio

    def make(self, spec: ScreenSpec) -> dict[str, float]:
        self._befall(spec.number)
        rng = random.Random(spec.seed)
        out, path = self.studio.workshop.out, f"images/{spec.name}/screen.webp"
        data = rng.randbytes(2000)
        write_bytes(out / path, data)
        look = dict(self.studio.looks).get(spec.number, rng.getrandbits(64))
        rows = tuple(self._row(spec, number, path) for number in range(rng.randint(1, 3)))
        digest = hashlib.sha256(data).hexdigest()
        part = Part(
            spec.number, spec.split.value, path, digest, len(data), look, rows, 40, 30, {"ink": 1, "geometry": 2}
        )
        self.studio.workshop.write(part)
        return {"paper": 0.001}

    def _befall(self, number: int) -> None:
        trouble = dict(self.studio.troubles).get(number)
        mark = self.studio.workshop.out.parent / f"befell-{number}"
        if trouble == "raises":
            raise KeyError("a word that is not there")
        if trouble == "dies" or (trouble == "worker" and not mark.exists()):
            mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        if trouble == "browser" and not mark.exists():
            mark.touch()
            raise BrokenBenchError("gone")

    @staticmethod
    def _row(spec: ScreenSpec, number: int, path: str) -> dict[str, object]:
        meta = {"kind": spec.kind, "skin": spec.skin, "icon_set": spec.icon_set, "seed": spec.seed, "width": 640,
                "height": 400, "how": "name", "template": f"name.{spec.split.value}"}  # fmt: skip
        return {"problem": f"<image>Press {number}", "solution": "[1,1,9,9]", "images": [path],
                "id": f"{spec.name}/{number}", "meta": meta}  # fmt: skip


def make(
    out: Path,
    goal: Goal,
    *,
    jobs: int = 2,
    troubles: object = (),
    looks: object = (),
    terms: object = None,
    tell: bool = False,
) -> MadeSet:
    """Make a set on paper."""
    workshop = Workshop(out)
    studio = PaperStudio(workshop, tuple(dict(troubles).items()), tuple(dict(looks).items()))
    return make_set(
        plan(), studio, workshop, goal, jobs=jobs, terms=terms or {"arguments": {"seed": 5}},
        describe=lambda: "card", on_pace=lambda pace: _tell(pace.screens) if tell else None,
    )  # fmt: skip


def files(folder: Path) -> dict[str, bytes]:
    """Every file of a set by its path, but for the lock."""
    return {
        str(file.relative_to(folder)): file.read_bytes()
        for file in sorted(folder.rglob("*"))
        if file.is_file() and file.suffix != ".lock"
    }


def _tell(screens: int) -> None:
    sys.stdout.write(f"{screens}\n")
    sys.stdout.flush()


def draw(out: Path, screens: int, *, jobs: int, seed: int = 11, tell: bool = False) -> MadeSet:
    """Make a small set of real screens."""
    from zoomground.synth.make import Asking
    from zoomground.synth.studio import ProgramStudio, supply

    sizes = [ScreenSize(1024, 640, 1.0)]
    real = make_plan(supply(None), seed=seed, sizes=sizes, heldout_share=0.3)
    workshop = Workshop(out)
    return make_set(
        real, ProgramStudio(workshop, Asking(4, 0.1)), workshop, Goal(screens=screens), jobs=jobs,
        terms={"arguments": {"seed": seed}}, describe=lambda: "card",
        on_pace=lambda pace: _tell(pace.screens) if tell else None,
    )  # fmt: skip


if __name__ == "__main__":
    what, where, count = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])
    if what == "paper":
        make(where, Goal(screens=count), tell=True)
    elif what == "rows":
        make(where, Goal(rows=count), tell=True)
    else:
        draw(where, count, jobs=2, tell=True)
