"""A scene graph as HTML: semantic elements with ARIA roles, classes from a skin, icons from an icon set.

Every element carries ``data-zg`` with its index in document order, which is how the browser's measurements find their
way back to the graph.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape

from zoomground.synth.graph import (
    TINTS,
    Box,
    Element,
    Group,
    Node,
    Part,
    Picture,
    Placed,
    Role,
    Screen,
    State,
    Text,
    Walk,
)
from zoomground.synth.icons.base import IconSet
from zoomground.synth.skins.base import Skin

_BOX_ROLES = {
    Part.WINDOW: "group", Part.MENUBAR: "menubar", Part.TOOLBAR: "toolbar", Part.TABLIST: "tablist",
    Part.TABLE: "grid", Part.LIST: "list", Part.TREE: "tree", Part.DIALOG: "dialog", Part.MENU: "menu",
    Part.PANEL: "group", Part.TAB: "group", Part.CARD: "group", Part.TILE: "group",
    Part.SIDEBAR: "group", Part.FORM: "group",
}  # fmt: skip
_FLOWS = {"row": "zg-row", "column": "zg-col", "grid": "zg-grid", "stack": "zg-stack", "flow": "zg-flow"}
_INPUT_TYPES = {Role.TEXTBOX: "text", Role.SEARCHBOX: "search", Role.SPINBUTTON: "number", Role.SLIDER: "range"}
_TOGGLES = frozenset({Role.CHECKBOX, Role.RADIO, Role.SWITCH})
_FIELDS = frozenset({*_INPUT_TYPES, Role.COMBOBOX})
_ICON_IN_TEXT_PX = 16.0


@dataclass(frozen=True, slots=True)
class Drawn:
    """A screen as HTML: the body's markup, and the elements by the index that their ``data-zg`` names."""

    body: str
    placed: tuple[Placed, ...]


def draw(screen: Screen, skin: Skin, icons: IconSet) -> Drawn:
    """The markup of a screen in a skin, with icons of a set.

    Raises:
        ZoomgroundError: If the graph names a concept that the icon set does not draw.
    """
    painter = _Painter(skin, icons)
    body = painter.node(screen.root, (), None, in_table=False)
    return Drawn(body, tuple(painter.walk.placed))


@dataclass(slots=True)
class _Painter:
    skin: Skin
    icons: IconSet
    walk: Walk = field(default_factory=Walk)

    def node(self, node: Node, groups: tuple[Group, ...], parent: int | None, *, in_table: bool) -> str:
        if isinstance(node, Text):
            classes = " ".join(f"zg-t-{style}" for style in node.style.split())
            return f'<span class="zg-t {classes}"{_style(node.css)}>{escape(node.text)}</span>'
        if isinstance(node, Picture):
            return f'<div class="zg-pic" aria-hidden="true"{_style(node.css)}>{node.svg}</div>'
        if isinstance(node, Box):
            return self._box(node, groups, parent, in_table=in_table)
        return self._element(node, groups, parent, in_table=in_table)

    def _box(self, box: Box, groups: tuple[Group, ...], parent: int | None, *, in_table: bool) -> str:
        inside = self.walk.enter(box, groups)
        in_table = in_table or box.part is Part.TABLE
        role = _BOX_ROLES.get(box.part, "")
        if box.part in {Part.ROW, Part.HEADER_ROW}:
            role = "row" if in_table else "group"
        if role in {"", "group"} and any(_is_item(child) for child in box.children):
            role = "list"  # to a browser an item is one only in a list
        children = "".join(self.node(child, inside, parent, in_table=in_table) for child in box.children)
        classes = [_FLOWS[box.flow], self.skin.part(box.part), "zg-modal" if box.modal else ""]
        css = [
            f"gap:{box.gap_px:g}px" if box.gap_px else "",
            f"padding:{box.pad_px:g}px" if box.pad_px else "",
            f"flex:{box.grow:g} 1 0;min-width:0;min-height:0" if box.grow else "",
            box.css,
        ]
        label = f' aria-label="{escape(box.name)}"' if box.name and role else ""
        role_text = f' role="{role}"' if role else ""
        return f'<div class="{_words(classes)}"{role_text}{label}{_style(";".join(filter(None, css)))}>{children}</div>'

    def _element(self, one: Element, groups: tuple[Group, ...], parent: int | None, *, in_table: bool) -> str:
        index = self.walk.place(one, groups, parent)
        mark = f' data-zg="{index}"'
        if one.role in _TOGGLES:
            return self._toggle(one, mark)
        if one.role in _FIELDS:
            return self._field(one, mark)
        inner = "".join(self.node(child, groups, index, in_table=False) for child in one.children)
        if not one.children:
            inner = self._icon(one) + (f'<span class="zg-label">{escape(one.text)}</span>' if one.text else "")
        return self._clickable(one, mark, inner, in_table=in_table)

    def _clickable(self, one: Element, mark: str, inner: str, *, in_table: bool) -> str:
        only_icon = bool(one.icon) and not one.text and not one.children
        classes = [self.skin.element(one.role, one.states, only_icon=only_icon), "zg-whole" if one.children else ""]
        css = []
        if one.size_px:
            css.append(f"height:{one.size_px:g}px;min-height:0;padding-top:0;padding-bottom:0")
            if only_icon:
                css.append(f"width:{one.size_px:g}px;min-width:0;padding:0;flex:none")
        if one.tint and not one.icon:
            css.append(f"--zg-tint:{TINTS[one.tint]}")
            classes.append("zg-tinted")
        css.append(one.css)
        shared = (
            f'{mark} class="{_words(classes)}"{_aria(one)}{_style(";".join(filter(None, css)))}'
        )  # fmt: skip
        if one.role is Role.BUTTON:
            return f'<button type="button"{shared}>{inner}</button>'
        if one.role is Role.LINK:
            return f'<a href="#"{shared}>{inner}</a>'
        role = one.role.value
        if one.role is Role.OPTION:
            role = "gridcell" if in_table else "listitem"
        return f'<div role="{role}"{shared}>{inner}</div>'

    def _icon(self, one: Element) -> str:
        if not one.icon:
            return ""
        side = _ICON_IN_TEXT_PX if one.text or not one.size_px else max(6.0, one.size_px * self.skin.icon_share)
        tint = f' style="color:{TINTS[one.tint]}"' if one.tint else ""
        return f'<span class="zg-icon"{tint}>{self.icons.svg(one.icon, side)}</span>'

    def _toggle(self, one: Element, mark: str) -> str:
        kind = "radio" if one.role is Role.RADIO else "checkbox"
        role = ' role="switch"' if one.role is Role.SWITCH else ""
        on = " checked" if State.CHECKED in one.states else ""
        off = " disabled" if State.DISABLED in one.states else ""
        classes = self.skin.element(one.role, one.states, only_icon=False)
        side = f"width:{one.size_px * (1.9 if role else 1):g}px;height:{one.size_px:g}px;" if one.size_px else ""
        if one.text:
            field_html = f'<input type="{kind}"{role} class="{classes}"{on}{off}{_style(side)}>'
            wrap = self.skin.wrap(one.role)
            return (
                f'<label class="zg-check {wrap}"{mark}{_style(one.css)}>{field_html}'
                f'<span class="zg-label">{escape(one.text)}</span></label>'
            )
        label = f' aria-label="{escape(one.label)}"' if one.label else ""
        html = f'<input type="{kind}"{role} class="{classes}"{on}{off}{mark}{label}{_style(side + one.css)}>'
        wrap = self.skin.wrap(one.role)
        return f'<span class="zg-contents {wrap}">{html}</span>' if wrap else html

    def _field(self, one: Element, mark: str) -> str:
        classes = self.skin.element(one.role, one.states, only_icon=False)
        label = f' aria-label="{escape(one.label)}"' if one.label else ""
        off = " disabled" if State.DISABLED in one.states else ""
        height = f"height:{one.size_px:g}px;min-height:0;padding-top:0;padding-bottom:0;" if one.size_px else ""
        css = _style(height + one.css)
        if one.role is Role.COMBOBOX:
            return f'<select class="{classes}"{label}{off}{mark}{css}><option>{escape(one.value)}</option></select>'
        hint = f' placeholder="{escape(one.label)}"' if one.label and not one.value else ""
        value = f' value="{escape(one.value)}"' if one.value else ""
        kind = _INPUT_TYPES[one.role]
        if not one.icon:
            return f'<input type="{kind}" class="{classes}"{label}{hint}{value}{off}{mark}{css}>'
        return (
            f'<span class="zg-field"{mark}{css}><span class="zg-icon">{self.icons.svg(one.icon, 14.0)}</span>'
            f'<input type="{kind}" class="{classes}"{label}{hint}{value}{off}></span>'
        )


def _is_item(node: Node) -> bool:
    return isinstance(node, Element) and node.role is Role.OPTION


def _aria(one: Element) -> str:
    parts = []
    # A list item, unlike all others here, is not named by its text.
    label = one.name if one.role is Role.OPTION else one.label
    if label:
        parts.append(f' aria-label="{escape(label)}"')
    if one.role in {Role.TAB, Role.TREEITEM}:
        parts.append(f' aria-selected="{"true" if State.SELECTED in one.states else "false"}"')
    elif one.role is Role.BUTTON and State.SELECTED in one.states:
        parts.append(' aria-pressed="true"')
    if State.EXPANDED in one.states:
        parts.append(' aria-expanded="true"')
    if State.DISABLED in one.states:
        parts.append(" disabled" if one.role is Role.BUTTON else ' aria-disabled="true"')
    return "".join(parts)


def _style(css: str) -> str:
    return f' style="{escape(css)}"' if css else ""


def _words(classes: list[str]) -> str:
    return " ".join(filter(None, classes))
