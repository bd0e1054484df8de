"""Which windows there are and where: one that fills the screen, several over each other, or side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zoomground.synth.desktop.view import Area, builders
from zoomground.synth.plan import HELDOUT_KINDS, PHONE_KINDS

if TYPE_CHECKING:
    from zoomground.synth.scene import Scene

Placed = list[tuple[str, Area]]

_LEAST_PX = (900.0, 560.0)
"""Smallest window that a program for desktops is put into."""
_ULTRAWIDE = 2.2


def companions(kind: str) -> list[str]:
    """Programs that may stand beside one: those of the same split, so that held-out kinds stay unseen in training."""
    same = [one for one in builders() if (one in HELDOUT_KINDS) == (kind in HELDOUT_KINDS) and one not in PHONE_KINDS]
    others = [one for one in same if one != kind]
    return others or [kind]


def arrange(scene: Scene, kind: str, free: Area) -> Placed:
    """Windows from the backmost to the one in front, all inside the free area."""
    narrow = free.width < _LEAST_PX[0] + 150 or free.height < _LEAST_PX[1] + 80
    wide = free.width / free.height > _ULTRAWIDE
    maximised, overlapping, tiled = (0.55, 0.3, 0.15) if not wide else (0.2, 0.3, 0.5)
    if narrow or free.width < 2 * _LEAST_PX[0]:
        tiled = 0.0
    way = scene.rng.choices(("maximised", "overlapping", "tiled"), (maximised, 0.0 if narrow else overlapping, tiled))[
        0
    ]
    if way == "maximised":
        return [(kind, free)]
    return _overlapping(scene, kind, free) if way == "overlapping" else _tiled(scene, kind, free)


def _overlapping(scene: Scene, kind: str, free: Area) -> Placed:
    rng = scene.rng
    most = 2 if free.width < 1500 else 3 if free.width < 2400 else 5
    count = rng.randint(2, most)
    corners = [(0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (1.0, 1.0)]
    rng.shuffle(corners)
    placed: Placed = []
    for number in range(count - 1):
        width = _side(rng.uniform(0.45, 0.75), free.width, _LEAST_PX[0])
        height = _side(rng.uniform(0.5, 0.85), free.height, _LEAST_PX[1])
        across, down = corners[number % 4]
        across, down = abs(across - rng.uniform(0.0, 0.12)), abs(down - rng.uniform(0.0, 0.12))
        placed.append((rng.choice(companions(kind)), _inside(free, width, height, across, down)))
    width = _side(rng.uniform(0.58, 0.82), free.width, min(1180.0, free.width))
    height = _side(rng.uniform(0.65, 0.88), free.height, min(680.0, free.height))
    placed.append((kind, _inside(free, width, height, rng.random(), rng.random())))
    return placed


def _side(share: float, whole: float, least: float) -> float:
    return float(round(min(whole, max(least, share * whole))))


def _inside(free: Area, width: float, height: float, across: float, down: float) -> Area:
    x = free.x + (free.width - width) * min(1.0, across)
    y = free.y + (free.height - height) * min(1.0, down)
    return Area(float(int(x)), float(int(y)), width, height)


def _tiled(scene: Scene, kind: str, free: Area) -> Placed:
    rng = scene.rng
    count = rng.randint(2, max(2, min(4, int(free.width // 1250))))
    weights = [rng.choice((1.0, 1.0, 1.4)) for _ in range(count)]
    least = _LEAST_PX[0] / free.width * sum(weights)
    weights = [max(weight, least) for weight in weights]
    edges = [0.0]
    for weight in weights:
        edges.append(edges[-1] + free.width * weight / sum(weights))
    mine = rng.randrange(count)
    placed: Placed = []
    for number in range(count):
        left, right = round(edges[number]), round(edges[number + 1])
        name = kind if number == mine else rng.choice(companions(kind))
        placed.append((name, Area(free.x + left, free.y, float(right - left), free.height)))
    placed.append(placed.pop(mine))
    return placed
