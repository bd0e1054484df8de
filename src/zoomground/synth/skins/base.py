"""What a skin is: style sheets, and the classes that it gives to roles and parts.

The base sheet (`base.css`) draws everything in own CSS from a few colour variables. A skin of a component library hands
its own classes to the roles it knows; what it does not know keeps the base look in the library's colours.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from zoomground.synth.graph import Part, Role, State

_NONE: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Skin:
    """One look.

    Attributes:
        name: Its name; the file's.
        package: npm package that its sheets come from; empty for own CSS.
        sheets: Paths of its style sheets below ``node_modules``.
        classes: Classes by role or part (``button``, ``tab``, ``card``), by role and state (``button.primary``), and
            for icon-only buttons (``button.icon``). A role that is named here loses its base look.
        wraps: Further classes of the label around a check box, radio button or switch, by role.
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
    fonts: tuple[str, ...] = ('"Liberation Sans", Arial, sans-serif', '"DejaVu Sans", Verdana, sans-serif')
    icon_share: float = 0.64
    _known: dict[tuple[Role, frozenset[State], bool], str] = field(default_factory=dict, compare=False, repr=False)

    def element(self, role: Role, on: frozenset[State], *, only_icon: bool) -> str:
        """Classes of an element."""
        key = (role, on, only_icon)
        if key not in self._known:
            self._known[key] = self._element(role, on, only_icon=only_icon)
        return self._known[key]

    def _element(self, role: Role, on: frozenset[State], *, only_icon: bool) -> str:
        base = f"{role.value}.icon" if only_icon and f"{role.value}.icon" in self.classes else role.value
        own = self.classes.get(base)
        words = [f"zg-{role.value}" if own is None else f"zg-own {own}"]
        if own is None and only_icon:
            words.append("zg-only")
        for state in sorted(on):
            words += [f"zg-{state.value}", self.classes.get(f"{role.value}.{state.value}", "")]
        return " ".join(filter(None, words))

    def part(self, part: Part) -> str:
        """Classes of a box."""
        own = self.classes.get(part.value)
        return f"zg-p-{part.value}" if own is None else own

    def wrap(self, role: Role) -> str:
        """Further classes of the label around a toggle."""
        return self.wraps.get(role.value, "")
