"""A screen is drawn the same whatever was drawn before it, also in another device scale."""

from __future__ import annotations

from dataclasses import replace

import pytest

from synth.widget_page import screen
from zoomground.synth.browser import open_browser
from zoomground.synth.graph import Box, Element, Part, Role, Screen
from zoomground.synth.icons.own import ICON_SET, ICONS
from zoomground.synth.skins import skins
from zoomground.synth.speech import possibly, surely, word_for
from zoomground.synth.widgets import tab, tab_and_cross, tool

pytestmark = pytest.mark.browser


def test_a_scale_before_does_not_change_how_letters_are_drawn() -> None:
    skin = skins()["default"]
    with open_browser() as fresh:
        fresh.show(replace(screen(), scale=1.0), skin, ICON_SET)
        alone = fresh.image()
    with open_browser() as used:
        used.show(replace(screen(), scale=1.25), skin, ICON_SET)
        used.image()
        used.show(replace(screen(), scale=1.0), skin, ICON_SET)
        assert used.image().tobytes() == alone.tobytes()


def test_slanted_lines_do_not_depend_on_what_was_drawn_before() -> None:
    """Every icon of the set, in three orders of drawing; their edges once differed by when a tile was drawn."""
    skin = skins()["default"]

    def icons(size_px: float) -> Screen:
        tools = [tool(name, name, size_px=size_px) for name in ICONS]
        return replace(screen(), scale=3.0, root=Box(tuple(tools), flow="row", css="flex-wrap:wrap"))

    pictures = []
    for order in ((24, 33), (33, 24), (24, 17, 24, 33)):
        with open_browser() as browser:
            drawn = {}
            for size_px in order:
                browser.show(icons(size_px), skin, ICON_SET)
                drawn[size_px] = browser.image().tobytes()
        pictures.append((drawn[24], drawn[33]))
    assert pictures[1:] == pictures[:1] * 2


def test_the_number_of_a_line_is_not_called_a_row_header() -> None:
    line, row = Element(Role.ROWHEADER, "7", label="Line 7"), Element(Role.ROWHEADER, "7")
    assert (word_for(line), word_for(row)) == ("linenumber", "rowheader")
    assert surely("linenumber", line)
    assert not surely("rowheader", line)


def test_a_coloured_dot_might_be_called_an_icon() -> None:
    assert possibly("icon", Element(Role.BUTTON, label="Brown", tint="brown"))


def test_a_closable_tab_is_a_box_of_its_own_kind() -> None:
    found = tab_and_cross(tab("Drafts"), tool("close", "Close tab"))
    assert (found.part, found.name) == (Part.TAB, "Drafts")
