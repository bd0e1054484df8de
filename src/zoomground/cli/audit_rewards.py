"""``zoomground audit-rewards``: does any cheat earn more than honest play under these weights?"""

from __future__ import annotations

from typing import Annotated

import typer

from zoomground.audit import AuditReport, audit_rewards
from zoomground.cli.output import AsJson, complain, emit, finish, say, table
from zoomground.cli.scoring import QualityOption, RecipeOption, WeightsOption, recipe_in_force


def audit(
    *,
    recipe: RecipeOption = None,
    weights: WeightsOption = None,
    quality: QualityOption = None,
    seed: Annotated[int, typer.Option(help="Seed of the sampled screens.")] = 0,
    as_json: AsJson = False,
) -> None:
    """Play honest and cheating policies on the same samples; a cheat that earns more is a problem (exit code 1)."""
    loaded = recipe_in_force(recipe, weights, quality).recipe
    found = audit_rewards(loaded.rubric(), episode=loaded.episode_settings(), seed=seed)
    if as_json:
        emit(found.to_dict())
    else:
        _show(found)
    for cheat in found.winners:
        complain(f"{cheat.name} earns {cheat.worst_margin:+.4f} on {cheat.worst_sample}: {cheat.about}")
    if found.honest_misses:
        complain(f"the honest policy itself missed {found.honest_misses} of {found.samples} samples")
    finish(problems=not found.passed)


def _show(found: AuditReport) -> None:
    head = ("cheat", "samples", "wins", "worst margin", "mean margin")
    table(head, ((c.name, c.samples, c.wins, c.worst_margin, c.mean_margin) for c in found.cheats))
    say(f"honest policy: mean total {found.honest_mean:.4f} on {found.samples} samples")
    say("passed: no cheat earns more" if found.passed else f"failed: {len(found.winners)} cheats earn more")
