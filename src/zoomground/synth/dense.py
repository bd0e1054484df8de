"""Dense labels: every element of a screen that can be seen whole, and the words that stand between them.

Rows ask for one element and prove that they mean no other. These ask for nothing: they say what is where, for learning
to read. So names may stand twice, and elements that take no input are there too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from zoomground.synth import gates
from zoomground.synth.graph import Role
from zoomground.synth.speech import is_icon, is_shortcut, shown, surely, word_for

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from zoomground.synth.graph import Element
    from zoomground.synth.measure import Seen, Words
    from zoomground.synth.plan import ScreenSpec

_HINTED = frozenset({Role.TEXTBOX, Role.SEARCHBOX, Role.SPINBUTTON})
"""Fields that show their name as long as they are empty."""


def elements_row(
    spec: ScreenSpec, image: str, seen: Sequence[Seen], words: Sequence[Words], letters: Sequence[Sequence[Any]] = ()
) -> dict[str, Any]:
    """The row of a screen.

    Args:
        spec: What it was made from.
        image: Path of its picture below the set's folder.
        seen: Its elements of which anything can be seen.
        words: The words that can be read on it.
        letters: Each single word with the box of its letters, those of elements among them.
    """
    size = spec.size
    listed = [_element(one) for one in seen if _is_whole(one, size.width_px, size.height_px)]
    plain = {one.index for one in seen if not one.element.children}
    listed += [_words(one) for one in words if one.inside not in plain and _short_px(one) >= 1]
    drawn_with = {"kind": spec.kind, "skin": spec.skin, "icon_set": spec.icon_set}
    return {
        "id": spec.name, "image": image, "width": size.width_px, "height": size.height_px, "scale": size.scale,
        "split": spec.split.value, "seed": spec.seed, "language": spec.language, "dark": spec.dark,
        **{name: value for name, value in drawn_with.items() if value},
        "elements": listed, "letters": [list(one) for one in letters],
    }  # fmt: skip


def _is_whole(one: Seen, width_px: int, height_px: int) -> bool:
    """Nothing clips it or lies over it, and every letter has a glyph."""
    return gates.geometry(one, width_px, height_px) and one.measured.clear >= gates.MIN_CLEAR and gates.glyphs(one)


def _element(one: Seen) -> Mapping[str, Any]:
    element = one.element
    drawn = shown(element)
    found = {
        "box": _box(one.box_px),
        "role": element.role.value,
        "kind": _kind(element),
        "name": element.name or element.thing,
        "text": _text(element),
        "icon": element.icon or (min(drawn) if len(drawn) == 1 else ""),
        "tint": element.tint,
        "states": sorted(state.value for state in element.states),
        "cut": one.measured.cut,
    }
    return {name: value for name, value in found.items() if value or name in {"box", "role", "kind", "name"}}


def _words(one: Words) -> Mapping[str, Any]:
    return {"box": _box(one.box_px), "role": "text", "kind": "text", "name": one.text, "text": one.text}


def _kind(element: Element) -> str:
    """What people call it: the words of instructions."""
    if is_icon(element) or is_shortcut(element):
        return "icon"
    return "swatch" if surely("swatch", element) else word_for(element)


def _text(element: Element) -> str:
    """What can be read on it."""
    hint = element.label if element.role in _HINTED else ""
    return element.text or element.value or hint


def _short_px(one: Words) -> float:
    left, top, right, bottom = one.box_px
    return min(right - left, bottom - top)


def _box(box_px: Sequence[float]) -> list[float]:
    return [round(edge, 1) for edge in box_px]
