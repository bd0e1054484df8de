"""Pictures drawn from a scene's seed: faces, charts, landscapes, sound waves. Nothing in them can be meant."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from zoomground.synth.graph import TINTS

if TYPE_CHECKING:
    from zoomground.synth.scene import Scene


def tint(scene: Scene) -> str:
    """One of the colours that have names, as CSS."""
    return scene.rng.choice(list(TINTS.values()))


def face(scene: Scene, side: float) -> str:
    """A person's stand-in."""
    return (
        f'<svg width="{side:g}" height="{side:g}" viewBox="0 0 34 34"><circle cx="17" cy="17" r="17" '
        f'fill="{tint(scene)}"/><g fill="#fff" opacity=".85"><circle cx="17" cy="13" r="6"/>'
        '<path d="M5 30c1-12 23-12 24 0z"/></g></svg>'
    )


def stripe(colour: str, width: float, height: float) -> str:
    """A coloured bar."""
    return f'<svg width="{width:g}" height="{height:g}"><rect width="100%" height="100%" rx="2" fill="{colour}"/></svg>'


def bars(scene: Scene, width: float, height: float) -> str:
    """A bar chart."""
    tints = scene.rng.sample(list(TINTS.values()), 3)
    base, step = height - 6, 26
    found = []
    for at in range(int((width - 26) // step)):
        for part, colour in enumerate(tints[: scene.rng.choice((2, 2, 3))]):
            tall = scene.rng.uniform(0.15, 0.95) * (base - 8)
            left = 24 + at * step + part * 7
            found.append(f'<rect x="{left}" y="{base - tall:.0f}" width="6" height="{tall:.0f}" fill="{colour}"/>')
    lines = "".join(f'<path d="M22 {base * part / 4:.0f}H{width:g}" stroke="var(--zg-line)"/>' for part in range(5))
    return f'<svg width="{width:g}" height="{height:g}">{lines}{"".join(found)}</svg>'


_SIGHTS = (
    ("#a9cbe6", "#7f9bb0", "#5d7d6a", "#3c5a45"), ("#f0c8a0", "#b9798a", "#7a5276", "#453459"),
    ("#d3e6da", "#8fb39c", "#5a8a70", "#2f5d4a"), ("#ddd6c6", "#b3a68c", "#86785f", "#554a3b"),
    ("#26304f", "#3d4f74", "#2b3957", "#121a30"), ("#cfe0ee", "#9bb4c9", "#e8edf2", "#c4d0da"),
)  # fmt: skip
"""Sky, far hills, near hills, ground."""


def landscape(scene: Scene, width: float, height: float) -> str:
    """A photograph's stand-in: sky, sun, hills."""
    rng = scene.rng
    sky, *hills = rng.choice(_SIGHTS)
    layers = ""
    for at, colour in enumerate(hills):
        top = 34 + 13 * at
        ridge = " ".join(f"L{step * 12.5:g} {rng.randint(top, top + 15)}" for step in range(9))
        layers += f'<path d="M0 80 {ridge} L100 80z" fill="{colour}"/>'
    return (
        f'<svg width="{width:g}" height="{height:g}" viewBox="0 0 100 80" preserveAspectRatio="xMidYMid slice">'
        f'<rect width="100" height="80" fill="{sky}"/><circle cx="{rng.randint(15, 85)}" cy="{rng.randint(14, 28)}" '
        f'r="{rng.randint(4, 7)}" fill="#fff3c9"/>{layers}</svg>'
    )


@lru_cache
def _strokes(reach: int) -> tuple[str, ...]:
    return tuple(f"m4-{tall}v{2 * tall}m0-{tall}" for tall in range(1, reach + 1))


def wave(scene: Scene, width: float, height: float) -> str:
    """The outline of a sound."""
    middle = height / 2
    lines = "".join(scene.rng.choices(_strokes(max(2, int(middle) - 1)), k=max(1, int((width - 5) // 4))))
    return (
        f'<svg width="{width:g}" height="{height:g}"><path d="M-1 {middle:g}{lines}" stroke="currentColor" '
        'stroke-width="1.500" opacity=".55"/></svg>'
    )


def commit_mark(scene: Scene, height: float) -> str:
    """A dot on the line of a history."""
    return (
        f'<svg width="12" height="{height:g}"><path d="M6 0v{height:g}" stroke="var(--zg-line)" stroke-width="2"/>'
        f'<circle cx="6" cy="{height / 2:g}" r="4" fill="{scene.rng.choice((TINTS["blue"], TINTS["purple"]))}"/></svg>'
    )


def folder(wide: float, high: float) -> str:
    """A folder's picture."""
    return (
        f'<svg width="{wide:g}" height="{high:g}" viewBox="0 0 100 72"><path d="M26 18h18l6 7h26v32H26z" '
        f'fill="{TINTS["yellow"]}"/><path d="M26 28h50v29H26z" fill="{TINTS["orange"]}" opacity=".35"/></svg>'
    )


def paper(scene: Scene, wide: float, high: float) -> str:
    """A written page."""
    lines = "".join(f"M38 {at}h{scene.rng.randint(8, 24)}" for at in range(22, 60, 5))
    return (
        f'<svg width="{wide:g}" height="{high:g}" viewBox="0 0 100 72"><rect x="31" y="6" width="38" height="60" '
        f'rx="2" fill="#fff" stroke="#adb5bd"/><path d="{lines}" stroke="#868e96" stroke-width="1.500"/></svg>'
    )
