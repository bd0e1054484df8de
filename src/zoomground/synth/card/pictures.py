"""The card's pictures: histograms, and a sheet of screens with the targets drawn in."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from matplotlib.figure import Figure
from PIL import Image, ImageDraw

from zoomground.data.files import replacing
from zoomground.images import load_screenshot
from zoomground.synth.card.figures import SCREENSPOT_PRO, SetFigures

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from matplotlib.axes import Axes

    from zoomground.geometry import Box
    from zoomground.synth.card.figures import Sample

_INK, _GUIDE = "#1f6feb", "#d9480f"
_TILE = (640, 360)
_INSET = 150
_PLAIN = 80.0
"""A target of this size on the sheet, in px, needs no enlargement."""

_GAP = 12
_COLUMNS = 3
_MOST_BARS = 24
_GROUND = (236, 239, 243)
_MARK = (224, 49, 49)


def write_histograms(figures: SetFigures, out: Path) -> None:
    """Draw the histograms of a set as one PNG."""
    chart = Figure(figsize=(12, 8.4), dpi=110, layout="constrained")
    axes = chart.subplots(2, 3)
    _spread(axes[0][0], figures.values("short_px"), "short side of the target, px", SCREENSPOT_PRO.short_px)
    shares = [100 * value for value in figures.values("area_share")]
    _spread(axes[0][1], shares, "share of the screen's area, %", (SCREENSPOT_PRO.area_percent,))
    _lengths(axes[0][2], figures.values("words"))
    for axis, name, title in (
        (axes[1][0], "kind", "kinds of program"), (axes[1][1], "how", "ways of asking"), (axes[1][2], "skin", "skins"),
    ):  # fmt: skip
        _bars(axis, figures.count(name).most_common(_MOST_BARS), title)
    with replacing(out) as partial:
        chart.savefig(partial, format="png", metadata={"Software": None})


def write_sheet(samples: Sequence[Sample], out: Path) -> None:
    """Draw screens with their targets boxed, numbered as in the list beside it; each target is also shown enlarged."""
    columns = min(_COLUMNS, len(samples))
    rows = math.ceil(len(samples) / columns)
    width, height = _TILE
    sheet = Image.new("RGB", (columns * (width + _GAP) + _GAP, rows * (height + _GAP) + _GAP), _GROUND)
    for number, sample in enumerate(samples):
        place = (_GAP + number % columns * (width + _GAP), _GAP + number // columns * (height + _GAP))
        sheet.paste(_tile(sample, number + 1), place)
    with replacing(out) as partial:
        sheet.save(partial, "WEBP", quality=82)


def choose(samples: Sequence[Sample], count: int) -> list[Sample]:
    """A sample of rows that shows every kind of program and way of asking: the rarest combination comes first."""
    seen: dict[tuple[object, ...], int] = {}
    ranked = []
    for place, sample in enumerate(samples):
        for key in ((sample.meta.get("kind"),), (sample.meta.get("kind"), sample.meta.get("how"))):
            seen[key] = seen.get(key, 0) + 1
        kind, how = (sample.meta.get("kind"),), (sample.meta.get("kind"), sample.meta.get("how"))
        ranked.append((seen[how], seen[kind], place, sample))
    screens: set[object] = set()
    chosen = []
    for *_, sample in sorted(ranked, key=lambda one: one[:3]):
        if sample.row.image_source not in screens:
            screens.add(sample.row.image_source)
            chosen.append(sample)
    return chosen[:count]


def _tile(sample: Sample, number: int) -> Image.Image:
    picture = load_screenshot(sample.row.image_source).pixels
    tile = Image.new("RGB", _TILE, _GROUND)
    scale = min(_TILE[0] / picture.width, _TILE[1] / picture.height)
    small = picture.resize((round(picture.width * scale), round(picture.height * scale)), Image.Resampling.LANCZOS)
    tile.paste(small)
    pen = ImageDraw.Draw(tile)
    place = sample.row.task.place
    if place is not None:
        box = place.box
        pen.rectangle(
            _around([box.x1 * scale, box.y1 * scale, box.x2 * scale, box.y2 * scale], 2), outline=_MARK, width=2
        )
        if max(box.width, box.height) * scale < _PLAIN:
            _inset(tile, picture, box, left=box.center.x * scale > _TILE[0] / 2)
    pen.rectangle((0, 0, 30, 18), fill=_MARK)
    pen.text((4, 3), str(number), fill="white")
    return tile


def _inset(tile: Image.Image, picture: Image.Image, box: Box, *, left: bool) -> None:
    """The target and what surrounds it, enlarged, in the corner that it does not lie in."""
    side = max(60.0, 1.6 * max(box.width, box.height))
    x, y = (max(0, round(middle - side / 2)) for middle in (box.center.x, box.center.y))
    cut = picture.crop((x, y, min(picture.width, x + round(side)), min(picture.height, y + round(side))))
    factor = _INSET / max(cut.size)
    pen = ImageDraw.Draw(cut := cut.resize((round(cut.width * factor), round(cut.height * factor))))
    corners = [(box.x1 - x) * factor, (box.y1 - y) * factor, (box.x2 - x) * factor, (box.y2 - y) * factor]
    pen.rectangle(_around(corners, 1), outline=_MARK, width=2)
    pen.rectangle((0, 0, cut.width - 1, cut.height - 1), outline=_MARK)
    tile.paste(cut, (0 if left else tile.width - cut.width, tile.height - cut.height))


def _around(corners: Sequence[float], margin: float) -> tuple[float, float, float, float]:
    left, top, right, bottom = corners
    return left - margin, top - margin, right + margin, bottom + margin


def _spread(axis: Axes, values: Sequence[float], title: str, guides: Sequence[float]) -> None:
    """A histogram over a logarithmic axis, with a benchmark's quantiles."""
    _frame(axis, title)
    positive = [value for value in values if value > 0]
    if positive:
        low, high = math.log10(min(positive)), math.log10(max(positive))
        step = max(high - low, 0.1) / 40
        axis.hist(positive, bins=[10 ** (low + step * place) for place in range(42)], color=_INK)
        axis.set_xscale("log")
    for value in guides:
        axis.axvline(value, color=_GUIDE, linestyle="--", linewidth=1)


def _lengths(axis: Axes, values: Sequence[float]) -> None:
    _frame(axis, "words of the instruction")
    if values:
        axis.hist(values, bins=[place - 0.5 for place in range(1, round(max(values)) + 2)], color=_INK)
    for value in SCREENSPOT_PRO.words:
        axis.axvline(value, color=_GUIDE, linestyle="--", linewidth=1)
    axis.text(
        0.98, 0.95, f"dashed: {SCREENSPOT_PRO.name}", transform=axis.transAxes, ha="right", va="top", color=_GUIDE
    )


def _bars(axis: Axes, counts: Sequence[tuple[str, int]], title: str) -> None:
    _frame(axis, title)
    if not counts:
        axis.axis("off")
        return
    names = [name for name, _ in reversed(counts)]
    axis.barh(names, [count for _, count in reversed(counts)], color=_INK)
    axis.tick_params(axis="y", labelsize=8)


def _frame(axis: Axes, title: str) -> None:
    axis.set_title(title, loc="left", fontsize=10)
    axis.spines[["top", "right"]].set_visible(False)
