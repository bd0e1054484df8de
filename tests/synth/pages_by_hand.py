"""Small pages written by hand, shown in a real browser, with the graph that they stand for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from zoomground.synth.graph import Box, Element, Group, Placed, Role, Screen
from zoomground.synth.html import Drawn
from zoomground.synth.measure import Measured, Seen, seen

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from zoomground.synth.browser import Browser

WIDTH, HEIGHT = 800, 600
SCREEN = Screen(WIDTH, HEIGHT, 1.0, "en", "by hand", False, "sans-serif", 14.0, Box())


def show(browser: Browser, html: str, *, scale: float = 1.0) -> None:
    """Put a page's body on a white screen of 800 x 600 CSS px."""
    metrics = {"width": WIDTH, "height": HEIGHT, "deviceScaleFactor": scale, "mobile": False}
    browser.devtools.send("Emulation.setDeviceMetricsOverride", metrics)
    browser.page.evaluate(
        "html => { document.adoptedStyleSheets = []; document.documentElement.removeAttribute('style');"
        "document.body.style = 'margin:0;background:#fff;font:14px DejaVu Sans'; document.body.innerHTML = html; }",
        html,
    )


def placed(*elements: Element) -> tuple[Placed, ...]:
    """Elements with nothing around them."""
    return tuple(Placed(index, element, (), None) for index, element in enumerate(elements))


def drawn(*elements: Element) -> Drawn:
    """A drawn screen of elements with nothing around them."""
    return Drawn("", placed(*elements))


def seen_on(browser: Browser, *elements: Element) -> tuple[Seen, ...]:
    """What can be seen of the elements that the page stands for."""
    return seen(placed(*elements), browser.measure())


def pixels(browser: Browser) -> NDArray[np.uint8]:
    """The page's pixels."""
    return np.asarray(browser.image())


def button(text: str = "", *, label: str = "", icon: str = "", **more: object) -> Element:
    """A button."""
    return Element(Role.BUTTON, text, icon, label=label, **more)  # type: ignore[arg-type]


def one_seen(
    index: int, element: Element, box_px: tuple[float, float, float, float] = (0, 0, 20, 20),
    groups: Sequence[Group] = (), **more: object,
) -> Seen:  # fmt: skip
    """An element that is seen at a place, without a browser."""
    measured = Measured(index, box_px, role=element.role.value, name=element.name, **more)  # type: ignore[arg-type]
    return Seen(Placed(index, element, tuple(groups), None), measured)
