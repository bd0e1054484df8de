"""Turns that cannot be carried out, as policies really write them, each made from the turn that was meant.

They are shown so that the turn after the environment's correction can be learnt; they are never trained on.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from zoomground.collect.windows import any_window
from zoomground.collect.writing import crop_call, short
from zoomground.geometry import NORM, Box, Point
from zoomground.protocol.actions import Answer, Crop, CropUnits, Decline, Malformed
from zoomground.protocol.observation import crop_name
from zoomground.protocol.parser import parse
from zoomground.protocol.render import render

if TYPE_CHECKING:
    import random

    from zoomground.environment import GroundingEnv

_WRONG_NAMES = ("image.png", "original.png", "input.jpg", "crop.png", crop_name(9))
_PROSE = (
    "I can see it on the screen.",
    "It should be right there.",
    "The target is visible in the image above.",
    "I would click on it.",
    "Let me take a closer look at that part.",
)


def bad_turn(env: GroundingEnv, meant: Answer | Crop, rng: random.Random) -> str:
    """The text, without thinking, of a turn that the environment will refuse.

    Args:
        env: The running episode.
        meant: What a right turn would do here: an answer, or a crop of the screenshot.
        rng: Decides which mistake is made.
    """
    texts = _bad_answers(env, meant, rng) if isinstance(meant, Answer) else _bad_crops(env, meant, rng)
    texts += [rng.choice(_PROSE), render(Decline())]
    rng.shuffle(texts)
    return short(next(text for text in texts if is_refused(env, text)))


def is_refused(env: GroundingEnv, text: str) -> bool:
    """Whether the environment answers a turn without thinking with a correction, whatever its parser's mode."""
    settings = env.settings
    parsed = parse(text, crop_units=settings.crop_units, mode=settings.parser_mode)
    if isinstance(parsed, Malformed):
        return True
    first = parsed.actions[0]
    if not isinstance(first, Crop):
        return isinstance(first, Decline) and not settings.allow_decline
    return len(parsed.actions) > env.remaining_crops or first.image_path not in env.views


def _bad_answers(env: GroundingEnv, meant: Answer, rng: random.Random) -> list[str]:
    """In pixels; a box; the call of another kind of model; half a point; a crop as well, or where none is left."""
    point, reach = render(meant), rng.uniform(2, 12)
    px = Point(meant.x, meant.y).to_px(env.screenshot.size)
    box = (meant.x - reach, meant.y - reach, meant.x + reach, meant.y + reach)
    crop = render(crop_call(env, any_window(rng.uniform(2, 6), rng)))
    return [
        f"[{px.x:.2f},{px.y:.2f}]",
        "[" + ",".join(f"{min(NORM, max(0.0, corner)):.2f}" for corner in box) + "]",
        f"<action>click(x={meant.x:.2f}, y={meant.y:.2f})</action>",
        f"[{meant.x:.2f}]",
        f"{crop}\n{point}",
        crop,
    ]


def _bad_crops(env: GroundingEnv, meant: Crop, rng: random.Random) -> list[str]:
    """An unknown image; corners in the wrong order; an argument left out; a wrong action; too many; in pixels."""
    call = render(meant)
    low, high = f"x1={meant.x1:.2f}", f"x2={meant.x2:.2f}"
    names = [name for name in _WRONG_NAMES if name not in env.views]
    texts = [
        render(replace(meant, image_path=rng.choice(names))),
        call.replace(low, f"x1={meant.x2:.2f}").replace(high, f"x2={meant.x1:.2f}"),
        call.replace(f", y2={meant.y2:.2f}", ""),
        call.replace(f'image_path="{meant.image_path}", ', ""),
        call.replace("crop_image", rng.choice(("zoom", "crop", "zoom_in"))),
        "\n".join(render(crop_call(env, any_window(rng.uniform(2, 6), rng))) for _ in range(3)),
        f"{call}\n[{rng.uniform(0, NORM):.2f},{rng.uniform(0, NORM):.2f}]",
    ]
    if env.settings.crop_units is CropUnits.NORM:
        size = env.screenshot.size
        box = Box(meant.x1, meant.y1, meant.x2, meant.y2)
        a, b = Point(box.x1, box.y1).to_px(size), Point(box.x2, box.y2).to_px(size)
        texts.append(render(Crop(meant.image_path, round(a.x), round(a.y), round(b.x) + 1, round(b.y) + 1)))
    return texts
