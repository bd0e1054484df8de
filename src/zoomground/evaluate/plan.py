"""From what a person asks for to an `Evaluation`: items are chosen, arms and pixel limits made to fit the profile."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from zoomground.data.shown import sent
from zoomground.errors import ZoomgroundError
from zoomground.evaluate.jobs import Evaluation, with_declining
from zoomground.evaluate.profiles import profile
from zoomground.evaluate.run import RECORDED
from zoomground.images import read_size
from zoomground.protocol.messages import to_openai
from zoomground.protocol.settings import Arm

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from zoomground.environment import GroundingEnv
    from zoomground.evaluate.items import Benchmark, ItemSet, Scoring
    from zoomground.evaluate.profiles.base import Profile
    from zoomground.protocol.settings import EpisodeSettings
    from zoomground.rewards.rubric import Rubric


def choose(
    items: ItemSet, *, limit: int | None = None, seed: int = 0, wording: str | None = None
) -> tuple[ItemSet, dict[str, Any]]:
    """Some items of a set, in its order; the set's name says that it is not all of it.

    Args:
        items: The whole set.
        limit: How many; None: all.
        seed: Decides which.
        wording: Other wording of the instructions.

    Returns:
        The chosen items, and how they were chosen.

    Raises:
        ZoomgroundError: If an item has no such wording, or there are no items.
    """
    if not items.items:
        raise ZoomgroundError(f"{items.name}: holds no items, so there is nothing to ask")
    selection: dict[str, Any] = {}
    if limit is not None and limit < len(items):
        selection = {"limit": limit, "seed": seed, "of": len(items)}
        kept = sorted(random.Random(seed).sample(range(len(items)), limit))
        chosen = tuple(items.items[number] for number in kept)
        items = replace(items, name=f"{items.name}@{limit}", items=chosen, expected=None)
    return (items.worded(wording) if wording else items), selection


def plan(
    benchmark: Benchmark,
    items: ItemSet,
    *,
    profile_name: str,
    arms: Sequence[str],
    settings: EpisodeSettings,
    model: Mapping[str, Any],
    scoring: Scoring,
    rubric: Rubric,
    recipe_hash: str = "",
    selection: Mapping[str, Any] | None = None,
) -> Evaluation:
    """An evaluation.

    Args:
        benchmark: The benchmark.
        items: What is asked.
        profile_name: Name of the profile, with ``+DIALECT`` if need be.
        arms: Names of arms; none: on and off, or off alone where the profile knows no crops.
        settings: Rules of an episode, arm on.
        model: Who answers, as plain values.
        scoring: Against which targets.
        rubric: The rewards in force.
        recipe_hash: Hash of the recipe in force.
        selection: How the items were chosen.

    Raises:
        ZoomgroundError: If an arm does not exist, stands there twice or asks for crops that the profile does not know.
    """
    one = profile(profile_name)
    arms = tuple(arms) or (("on", "off") if one.episode else ("off",))
    played = {arm: _arm(arm, one) for arm in arms}
    if len(played) < len(arms):
        raise ZoomgroundError(f"arms {','.join(arms)}: one stands there twice")
    one, settings = _fitted(one, settings)
    settings = with_declining(settings, items)
    return Evaluation(
        benchmark=benchmark,
        items=items,
        profile=one,
        settings={name: replace(settings, arm=arm) for name, arm in played.items()},
        model=model,
        scoring=scoring,
        rubric=rubric,
        recipe_hash=recipe_hash,
        selection=selection,
    )


def _arm(name: str, one: Profile) -> Arm:
    if name == RECORDED:
        return Arm.OFF
    if name not in tuple(Arm):
        raise ZoomgroundError(f"there is no arm '{name}'; arms are: {', '.join(Arm)}")
    if not one.episode and name != Arm.OFF:
        raise ZoomgroundError(f"profile '{one.name}' knows no crops, so its only arm is off, not {name}")
    return Arm(name)


def _fitted(one: Profile, settings: EpisodeSettings) -> tuple[Profile, EpisodeSettings]:
    """Pixel limits that agree: where numbers are px of the sent image, profile and episode must resize alike."""
    limits = one.convention.limits
    if limits is None:
        return one, settings
    if limits.factor == settings.limits.factor:
        return one.resized_by(settings.limits), settings
    return one, replace(settings, limits=limits)


_UNSENT = frozenset({"kind", "thinking"})
"""Of what is known about who answers: ours, no part of a request."""


def request(evaluation: Evaluation) -> dict[str, Any]:
    """The request for the first item of the first arm, each image as its size and hash; nothing is asked.

    Raises:
        ZoomgroundError: If the screenshots are not there, or cannot be opened.
    """
    evaluation.items.need_images()
    env = evaluation.open(evaluation.jobs[0])
    messages = to_openai(env.messages, lambda _: _abbreviated(env))
    return {"messages": messages, **{name: value for name, value in evaluation.model.items() if name not in _UNSENT}}


def _abbreviated(env: GroundingEnv) -> str:
    image = sent(env.screenshot, env.settings.limits)
    size = read_size(image.data)
    return f"{size.width}x{size.height} px, {len(image.data)} bytes, sha256 {image.sha256[:16]}"
