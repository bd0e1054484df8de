"""What tells turns and groups apart, switched on in real runs: credit by turn, the turn filter, and the remedies.

Each must leave its traces in the trainer's figures, in the health record and in the trajectories, and the three must
agree with one another and with what the documents promise.
"""

from __future__ import annotations

import json
from collections import defaultdict
from itertools import zip_longest
from typing import TYPE_CHECKING

from gpu_proof.faults import own_copy
from gpu_proof.figures import Proof, agreed, played, records_of, trained, values
from gpu_proof.modes import FEW, devices
from zoomground.data.health_log import health_of
from zoomground.engines.swift.turn_filter import against_the_sign
from zoomground.images import read_size
from zoomground.recipe import FilterKind, load_recipe
from zoomground.rewards.potential import process_scores
from zoomground.rewards.turn_credit import turn_credit
from zoomground.trajectory import Outcome

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from gpu_proof.bench import Bench, Run
    from gpu_proof.figures import Step
    from zoomground.data.health_log import HealthLine
    from zoomground.data.trajectories import SavedRecord
    from zoomground.recipe import Recipe

STEPS = 3

REMEDIES = FEW | {
    "grpo.steps": STEPS,
    "grpo.save_steps": STEPS,
    "grpo.crop_resample": 0.5,
    "grpo.dynamic_sample": True,
    "grpo.max_resample_times": 1,
    "grpo.overlong_filter": True,
}
"""All that is done about groups that teach nothing, at once."""

CREDIT = REMEDIES | {
    "credit.coefficient": 0.5,
    "turn_filter.kind": FilterKind.PRM,
    # Credit needs two episodes of a prompt that cropped and hit: many of one prompt, and a target that is often hit ...
    "grpo.num_generations": 16,
    "data.off_share": 0,
    # ... and yet gains by a closer look, however wide it is.
    "rewards.legible_px": 200,
}

UNSURE = REMEDIES | {
    # A policy of so few weights is at 0.5 nat a token: some turns are above, some below.
    "turn_filter.kind": FilterKind.UNCERTAINTY,
    "turn_filter.min_logprob": -0.5,
    "turn_filter.max_entropy": 0.6,
    # So that some episodes are cut: what is not answered in two turns.
    "episode.max_turns": 2,
}

WIDE = (0.02, 0.02, 0.27, 0.27)
"""Corners of the wide targets, in shares of the screen: where a policy that knows little goes most often."""

AS_THEY_WERE = 4
"""One row in so many keeps its own target: all miss it, and it is asked again."""

EXACT = 1e-6
"""Terms and their sums are computed in double precision, and written out whole."""


def credit(bench: Bench) -> Proof:
    """Credit, the filter by the known box and all remedies in one run."""
    proof = Proof("credit")
    run = bench.run_of("credit", CREDIT | {"data.train": write_wide_rows(bench)}, devices(bench, (0,)))
    recipe, records, steps = _played_to_the_end(proof, run)
    credited(proof, recipe, records, steps)
    filtered(proof, recipe, records, steps)
    remedied(proof, recipe, records, health_of(run.folder), draws=0)
    return proof


def remedies(bench: Bench) -> Proof:
    """All remedies and the filter by the policy's own doubts, on rows that most episodes miss."""
    proof = Proof("remedies")
    run = bench.run_of("remedies", UNSURE, devices(bench, (0,)))
    recipe, records, steps = _played_to_the_end(proof, run)
    filtered(proof, recipe, records, steps)
    remedied(proof, recipe, records, health_of(run.folder), draws=1)
    reasons = [record.trajectory.stop_reason for record in records]
    cut = sum(reason is not None and reason.outcome is Outcome.TRUNCATED for reason in reasons)
    proof.count("episodes that were cut, and left the loss", cut)
    return proof


def _played_to_the_end(proof: Proof, run: Run) -> tuple[Recipe, list[SavedRecord], list[Step]]:
    steps = trained(proof, run, run.finish(), run.wanted)
    records = records_of(run)
    agreed(proof, steps)
    played(proof, records, many=False)
    return load_recipe(run.bench.recipe, run.variables).recipe, records, steps


def write_wide_rows(bench: Bench) -> Path:
    """The recipe's rows, of which most have a target as wide as a quarter of the screen."""
    folder = bench.out / "wide-rows"
    folder.mkdir(parents=True, exist_ok=True)
    source = load_recipe(bench.recipe, {}).train_rows()[0]
    rows = [json.loads(line) for line in source.read_text(encoding="utf-8").splitlines()]
    for number, row in enumerate(rows):
        image = source.parent / row["images"][0]
        row["images"] = [own_copy(image, folder)]
        if number % AS_THEY_WERE:
            size = read_size(image)
            sides = (size.width, size.height) * 2
            row["solution"] = json.dumps([share * side for share, side in zip(WIDE, sides, strict=True)])
    file = folder / "rows.jsonl"
    file.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return file


def credited(proof: Proof, recipe: Recipe, records: Sequence[SavedRecord], steps: Sequence[Step]) -> None:
    """The terms are there, sum to 0 by turn number in each group, and are those of the saved episodes."""
    logged = sum(values(steps, "zoomin/credited_turns"))
    saved = sum(bool(term) for record in records for term in record.turn_credit)
    proof.count("credited turns", logged)
    proof.add("credited turns in the trajectories", saved, f"{logged:g}, as logged", met=saved == logged)
    furthest, off = 0.0, 0.0
    for group in by_group(records).values():
        given = [record.turn_credit or [0.0] * len(record.trajectory.turns) for record in group]
        furthest = max(furthest, *(abs(sum(terms)) for terms in zip_longest(*given, fillvalue=0.0)))
        wanted = turn_credit([record.trajectory for record in group], recipe.credit.coefficient, recipe.reward_settings)
        off = max(off, *(abs(a - b) for pair in zip(given, wanted, strict=True) for a, b in zip(*pair, strict=True)))
    proof.add("sum of a group's terms by turn number, furthest from 0", f"{furthest:.2g}", "0", met=furthest < EXACT)
    proof.add("terms, from those of the saved episodes, furthest", f"{off:.2g}", "0", met=off < EXACT)
    size = max((abs(term) for record in records for term in record.turn_credit), default=0.0)
    most = recipe.credit.coefficient
    proof.add("largest term", f"{size:.3g}", f"above 0, at most {most:g}", met=0 < size <= most)


def filtered(proof: Proof, recipe: Recipe, records: Sequence[SavedRecord], steps: Sequence[Step]) -> None:
    """Turns left the loss, for the reasons that the filter knows, and each of them is counted."""
    names = sorted({name for step in steps for name in step if name.startswith("zoomin/turns_out/")})
    logged = {name.rpartition("/")[2]: sum(values(steps, name)) for name in names}
    proof.count(f"turns that the filter left out ({', '.join(logged)})", sum(logged.values()))
    saved = {reason: sum(record.turns_out.count(reason) for record in records) for reason in logged}
    found = ", ".join(f"{reason} {count}" for reason, count in saved.items())
    proof.add("the same in the trajectories", found, "as logged", met=bool(saved) and saved == logged)
    unmatched = values(steps, "zoomin/turns_unmatched")
    proof.add(
        "episodes whose tokens and turns do not add up", f"{sum(unmatched):g}", "0", met=unmatched == [0] * len(steps)
    )
    if recipe.turn_filter.kind is FilterKind.PRM:
        judged = [record for record in records if record.turns_out]
        wrong = sum(record.turns_out != _by_the_rule(record, recipe) for record in judged)
        proof.none("episodes of which other turns left than the rule says", wrong)


def _by_the_rule(record: SavedRecord, recipe: Recipe) -> list[str | None]:
    turns = len(record.trajectory.turns)
    advantages = [(record.advantage or 0.0) + term for term in record.turn_credit or [0.0] * turns]
    scores = process_scores(record.trajectory, recipe.reward_settings)
    return [None if out is None else str(out) for out in against_the_sign(scores, advantages, recipe.turn_filter)]


def remedied(
    proof: Proof, recipe: Recipe, records: Sequence[SavedRecord], health: Sequence[HealthLine], *, draws: int
) -> None:
    """Groups were asked again and drawn again; the health record counts them, and their episodes were trained on."""
    proof.add("steps in the health record", len(health), str(recipe.grpo.steps), met=len(health) == recipe.grpo.steps)
    prompts = recipe.grpo.prompts_per_step
    asked = sum(line.figures.get("asked_again", 0.0) for line in health) * prompts
    proof.count("groups that were asked again in a window", round(asked, 6))
    groups = by_group(records)
    windows = sum("asked_again" in group[0].trajectory.task.meta for group in groups.values())
    proof.count("groups of windows in the batches that were trained on", windows)
    # A batch is drawn only where a window did not help.
    proof.count("batches that were drawn again", sum(line.figures.get("drawn_again", -1.0) for line in health), draws)
    drawn = sum(line.figures.get("groups_drawn", -1.0) for line in health) * prompts
    proof.count("groups that came from them", round(drawn, 6), draws)
    before, after = (
        sum(line.figures.get(name, 1.0) for line in health) / max(1, len(health))
        for name in ("first/groups_alike", "groups_alike")
    )
    met = after < before or after == before == 0
    proof.add("groups that teach nothing", f"{before:.0%} before, {after:.0%} after", "fewer after", met=met)
    sizes = sorted({len(group) for group in groups.values()})
    whole = len(groups) == recipe.grpo.steps * prompts and sizes == [recipe.grpo.num_generations]
    wanted = f"{recipe.grpo.steps * prompts} of {recipe.grpo.num_generations}"
    proof.add("groups in the trajectories", f"{len(groups)} of {sizes}", wanted, met=whole)


def by_group(records: Sequence[SavedRecord]) -> dict[tuple[int | None, int | None], list[SavedRecord]]:
    """The rollouts of each prompt of each step."""
    groups: defaultdict[tuple[int | None, int | None], list[SavedRecord]] = defaultdict(list)
    for record in records:
        groups[record.step, record.prompt_group].append(record)
    return dict(groups)
