"""Short names for the parts that every program is made of."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zoomground.synth.graph import Box, Element, Node, Part, Role, State, Text

if TYPE_CHECKING:
    from collections.abc import Iterable


def states(**on: bool) -> frozenset[State]:
    """The states that are true: ``states(checked=done, disabled=False)``."""
    return frozenset(State(name) for name, is_on in on.items() if is_on)


def button(
    text: str, *, icon: str = "", kind: str = "", goals: Iterable[str] = (), size_px: float = 0.0, css: str = ""
) -> Element:
    """A button with text; ``kind``: empty, primary, danger or disabled."""
    on = frozenset({State(kind)}) if kind else frozenset()
    return Element(Role.BUTTON, text, icon, states=on, goals=tuple(goals), size_px=size_px, css=css)


def tool(
    icon: str, label: str, *, size_px: float = 28.0, on: bool = False, goals: Iterable[str] = (), css: str = "",
    thing: str = "", tint: str = "",
) -> Element:  # fmt: skip
    """An icon button: no text, a name that only the accessibility tree (and a tooltip) gives."""
    return Element(
        Role.BUTTON, icon=icon, label=label, size_px=size_px, states=states(selected=on), goals=tuple(goals), css=css,
        thing=thing, tint=tint,
    )  # fmt: skip


def tab(text: str, *, icon: str = "", selected: bool = False, css: str = "") -> Element:
    """A tab."""
    return Element(Role.TAB, text, icon, states=states(selected=selected), css=css)


def menu_item(text: str, *, icon: str = "", goals: Iterable[str] = (), disabled: bool = False) -> Element:
    """An entry of a menu bar or menu."""
    return Element(Role.MENUITEM, text, icon, goals=tuple(goals), states=states(disabled=disabled))


def entry(
    text: str, *, role: Role = Role.OPTION, icon: str = "", selected: bool = False, goals: Iterable[str] = (),
    size_px: float = 0.0, css: str = "", tint: str = "", children: Iterable[Node] = (),
) -> Element:  # fmt: skip
    """An entry of a list or tree; with children ``text`` is its name, and they are what is seen."""
    inside = tuple(children)
    return Element(
        role, "" if inside else text, icon, label=text if inside else "", states=states(selected=selected),
        goals=tuple(goals), size_px=size_px, css=css, tint=tint, children=inside,
    )  # fmt: skip


def field(
    label: str, *, value: str = "", role: Role = Role.TEXTBOX, width_px: float = 0.0, goals: Iterable[str] = (),
    icon: str = "", size_px: float = 0.0, css: str = "",
) -> Element:  # fmt: skip
    """A text field, search box, combo box or spin button; its label stands elsewhere or is its placeholder."""
    width = f"width:{width_px:g}px;" if width_px else ""
    return Element(role, icon=icon, label=label, value=value, goals=tuple(goals), size_px=size_px, css=width + css)


def check(
    label: str, *, on: bool = False, role: Role = Role.CHECKBOX, shown: bool = True, size_px: float = 0.0,
    goals: Iterable[str] = (), thing: str = "", css: str = "",
) -> Element:  # fmt: skip
    """A check box, radio button or switch, with its label beside it if ``shown``."""
    return Element(
        role, label if shown else "", label="" if shown else label, states=states(checked=on), size_px=size_px,
        goals=tuple(goals), thing=thing, css=css,
    )  # fmt: skip


def row(*children: Node, gap_px: float = 6.0, pad_px: float = 0.0, grow: float = 0.0, css: str = "") -> Box:
    """Children beside each other."""
    return Box(children, flow="row", gap_px=gap_px, pad_px=pad_px, grow=grow, css=css)


def column(*children: Node, gap_px: float = 6.0, pad_px: float = 0.0, grow: float = 0.0, css: str = "") -> Box:
    """Children below each other."""
    return Box(children, flow="column", gap_px=gap_px, pad_px=pad_px, grow=grow, css=css)


def toolbar(
    children: Iterable[Node], *, name: str = "", named_on_screen: bool = False, upright: bool = False,
    gap_px: float = 2.0, css: str = "",
) -> Box:  # fmt: skip
    """A bar of tools."""
    flow = "column" if upright else "row"
    return Box(tuple(children), Part.TOOLBAR, name, named_on_screen, flow, gap_px, 4.0, css=css)


def panel(title: str, children: Iterable[Node], *, css: str = "", grow: float = 0.0, gap_px: float = 6.0) -> Box:
    """A titled panel; the title can be read."""
    inside = (Text(title, "strong small"), *children)
    return Box(inside, Part.PANEL, title, named_on_screen=True, gap_px=gap_px, pad_px=8.0, grow=grow, css=css)


def record(name: str, children: Iterable[Node], *, flow: str = "row", gap_px: float = 8.0, css: str = "") -> Box:
    """A row that shows one thing, whose name can be read in it."""
    return Box(tuple(children), Part.ROW, name, named_on_screen=True, flow=flow, gap_px=gap_px, css=css)


def tile(name: str, children: Iterable[Node], *, gap_px: float = 8.0, css: str = "") -> Box:
    """A card of a grid: it shows one thing, whose name can be read in it; the frame around it is drawn elsewhere."""
    return Box(tuple(children), Part.TILE, name, named_on_screen=True, gap_px=gap_px, css=css)


def tab_and_cross(one: Element, cross: Element, *, gap_px: float = 2.0, css: str = "") -> Box:
    """A tab that can be closed; the cross beside it belongs to it."""
    return Box((one, cross), Part.TAB, one.text, named_on_screen=True, flow="row", gap_px=gap_px, css=css)


def spring() -> Box:
    """Takes the free space."""
    return Box(grow=1.0)
