"""The runs of the experiment: one of the real launcher for each arm and seed, in a run folder of its own."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from gpu_proof.bench import versions

from experiment.arms import ARMS, BASE, NAMES, changed
from experiment.machine import ROOT, commit, machine
from zoomground.protocol.settings import Arm as Zoom
from zoomground.recipe import LoadedRecipe, load_recipe
from zoomground.recipe.recipe import digest
from zoomground.train.folder import SEED_PREFIX, RunFolder
from zoomground.train.launch import GRACE_S, POLL_S, stoppable
from zoomground.train.pipeline import difference, identity_of, is_done
from zoomground.train.planning import make_plan

if TYPE_CHECKING:
    from collections.abc import Callable


STOPPED = 130
"""Exit code of what was stopped."""

COMMON = {"evaluate.arms": Zoom.ON.value}
"""What all runs say on top of the recipe: the question is what training makes of zooming, not what zooming adds."""

OWN = ("run.output_dir", "run.log_dir")
"""What every run has for itself, beside its seed."""

STARTS = "starts.jsonl"
"""One line for each time that the launcher was started: with what code, how long, how it ended."""


@dataclass(frozen=True, slots=True)
class Trial:
    """One arm with one seed.

    Attributes:
        arm: Name of the arm.
        seed: The seed.
        loaded: Its recipe.
        variables: What its launcher is told on top of the environment.
    """

    arm: str
    seed: int
    loaded: LoadedRecipe
    variables: Mapping[str, str]

    @property
    def folder(self) -> RunFolder:
        """Its run folder."""
        return RunFolder.of(self.loaded)

    @property
    def is_done(self) -> bool:
        """Whether the launcher would find nothing to do."""
        identity = digest(identity_of(self.loaded))
        return all(is_done(self.folder, stage, identity) for stage in make_plan(self.loaded).stages)


@dataclass(frozen=True, slots=True)
class Start:
    """One start of the launcher.

    Attributes:
        arm: Name of the arm.
        seed: The seed.
        commit: Of this repository; ends in ``-dirty`` where files were changed since.
        machine: Where it ran.
        versions: What it ran.
        seconds: How long it took.
        code: Its exit code.
    """

    arm: str
    seed: int
    commit: str
    machine: str
    versions: Mapping[str, str]
    seconds: float
    code: int


@dataclass(frozen=True, slots=True)
class Experiment:
    """The whole of it.

    Attributes:
        out: Folder of the results; a run folder ``ARM/seed-K`` for each arm and seed in it.
        recipe: The recipe's file.
        given: What the caller sets for all runs, by dotted name.
        arms: Names of the arms.
        seeds: The seeds.
    """

    out: Path
    recipe: Path
    given: Mapping[str, str]
    arms: Sequence[str]
    seeds: Sequence[int]

    def trial(self, arm: str, seed: int) -> Trial:
        """One arm with one seed."""
        folder = self.out / arm / f"{SEED_PREFIX}{seed}"
        own = {"run.seed": seed} | dict(zip(OWN, (folder, folder / "logs"), strict=True))
        shared = COMMON | dict(self.given)
        base = load_recipe(self.recipe, dict(os.environ) | _variables(shared)).recipe
        variables = _variables(shared | ARMS[arm].rules(base) | own)
        return Trial(arm, seed, load_recipe(self.recipe, dict(os.environ) | variables), variables)

    def trials(self) -> list[Trial]:
        """All of them: every arm with the first seed, then with the next; so a stopped one is still fair."""
        return [self.trial(arm, seed) for seed in self.seeds for arm in self.arms]

    def idle(self) -> list[str]:
        """The arms that change nothing of the recipe."""
        base = self.trial(BASE, 0).loaded
        return [arm for arm in ARMS if arm != BASE and changed(base, self.trial(arm, 0).loaded) <= set(OWN)]

    def problems(self) -> list[str]:
        """Why the arms would not be compared on equal terms, or could not start; an empty list if they can."""
        recipe, found = self.trial(BASE, self.seeds[0]).loaded.recipe, []
        if recipe.model.build.arch or recipe.sft.steps or recipe.curriculum.steps:
            found.append(
                "the recipe makes its start anew in every run, so the arms would not share it: name a checkpoint, "
                "--set model.path=DIR sft.steps=0 curriculum.steps=0"
            )
        if not recipe.grpo.steps:
            found.append("grpo.steps is 0: there is nothing that arms could differ in")
        if not recipe.data.heldout:
            found.append("data.heldout names no rows: there is nothing to compare arms on")
        if Zoom.ON not in recipe.evaluate.arms:
            found.append("evaluate.arms lacks 'on': arms are compared with zoom on")
        found += [f"arm '{arm}' changes nothing of the recipe; leave it out" for arm in self.arms if arm in self.idle()]
        return found or [one for trial in self.trials() for one in difference(trial.folder, trial.loaded)]


@dataclass(frozen=True, slots=True)
class UnderWay:
    """A run that was started and has not ended.

    Attributes:
        trial: Which.
        process: Its launcher.
        began_s: The clock when it was started.
    """

    trial: Trial
    process: subprocess.Popen[bytes]
    began_s: float


def carry_out(
    experiment: Experiment,
    launch: Callable[[Trial], subprocess.Popen[bytes]],
    after: Callable[[], None] = lambda: None,
    at_once: int = 1,
) -> list[Trial]:
    """Start the launcher for every run that is not done; one that fails does not keep the others from running.

    Args:
        experiment: What to run.
        launch: Starts the launcher for one run.
        after: Called after each run that ended.
        at_once: How many runs share the machine.

    Returns:
        The runs that failed.
    """
    waiting = [trial for trial in experiment.trials() if not trial.is_done]
    count, all_waiting = len(experiment.arms) * len(experiment.seeds), len(waiting)
    print(f"{count} runs, {count - all_waiting} of them done before", flush=True)
    failed: list[Trial] = []
    facts = commit(), machine(), versions() if waiting else {}
    begun_s = time.monotonic()
    under_way: list[UnderWay] = []
    with stoppable():
        try:
            while waiting or under_way:
                while waiting and len(under_way) < at_once:
                    trial = waiting.pop(0)
                    print(f"\n== begun, {len(waiting)} wait: {trial.arm}, seed {trial.seed}", flush=True)
                    under_way.append(UnderWay(trial, launch(trial), time.monotonic()))
                one = _first_to_end(under_way)
                code = one.process.wait()
                _note_end(experiment.out, one, code, facts)
                under_way.remove(one)
                left = len(waiting) + len(under_way)
                spent_s = time.monotonic() - begun_s
                rest = f"; {left} left, about {left * spent_s / (all_waiting - left) / 60:.0f} min" if left else ""
                print(f"== {one.trial.arm}, seed {one.trial.seed}: {'done' if code == 0 else f'FAILED ({code})'}{rest}")
                failed += [one.trial] if code else []
                after()
        except BaseException as stop:
            for one in under_way:
                _note_end(experiment.out, one, STOPPED, facts)
            # A terminal's Ctrl-C has told the launchers, too.
            end([one.process for one in under_way], told=type(stop) is KeyboardInterrupt)
            raise
    return failed


def _first_to_end(under_way: Sequence[UnderWay]) -> UnderWay:
    while True:
        for one in under_way:
            if len(under_way) == 1 or one.process.poll() is not None:
                return one
        time.sleep(POLL_S)


def _note_end(out: Path, one: UnderWay, code: int, facts: tuple[str, str, Mapping[str, str]]) -> None:
    note(out, Start(one.trial.arm, one.trial.seed, *facts, round(time.monotonic() - one.began_s, 1), code))


def start_launcher(trial: Trial) -> subprocess.Popen[bytes]:
    """Start ``zoomground train`` as a person would."""
    paths = f"{ROOT / 'src'}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"
    environ = dict(os.environ) | trial.variables | {"PYTHONPATH": paths}
    command = [sys.executable, "-m", "zoomground", "train", str(trial.loaded.path)]
    return subprocess.Popen(command, env=environ, stdin=subprocess.DEVNULL)  # noqa: S603 -- our own command


def end(processes: Sequence[subprocess.Popen[bytes]], *, told: bool) -> None:
    """End launchers and wait for them: whatever ends this ends them, too.

    Args:
        processes: The launchers.
        told: Whether they have been asked to end; then they get the time for it.
    """
    if told:
        _wait(processes, 4 * GRACE_S)
    for process in processes:
        process.terminate()
    _wait(processes, 4 * GRACE_S)
    for process in processes:
        process.kill()


def _wait(processes: Sequence[subprocess.Popen[bytes]], most_s: float) -> None:
    until_s = time.monotonic() + most_s
    for process in processes:
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(max(0.0, until_s - time.monotonic()))


def note(out: Path, start: Start) -> None:
    """Write down a start."""
    with (out / STARTS).open("a", encoding="utf-8") as stream:
        stream.write(json.dumps(asdict(start)) + "\n")


def starts(out: Path) -> list[Start]:
    """All starts that were written down."""
    path = out / STARTS
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return [Start(**json.loads(line)) for line in lines]


def _variables(rules: Mapping[str, object]) -> dict[str, str]:
    return {NAMES[key]: str(value) for key, value in rules.items()}
