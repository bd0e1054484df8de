"""Pictures drawn from a scene's seed: faces, charts, landscapes, sound waves. Nothing in them can be meant."""

from __future__ import annotations

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


def landscape(scene: Scene, width: float, height: float) -> str:
    """A photograph's stand-in: sky, sun, hills."""
    rng = scene.rng
    sky, far, near = rng.sample(list(TINTS.values()), 3)
    hills = " ".join(f"L{at * 20} {rng.randint(34, 58)}" for at in range(6))
    ground = " ".join(f"L{at * 20} {rng.randint(52, 72)}" for at in range(6))
    return (
        f'<svg width="{width:g}" height="{height:g}" viewBox="0 0 100 80" preserveAspectRatio="xMidYMid slice">'
        f'<rect width="100" height="80" fill="{sky}" opacity=".35"/><rect width="100" height="80" fill="#fff" '
        f'opacity=".15"/><circle cx="{rng.randint(15, 85)}" cy="{rng.randint(12, 26)}" r="7" fill="#fcc419"/>'
        f'<path d="M0 80L0 50 {hills} L100 80z" fill="{far}" opacity=".75"/>'
        f'<path d="M0 80L0 64 {ground} L100 80z" fill="{near}"/></svg>'
    )


def wave(scene: Scene, width: float, height: float) -> str:
    """The outline of a sound."""
    rng, middle = scene.rng, height / 2
    reach = max(2, int(middle) - 1)
    lines = "".join(
        f"M{at} {middle - tall}v{2 * tall}" for at in range(2, int(width) - 1, 4) for tall in [rng.randint(1, reach)]
    )
    return (
        f'<svg width="{width:g}" height="{height:g}"><path d="{lines}" stroke="currentColor" stroke-width="1.500" '
        'opacity=".55"/></svg>'
    )


def commit_mark(scene: Scene, height: float) -> str:
    """A dot on the line of a history."""
    return (
        f'<svg width="12" height="{height:g}"><path d="M6 0v{height:g}" stroke="var(--zg-line)" stroke-width="2"/>'
        f'<circle cx="6" cy="{height / 2:g}" r="4" fill="{scene.rng.choice((TINTS["blue"], TINTS["purple"]))}"/></svg>'
    )
