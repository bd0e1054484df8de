"""Parts that fit into the room there is: what does not fit whole is not seen, whatever a skin's sizes are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zoomground.synth.graph import Box, Element, Part, Picture, Role, State
from zoomground.synth.widgets import tool

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from zoomground.synth.graph import Node
    from zoomground.synth.scene import Scene

FILL = "width:100%;"
"""For the children of a `pile`."""


def known(
    scene: Scene, concept: str, *, size_px: float, on: bool = False, css: str = "", thing: bool = False
) -> Element:
    """An icon button that is what its concept says; ``thing``: one of many alike, asked for by its row."""
    label = scene.say(concept)
    goals = () if thing else scene.goals(concept)
    return tool(concept, label, size_px=size_px, on=on, css=css, goals=goals, thing=label if thing else "")


def shelf(
    children: Iterable[Node], height_px: float, item_px: float, *, part: Part = Part.PLAIN, name: str = "",
    named_on_screen: bool = False, gap_px: float = 2.0, css: str = "",
) -> Box:  # fmt: skip
    """A row of one line; children that do not fit into its width are not seen at all.

    Args:
        children: What stands in it, each at most ``item_px`` high.
        height_px: Height of the row.
        item_px: Height of its children; they stand in the middle.
        part: See `Box`.
        name: See `Box`.
        named_on_screen: See `Box`.
        gap_px: Space between children.
        css: Further layout.
    """
    above = max(0.0, (height_px - item_px) / 2)
    wrap = (
        f"flex-wrap:wrap;overflow:hidden;align-content:flex-start;height:{height_px:g}px;"
        f"padding:{above:g}px 6px 0;row-gap:{height_px:g}px;{css}"
    )
    return Box(tuple(children), part, name, named_on_screen, "row", gap_px, css=wrap)


def pile(
    children: Iterable[Node], *, part: Part = Part.PLAIN, name: str = "", gap_px: float = 0.0, pad_px: float = 0.0,
    grow: float = 1.0, css: str = "",
) -> Box:  # fmt: skip
    """A column; children (each with `FILL`) that do not fit into its height are not seen at all."""
    wrap = f"flex-wrap:wrap;overflow:hidden;align-content:flex-start;column-gap:40px;{css}"
    return Box(tuple(children), part, name, flow="column", gap_px=gap_px, pad_px=pad_px, grow=grow, css=wrap)


def tiles(
    children: Iterable[Node], width_px: float, height_px: float, *, gap_px: float = 2.0, grow: float = 0.0,
    stretch: bool = False, css: str = "",
) -> Box:  # fmt: skip
    """A grid of equal tiles: as many columns as fit; rows that do not fit whole are not seen.

    Args:
        children: The tiles.
        width_px: Width of a tile; the least width if they stretch.
        height_px: Height of a tile.
        gap_px: Space between tiles.
        grow: See `Box`.
        stretch: Whether tiles share the width that is left.
        css: Further layout.
    """
    most = "1fr" if stretch else f"{width_px:g}px"
    grid = (
        f"grid-template-columns:repeat(auto-fill,minmax({width_px:g}px,{most}));grid-auto-rows:{height_px:g}px;"
        f"align-content:start;overflow:hidden;{css}"
    )
    return Box(tuple(children), flow="grid", gap_px=gap_px, grow=grow, css=grid)


def divider(length_px: float, *, upright: bool = True) -> Box:
    """A thin line between groups of tools."""
    size = (
        f"width:1px;height:{length_px:g}px;margin:0 4px"
        if upright
        else f"height:1px;width:{length_px:g}px;margin:3px 0"
    )
    return Box(css=f"{size};background:var(--zg-line)")


def pictured(
    name: str, svg: str, *, width_px: float, height_px: float, goals: Sequence[str] = (), thing: str = "",
    role: Role = Role.BUTTON, on: bool = False, css: str = "", shows: str = "",
) -> Element:  # fmt: skip
    """A thing of a fixed size that shows a drawing: a swatch, a symbol, a thumbnail."""
    size = f"width:{width_px:g}px;height:{height_px:g}px;min-width:0;min-height:0;padding:0;border-radius:1px;{css}"
    picture = Picture(svg, FILL + "height:100%", shows)
    return Element(
        role, label=name, goals=tuple(goals), thing=thing, css=size, children=(picture,),
        states=frozenset({State.SELECTED}) if on else frozenset(),
    )  # fmt: skip
