"""The check of uniqueness that knows nothing of the generator: what it takes for an icon."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from pages_by_hand import show

from zoomground.geometry import Box

if TYPE_CHECKING:
    from zoomground.synth.browser import Browser

pytestmark = pytest.mark.browser

_SVG = '<svg width="16" height="16"><rect width="9" height="9"/></svg>'
_PAGE = f"""
<button aria-label="Bin" id="tool">{_SVG}</button>
<button id="shortcut" aria-label="Bin"><div role="group">{_SVG}<span>Bin</span></div></button>
<div role="list"><div role="listitem" aria-label="Bin" id="line"><div>{_SVG}</div>Bin</div></div>
<div role="tree"><div role="treeitem" id="leaf">{_SVG} Bin</div></div>
<button aria-label="Bin" id="sign">×</button>
<button id="words">Bin</button>
<div role="list"><div role="listitem" aria-label="Bin">Bin <button aria-label="Star">{_SVG}</button></div></div>
"""


def test_a_picture_beside_words_and_a_sign_are_icons(browser: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(Path(__file__).parents[2] / "scripts")
    from proofs.unique import Tree, fitting

    show(browser, _PAGE)
    tree = Tree(browser.page, browser.devtools)
    asked = Box(0, 0, 1, 1)
    found = fitting({"name": "Bin", "word": "icon"}, asked, tree, "en")
    names = browser.page.evaluate(
        "places => places.map(at => document.querySelectorAll('*')[at].id)", [node.place for node in found]
    )
    assert sorted(names) == ["leaf", "line", "shortcut", "sign", "tool"]
