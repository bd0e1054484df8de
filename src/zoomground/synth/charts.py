"""Charts as pictures: lines, bars, rings, heat, made from a generator."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from zoomground.synth.pictures import SERIES, svg

if TYPE_CHECKING:
    import random

_GRID = 'stroke="var(--zg-line)" stroke-width="1" vector-effect="non-scaling-stroke" fill="none"'
_STROKE = 'fill="none" stroke-width="2" vector-effect="non-scaling-stroke"'
_W, _H = 400.0, 160.0


def _walk(rng: random.Random, count: int, low: float = 0.15, high: float = 0.95) -> list[float]:
    """A random walk between two ends."""
    at = rng.uniform(low, high)
    found = []
    for _ in range(count):
        at = min(high, max(low, at + rng.uniform(-0.16, 0.17)))
        found.append(at)
    return found


def _grid() -> str:
    lines = "".join(f"M0 {_H * share:.0f}H{_W:.0f}" for share in (0.0, 0.25, 0.5, 0.75, 0.995))
    return f'<path d="{lines}" {_GRID}/>'


def _curve(values: list[float]) -> str:
    step = _W / (len(values) - 1)
    return "L".join(f"{at * step:.1f} {_H * (1 - value):.1f}" for at, value in enumerate(values))


def lines(rng: random.Random, series: int) -> str:
    """Several lines over a grid."""
    paths = [f'<path d="M{_curve(_walk(rng, 30))}" stroke="{SERIES[at]}" {_STROKE}/>' for at in range(series)]
    return svg(_W, _H, _grid() + "".join(paths))


def areas(rng: random.Random, series: int) -> str:
    """Filled areas over each other."""
    paths = []
    for at in range(series):
        curve = _curve(_walk(rng, 24, 0.1, 0.9 - 0.18 * at))
        paths.append(f'<path d="M0 {_H:.0f}L{curve}L{_W:.0f} {_H:.0f}z" fill="{SERIES[at]}" fill-opacity=".45"/>')
        paths.append(f'<path d="M{curve}" stroke="{SERIES[at]}" {_STROKE}/>')
    return svg(_W, _H, _grid() + "".join(paths))


def bars(rng: random.Random, series: int) -> str:
    """Groups of bars."""
    groups = rng.choice((6, 8, 12))
    wide = _W / groups
    each = wide * 0.7 / series
    parts = []
    for group in range(groups):
        for at in range(series):
            tall = _H * rng.uniform(0.15, 0.95)
            x = group * wide + wide * 0.15 + at * each
            place = f'x="{x:.1f}" y="{_H - tall:.1f}" width="{each * 0.9:.1f}" height="{tall:.1f}"'
            parts.append(f'<rect {place} fill="{SERIES[at]}"/>')
    return svg(_W, _H, _grid() + "".join(parts))


def stacks(rng: random.Random, series: int) -> str:
    """Bars of stacked parts."""
    groups = rng.choice((7, 12, 24))
    wide = _W / groups
    parts = []
    for group in range(groups):
        y = _H
        for at in range(series):
            tall = _H * rng.uniform(0.08, 0.9 / series)
            y -= tall
            place = f'x="{group * wide + wide * 0.15:.1f}" y="{y:.1f}" width="{wide * 0.7:.1f}" height="{tall:.1f}"'
            parts.append(f'<rect {place} fill="{SERIES[at]}"/>')
    return svg(_W, _H, _grid() + "".join(parts))


def dots(rng: random.Random, series: int) -> str:
    """A cloud of points for each series."""
    parts = []
    for at in range(series):
        x, y = rng.uniform(0.2, 0.8), rng.uniform(0.2, 0.8)
        for _ in range(28):
            place = f'cx="{_W * rng.gauss(x, 0.12):.1f}" cy="{_H * rng.gauss(y, 0.14):.1f}"'
            parts.append(f'<circle {place} r="3" fill="{SERIES[at]}" fill-opacity=".75"/>')
    return svg(_W, _H, _grid() + "".join(parts))


def ring(rng: random.Random, series: int) -> str:
    """A ring of shares."""
    weights = [rng.uniform(0.4, 1.5) for _ in range(series)]
    parts, at = [], 0.0
    for number, weight in enumerate(weights):
        end = at + 2 * math.pi * weight / sum(weights)
        large = int(end - at > math.pi)
        points = [(r * math.sin(a), -r * math.cos(a)) for r, a in ((70, at), (70, end), (42, end), (42, at))]
        (ax, ay), (bx, by), (cx, cy), (dx, dy) = points
        outer = f"M{ax:.1f} {ay:.1f}A70 70 0 {large} 1 {bx:.1f} {by:.1f}"
        path = f"{outer}L{cx:.1f} {cy:.1f}A42 42 0 {large} 0 {dx:.1f} {dy:.1f}z"
        parts.append(f'<path d="{path}" fill="{SERIES[number]}"/>')
        at = end
    return svg(160, 150, f'<g transform="translate(80 75)">{"".join(parts)}</g>', fit="xMidYMid meet")


CHARTS = ((lines, "trend"), (areas, ""), (bars, "chart"), (stacks, "chart"), (dots, ""), (ring, "pie"))
"""Drawings, each with the concept whose icon shows the same."""


def spark(rng: random.Random) -> str:
    """A line without a grid."""
    return svg(_W, _H, f'<path d="M{_curve(_walk(rng, 16))}" stroke="var(--zg-accent)" {_STROKE}/>')


def blob(colour: str) -> str:
    """A round dot in a colour."""
    return svg(10, 10, f'<circle cx="5" cy="5" r="4.500" fill="{colour}"/>', fit="xMidYMid meet")
