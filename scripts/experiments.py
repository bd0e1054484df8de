#!/usr/bin/env python
"""Compare ways to train, on equal terms: ``python scripts/experiments.py --out DIR [--seeds 3] [--arms credit ...]``.

Each arm says one thing on top of one recipe (`recipes/demo-cpu.toml`) and runs through the launcher once for each seed,
with the same steps, prompts, rollouts, start checkpoint and held-out rows. docs/experiments.md has the arms and how
they are compared. Started again with the same words it goes on: a run that is done is read, one that was stopped goes
on where it was. ``DIR/experiments.json`` and ``DIR/experiments.md`` are written after every run, of what is done then.

--at-once N runs share the machine: a run of the demo's recipe keeps little more than one core busy.
--set KEY=VALUE is for every arm (an arm's own keys come on top): --set grpo.steps=20 evaluate.rows=100.
The exit code is 1 if a run failed, 2 if the arms could not be compared; a run that fails does not stop the others.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections import defaultdict
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "scripts")]

from experiment.arms import ARMS, BASE, NAMES  # noqa: E402
from experiment.page import page  # noqa: E402
from experiment.results import Finished, Results  # noqa: E402
from experiment.runs import COMMON, OWN, STOPPED, Experiment, carry_out, start_launcher, starts  # noqa: E402

from zoomground.data.files import write_bytes  # noqa: E402
from zoomground.errors import ZoomgroundError  # noqa: E402
from zoomground.recipe import load_recipe  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

DOCUMENT, TEXT = "experiments.json", "experiments.md"


def write(experiment: Experiment) -> None:
    """Write what the finished runs came to; nothing while no run of the base is done."""
    runs = [Finished.of(trial) for trial in experiment.trials() if trial.is_done]
    if not any(run.arm == BASE for run in runs):
        return
    results, made = Results.of(runs), made_with(experiment)
    document = {"made_with": made, "arms": rules(experiment)} | results.to_dict()
    write_bytes(experiment.out / DOCUMENT, (json.dumps(document, indent=1, allow_nan=False) + "\n").encode("utf-8"))
    write_bytes(experiment.out / TEXT, page(results, made, experiment.seeds).encode("utf-8"))


def rules(experiment: Experiment) -> dict[str, dict[str, str]]:
    """What each arm sets on top of the recipe."""
    base = experiment.trial(BASE, experiment.seeds[0]).loaded.recipe
    return {arm: ARMS[arm].rules(base) for arm in experiment.arms}


def made_with(experiment: Experiment) -> dict[str, str]:
    """What the runs were made with, one value a name."""
    loaded = experiment.trial(BASE, experiment.seeds[0]).loaded
    grpo, begun = loaded.recipe.grpo, starts(experiment.out)
    inside = experiment.recipe.is_relative_to(ROOT)
    recipe = experiment.recipe.relative_to(ROOT).as_posix() if inside else experiment.recipe.name
    further = " ".join(f"{key}={value}" for key, value in (COMMON | dict(experiment.given)).items())
    minutes: dict[tuple[str, int], float] = defaultdict(float)
    for one in begun:
        minutes[one.arm, one.seed] += one.seconds / 60
    return {
        "Recipe": f"{recipe} with {further}",
        "budget of a run": f"{grpo.steps} steps of {grpo.prompts_per_step} prompts x {grpo.num_generations} rollouts",
        "seeds": ", ".join(map(str, experiment.seeds)),
        "machine": _distinct([one.machine for one in begun]),
        "versions": _distinct([", ".join(f"{name} {its}" for name, its in one.versions.items()) for one in begun]),
        "commit": _distinct([one.commit for one in begun]),
        "minutes a run": f"{min(minutes.values()):.1f} to {max(minutes.values()):.1f}" if minutes else "unknown",
    }


def _distinct(values: Sequence[str]) -> str:
    return " / ".join(dict.fromkeys(values)) or "unknown"


def planned(out: Path, recipe: Path, given: Mapping[str, str], arms: Sequence[str], count: int) -> Experiment:
    """The experiment that the caller means: all arms that are some, if none is named, and the recipe's seeds.

    Raises:
        ZoomgroundError: If the recipe, or what an arm makes of it, is wrong.
    """
    variables = {NAMES[key]: value for key, value in given.items()}
    first = load_recipe(recipe, dict(os.environ) | variables).recipe.run.seed
    whole = Experiment(out, recipe, given, list(ARMS), range(first, first + count))
    # Without the base there is nothing to compare an arm with.
    wanted = {BASE, *arms} if arms else set(ARMS) - set(whole.idle())
    return replace(whole, arms=[arm for arm in ARMS if arm in wanted])


def arguments(words: Sequence[str] | None = None) -> tuple[Experiment, int]:
    """What the caller wants, and how many runs at once; ends the program with 2 where arms could not be compared."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--seeds", type=int, default=3, help="how many, from the recipe's run.seed on")
    parser.add_argument("--at-once", type=int, default=1, metavar="N")
    parser.add_argument(
        "--arms", nargs="+", choices=list(ARMS), default=[], help="default: all that change something of the recipe"
    )
    parser.add_argument("--recipe", type=Path, default=ROOT / "recipes" / "demo-cpu.toml")
    parser.add_argument("--set", nargs="+", action="extend", default=[], metavar="KEY=VALUE", help="for every run")
    args = parser.parse_args(words)
    given = dict(text.partition("=")[::2] for text in args.set)
    if unknown := sorted(given.keys() - NAMES.keys()):
        parser.error(f"--set: no key of a recipe: {', '.join(unknown)}")
    if taken := sorted(given.keys() & set(OWN)):
        parser.error(f"--set: every run has its own: {', '.join(taken)}")
    if args.seeds < 1:
        parser.error("--seeds: at least 1")
    if args.at_once < 1:
        parser.error("--at-once: at least 1")
    try:
        experiment = planned(args.out.resolve(), args.recipe.resolve(), given, args.arms, args.seeds)
        problems = experiment.problems()
    except ZoomgroundError as error:
        parser.error(str(error))
    if problems:
        parser.error("\n".join(problems))
    return experiment, args.at_once


def main(words: Sequence[str] | None = None) -> int:
    """Run what is not done, and write what all of it came to."""
    experiment, at_once = arguments(words)
    experiment.out.mkdir(parents=True, exist_ok=True)
    try:
        failed = carry_out(experiment, start_launcher, lambda: write(experiment), at_once)
        write(experiment)
    except KeyboardInterrupt:
        print("stopped; the same command goes on", file=sys.stderr)
        return STOPPED
    except ZoomgroundError as error:
        print(error, file=sys.stderr)
        return 1
    for trial in failed:
        print(f"failed: {trial.arm}, seed {trial.seed}: {trial.folder.root}", file=sys.stderr)
    if (experiment.out / TEXT).exists():
        print(f"\n{(experiment.out / TEXT).read_text(encoding='utf-8')}\n{DOCUMENT} and {TEXT}: {experiment.out}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
