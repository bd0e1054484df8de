"""Drawings that fill a program's pictures: plans, parts, symbols, charts, products, photographs' stand-ins.

They hold nothing that could be meant: every function gives SVG markup in a view box of its own size, made from a
generator, in the colours of the skin or in fixed ones of the picture itself.
"""

from __future__ import annotations

import colorsys
import math
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import random
    from collections.abc import Iterable, Sequence

_BLUE, _ORANGE = 'stroke="#1c7ed6"', 'stroke="#e8590c"'
_BLUE_TEXT = 'fill="#1c7ed6" text-anchor="middle"'
_INK = 'fill="currentColor" text-anchor="middle"'
SERIES = ("#4c78a8", "#f58518", "#54a24b", "#e45756", "#b279a2", "#72b7b2", "#eeca3b", "#9d755d")
"""Colours of a chart's series, in order."""


def svg(width: float, height: float, inside: str, *, fit: str = "none", css: str = "") -> str:
    """A picture that fills its place: ``fit`` none stretches it, else it is a `preserveAspectRatio`."""
    return (
        f'<svg viewBox="0 0 {width:g} {height:g}" preserveAspectRatio="{fit}" width="100%" height="100%" '
        f'style="{css}">{inside}</svg>'
    )


@lru_cache(4096)
def hsl(hue: float, saturation: float, lightness: float) -> str:
    """A colour from shares of 0 to 1."""
    red, green, blue = colorsys.hls_to_rgb(hue % 1.0, lightness, saturation)
    return f"#{round(red * 255):02x}{round(green * 255):02x}{round(blue * 255):02x}"


@lru_cache(4096)
def plain(colour: str) -> str:
    """One colour all over."""
    return svg(1, 1, f'<rect width="1" height="1" fill="{colour}"/>')


def _circle(x: float, y: float, r: float, extra: str = "") -> str:
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{r:.1f}" {extra}/>'


def _rect(x: float, y: float, w: float, h: float, extra: str = "") -> str:
    return f'<rect x="{x:.1f}" y="{y:.1f}" width="{w:.1f}" height="{h:.1f}" {extra}/>'


def _ellipse(x: float, y: float, w: float, h: float, extra: str = "") -> str:
    return f'<ellipse cx="{x + w / 2:.1f}" cy="{y + h / 2:.1f}" rx="{w / 2:.1f}" ry="{h / 2:.1f}" {extra}/>'


def _path(steps: str, extra: str = "") -> str:
    return f'<path d="{steps}" {extra}/>'


def _note(x: float, y: float, text: str, extra: str = "", size: float = 13) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" stroke="none" font-size="{size:g}" {extra}>{text}</text>'


def _lines(points: Iterable[tuple[float, float]]) -> str:
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in points)


def ruler(length_px: float, *, upright: bool, side_px: float = 18.0, step_px: float = 50.0) -> str:
    """A ruler with ticks and numbers."""
    ticks, numbers = [], []
    for at in range(0, int(length_px), int(step_px / 10)):
        depth = side_px if at % step_px == 0 else side_px * (0.5 if at % (step_px / 2) == 0 else 0.25)
        ticks.append(f"M{side_px - depth:g} {at}H{side_px:g}" if upright else f"M{at} {side_px - depth:g}V{side_px:g}")
        if at % (2 * step_px) == 0:
            place = f'transform="translate(9 {at + 3}) rotate(90)"' if upright else f'x="{at + 3}" y="9"'
            numbers.append(f"<text {place}>{at}</text>")
    size = (side_px, length_px) if upright else (length_px, side_px)
    inside = (
        f'<path d="{"".join(ticks)}" stroke="var(--zg-muted)" stroke-width="1" fill="none"/>'
        f'<g font-size="9" fill="var(--zg-muted)">{"".join(numbers)}</g>'
    )
    return svg(*size, inside, fit="xMinYMin slice")


def floor_plan(rng: random.Random, width: float, height: float) -> str:
    """Rooms with doors, furniture, dimension lines and areas."""
    depth = 4 if width < 2000 else 6
    rooms = _rooms(rng, (width * 0.08, height * 0.1, width * 0.84, height * 0.78), depth)
    parts = []
    for number, (x, y, w, h) in enumerate(rooms, 1):
        parts.append(_rect(x, y, w, h, 'stroke-width="4"'))
        door = min(40.0, w * 0.3, h * 0.3)
        dx, dy = x + w * rng.uniform(0.1, 0.6), y + h
        parts += [
            _path(f"M{dx:.0f} {dy:.0f}h{door:.0f}", 'stroke="var(--zg-sunk)" stroke-width="5"'),
            _path(f"M{dx:.0f} {dy:.0f}v{-door:.0f}a{door:.0f} {door:.0f} 0 0 1 {door:.0f} {door:.0f}"),
            *_furniture(rng, x, y, w, h),
            _note(x + w / 2, y + h / 2, f"{number:02d} · {w * h / 4000:.1f} m²", _INK),
        ]
    parts += _measures(width, height, rooms)
    inside = f'<g fill="none" stroke="currentColor" stroke-width="1.3">{"".join(parts)}</g>'
    return svg(width, height, inside, fit="xMidYMid meet", css="color:var(--zg-text)")


def _rooms(
    rng: random.Random, room: tuple[float, float, float, float], depth: int
) -> list[tuple[float, float, float, float]]:
    x, y, w, h = room
    if depth == 0 or max(w, h) < 150 or (depth < 3 and rng.random() < 0.2):
        return [room]
    share = rng.uniform(0.35, 0.65)
    if w > h:
        halves = ((x, y, w * share, h), (x + w * share, y, w * (1 - share), h))
    else:
        halves = ((x, y, w, h * share), (x, y + h * share, w, h * (1 - share)))
    return [one for half in halves for one in _rooms(rng, half, depth - 1)]


def _furniture(rng: random.Random, x: float, y: float, w: float, h: float) -> list[str]:
    parts = []
    for _ in range(rng.randint(1, 4)):
        fw, fh = w * rng.uniform(0.12, 0.3), h * rng.uniform(0.12, 0.25)
        fx, fy = x + rng.uniform(0.06, 0.6) * w, y + rng.choice((0.06, 0.62)) * h
        if rng.random() < 0.3:
            parts.append(_ellipse(fx, fy, fw, fh))
        else:
            parts.append(_rect(fx, fy, fw, fh, 'rx="3"') + _path(f"M{fx:.0f} {fy + fh * 0.3:.0f}h{fw:.0f}"))
    return parts


def _measures(width: float, height: float, rooms: Sequence[tuple[float, float, float, float]]) -> list[str]:
    parts = []
    low = max(y + h for _, y, _, h in rooms)
    y = height * 0.94
    for x, top, w, h in rooms:
        if top + h < low - 1:
            continue
        parts.append(_path(f"M{x:.0f} {y:.0f}h{w:.0f}m0 -5v10M{x:.0f} {y - 5:.0f}v10", _BLUE))
        parts.append(_note(x + w / 2, y - 4, f"{w * 10:.0f}", _BLUE_TEXT, 11))
    for at in range(5):
        x = width * (0.08 + 0.21 * at)
        axis = f"M{x:.0f} {height * 0.04 + 10:.0f}V{height * 0.92:.0f}"
        parts.append(_path(axis, f'{_ORANGE} stroke-dasharray="14 4 2 4" stroke-opacity=".55"'))
        parts.append(_circle(x, height * 0.04, 10, _ORANGE))
    return parts


def machine_part(rng: random.Random, width: float, height: float) -> str:
    """A flange with holes in front view, and its side view."""
    cx, cy, r = width * 0.36, height * 0.5, min(width * 0.28, height * 0.4)
    parts = [_circle(cx, cy, r * share) for share in (1.0, 0.94, 0.55, 0.5, 0.22, 0.18)]
    holes = rng.choice((4, 6, 8, 12))
    for number in range(holes):
        angle = 2 * math.pi * number / holes
        parts.append(_circle(cx + 0.75 * r * math.cos(angle), cy + 0.75 * r * math.sin(angle), r * 0.07))
    axes = f"M{cx - r * 1.1:.0f} {cy:.0f}h{r * 2.2:.0f}M{cx:.0f} {cy - r * 1.1:.0f}v{r * 2.2:.0f}"
    parts.append(_path(axes, f'{_ORANGE} stroke-dasharray="16 4 3 4"'))
    sx, thick = width * 0.74, r * 0.2
    for share, wide in ((1.0, 1.0), (0.55, 2.6), (0.22, 3.8)):
        parts.append(_rect(sx, cy - r * share, thick * wide, 2 * r * share))
    slant = f"l{thick:.0f} {-thick:.0f}"
    parts += [_path(f"M{sx:.0f} {cy - r + (at + 1.5) * r / 8:.0f}{slant}", 'stroke-opacity=".5"') for at in range(14)]
    below = cy + r
    parts.append(_path(f"M{cx - r:.0f} {below + 22:.0f}h{2 * r:.0f}m0 -10v18M{cx - r:.0f} {below + 12:.0f}v18", _BLUE))
    parts.append(_note(cx + r * 0.5, below + 17, f"Ø {r * 2:.0f}", _BLUE_TEXT))
    inside = f'<g fill="none" stroke="currentColor" stroke-width="1.6">{"".join(parts)}</g>'
    return svg(width, height, inside, fit="xMidYMid meet", css="color:var(--zg-text)")


def illustration(rng: random.Random, width: float, height: float) -> str:
    """Hills, a sun and trees in flat colours."""
    hue = rng.random()
    sun = f'fill="{hsl(0.12, 0.9, 0.65)}"'
    parts = [
        _rect(0, 0, width, height, f'fill="{hsl(hue, 0.5, 0.85)}"'),
        _circle(width * rng.uniform(0.15, 0.85), height * 0.25, height * 0.1, sun),
    ]
    for layer in range(4):
        base = height * (0.45 + 0.14 * layer)
        points = [(width * at / 8, base + height * rng.uniform(-0.09, 0.09)) for at in range(9)]
        points += [(width, height), (0.0, height)]
        fill = hsl(hue + 0.08 * layer, 0.4, 0.68 - 0.12 * layer)
        parts.append(f'<polygon points="{_lines(points)}" fill="{fill}"/>')
    tree = f'fill="{hsl(0.38, 0.45, 0.28)}"'
    for _ in range(9):
        x, y, s = width * rng.random(), height * rng.uniform(0.72, 0.95), height * rng.uniform(0.05, 0.12)
        parts.append(_path(f"M{x:.0f} {y:.0f}l{s / 2:.0f} {-s:.0f}l{s / 2:.0f} {s:.0f}z", tree))
    return svg(width, height, "".join(parts), fit="xMidYMid slice")


def _stroke(which: int, x: float, y: float, s: float, share: float) -> str:
    if which == 0:
        return _circle(16, 16, s * 0.7)
    if which == 1:
        return _rect(x, y, s, s * share)
    steps = {
        2: f"M{x:.1f} {y:.1f}l{s:.1f} {s:.1f}",
        3: f"M{x:.1f} 26a{s:.1f} {s:.1f} 0 0 1 {s:.1f} {-s:.1f}",
        4: f"M4 {y:.1f}h24",
        5: f"M{x:.1f} 4v24",
    }
    return _path(steps[which])


def symbol(rng: random.Random) -> str:
    """A small line drawing, as symbol libraries show them."""
    parts = []
    for _ in range(rng.randint(2, 4)):
        x, y, s = rng.uniform(4, 14), rng.uniform(4, 14), rng.uniform(7, 14)
        parts.append(_stroke(rng.randrange(6), x, y, s, rng.uniform(0.5, 1.1)))
    inside = f'<g fill="none" stroke="currentColor" stroke-width="1.5">{"".join(parts)}</g>'
    return svg(32, 32, inside, fit="xMidYMid meet")


def desk_picture(rng: random.Random) -> str:
    """A calm picture behind the windows of a desktop."""
    hue = rng.random()
    bands = []
    for at in range(6):
        y = 0.3 + 0.12 * at
        points = [(x / 10, y + rng.uniform(-0.05, 0.05)) for x in range(11)]
        fill = hsl(hue + 0.03 * at, 0.35, 0.42 - 0.05 * at)
        joined = " ".join(f"{x:.2f},{v:.3f}" for x, v in [*points, (1.0, 1.0), (0.0, 1.0)])
        bands.append(f'<polygon points="{joined}" fill="{fill}"/>')
    sky = _rect(0, 0, 1, 1, f'fill="{hsl(hue, 0.3, 0.5)}"')
    return svg(1, 1, sky + "".join(bands))


def desk_folder(rng: random.Random) -> str:
    """A folder in a colour."""
    hue = rng.choice((0.11, 0.11, 0.58, 0.36))
    back, front = hsl(hue, 0.75, 0.45), hsl(hue, 0.8, 0.6)
    parts = f'<path d="M3 6h11l3 4h18v20H3z" fill="{back}"/><path d="M3 13h32v18H3z" fill="{front}"/>'
    return svg(38, 34, parts, fit="xMidYMid meet")


def desk_paper() -> str:
    """A sheet with a folded corner."""
    edge = 'stroke="#868e96"'
    sheet = _path("M8 3h15l7 7v22H8z", f'fill="#fdfdfd" {edge}') + _path("M23 3v7h7", f'fill="none" {edge}')
    lines = '<path d="M12 15h14M12 19h14M12 23h10" stroke="#adb5bd"/>'
    return svg(38, 34, sheet + lines, fit="xMidYMid meet")


def desk_bin() -> str:
    """A waste bin with a lid."""
    edge = 'fill="none" stroke="#5c6770" stroke-width="1.5"'
    can = _path("M9 9h20l-2 23H11z", 'fill="#dde3e8" stroke="#5c6770" stroke-width="1.5"')
    return svg(38, 34, can + _path("M6 9h26M15 9V4h8v5M15 14l1 13M19 14v13M23 14l-1 13", edge), fit="xMidYMid meet")


def page(rng: random.Random) -> str:
    """A printed page with a heading and lines."""
    parts = [_rect(0, 0, 210, 297, 'fill="#fff" stroke="#adb5bd"'), _rect(20, 24, 100, 10, 'fill="#495057"')]
    y = 50.0
    while y < 270:
        parts.append(_rect(20, y, rng.uniform(90, 170), 4, 'fill="#ced4da"'))
        y += rng.choice((9, 9, 9, 18))
    return svg(210, 297, "".join(parts), fit="xMidYMid meet")


def product(rng: random.Random) -> str:
    """A thing for sale: a few solid shapes before a light ground."""
    hue = rng.random()
    main, dark, light = hsl(hue, 0.55, 0.5), hsl(hue, 0.5, 0.32), hsl(hue + 0.08, 0.5, 0.72)
    ground = _rect(0, 0, 100, 100, f'fill="{hsl(hue + 0.4, 0.18, 0.93)}"')
    shadow = _ellipse(22, 78, 56, 10, 'fill="#000" fill-opacity=".12"')
    w, h = rng.uniform(28, 56), rng.uniform(30, 56)
    x, y = 50 - w / 2, 82 - h
    body = rng.choice(
        (
            _rect(x, y, w, h, f'rx="{rng.choice((2, 8, 16))}" fill="{main}"'),
            _ellipse(x, y, w, h, f'fill="{main}"'),
            _path(f"M{x:.0f} 82L{50 - w / 4:.0f} {y:.0f}h{w / 2:.0f}L{x + w:.0f} 82z", f'fill="{main}"'),
            _path(f"M{x:.0f} 82V{y + 12:.0f}q{w / 2:.0f} -24 {w:.0f} 0V82z", f'fill="{main}"'),
        )
    )
    detail = rng.choice(
        (
            _rect(x + w * 0.15, y + h * 0.3, w * 0.7, h * 0.25, f'fill="{light}"'),
            _circle(50, y + h * 0.5, min(w, h) * 0.2, f'fill="{light}"'),
            _rect(48, y - 14, 4, 16, f'fill="{dark}"') + _ellipse(38, y - 20, 24, 10, f'fill="{dark}"'),
            _path(f"M{x:.0f} {y + h / 2:.0f}h{w:.0f}", f'stroke="{dark}" stroke-width="3"'),
            _path(
                f"M{x + 4:.0f} {y:.0f}q{w / 2 - 4:.0f} -26 {w - 8:.0f} 0",
                f'fill="none" stroke="{dark}" stroke-width="4"',
            ),
        )
    )
    return svg(100, 100, ground + shadow + body + detail, fit="xMidYMid slice")


def avatar(rng: random.Random, letters: str) -> str:
    """A round face's stand-in with letters."""
    ground = _circle(20, 20, 20, f'fill="{hsl(rng.random(), 0.45, 0.45)}"')
    words = f'<text x="20" y="26" font-size="16" text-anchor="middle" fill="#fff">{letters}</text>'
    return svg(40, 40, ground + words, fit="xMidYMid meet")
