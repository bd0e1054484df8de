"""The browser behind the shipped screens: where it is found, how it is started, what is measured in it."""

from __future__ import annotations

import shutil
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "chrome")

# A closed network, no profile, and nothing that makes pixels depend on the machine (hinting, LCD text, colour profile).
FLAGS = [
    "--no-sandbox",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-quic",
    "--no-first-run",
    "--disable-gpu",
    "--disable-lcd-text",
    "--font-render-hinting=none",
    "--force-color-profile=srgb",
    "--force-device-scale-factor=1",
    "--hide-scrollbars",
]

# For each target: its box, how many of 5 x 5 points land on it (and not on a target inside it), and how many other
# elements carry its label.
_MEASURE = """
(labels) => {
  const leaves = [...document.body.querySelectorAll('*')].filter(e => !e.children.length && !(e instanceof SVGElement));
  return [...document.querySelectorAll('[data-target]')].map(el => {
    const r = el.getBoundingClientRect();
    let hits = 0;
    for (let i = 0; i < 5; i++) for (let j = 0; j < 5; j++) {
      const at = document.elementFromPoint(r.left + r.width * (i + .5) / 5, r.top + r.height * (j + .5) / 5);
      if (at && at.closest('[data-target]') === el) hits++;
    }
    const index = +el.dataset.target, label = labels[index];
    const same = label === null ? 0 : leaves.filter(e => !el.contains(e) && e.textContent.trim() === label).length;
    return {index, box: [r.left, r.top, r.right, r.bottom], hits, same};
  });
}
"""


class NoBrowserError(RuntimeError):
    """No Chromium on this machine."""


@dataclass(frozen=True)
class Measured:
    """What the browser says of one target: its index, box in px, hits of 25, other elements with its label."""

    index: int
    box_px: tuple[float, float, float, float]
    hits: int
    same_label: int


@dataclass(frozen=True)
class Shot:
    """A rendered page: its PNG, and its targets."""

    png: bytes
    targets: list[Measured]


def find_browser(given: str | None = None) -> str:
    """Path of a Chromium.

    Raises:
        NoBrowserError: There is none; the message says what to install.
    """
    for name in (given,) if given else NAMES:
        path = shutil.which(name)
        if path:
            return path
    raise NoBrowserError(
        f"no browser found (looked for {given or ', '.join(NAMES)}): on Debian or Ubuntu run "
        "`apt-get update && apt-get install -y chromium-headless-shell fonts-dejavu-core fonts-liberation`, "
        "or name one with --browser PATH"
    )


class Browser:
    """An open browser that renders documents."""

    def __init__(self, chromium: Any) -> None:
        self._chromium = chromium
        self.version: str = chromium.version

    def render(self, document: str, width_px: int, height_px: int, labels: list[str | None]) -> Shot:
        """Render one HTML document; `labels` holds the label of each target, by index."""
        context = self._chromium.new_context(
            viewport={"width": width_px, "height": height_px}, device_scale_factor=1, offline=True
        )
        try:
            page = context.new_page()
            page.set_content(document, wait_until="load")
            page.evaluate("document.fonts.ready.then(() => true)")
            found = page.evaluate(_MEASURE, labels)
            png = page.screenshot(type="png", animations="disabled", caret="hide")
        finally:
            context.close()
        return Shot(png, [Measured(one["index"], tuple(one["box"]), one["hits"], one["same"]) for one in found])


@contextmanager
def open_browser(path: str) -> Iterator[Browser]:
    """Start the browser at `path`, and end it afterwards."""
    from playwright.sync_api import sync_playwright  # noqa: PLC0415 - the extra may be missing; the caller says so

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=path, args=FLAGS)
        try:
            yield Browser(chromium)
        finally:
            chromium.close()
