"""Sizes, boxes, polygons, and the one coordinate system.

Three spaces exist, and a name's suffix says which one a number lives in:

- ``_px``: pixels of the upright original screenshot, continuous: 0 is the left (top) edge, W (H) the right (bottom).
- ``_norm``: the same, in [0, 1000] x [0, 1000]; both ends are inside.
- ``_crop``: [0, 1000] x [0, 1000] of a crop as the policy sees it.

A crop is always a `Region`: a window of whole pixels on the original. A crop of a crop is a region of the original
too, so nesting never loses sharpness and the map back is always one affine map, never a chain.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from zoomground.errors import RegionError

NORM = 1000.0
"""Upper end of the normalised range; the lower end is 0."""

MAX_ASPECT = 200.0
"""Vision processors of the Qwen families refuse an aspect ratio above this."""

_PX_DECIMALS = 9
"""Decimals of a px coordinate; what lies behind is noise of the arithmetic."""

_ROUNDING_SLACK_PX = 1e-6
"""Binary fractions must not push an edge that lies on a whole pixel to the next one."""


@dataclass(frozen=True, slots=True)
class Size:
    """Width and height in px; both at least 1."""

    width: int
    height: int

    def __post_init__(self) -> None:
        if self.width < 1 or self.height < 1:
            raise RegionError(f"a size needs at least 1x1 px, got {self.width}x{self.height}")

    @property
    def area(self) -> int:
        """Number of pixels."""
        return self.width * self.height

    @property
    def aspect(self) -> float:
        """Long side over short side, at least 1."""
        return max(self.width, self.height) / min(self.width, self.height)


@dataclass(frozen=True, slots=True)
class Point:
    """A point; the variable that holds it says in which space."""

    x: float
    y: float

    def to_px(self, size: Size) -> Point:
        """Map a ``_norm`` point to continuous px: ``x / 1000 * width``, no minus one.

        Multiplied first and freed from the noise of binary fractions: a point written onto the edge of a box must
        land on that edge (43.75 / 1000 * 1440 is 62.99999999999999, one hit in nine on such an edge would be lost).
        """
        return Point(round(self.x * size.width / NORM, _PX_DECIMALS), round(self.y * size.height / NORM, _PX_DECIMALS))

    def to_norm(self, size: Size) -> Point:
        """Map a px point to [0, 1000]."""
        return Point(self.x / size.width * NORM, self.y / size.height * NORM)


@dataclass(frozen=True, slots=True)
class Box:
    """A closed axis-parallel rectangle with ``x1 <= x2`` and ``y1 <= y2``; all four edges belong to it."""

    x1: float
    y1: float
    x2: float
    y2: float
    kind: Literal["box"] = "box"

    def __post_init__(self) -> None:
        if not (self.x1 <= self.x2 and self.y1 <= self.y2):
            raise RegionError(f"box corners out of order: [{self.x1}, {self.y1}, {self.x2}, {self.y2}]")

    @property
    def width(self) -> float:
        """Extent along x."""
        return self.x2 - self.x1

    @property
    def height(self) -> float:
        """Extent along y."""
        return self.y2 - self.y1

    @property
    def area(self) -> float:
        """Width times height."""
        return self.width * self.height

    @property
    def center(self) -> Point:
        """The middle."""
        return Point((self.x1 + self.x2) / 2, (self.y1 + self.y2) / 2)

    @property
    def box(self) -> Box:
        """Itself; a polygon answers with its bounding box."""
        return self

    def contains(self, point: Point) -> bool:
        """Whether the point lies in the closed box; no rounding."""
        return self.x1 <= point.x <= self.x2 and self.y1 <= point.y <= self.y2

    def intersection_area(self, other: Box) -> float:
        """Area that both cover."""
        width = min(self.x2, other.x2) - max(self.x1, other.x1)
        height = min(self.y2, other.y2) - max(self.y1, other.y1)
        return max(0.0, width) * max(0.0, height)

    def iou(self, other: Box) -> float:
        """Intersection over union, 0 for two boxes without area."""
        common = self.intersection_area(other)
        union = self.area + other.area - common
        return common / union if union > 0 else 0.0

    def distance(self, point: Point) -> float:
        """Euclidean distance from the point to the box, 0 inside."""
        dx = max(self.x1 - point.x, 0.0, point.x - self.x2)
        dy = max(self.y1 - point.y, 0.0, point.y - self.y2)
        return math.hypot(dx, dy)

    def grown(self, margin: float, size: Size) -> Box:
        """The box with ``margin`` added on each side, clipped to an image of ``size``."""
        return Box(
            max(0.0, self.x1 - margin),
            max(0.0, self.y1 - margin),
            min(float(size.width), self.x2 + margin),
            min(float(size.height), self.y2 + margin),
        )


@dataclass(frozen=True, slots=True)
class Polygon:
    """A simple polygon of at least three corners; its edge belongs to it."""

    corners: tuple[Point, ...]
    kind: Literal["polygon"] = "polygon"

    def __post_init__(self) -> None:
        if len(self.corners) < 3:
            raise RegionError(f"a polygon needs at least 3 corners, got {len(self.corners)}")

    @property
    def box(self) -> Box:
        """The bounding box."""
        xs = [corner.x for corner in self.corners]
        ys = [corner.y for corner in self.corners]
        return Box(min(xs), min(ys), max(xs), max(ys))

    def contains(self, point: Point) -> bool:
        """Even-odd rule; points on an edge are inside."""
        inside = False
        for a, b in zip(self.corners, self.corners[1:] + self.corners[:1], strict=True):
            if _on_segment(point, a, b):
                return True
            if (a.y > point.y) != (b.y > point.y):
                crossing = a.x + (point.y - a.y) / (b.y - a.y) * (b.x - a.x)
                inside ^= point.x < crossing
        return inside


def _on_segment(point: Point, a: Point, b: Point) -> bool:
    cross = (b.x - a.x) * (point.y - a.y) - (b.y - a.y) * (point.x - a.x)
    span = max(1.0, abs(b.x - a.x) + abs(b.y - a.y))
    if abs(cross) > 1e-9 * span * span:
        return False
    return min(a.x, b.x) <= point.x <= max(a.x, b.x) and min(a.y, b.y) <= point.y <= max(a.y, b.y)


@dataclass(frozen=True, slots=True)
class Mapping:
    """``original = offset + crop_coordinate * scale`` for each axis, both sides in [0, 1000]."""

    x_offset: float
    x_scale: float
    y_offset: float
    y_scale: float


@dataclass(frozen=True, slots=True)
class Region:
    """A window of whole pixels on the original: the half-open ranges [x1, x2) and [y1, y2), never empty, never outside.

    Raises:
        RegionError: If the window is empty or reaches outside the original.
    """

    x1: int
    y1: int
    x2: int
    y2: int
    original: Size

    def __post_init__(self) -> None:
        inside = 0 <= self.x1 < self.x2 <= self.original.width and 0 <= self.y1 < self.y2 <= self.original.height
        if not inside:
            raise RegionError(
                f"region [{self.x1}, {self.y1}, {self.x2}, {self.y2}] is empty or outside "
                f"the {self.original.width}x{self.original.height} image"
            )

    @classmethod
    def whole(cls, original: Size) -> Region:
        """The region that is the whole screenshot."""
        return cls(0, 0, original.width, original.height, original)

    @property
    def size(self) -> Size:
        """Size in original px."""
        return Size(self.x2 - self.x1, self.y2 - self.y1)

    @property
    def box_px(self) -> Box:
        """The region as a box in original px."""
        return Box(float(self.x1), float(self.y1), float(self.x2), float(self.y2))

    @property
    def box_norm(self) -> Box:
        """The region as a box in [0, 1000] of the original."""
        a = Point(self.x1, self.y1).to_norm(self.original)
        b = Point(self.x2, self.y2).to_norm(self.original)
        return Box(a.x, a.y, b.x, b.y)

    @property
    def mapping(self) -> Mapping:
        """The affine map from this crop's [0, 1000] to the original's [0, 1000]."""
        box = self.box_norm
        return Mapping(box.x1, box.width / NORM, box.y1, box.height / NORM)

    @property
    def zoom(self) -> float:
        """sqrt(screen area / region area): 1 for the whole screenshot (DESIGN section 4)."""
        return math.sqrt(self.original.area / self.size.area)

    def to_original(self, point_crop: Point) -> Point:
        """Map a ``_crop`` point to ``_norm``."""
        m = self.mapping
        return Point(m.x_offset + point_crop.x * m.x_scale, m.y_offset + point_crop.y * m.y_scale)

    def to_crop(self, point_norm: Point) -> Point:
        """Map a ``_norm`` point to ``_crop``; outside [0, 1000] if the point is not in the region."""
        m = self.mapping
        return Point((point_norm.x - m.x_offset) / m.x_scale, (point_norm.y - m.y_offset) / m.y_scale)

    def box_in(self, parent: Region, frame: Size) -> Box:
        """This region in the coordinates of ``parent`` shown with the size ``frame`` (for [0, 1000]: 1000x1000)."""
        width, height = parent.size.width, parent.size.height
        return Box(
            (self.x1 - parent.x1) * frame.width / width,
            (self.y1 - parent.y1) * frame.height / height,
            (self.x2 - parent.x1) * frame.width / width,
            (self.y2 - parent.y1) * frame.height / height,
        )

    def subregion(self, box: Box, frame: Size) -> Region:
        """Compose a box given in this region's ``frame`` to a region on the original.

        The box is rounded outward to whole original pixels, clipped to the image, and, if thinner than
        `MAX_ASPECT`, grown on its short side inside the image.

        Args:
            box: The asked-for window, in the coordinates of ``frame``.
            frame: Size(1000, 1000) for normalised arguments, the shown size for pixel arguments.

        Raises:
            RegionError: If nothing is left after rounding and clipping.
        """
        sx, sy = self.size.width / frame.width, self.size.height / frame.height
        x1, x2 = _outward(self.x1 + box.x1 * sx, self.x1 + box.x2 * sx, self.original.width)
        y1, y2 = _outward(self.y1 + box.y1 * sy, self.y1 + box.y2 * sy, self.original.height)
        x1, x2 = _grown_range(x1, x2, y2 - y1, self.original.width)
        y1, y2 = _grown_range(y1, y2, x2 - x1, self.original.height)
        return Region(x1, y1, x2, y2, self.original)


NORM_FRAME = Size(1000, 1000)
"""The frame of normalised coordinates."""


def _outward(low: float, high: float, limit: int) -> tuple[int, int]:
    """Round a range outward to whole px and clip it to [0, limit]; empty ranges are an error."""
    a = max(0, math.floor(low + _ROUNDING_SLACK_PX))
    b = min(limit, math.ceil(high - _ROUNDING_SLACK_PX))
    if a >= b:
        raise RegionError("the region is empty, or wholly outside the image")
    return a, b


def _grown_range(low: int, high: int, other_side: int, limit: int) -> tuple[int, int]:
    """Grow a range around its middle until it is at least ``other_side / MAX_ASPECT`` long, inside [0, limit]."""
    missing = math.ceil(other_side / MAX_ASPECT) - (high - low)
    if missing <= 0:
        return low, high
    low = max(0, min(low - missing // 2, limit - (high - low) - missing))
    return low, min(limit, low + math.ceil(other_side / MAX_ASPECT))


@dataclass(frozen=True, slots=True)
class PixelLimits:
    """What the model's image processor does to an image: sides to multiples of ``factor``, area between the limits.

    ``factor`` is patch size times merge size (28 for Qwen2.5-VL, 32 for Qwen3-VL and Qwen3.5). It comes from the
    checkpoint's processor configuration, never from a guess.
    """

    factor: int = 32
    min_pixels: int = 4 * 32 * 32
    max_pixels: int = 16384 * 32 * 32

    def __post_init__(self) -> None:
        if self.factor < 1 or not self._kept_sizes(self.max_pixels):
            raise RegionError(
                f"pixel limits do not fit together: factor {self.factor}, min_pixels {self.min_pixels}, "
                f"max_pixels {self.max_pixels}; no size has sides in multiples of the factor and an area between the "
                "two, so raise max_pixels or lower min_pixels"
            )

    def view_size(self, size: Size) -> Size:
        """Size to which the processor resizes an image (the Qwen-VL rule): each side to the nearest multiple.

        A side under half a factor becomes one unit: the engine's loader, which runs before the processor, sees to it.

        Raises:
            RegionError: If the aspect ratio is above `MAX_ASPECT`; the processor would refuse the image.
        """
        if size.aspect > MAX_ASPECT:
            raise RegionError(f"aspect ratio {size.aspect:.1f}:1 is above {MAX_ASPECT:.0f}:1")
        f = self.factor
        width, height = max(f, round(size.width / f) * f), max(f, round(size.height / f) * f)
        if width * height > self.max_pixels:
            shrink = math.sqrt(size.area / self.max_pixels)
            return Size(
                max(f, math.floor(size.width / shrink / f) * f), max(f, math.floor(size.height / shrink / f) * f)
            )
        if width * height < self.min_pixels:
            stretch = math.sqrt(self.min_pixels / size.area)
            return Size(math.ceil(size.width * stretch / f) * f, math.ceil(size.height * stretch / f) * f)
        return Size(width, height)

    def image_tokens(self, size: Size) -> int:
        """Number of image tokens that an image of ``size`` costs after the processor's resize."""
        view = self.view_size(size)
        return view.area // self.factor**2

    def shown_size(self, region: Size, upscale: float, crop_max_pixels: int) -> Size:
        """Size at which a crop is shown: of the sizes that the processor keeps, the nearest to ``upscale`` times.

        Because the processor keeps this size as it is (`view_size` gives it back), a crop is resampled exactly once.

        Args:
            region: Size of the cut window in px of the original.
            upscale: The wished enlargement of each side.
            crop_max_pixels: Largest area in px; yields to the processor's ``min_pixels`` if it is below that.
        """
        kept = self._kept_sizes(min(crop_max_pixels, self.max_pixels)) or self._kept_sizes(self.max_pixels)
        least, most = self.min_pixels, max(min(crop_max_pixels, self.max_pixels), self.min_pixels)
        scale = max(min(upscale, math.sqrt(most / region.area)), math.sqrt(least / region.area)) / self.factor
        short_wish, long_wish = scale * min(region.width, region.height), scale * max(region.width, region.height)
        sides = [(short, min(max(round(long_wish), low), high)) for short, low, high in kept]
        short, long = min(sides, key=lambda side: (side[0] - short_wish) ** 2 + (side[1] - long_wish) ** 2)
        width, height = (short, long) if region.width <= region.height else (long, short)
        return Size(width * self.factor, height * self.factor)

    def _kept_sizes(self, most_px: int) -> list[tuple[int, int, int]]:
        """The sizes up to ``most_px`` that the processor leaves alone: (short side, lowest, highest long side).

        All in multiples of ``factor``. A list over the short side, so a few dozen entries for limits in use.
        """
        least, most = math.ceil(self.min_pixels / self.factor**2), most_px // self.factor**2
        sizes = [
            (short, max(short, math.ceil(least / short)), min(int(MAX_ASPECT) * short, most // short))
            for short in range(1, math.isqrt(max(most, 0)) + 1)
        ]
        return [size for size in sizes if size[1] <= size[2]]
