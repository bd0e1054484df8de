"""From a row's numbers to a target inside its screenshot, without a guess.

A box is ``x1, y1, x2, y2`` in px. Other conventions (width and height, a centre point, another size) are refused with
what they look like; nothing is converted or rescaled in silence.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from zoomground.data.fields import FieldError
from zoomground.errors import RegionError
from zoomground.geometry import Box, Point, Polygon, Size
from zoomground.task import Refusal, Target

if TYPE_CHECKING:
    from zoomground.data.fields import RowFields

OUTSIDE_TOLERANCE_PX = 1.0
"""How far a target may reach outside the image: annotation tools round."""

TINY_PX = 2.0
"""A target with a shorter side is reported: it is more often a slip than a control."""


_LARGEST_PX = 1e9


@dataclass(frozen=True, slots=True)
class Notice:
    """Something about a field that is allowed, and that a person should look at."""

    field: str
    text: str


@dataclass(frozen=True, slots=True)
class CheckedTarget:
    """A target that lies inside its image, and what is odd about it."""

    target: Target
    notices: tuple[Notice, ...] = ()


def read_target(fields: RowFields, size: Size) -> CheckedTarget:
    """The target of a row whose image has this size.

    Args:
        fields: The row.
        size: Upright size of the image file in px.

    Raises:
        FieldError: If there is no target, or it cannot be what its field says it is.
    """
    _compare_sizes(fields.meta, size)
    if fields.refusal:
        return CheckedTarget(_refusal(fields))
    if fields.polygon is not None:
        return _polygon(fields, size)
    if _is_empty(fields.solution):
        raise FieldError("solution", "is missing; give the box, a polygon, or refusal: true")
    return _box(_numbers("solution", fields.solution), "solution", size)


def solution_text(box: Box) -> str:
    """A box as a row's solution: ``"[10,20,30.5,40]"``, whole numbers without a point."""
    return _text(_corners(box))


def _text(numbers: list[float]) -> str:
    return json.dumps([_plain(value) for value in numbers], separators=(",", ":"))


def _plain(value: float) -> float:
    return int(value) if float(value).is_integer() else value


def _compare_sizes(meta: dict[str, Any], size: Size) -> None:
    width, height = meta.get("width"), meta.get("height")
    if not (isinstance(width, int) and isinstance(height, int)) or (width, height) == (size.width, size.height):
        return
    said = f"says {width}x{height}, the upright image is {size.width}x{size.height}"
    if (width, height) == (size.height, size.width):
        raise FieldError("meta", f"rotated? it {said}; annotate the upright image again, or drop the row")
    raise FieldError("meta", f"{said}; the numbers belong to another size: use that image, or scale them yourself")


def _refusal(fields: RowFields) -> Refusal:
    for name, value in (("solution", fields.solution), ("polygon", fields.polygon)):
        if not _is_empty(value):
            raise FieldError(name, "stands beside refusal: true; a row has a target or refuses, not both")
    return Refusal()


def _is_empty(value: str | list[Any] | None) -> bool:
    return value is None or value == [] or (isinstance(value, str) and value.strip() in {"", "[]"})


def _numbers(name: str, value: str | list[Any] | None) -> list[float]:
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            raise FieldError(name, f'is not a JSON list: {value[:60]!r}; write it like "[x1,y1,x2,y2]"') from None
    if not isinstance(value, list) or not all(_is_number(item) for item in value):
        raise FieldError(name, f"must be a flat list of numbers in px, got {str(value)[:60]!r}")
    return [float(item) for item in value]


def _is_number(item: object) -> bool:
    return isinstance(item, int | float) and not isinstance(item, bool) and abs(item) < _LARGEST_PX  # False for NaN


def _box(numbers: list[float], name: str, size: Size) -> CheckedTarget:
    if len(numbers) == 2:
        raise FieldError(name, "is a point; rewards need the target's box x1,y1,x2,y2, and none is invented around it")
    if len(numbers) != 4:
        remedy = "corners of a polygon go into 'polygon'" if len(numbers) >= 6 else "write x1,y1,x2,y2"
        raise FieldError(name, f"has {len(numbers)} numbers, a box has four; {remedy}")
    x1, y1, x2, y2 = numbers
    if x2 < x1 or y2 < y1:
        raise FieldError(name, f"{_text(numbers)} has x2 < x1 or y2 < y1: {_other_convention(numbers, size)}")
    return _inside(Box(x1, y1, x2, y2), name, size)


def _other_convention(numbers: list[float], size: Size) -> str:
    x, y, width, height = numbers
    fits = x + width <= size.width + OUTSIDE_TOLERANCE_PX and y + height <= size.height + OUTSIDE_TOLERANCE_PX
    if width > 0 and height > 0 and fits:
        return f"x,y,w,h? then write it as {_text([x, y, x + width, y + height])}"
    return "x,y,w,h of another image size, or corners in another order? write x1,y1,x2,y2"


def _polygon(fields: RowFields, size: Size) -> CheckedTarget:
    numbers = _numbers("polygon", fields.polygon)
    if len(numbers) % 2:
        raise FieldError("polygon", f"has {len(numbers)} numbers, an odd count; a corner has an x and a y")
    if len(numbers) == 4:
        checked = _box(numbers, "polygon", size)
    elif len(numbers) < 6:
        raise FieldError("polygon", f"has {len(numbers)} numbers; three corners (six numbers) at least, four for a box")
    else:
        checked = _corners_inside(list(zip(numbers[::2], numbers[1::2], strict=True)), size)
    if not _is_empty(fields.solution):
        _compare_with_solution(checked.target, fields, size)
    return checked


def _corners_inside(corners: list[tuple[float, float]], size: Size) -> CheckedTarget:
    box = Polygon(tuple(Point(x, y) for x, y in corners)).box
    notices = _inside(box, "polygon", size).notices
    twice_area = sum(a[0] * b[1] - b[0] * a[1] for a, b in zip(corners, corners[1:] + corners[:1], strict=True))
    if twice_area == 0:
        raise FieldError("polygon", "has no area; measure its corners again, or drop the row")
    clipped = (Point(min(max(x, 0.0), size.width), min(max(y, 0.0), size.height)) for x, y in corners)
    return CheckedTarget(Polygon(tuple(clipped)), notices)


def _compare_with_solution(target: Target, fields: RowFields, size: Size) -> None:
    said = _box(_numbers("solution", fields.solution), "solution", size).target
    if isinstance(said, Refusal) or isinstance(target, Refusal):
        return
    apart = max(abs(a - b) for a, b in zip(_corners(target.box), _corners(said.box), strict=True))
    if apart > OUTSIDE_TOLERANCE_PX:
        raise FieldError("solution", f"is not the box around the polygon, {solution_text(target.box)}; leave one out")


def _corners(box: Box) -> list[float]:
    return [box.x1, box.y1, box.x2, box.y2]


def _inside(box: Box, name: str, size: Size) -> CheckedTarget:
    text = solution_text(box)
    if box.width == 0 or box.height == 0:
        raise FieldError(name, f"{text} has no area; measure the box again, or drop the row")
    reach = max(-box.x1, -box.y1, box.x2 - size.width, box.y2 - size.height)
    if reach > OUTSIDE_TOLERANCE_PX:
        turned = box.x2 <= size.height and box.y2 <= size.width and size.width != size.height
        hint = "rotated? it would fit the image on its side" if turned and min(box.x1, box.y1) >= 0 else "another size?"
        raise FieldError(name, f"{text} reaches {reach:g} px outside the {size.width}x{size.height} image; {hint}")
    try:
        inside = box.grown(0, size)
    except RegionError:
        inside = None
    if inside is None or inside.area == 0:
        raise FieldError(name, f"{text} has no area inside the {size.width}x{size.height} image; drop the row")
    notices = []
    if reach > 0:
        notices.append(Notice(name, f"{text} reaches {reach:g} px outside the image and was clipped"))
    short = min(inside.width, inside.height)
    if short < TINY_PX:
        notices.append(Notice(name, f"{text} is only {short:g} px on its short side; is that meant?"))
    return CheckedTarget(inside, tuple(notices))
