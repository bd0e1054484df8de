"""Runs all benchmarks: ``python benchmarks/run.py [--out DIR] [--quick] [--only NAME ...] [--screens]``.

Each in a process of its own, one after the other. ``DIR/NAME.json`` holds what one found, ``DIR/benchmarks.md`` all of
it as tables. A goal that is missed is told, not an error: the exit code is 1 only if a benchmark broke.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.machine import facts
from bench.result import Limit, Result, markdown_table, to_markdown

from zoomground.data.files import write_bytes

HERE = Path(__file__).resolve().parent
PAGE = "benchmarks.md"
SKIPPED = "skipped:"
"""How a benchmark says on stderr that something it needs is not installed."""


@dataclass(frozen=True)
class Benchmark:
    """One script.

    Attributes:
        name: Its file without the ending.
        quick: Arguments of the short form.
        full: Arguments otherwise.
        read: Makes a result of its figures, where the script has a form of its own.
        named_only: Whether a quick run leaves it out unless it is named: a short form of it says little.
    """

    name: str
    quick: tuple[str, ...] = ("--quick",)
    full: tuple[str, ...] = ()
    read: Callable[[dict[str, Any], bool], Result] | None = None
    named_only: bool = False


def eval_speed(figures: dict[str, Any], quick: bool) -> Result:
    """`eval_speed.py` in the common form."""
    # So short a run as the quick one is mostly its beginning and its end.
    goals = dict.fromkeys(figures["goals"]) if quick else figures["goals"]
    screen = "x".join(map(str, figures["screen"]))
    note = f"{figures['items']} items, {figures['width']} at once, {figures['latency_s']:g} s a reply, {screen}"
    names = {
        "wall_ratio": "evaluation: wall over what the latency alone allows",
        "cpu_ratio": "evaluation: CPU of an item over one decode, resample and encode",
    }
    limits = [Limit(what, "times", figures[name], goals[name], note) for name, what in names.items()]
    return Result("eval_speed", "A scripted endpoint, one crop an item; see the script.", quick, limits=limits)


def judge_speed(figures: dict[str, Any], quick: bool) -> Result:
    """`judge_speed.py` in the common form."""
    note = f"{figures['episodes']} episodes, {figures['concurrency']} at once, {figures['latency_s']:g} s a reply"
    limits = [
        Limit("judging: wall over what the latency alone allows", "times", figures["ratio"],
              None if quick else figures["goal"], note),
        Limit("judging: a request", "CPU ms", figures["cpu_ms_a_request"], None, note),
    ]  # fmt: skip
    return Result("judge_speed", "A scripted judge and a dead one; see the script.", quick, limits=limits)


BENCHMARKS = (
    Benchmark("crop_path"),
    Benchmark("encoders"),
    Benchmark("episodes_memory"),
    Benchmark("scheduler_overhead"),
    Benchmark("batch_pictures"),
    Benchmark("core_speed"),
    Benchmark(
        "eval_speed",
        ("--items=8", "--width=8", "--latency=0.2", "--size", "960", "600"),
        (),
        eval_speed,
        named_only=True,
    ),
    Benchmark("judge_speed", ("--episodes=64", "--concurrency=32", "--latency=0.2"), (), judge_speed, named_only=True),
)


@dataclass(frozen=True)
class Outcome:
    """What became of one benchmark.

    Attributes:
        name: Its name.
        found: What `Result.to_dict` gave; None if it did not get that far.
        text: Why not; or what it said, where it has no figures.
        broken: Whether that is an error.
        wall_s: How long it took.
    """

    name: str
    found: dict[str, Any] | None
    text: str
    broken: bool
    wall_s: float

    def to_markdown(self) -> str:
        """A section of the page."""
        return to_markdown(self.found) if self.found else f"## {self.name}\n\n```text\n{self.text}\n```"


def carry_out(one: Benchmark, out: Path, *, quick: bool) -> Outcome:
    """Run a benchmark and write its figures down."""
    file = out / f"{one.name}.json"
    file.unlink(missing_ok=True)
    words = [sys.executable, str(HERE / f"{one.name}.py"), *(one.quick if quick else one.full), "--json", str(file)]
    begun_s = time.perf_counter()
    done = subprocess.run(words, capture_output=True, text=True, check=False)  # noqa: S603 -- our own command
    wall_s = time.perf_counter() - begun_s
    if not file.exists():
        skipped = any(line.startswith(SKIPPED) for line in done.stderr.splitlines())
        return Outcome(one.name, None, done.stderr.strip(), broken=not skipped, wall_s=wall_s)
    found = json.loads(file.read_text("utf-8"))
    if one.read is not None:
        found = one.read(found, quick).to_dict()
        write_bytes(file, (json.dumps(found, indent=1) + "\n").encode("utf-8"))
    return Outcome(one.name, found, "", broken=False, wall_s=wall_s)


def screens(out: Path) -> Outcome:
    """How fast screens are rendered; its text is all that it gives."""
    begun_s = time.perf_counter()
    words = [sys.executable, str(HERE / "synth_speed.py")]
    done = subprocess.run(words, capture_output=True, text=True, check=False)  # noqa: S603 -- our own command
    text = done.stdout.strip() if done.returncode == 0 else done.stderr.strip()
    write_bytes(out / "synth_speed.json", json.dumps({"benchmark": "synth_speed", "text": text, **facts()}).encode())
    return Outcome("synth_speed", None, text, done.returncode != 0, time.perf_counter() - begun_s)


def page(outcomes: list[Outcome], *, quick: bool) -> str:
    """All of it as Markdown: where it was measured, the goals, then every benchmark."""
    about = facts()
    where = [("machine", about["machine"]), ("CPU", about["cpu"]), ("load at the end", f"{about['load']:.1f}")]
    where += [(name, version) for name, version in about["versions"].items() if name != "Python"]
    where += [("commit", about["commit"]), ("form", "quick" if quick else "full")]
    return "\n\n".join(
        [
            "# Benchmarks",
            markdown_table(("", ""), where),
            "Ratios are measured in one run, sides in turns, the best of the rounds of each.",
            "## Goals",
            goals([one.found for one in outcomes if one.found]),
            *(one.to_markdown() for one in outcomes),
        ]
    ) + "\n"  # fmt: skip


def goals(found: list[dict[str, Any]]) -> str:
    """Everything that has a goal."""
    rows: list[tuple[object, ...]] = []
    for one in found:
        rows += [
            (each["what"], f"{each['times']:.2f} times better", f"at least {each['goal']:g}", each["met"])
            for each in one["comparisons"]
            if each["goal"] is not None
        ]
        rows += [
            (each["what"], f"{each['value']:.2f} {each['unit']}", f"at most {each['at_most']:g}", each["met"])
            for each in one["limits"]
            if each["at_most"] is not None
        ]
    return markdown_table(("", "measured", "goal", "met"), rows)


def main() -> None:
    """Run what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    names = [one.name for one in BENCHMARKS]
    parser.add_argument("--out", type=Path, default=Path("output/benchmarks"), help="default: output/benchmarks")
    parser.add_argument("--quick", action="store_true", help="fewer inputs and rounds, about a minute")
    parser.add_argument("--only", nargs="+", choices=names, metavar="NAME", help=", ".join(names))
    parser.add_argument("--screens", action="store_true", help="synth_speed as well, which needs Chromium")
    chosen = parser.parse_args()
    chosen.out.mkdir(parents=True, exist_ok=True)
    outcomes = []
    for one in BENCHMARKS:
        if one.name in chosen.only if chosen.only else not (chosen.quick and one.named_only):
            outcomes.append(carry_out(one, chosen.out, quick=chosen.quick))
            print(f"{one.name}: {outcomes[-1].wall_s:.0f} s {outcomes[-1].text}", flush=True)
    if chosen.screens:
        outcomes.append(screens(chosen.out))
    text = page(outcomes, quick=chosen.quick)
    write_bytes(chosen.out / PAGE, text.encode("utf-8"))
    print(goals([one.found for one in outcomes if one.found]))
    print(f"written: {chosen.out / PAGE}")
    raise SystemExit(any(one.broken for one in outcomes))


if __name__ == "__main__":
    main()
