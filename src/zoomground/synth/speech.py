"""Words for kinds of elements: which elements a word surely means, and which a person might mean by it.

Uniqueness asks for the wide reading (a link that looks like a button may be called a button), numbering for both
readings to agree.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from zoomground.synth.graph import Box, Element, Picture, Role, Text, pictures

if TYPE_CHECKING:
    from collections.abc import Mapping

_SHORT = 2  # letters that stand for a longer name are drawn as an icon is: B for bold
_MAY: Mapping[str, frozenset[Role]] = MappingProxyType(
    {
        "button": frozenset({Role.BUTTON, Role.LINK, Role.MENUITEM}),
        "link": frozenset({Role.LINK, Role.BUTTON}),
        "checkbox": frozenset({Role.CHECKBOX, Role.SWITCH, Role.RADIO}),
        "switch": frozenset({Role.SWITCH, Role.CHECKBOX}),
        "radio": frozenset({Role.RADIO, Role.CHECKBOX}),
        "field": frozenset({Role.TEXTBOX, Role.SEARCHBOX, Role.SPINBUTTON, Role.COMBOBOX}),
        "searchbox": frozenset({Role.SEARCHBOX, Role.TEXTBOX}),
        "dropdown": frozenset({Role.COMBOBOX, Role.SPINBUTTON}),
        "slider": frozenset({Role.SLIDER}),
        "tab": frozenset({Role.TAB}),
        "menuitem": frozenset({Role.MENUITEM, Role.OPTION}),
        "entry": frozenset({Role.TREEITEM, Role.OPTION, Role.MENUITEM, Role.LINK, Role.ROWHEADER, Role.GRIDCELL}),
        "cell": frozenset({Role.GRIDCELL, Role.COLUMNHEADER, Role.ROWHEADER}),
        "columnheader": frozenset({Role.COLUMNHEADER}),
        "rowheader": frozenset({Role.ROWHEADER}),
        "linenumber": frozenset({Role.ROWHEADER}),
        "image": frozenset({Role.IMAGE}),
    }
)
_SURE: Mapping[Role, str] = MappingProxyType(
    {
        Role.BUTTON: "button", Role.LINK: "link", Role.CHECKBOX: "checkbox", Role.SWITCH: "switch",
        Role.RADIO: "radio", Role.TEXTBOX: "field", Role.SPINBUTTON: "field", Role.SEARCHBOX: "searchbox",
        Role.COMBOBOX: "dropdown", Role.SLIDER: "slider", Role.TAB: "tab", Role.MENUITEM: "menuitem",
        Role.TREEITEM: "entry", Role.OPTION: "entry", Role.GRIDCELL: "cell", Role.COLUMNHEADER: "columnheader",
        Role.ROWHEADER: "rowheader", Role.IMAGE: "image",
    }
)  # fmt: skip

WORDS: frozenset[str] = frozenset({*_MAY, "icon", "swatch"})
"""All words."""


def is_bare(element: Element) -> bool:
    """Whether it shows neither text nor icon nor content: a colour, or an empty cell."""
    return not (element.text or element.icon or element.children)


def is_pictured(element: Element) -> bool:
    """Whether it shows pictures only, of whatever colour."""
    return bool(element.children) and all(isinstance(child, Picture) for child in element.children)


def bears_picture(element: Element) -> bool:
    """Whether a picture is part of what it shows, be it beside words: a desktop's shortcut, a card, a person's line."""
    return any(True for _ in pictures(element.children))


def shown(element: Element) -> frozenset[str]:
    """The concepts that its icon and its pictures show."""
    return frozenset(filter(None, (element.icon, *(one.shows for one in pictures(element.children)))))


def is_icon(element: Element) -> bool:
    """Whether an icon is all that it shows."""
    return bool(element.icon) and not element.text and not element.children and element.role in {Role.BUTTON, Role.LINK}


def is_shortcut(element: Element) -> bool:
    """Whether it is a picture with its name below, as on a desktop: people call that an icon, and not a button."""
    if element.role is not Role.BUTTON or len(element.children) != 1:
        return False
    inside = element.children[0]
    kinds = tuple(map(type, inside.children)) if isinstance(inside, Box) and inside.flow == "column" else ()
    return kinds == (Picture, Text)


def _is_sign(element: Element) -> bool:
    """Whether its text is drawn rather than read: marks, or a letter or two for something else."""
    text, meant = element.text, element.label or element.thing
    if not any(map(str.isalnum, text)):
        return bool(text)
    stands_for = len(text) <= _SHORT and meant not in {"", text}
    return stands_for and element.role in {Role.BUTTON, Role.LINK, Role.TAB}


def words_for(element: Element) -> tuple[str, ...]:
    """The words that instructions use for an element, the usual one first."""
    if is_shortcut(element):
        return ("icon",)
    return (word_for(element), "icon") if is_icon(element) else (word_for(element),)


def word_for(element: Element) -> str:
    """The usual word for an element.

    What heads a row and has another name than its text is the number of a line of text.
    """
    if element.role is Role.ROWHEADER and element.label:
        return "linenumber"
    return _SURE[element.role]


def surely(word: str, element: Element) -> bool:
    """Whether everybody would call the element by this word."""
    if word == "icon":
        return is_icon(element)
    if word == "swatch":
        return bool(element.tint) and is_bare(element)
    return word_for(element) == word


def possibly(word: str, element: Element) -> bool:
    """Whether somebody might call the element by this word."""
    if word == "icon":
        drawn = bool(element.icon) or element.role is Role.IMAGE or (bool(element.tint) and is_bare(element))
        return drawn or bears_picture(element) or _is_sign(element)
    if word == "swatch":
        return is_bare(element) or bears_picture(element)
    return element.role in _MAY[word]
