"""Uniqueness, checked from the browser's accessibility tree: the instruction's statement must fit one visible node.

Nothing here reads the scene graph or the generator's resolver. Names, roles and groups come from the tree, boxes and
visibility from the page, icons from their markup; words for roles and the comparison of names are written anew.
"""

from __future__ import annotations

import json
import re
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from zoomground.geometry import Box
from zoomground.synth import words

if TYPE_CHECKING:
    from collections.abc import Iterator

_POINTABLE = {
    "button", "link", "checkbox", "radio", "switch", "textbox", "searchbox", "combobox", "spinbutton", "slider", "tab",
    "menuitem", "treeitem", "option", "listitem", "gridcell", "cell", "columnheader", "rowheader", "image", "img",
}  # fmt: skip
_CALLED = {
    "button": {"button", "link", "menuitem"}, "icon": _POINTABLE,
    "link": {"link", "button"}, "checkbox": {"checkbox", "switch"}, "switch": {"switch", "checkbox"},
    "radio": {"radio"}, "field": {"textbox", "searchbox", "spinbutton", "combobox"},
    "searchbox": {"searchbox", "textbox"}, "dropdown": {"combobox"}, "slider": {"slider"}, "tab": {"tab"},
    "menuitem": {"menuitem"}, "entry": {"treeitem", "listitem", "option", "link", "gridcell"},
    "cell": {"gridcell", "cell", "columnheader", "rowheader"}, "columnheader": {"columnheader"},
    "rowheader": {"rowheader"}, "linenumber": {"rowheader"}, "image": {"image", "img"}, "swatch": _POINTABLE,
}  # fmt: skip

# For each node by its place in the page: its box in device px, its drawing, whether its text is mere signs, its colour,
# text inside it.
_LOOK = r"""
([places, pointable]) => {
  const all = document.querySelectorAll("*"), scale = devicePixelRatio;
  return JSON.stringify(places.map((place) => {
    const own = all[place].closest("label, .zg-field") ?? all[place], r = own.getBoundingClientRect();
    // Its own drawing, not that of a thing inside it, which may be hidden.
    const svg = [...own.querySelectorAll("svg")].find((el) => el.closest(pointable) === own);
    const words = own.textContent.trim();
    return {
      box: [r.left, r.top, r.right, r.bottom].map((edge) => edge * scale), drawing: svg ? svg.innerHTML : "",
      sign: /^[^\p{L}\p{N}]+$/u.test(words),
      bare: !words, colour: svg ? getComputedStyle(svg).color : getComputedStyle(own).backgroundColor,
      holds: [...own.querySelectorAll(".zg-t")].map((el) => el.textContent),
    };
  }));
}
"""

_SELECTOR = ",".join(["button", "a", "label", ".zg-field", *(f'[role="{role}"]' for role in sorted(_POINTABLE))])

# Whether some point of each node can be seen: nothing opaque lies over it.
_SEEN = r"""
(places) => {
  const all = document.querySelectorAll("*");
  const veils = (el) => {
    const alpha = getComputedStyle(el).backgroundColor.match(/[\d.]+/g)?.[3] ?? 1;
    return alpha < 0.9 && !el.closest("svg,img,canvas,input");
  };
  const seenAt = (own, x, y) => {
    if (x < 0 || y < 0 || x >= innerWidth || y >= innerHeight) return false;
    const first = document.elementFromPoint(x, y);
    if (!first || own.contains(first)) return !!first;
    const stack = document.elementsFromPoint(x, y), depth = stack.findIndex((el) => own.contains(el));
    return depth >= 0 && stack.slice(0, depth).every((el) => el.contains(own) || veils(el));
  };
  const points = [[0.5, 0.5], [0.12, 0.5], [0.88, 0.5], [0.3, 0.12], [0.7, 0.12], [0.3, 0.88], [0.7, 0.88]];
  return places.map((place) => {
    const own = all[place].closest("label, .zg-field") ?? all[place], r = own.getBoundingClientRect();
    const at = ([u, v]) => seenAt(own, r.left + r.width * u, r.top + r.height * v);
    return r.width > 0 && r.height > 0 && points.some(at);
  });
}
"""


@dataclass(frozen=True)
class Node:
    """A node of the accessibility tree that can be pointed at."""

    place: int
    role: str
    names: frozenset[str]
    around: tuple[tuple[str, str], ...]
    """Role and plain name of what it lies in, innermost first."""
    box: Box
    drawing: str
    sign: bool
    bare: bool
    colour: str


def heard(text: str) -> str:
    """A name without case, accents of width, and punctuation."""
    folded = unicodedata.normalize("NFKC", text).lower()
    return " ".join(re.findall(r"\w+", folded.replace("_", " "))) or folded.strip()


class Tree:
    """The nodes of a page, and which of them can be seen; hit tests are slow, so only of those that are asked for."""

    def __init__(self, page: Any, devtools: Any) -> None:
        self._page = page
        self._seen: dict[int, bool] = {}
        tree = {one["nodeId"]: one for one in devtools.send("Accessibility.getFullAXTree")["nodes"]}
        order = _order(devtools)
        pointable = [one for one in tree.values() if _is_pointable(one) and one["backendDOMNodeId"] in order]
        places = [order[one["backendDOMNodeId"]] for one in pointable]
        looks = json.loads(page.evaluate(_LOOK, [places, _SELECTOR]))
        self.nodes = [_node(tree, one, place, look) for one, place, look in zip(pointable, places, looks, strict=True)]

    def seen(self, nodes: list[Node]) -> list[Node]:
        """Those of which anything can be seen."""
        new = [node.place for node in nodes if node.place not in self._seen]
        if new:
            self._seen.update(zip(new, self._page.evaluate(_SEEN, new), strict=True))
        return [node for node in nodes if self._seen[node.place]]


def _node(tree: dict[str, dict[str, Any]], one: dict[str, Any], place: int, look: dict[str, Any]) -> Node:
    names = {_value(one, "name"), _value(one, "value"), *look["holds"]}
    left, top, right, bottom = look["box"]
    return Node(
        place=place,
        role=_value(one, "role"),
        names=frozenset(heard(name) for name in names if name),
        around=tuple(_above(tree, one)),
        box=Box(left, top, right, bottom),
        drawing=look["drawing"],
        sign=look["sign"],
        bare=look["bare"],
        colour=look["colour"],
    )


def _order(devtools: Any) -> dict[int, int]:
    """Place of every element in the page, as ``querySelectorAll`` lists them, by backend id."""
    order: dict[int, int] = {}

    def number(node: dict[str, Any]) -> None:
        if node["nodeType"] == 1:
            order[node["backendNodeId"]] = len(order)
        for child in node.get("children", ()):
            number(child)

    number(devtools.send("DOM.getDocument", {"depth": -1})["root"])
    return order


def _is_pointable(one: dict[str, Any]) -> bool:
    if one.get("ignored") or _value(one, "role") not in _POINTABLE or "backendDOMNodeId" not in one:
        return False
    return _value(one, "role") not in {"image", "img"} or bool(_value(one, "name"))


def _value(one: dict[str, Any], key: str) -> str:
    return str(one.get(key, {}).get("value", ""))


def _above(tree: dict[str, dict[str, Any]], one: dict[str, Any]) -> Iterator[tuple[str, str]]:
    above = tree.get(one.get("parentId", ""))
    while above is not None:
        yield _value(above, "role"), heard(_value(above, "name"))
        above = tree.get(above.get("parentId", ""))


def fitting(query: dict[str, Any], target: Box, tree: Tree, language: str) -> list[Node]:
    """The nodes that a statement fits.

    Args:
        query: The statement, as in a row's ``meta``.
        target: The row's box: icons and colours, which the tree does not know, are compared with what is in it.
        tree: The page's nodes.
        language: Language of the screen.
    """
    mine = next((node for node in tree.nodes if same(node.box, target)), None)
    found = tree.nodes
    if "group" in query:
        group = heard(query["group"])
        found = [node for node in found if any(_begins(name, group) for _, name in node.around)]
    if "name" in query:
        called = [node for node in found if _called(node, query["name"], exact=bool(query.get("exact")))]
        # The thing that an icon shows ("star") need not be its accessible name: then its drawing must be the only one,
        # or, where there is no drawing, its accessible name.
        found = called or [node for node in found if mine and _same_kind(node, mine)]
    if "word" in query:
        roles = _CALLED[query["word"]]
        found = [node for node in found if node.role in roles and _fits_word(node, query["word"])]
    if "concept" in query:
        label = words.entries()[query["concept"]].texts[language]
        found = [node for node in found if _called(node, label) or (mine and _same_drawing(node, mine))]
    if "looks" in query:
        found = [node for node in found if mine and _same_drawing(node, mine)]
    if "tint" in query:
        found = [node for node in found if mine and node.colour == mine.colour and node.bare == mine.bare]
    if "goal" in query:
        found = [node for node in found if mine and node.names & mine.names and node.role == mine.role]
    found = _beside(tree, found, query["anchor"], query["side"]) if "side" in query else tree.seen(found)
    if "ordinal" in query:
        found = _numbered(found, query["ordinal"], query["order"])
    return found


def same(one: Box, other: Box) -> bool:
    """Whether two boxes are one, but for what is clipped from them."""
    common = one.intersection_area(other)
    return common >= 0.9 * max(one.area, other.area, 1e-9)


def _begins(name: str, asked: str) -> bool:
    return name == asked or name.startswith(f"{asked} ")


def _called(node: Node, name: str, *, exact: bool = False) -> bool:
    asked = heard(name)
    return any(one == asked if exact else _begins(one, asked) for one in node.names)


def _fits_word(node: Node, word: str) -> bool:
    """Whether it looks like what the word says: a picture beside words is an icon to many."""
    if word == "icon":
        return bool(node.drawing) or node.sign
    return word != "swatch" or (node.bare and not node.drawing)


def _same_kind(node: Node, mine: Node) -> bool:
    return _same_drawing(node, mine) or (not mine.drawing and node.role == mine.role and node.names == mine.names)


def _same_drawing(node: Node, mine: Node) -> bool:
    return bool(mine.drawing) and node.drawing == mine.drawing


def _numbered(nodes: list[Node], ordinal: int, order: str) -> list[Node]:
    ordered = sorted(nodes, key=lambda node: node.box.x1 if order == "left" else node.box.y1)
    at = ordinal - 1 if ordinal > 0 else len(ordered) + ordinal
    return ordered[at : at + 1]


def _beside(tree: Tree, among: list[Node], anchor: str, side: str) -> list[Node]:
    named = tree.seen([node for node in tree.nodes if _called(node, anchor)])
    if len(named) != 1:
        return []
    at = named[0].box
    gaps = []
    for node in tree.nodes:
        box = node.box
        gap = {"right": box.x1 - at.x2, "left": at.x1 - box.x2, "below": box.y1 - at.y2, "above": at.y1 - box.y2}[side]
        along = side in {"right", "left"}
        common = min(box.y2, at.y2) - max(box.y1, at.y1) if along else min(box.x2, at.x2) - max(box.x1, at.x1)
        short = min(box.height if along else box.width, at.height if along else at.width)
        if -2.5 < gap < 300 and common > 0.4 * short > 0:
            gaps.append((gap, node))
    shown = set(tree.seen([node for _, node in gaps]))
    gaps = [(gap, node) for gap, node in gaps if node in shown]
    nearest = min((gap for gap, _ in gaps), default=0.0)
    return [node for gap, node in gaps if gap <= nearest + 4.0 and node in among]
