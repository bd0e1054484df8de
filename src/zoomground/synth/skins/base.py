"""What a skin is: style sheets, and the classes that it gives to roles and parts.

The base sheet (`base.css`) lays out every element and draws it in own CSS from a few colour variables. A skin of a
component library hands the library's classes to the roles and parts that it knows; those keep the base layout and lose
the base look. The library's sheets lie in a cascade layer below the base sheet, so its resets and sizes never win over
the layout.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from types import MappingProxyType
from typing import TYPE_CHECKING

from zoomground.synth import assets as npm
from zoomground.synth.graph import Part, Role, State

if TYPE_CHECKING:
    from pathlib import Path

_NONE: Mapping[str, str] = MappingProxyType({})
_KINDS = (State.DANGER, State.PRIMARY)
# What a sheet would fetch (imported sheets, fonts that nobody names), and what may only stand at the head of a file.
_FETCHED = re.compile(r"@(?:import|charset)[^;]*;|@font-face\s*\{[^}]*\}")
# Rules for every drawing of a page: here the graph says how large one is, in attributes that any rule would beat.
_ANY_SVG = re.compile(r"(?<=[,{}\s])svg(?=\s*[,{])")


@dataclass(frozen=True, slots=True)
class Skin:
    """One look.

    Attributes:
        name: Its name; the file's.
        package: npm package that its sheets come from; empty for own CSS.
        sheets: Paths of its style sheets inside the package.
        classes: Classes by role or part (``button``, ``tab``, ``card``), and for icon-only buttons (``button.icon``). A
            role or part that is named here loses its base look. ``button.primary`` and ``button.danger`` stand in place
            of ``button``; any other state's classes (``tab.selected``) are added to the role's.
        wraps: Classes of what stands around a check box, radio button or switch, by role.
        css: Own rules: the colour variables from the library's, and glue.
        light: Attributes of the root element when light.
        dark: Attributes of the root element when dark; None: it has no dark form.
        fonts: Font family lists to choose from.
        icon_share: Share of an icon button's side that its icon fills.
    """

    name: str
    package: str = ""
    sheets: tuple[str, ...] = ()
    classes: Mapping[str, str] = field(default_factory=lambda: _NONE)
    wraps: Mapping[str, str] = field(default_factory=lambda: _NONE)
    css: str = ""
    light: str = ""
    dark: str | None = ""
    fonts: tuple[str, ...] = (
        '"Liberation Sans", Arial, sans-serif',
        '"DejaVu Sans", Verdana, sans-serif',
        '"Noto Sans", "Liberation Sans", sans-serif',
    )
    icon_share: float = 0.64
    _known: dict[tuple[Role, frozenset[State], bool], str] = field(default_factory=dict, compare=False, repr=False)

    def element(self, role: Role, on: frozenset[State], *, only_icon: bool) -> str:
        """Classes of an element."""
        key = (role, on, only_icon)
        if key not in self._known:
            self._known[key] = self._element(role, on, only_icon=only_icon)
        return self._known[key]

    def _element(self, role: Role, on: frozenset[State], *, only_icon: bool) -> str:
        names = [f"{role.value}.{kind.value}" for kind in _KINDS if kind in on]
        names += [f"{role.value}.icon"] if only_icon else []
        own = next((self.classes[name] for name in [*names, role.value] if name in self.classes), None)
        words = [f"zg-e zg-e-{role.value}", f"zg-{role.value}" if own is None else own]
        if only_icon:
            words.append("zg-only")
        for state in sorted(on):
            added = None if state in _KINDS else self.classes.get(f"{role.value}.{state.value}")
            words.append(f"zg-{state.value}" if added is None else added)
        return " ".join(filter(None, words))

    def part(self, part: Part) -> str:
        """Classes of a box."""
        return f"zg-q-{part.value} {self.classes.get(part.value, f'zg-p-{part.value}')}"

    def wrap(self, role: Role) -> str:
        """Classes of what stands around a toggle."""
        return self.wraps.get(role.value, "")

    def sheet(self, assets: Path | None) -> str:
        """All of its CSS as one sheet.

        Args:
            assets: The ``node_modules`` folder.

        Raises:
            ZoomgroundError: If the package or a sheet is not there.
        """
        theirs = [npm.text(assets, self.package, file, wanted_by=f"skin '{self.name}'") for file in self.sheets]
        base = files("zoomground.synth").joinpath("skins/base.css").read_text(encoding="utf-8")
        layers = [f"@layer library{{{_ANY_SVG.sub('zg-none', _FETCHED.sub('', one))}}}" for one in theirs]
        return "\n".join([*layers, base, self.css])


def palette(light: str, dark: str, selector: str = ":root[data-dark]") -> str:
    """The rules that set the colour variables of a skin of own CSS.

    Args:
        light: Values in the order of `VARIABLES`, separated by spaces.
        dark: The same when dark.
        selector: What the root element is when dark.
    """
    return (
        f":root{{{_values(light)};color-scheme:light}}{selector}{{{_values(dark)};color-scheme:dark}}"
    )  # fmt: skip


VARIABLES = ("bg", "panel", "bar", "line", "text", "muted", "sel", "field", "sunk", "accent", "on", "desk")
"""Colour variables: ground, panel, bar, line, text, faint text, selection, field, canvas, accent, text on it, desk."""


def _values(colours: str) -> str:
    return ";".join(f"--zg-{name}:{value}" for name, value in zip(VARIABLES, colours.split(), strict=True))
