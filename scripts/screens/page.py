"""The builder that every page kind writes into: seeded words, shared parts, and targets with what may be asked of them.

A kind calls `Page.target` for every element that an instruction could mean, look-alikes included; so that "this
instruction is unique on the page" can be computed over all of them, not only over those that become rows.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from html import escape

from screens import content
from screens.style import HELDOUT_SKINS, TRAIN_SKINS, Theme, sheet
from zoomground.synth.icons.own import drawing

TINTS = ["#e8590c", "#2f9e44", "#1971c2", "#9c36b5", "#c2255c", "#0c8599", "#e67700", "#5f3dc4", "#868e96", "#a61e4d"]
SCENES = [
    ("#a5d8ff", "#ffe066", "#2f9e44", "#2b8a3e"),
    ("#ffd8a8", "#e8590c", "#862e9c", "#5f3dc4"),
    ("#1b2a49", "#f1f3f5", "#364fc7", "#2b3a67"),
    ("#c3fae8", "#ff8787", "#0b7285", "#095c6b"),
    ("#e5dbff", "#fff3bf", "#495057", "#343a40"),
    ("#ffec99", "#fa5252", "#d9480f", "#a33c0c"),
]


@dataclass(frozen=True)
class PageSpec:
    """What fixes a page: same spec, same pixels, same rows. Sizes in px."""

    split: content.Split
    kind: str
    width: int
    height: int
    theme: Theme
    seed: int

    @property
    def name(self) -> str:
        """Name of the page, also of its image file."""
        return f"{self.kind}-{self.seed}"


@dataclass(frozen=True)
class Candidate:
    """An element that could be asked for: its role, its label if it has one, and (how, instruction) pairs."""

    role: str
    label: str | None
    says: tuple[tuple[str, str], ...]


@dataclass
class Page:
    """One page while it is built."""

    spec: PageSpec
    rng: random.Random = field(init=False)
    candidates: list[Candidate] = field(default_factory=list)
    muted: bool = False
    """While true nothing becomes a target: what is built lies behind a dialog."""

    def __post_init__(self) -> None:
        self.rng = random.Random(f"{self.spec.kind}/{self.spec.seed}")
        skins = TRAIN_SKINS if self.spec.split == "train" else HELDOUT_SKINS
        self.skin = skins[self.rng.choice(sorted(skins))]

    @property
    def width(self) -> int:
        """Width of the viewport in px."""
        return self.spec.width

    @property
    def height(self) -> int:
        """Height of the viewport in px."""
        return self.spec.height

    def words(self, name: str, count: int) -> list[str]:
        """Different entries of a pool, at most as many as there are."""
        entries = content.pool(name, self.spec.split)
        return self.rng.sample(entries, min(count, len(entries)))

    def word(self, name: str) -> str:
        """One entry of a pool."""
        return self.words(name, 1)[0]

    def people(self, count: int) -> list[str]:
        """Different full names; no two share a first or a last name as long as the pools last."""
        firsts, lasts = self.words("first", 99), self.words("last", 99)
        turn = len(lasts)
        return [f"{firsts[i % len(firsts)]} {lasts[(i + i // turn) % turn]}" for i in range(count)]

    def target(self, role: str, *, label: str | None = None, **says: str | tuple[str, ...]) -> str:
        """The attribute that makes an element a target.

        Args:
            role: Kind of element, for the row's meta.
            label: Text that no other element of the page may carry (checked in the browser).
            says: Instructions by how they ask: name, function, relation, position.
        """
        if self.muted:
            return ""
        pairs = [(how, text) for how, texts in says.items() for text in ([texts] if isinstance(texts, str) else texts)]
        self.candidates.append(Candidate(role, label, tuple(pairs)))
        return f' data-target="{len(self.candidates) - 1}"'

    def icon(self, name: str, size_px: int = 16) -> str:
        """An icon as inline SVG."""
        return drawing(name, size_px)

    def tool(
        self, icon: str, side_px: int, role: str, /, *, css: str = "", style: str = "", **says: str | tuple[str, ...]
    ) -> str:
        """A square icon button that is a target.

        Args:
            icon: Name of the icon.
            side_px: Side of the button in px; the icon fills most of it.
            role: See `target`.
            css: Further classes.
            style: Further inline style.
            says: See `target`.
        """
        drawn = side_px - (6 if side_px >= 20 else 2)
        attr = self.target(role, **says)
        return (
            f'<button class="ib {css}" style="width:{side_px}px;height:{side_px}px;{style}"{attr}>'
            f"{self.icon(icon, drawn)}</button>"
        )

    def check(self, *, on: bool, side_px: int = 14, **says: str | tuple[str, ...]) -> str:
        """A check box that is a target."""
        attr = self.target("checkbox", **says)
        state = " checked" if on else ""
        return f'<input type="checkbox" class="cb"{state} style="width:{side_px}px;height:{side_px}px"{attr}>'

    def scene(self, width_px: int, height_px: int) -> str:
        """A flat landscape that stands for a photograph."""
        sky, sun, far, near = self.rng.choice(SCENES)
        w, h, r = width_px, height_px, self.rng
        top = [r.randint(h * 4 // 10, h * 7 // 10) for _ in range(4)]
        return (
            f'<svg width="{w}" height="{h}" viewBox="0 0 {w} {h}" preserveAspectRatio="xMidYMid slice"><rect width="{w}" height="{h}" fill="{sky}"/>'
            f'<circle cx="{r.randint(w // 5, w * 4 // 5)}" cy="{h * 3 // 10}" r="{h // 8}" fill="{sun}"/>'
            f'<path d="M0 {top[0]}L{w // 3} {top[1]}L{w * 2 // 3} {top[2]}L{w} {top[3]}V{h}H0z" fill="{far}"/>'
            f'<path d="M0 {h * 8 // 10}L{w // 2} {r.randint(h * 6 // 10, h * 8 // 10)}L{w} {h * 9 // 10}V{h}H0z" '
            f'fill="{near}"/></svg>'
        )

    def avatar(self, name: str, size_px: int) -> str:
        """A round badge with initials."""
        tint = TINTS[sum(map(ord, name)) % len(TINTS)]
        letters = "".join(part[0] for part in name.split()[:2])
        font = max(8, size_px * 2 // 5)
        return (
            f'<span class="av" style="width:{size_px}px;height:{size_px}px;background:{tint};font-size:{font}px">'
            f"{letters}</span>"
        )

    def menus(self, *names: str) -> str:
        """A menu bar whose entries are targets."""
        items = "".join(
            f'<span class="mi"{self.target("menu", label=n, name=(f"Open the {n} menu", f"Click on {n} in the menu bar"))}>'
            f"{n}</span>"
            for n in names
        )
        return f'<div class="row none bar" style="padding:2px 6px">{items}</div>'

    def titlebar(self, title: str) -> str:
        """The title bar of a desktop window."""
        buttons = (
            self.tool("minus", 20, "window control", function="Minimise the window")
            + self.tool("max", 20, "window control", function="Maximise the window")
            + self.tool("close", 20, "window control", function=("Close the window", "Quit the program"))
        )
        if self.rng.random() < 0.5:
            return (
                f'<div class="row none bar g8" style="height:30px;padding:0 8px">{self.icon("window", 14)}'
                f'<span class="grow clip sm">{escape(title)}</span><span class="row g8">{buttons}</span></div>'
            )
        return (
            f'<div class="row none bar g8" style="height:32px;padding:0 8px"><span class="grow"></span>'
            f'<span class="b clip">{escape(title)}</span><span class="grow"></span><span class="row g8">{buttons}</span></div>'
        )

    def browser(self, title: str, address: str) -> str:
        """The tab strip and address bar of a web browser."""
        others = self.rng.sample(["Weather", "Timetable", "Dictionary", "Bakery", "Radio", "Local news"], 2)
        tabs = ""
        for number, text in enumerate([title, *others]):
            close = self.tool("close", 14, "tab close", relation=f"Close the browser tab {text}")
            css = "background:var(--panel);font-weight:bold" if number == 0 else "color:var(--muted)"
            tabs += (
                f'<span class="row g8" style="height:28px;width:190px;padding:0 9px;border-radius:6px 6px 0 0;{css}">'
                f'{self.icon("globe", 13)}<span class="grow clip sm">{escape(text)}</span>{close}</span>'
            )
        tools = (
            self.tool("prev", 22, "browser button", function="Go back to the previous page")
            + self.tool("next", 22, "browser button", function="Go forward in the browser history")
            + self.tool(
                "refresh", 22, "browser button", function=("Reload this page", "Refresh the page in the browser")
            )
        )
        star = self.tool("star", 18, "browser button", function="Bookmark this page")
        return (
            f'<div class="row none g4" style="background:var(--sunk);padding:5px 10px 0">{tabs}'
            f"{self.tool('plus', 18, 'browser button', function='Open a new browser tab')}</div>"
            f'<div class="row none g8 panel bb" style="padding:5px 10px">{tools}<span class="row g8 inp" '
            f'style="height:26px;background:var(--bg)">{self.icon("lock", 12)}<span class="grow sm clip">{address}</span>{star}'
            f"</span></div>"
        )

    def document(self, body: str) -> str:
        """The whole HTML document."""
        return (
            f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{self.spec.name}</title>'
            f"<style>{sheet(self.skin, self.spec.theme)}</style></head><body>{body}</body></html>"
        )
