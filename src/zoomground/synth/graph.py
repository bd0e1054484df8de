"""The scene graph of a screen: what is on it, before anything is drawn.

A screen is a tree of boxes (layout, with the parts that a skin knows: toolbar, table, dialog) and elements (what a
person may point at: role, text, icon, state, goals). It is pure data, made from a seed; a browser only draws it. All
lengths are CSS px; device px are CSS px times the screen's scale.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


class Role(StrEnum):
    """ARIA roles of elements, as the browser computes them."""

    BUTTON = "button"
    LINK = "link"
    CHECKBOX = "checkbox"
    RADIO = "radio"
    SWITCH = "switch"
    TEXTBOX = "textbox"
    SEARCHBOX = "searchbox"
    COMBOBOX = "combobox"
    SPINBUTTON = "spinbutton"
    SLIDER = "slider"
    TAB = "tab"
    MENUITEM = "menuitem"
    TREEITEM = "treeitem"
    OPTION = "option"
    GRIDCELL = "gridcell"
    COLUMNHEADER = "columnheader"
    ROWHEADER = "rowheader"
    IMAGE = "img"


class State(StrEnum):
    """States of elements that a skin draws."""

    CHECKED = "checked"
    SELECTED = "selected"
    DISABLED = "disabled"
    EXPANDED = "expanded"
    PRIMARY = "primary"
    DANGER = "danger"


class Part(StrEnum):
    """What a box is, for a skin to draw and for instructions to speak of."""

    PLAIN = "plain"
    WINDOW = "window"
    TITLEBAR = "titlebar"
    MENUBAR = "menubar"
    TOOLBAR = "toolbar"
    SIDEBAR = "sidebar"
    PANEL = "panel"
    CARD = "card"
    TILE = "tile"
    TABLIST = "tablist"
    TAB = "tab_frame"
    TABLE = "table"
    HEADER_ROW = "header_row"
    ROW = "row"
    LIST = "list"
    TREE = "tree"
    FORM = "form"
    STATUSBAR = "statusbar"
    DIALOG = "dialog"
    MENU = "menu"
    TASKBAR = "taskbar"
    CANVAS = "canvas"


@dataclass(frozen=True, slots=True)
class Element:
    """A thing that a person may point at.

    Attributes:
        role: Its ARIA role.
        text: Visible text; in the screen's language.
        icon: Concept whose icon is drawn (a key of `concepts`).
        label: Accessible name where no visible text gives it (an icon button, a field with a label beside it).
        value: What a field holds.
        states: States it is in.
        size_px: Side of an icon button or check box, height of anything else; 0 leaves it to the skin.
        tint: Name of a colour (a key of `TINTS`) that the element shows, for asking by appearance.
        goals: What a person could want who uses it, without naming it; whole instructions, in the screen's language.
        thing: What it is called when it has no name of its own ("star", "row menu"): for asking by relation.
        css: Layout only (flex, width, margins); colours are the skin's.
        children: Content of a composite element (a mail in a list, a product card) in place of icon and text.
        asked: Whether instructions may ask for it; look-alikes that may not still count for uniqueness.
    """

    role: Role
    text: str = ""
    icon: str = ""
    label: str = ""
    value: str = ""
    states: frozenset[State] = frozenset()
    size_px: float = 0.0
    tint: str = ""
    goals: tuple[str, ...] = ()
    thing: str = ""
    css: str = ""
    children: tuple[Node, ...] = ()
    asked: bool = True

    @property
    def name(self) -> str:
        """The accessible name that the graph means: the label, else the visible text."""
        return self.label or self.text


@dataclass(frozen=True, slots=True)
class Text:
    """Words that nobody would click: headings, captions, paragraphs.

    Attributes:
        text: The words.
        style: Space-separated: muted, strong, small, large, title, mono, serif, wrap (several lines), accent.
        css: Layout only.
    """

    text: str
    style: str = ""
    css: str = ""


@dataclass(frozen=True, slots=True)
class Picture:
    """Pixels without meaning of their own: a drawing, a chart, a photograph's stand-in.

    Attributes:
        svg: Markup of an SVG or HTML fragment; it must hold no element that could be meant.
        css: Layout only.
        shows: The concept whose icon shows the same thing (a folder, a face), if any: words for the one fit the other.
    """

    svg: str
    css: str = ""
    shows: str = ""


@dataclass(frozen=True, slots=True)
class Box:
    """A region that lays out its children.

    Attributes:
        children: What it holds, in drawing order.
        part: What it is.
        name: What it is about: a toolbar's or panel's title, the thing that a table's row shows.
        named_on_screen: Whether the name can be read on the screen, so that an instruction may use it.
        flow: row, column, grid, stack (children over each other, placed by their own css), or flow (text).
        gap_px: Space between children.
        pad_px: Space inside the border.
        grow: Share of the free space that it takes; 0 keeps its own size.
        css: Further layout.
        modal: Whether it lies over everything before it and takes all clicks.
    """

    children: tuple[Node, ...] = ()
    part: Part = Part.PLAIN
    name: str = ""
    named_on_screen: bool = False
    flow: str = "column"
    gap_px: float = 0.0
    pad_px: float = 0.0
    grow: float = 0.0
    css: str = ""
    modal: bool = False


Node = Element | Text | Picture | Box

TINTS: dict[str, str] = {
    "red": "#e03131",
    "orange": "#e8730c",
    "yellow": "#e6ae00",
    "green": "#2f9e44",
    "teal": "#0ca678",
    "blue": "#1971c2",
    "purple": "#7048e8",
    "pink": "#d6336c",
    "grey": "#868e96",
    "brown": "#8a5a2b",
}


@dataclass(frozen=True, slots=True)
class Group:
    """A named box around an element, as instructions speak of it."""

    part: Part
    name: str
    on_screen: bool
    number: int
    """Number of the box in document order: two rows of one name are two groups."""


@dataclass(frozen=True, slots=True)
class Placed:
    """An element with the boxes around it, outermost first; its index is its place in document order."""

    index: int
    element: Element
    groups: tuple[Group, ...]
    parent: int | None
    """Index of the element that it lies in, if any."""


@dataclass(slots=True)
class Walk:
    """Numbers the elements and named boxes of a tree in document order; drawing and labelling share it."""

    placed: list[Placed] = field(default_factory=list)
    boxes: int = 0

    def enter(self, box: Box, groups: tuple[Group, ...]) -> tuple[Group, ...]:
        """The groups of a box's children."""
        self.boxes += 1
        if not box.name:
            return groups
        return (*groups, Group(box.part, box.name, box.named_on_screen, self.boxes))

    def place(self, element: Element, groups: tuple[Group, ...], parent: int | None) -> int:
        """The index of an element."""
        self.placed.append(Placed(len(self.placed), element, groups, parent))
        return len(self.placed) - 1


@dataclass(frozen=True, slots=True)
class Screen:
    """A whole screen, ready to be drawn.

    Attributes:
        width_px: Width in device px.
        height_px: Height in device px.
        scale: Device px for one CSS px.
        language: Language of its texts (a key of `languages`).
        kind: Program in front.
        dark: Whether it is dark.
        font: CSS font family list.
        font_px: Size of body text in CSS px.
        root: What is on it.
    """

    width_px: int
    height_px: int
    scale: float
    language: str
    kind: str
    dark: bool
    font: str
    font_px: float
    root: Box


def pictures(nodes: Iterable[Node]) -> Iterator[Picture]:
    """The pictures of some trees that lie in no element there: an element's own, or those that belong to none."""
    for node in nodes:
        if isinstance(node, Picture):
            yield node
        elif isinstance(node, Box):
            yield from pictures(node.children)


def elements(node: Node) -> Iterator[Element]:
    """Every element of a tree, in document order."""
    if isinstance(node, Element):
        yield node
    if isinstance(node, Element | Box):
        for child in node.children:
            yield from elements(child)
