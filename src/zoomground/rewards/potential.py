"""What each turn of an episode added, measured on the known box: the stuff of turn-level credit and of the turn filter.

The state of an episode has a potential, how well its best view shows the target in its surroundings:

    Phi_0 = leg(s0)                                            the whole screenshot, of which inside is 1
    Phi_t = max(Phi_{t-1}, max over the turn's crops of inside(c) x leg(s(c)))
    d_t   = Phi_t - Phi_{t-1}

The differences of an episode telescope to (best view - screenshot) whatever way led there, so a repeat, a crop of the
whole screen and a chain of small steps earn nothing that a single good crop would not (Ng, Harada and Russell 1999,
potential-based shaping, undiscounted). Symbols are those of ``docs/rewards.md``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from zoomground.rewards.base import hit, legibility, seen_short_side, target_box
from zoomground.rewards.quality import inside, short_side_in_crop
from zoomground.rewards.zoom_bonus import MIN_ZOOM

if TYPE_CHECKING:
    from zoomground.geometry import Box
    from zoomground.protocol.observation import CropView
    from zoomground.rewards.base import RewardSettings
    from zoomground.trajectory import Trajectory


def turn_gains(trajectory: Trajectory, settings: RewardSettings) -> tuple[float | None, ...]:
    """d_t of every turn, 0 to 1; None for a turn that ran no crop (an answer, a correction).

    On a refusal task and without a target there is nothing to see better: the crops gain 0.
    """
    box = target_box(trajectory)
    seen = 0.0 if box is None else seen_short_side(trajectory, box)
    best = legibility(seen, settings)
    gains: list[float | None] = []
    for turn in trajectory.turns:
        if not turn.crops:
            gains.append(None)
            continue
        before = best
        if box is not None:
            best = max(best, *(_shown(crop, box, seen, settings) for crop in turn.crops))
        gains.append(best - before)
    return tuple(gains)


def process_scores(trajectory: Trajectory, settings: RewardSettings) -> tuple[float | None, ...]:
    """How good each turn was, 0 to 1; None where the known box cannot say.

    A crop turn scores what it gained, in potential or in containment (the rise of the best ``inside`` among crops that
    zoom at all): a context crop that finds the target is good before the target is legible. A last turn scores the
    hit. Any other turn is one that was corrected or cut, and scores 0. Without a box, crops cannot be judged.
    """
    box = target_box(trajectory)
    contained = 0.0
    scores: list[float | None] = []
    for turn, gain in zip(trajectory.turns, turn_gains(trajectory, settings), strict=True):
        if gain is None:
            last = turn is trajectory.turns[-1]
            scores.append(float(last and hit(trajectory)))
        elif box is None:
            scores.append(None)
        else:
            before = contained
            zoomed = [inside(crop, box) for crop in turn.crops if crop.region.zoom >= MIN_ZOOM]
            contained = max(contained, *zoomed, 0.0)
            scores.append(max(gain, contained - before))
    return tuple(scores)


def _shown(crop: CropView, box: Box, seen_px: float, settings: RewardSettings) -> float:
    return inside(crop, box) * legibility(short_side_in_crop(crop, box, seen_px=seen_px), settings)
