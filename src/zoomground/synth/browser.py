"""A headless Chromium that draws screens: one page a scale, contents swapped, pixels through the DevTools protocol."""

from __future__ import annotations

import base64
import io
import json
import os
import shutil
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PIL import Image

from zoomground.errors import ZoomgroundError
from zoomground.synth.html import Drawn, draw
from zoomground.synth.measure import Measured, Texts, Words, from_page
from zoomground.synth.words import LETTERS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from zoomground.synth.graph import Screen
    from zoomground.synth.icons.base import IconSet
    from zoomground.synth.skins.base import Skin

_NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "chrome")
_GET = (
    "on Debian or Ubuntu run 'apt-get install chromium-headless-shell', elsewhere 'playwright install chromium', "
    "or name one with --browser PATH"
)
_SETTLE = """() => { const dot = document.createElement("i");
  dot.style.cssText = "position:absolute;left:0;top:0;width:2px;height:2px;background:#777";
  document.body.append(dot);
  return new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => { dot.remove(); done(); }))); }"""
"""Has the screen drawn once more: what a drawing learns of a path's shape decides how later ones smooth its edge."""

_FLAGS = (
    "--no-sandbox", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-quic",
    "--no-first-run", "--disable-gpu", "--disable-lcd-text", "--font-render-hinting=none",
    "--force-color-profile=srgb", "--hide-scrollbars", "--enable-blink-features=ComputedAccessibilityInfo",
    # All of a screen is painted, in one piece and by one thread: in tiles, in parts or in turns, the smoothed edges of
    # slanted lines depend on what was painted first.
    "--disable-partial-raster", "--num-raster-threads=1", "--default-tile-width=8192", "--default-tile-height=8192",
)  # fmt: skip


def _environment() -> dict[str, str | float | bool]:
    """The process's own, with fonts that are never hinted.

    Chromium hints a font by the device scale of the moment in which a renderer first draws it, and keeps to that.
    """
    fonts = files("zoomground.synth").joinpath("fonts.conf")
    return {**os.environ, "FONTCONFIG_FILE": str(fonts)}  # noqa: TID251 -- handed on to the browser, nothing is read


class Browser:
    """An open browser with one page for each device scale.

    A renderer settles how the letters of a font are drawn (hinted, or at fractions of a pixel) when it first draws one,
    by the scale of that moment, and never again. One page for all scales would draw a screen differently depending on
    what was drawn before it.

    Attributes:
        version: Of the browser.
        page: Playwright's page of the scale in use.
        devtools: That page's DevTools session.
    """

    def __init__(self, chromium: Any, assets: Path | None, *, settles: bool = True, named: bool = True) -> None:
        self.version: str = chromium.version
        self._chromium = chromium
        self._assets = assets
        self._settles = settles
        self._named = named
        self._open: dict[float, tuple[Any, Any]] = {}
        self._metrics: dict[float, dict[str, object]] = {}
        self.page: Any = None
        self.devtools: Any = None
        self.use(1.0)

    def use(self, scale: float) -> bool:
        """Go on with the page of a device scale; whether it is a new one."""
        is_new = scale not in self._open
        if is_new:
            self._open[scale] = self._new_page(scale)
        page, devtools = self._open[scale]
        if self.page not in {None, page}:
            self.page.evaluate("() => document.body?.replaceChildren()")  # nobody looks at it until it is shown anew
        self.page, self.devtools = page, devtools
        return is_new

    def _new_page(self, scale: float) -> tuple[Any, Any]:
        """A page in a context, and so in a renderer, of its own."""
        page = self._chromium.new_context(offline=True, device_scale_factor=scale).new_page()
        page.set_content("<!doctype html><html><head></head><body></body></html>")
        page.add_script_tag(content=_own("page.js"))
        devtools = page.context.new_cdp_session(page)
        # Once the tree has been asked for it is kept up to date; else every computed name builds it anew (15 ms each).
        if self._named:
            devtools.send("Accessibility.enable")
            devtools.send("Accessibility.getFullAXTree")
        page.evaluate("named => { zgNamed = named; zgListen(); }", self._named)
        return page, devtools

    def show(self, screen: Screen, skin: Skin, icons: IconSet) -> Drawn:
        """Draw a screen; it stays until the next one."""
        drawn = draw(screen, skin, icons)
        self.use(screen.scale)
        if not self.page.evaluate("name => zgKnows(name)", skin.name):
            self.page.evaluate("([name, css]) => zgLearn(name, css)", [skin.name, skin.sheet(self._assets)])
        metrics: dict[str, object] = {
            "width": round(screen.width_px / screen.scale),
            "height": round(screen.height_px / screen.scale),
            "deviceScaleFactor": screen.scale,
            "mobile": False,
        }
        if metrics != self._metrics.get(screen.scale):
            # Else the screen before would be laid out in the new size first, for nothing.
            self.page.evaluate("() => document.body.replaceChildren()")
            self.devtools.send("Emulation.setDeviceMetricsOverride", metrics)
            self._metrics[screen.scale] = metrics
        attributes = (skin.dark if screen.dark else skin.light) or ""
        one = {
            "skin": skin.name, "html": drawn.body, "language": screen.language, "font": screen.font,
            "attributes": dict(_pair(text) for text in attributes.split()), "px": screen.font_px,
        }  # fmt: skip
        # Playwright's own evaluate takes twice as long for a text of this length.
        shown = self.devtools.send("Runtime.evaluate", {"expression": f"zgShow({json.dumps(one)})"})
        if "exceptionDetails" in shown:
            raise ZoomgroundError(f"the page cannot show a screen: {shown['exceptionDetails']}")
        if self._settles:
            self.page.evaluate(_SETTLE)
        return drawn

    def languages(self) -> tuple[str, ...]:
        """The languages that can be drawn with the installed fonts; the others would be rows of empty boxes."""
        return tuple(
            language
            for language, letters in LETTERS.items()
            if self.page.evaluate("letters => zgWrites(letters, 'sans-serif')", letters)
        )

    def png(self) -> bytes:
        """The screen's pixels as a PNG, written for speed."""
        shot = self.devtools.send("Page.captureScreenshot", {"format": "png", "optimizeForSpeed": True})
        return base64.b64decode(shot["data"])

    def image(self) -> Image.Image:
        """The screen's pixels, in RGB."""
        return decoded(self.png())

    def measure(self, *, full: bool = False) -> tuple[Measured, ...]:
        """Every element of the screen as it is drawn.

        Args:
            full: Test all 25 points of every element, also where nothing else paints in its box.
        """
        # One string: Playwright wraps every single value of an array, which takes longer than measuring.
        found = json.loads(self.page.evaluate("full => JSON.stringify(zgMeasure(full))", full))
        return tuple(from_page(values) for values in found)

    def test(self, indices: Sequence[int]) -> tuple[bool, ...]:
        """Whether hit tests in the middle and near the corners of some elements reach them.

        Args:
            indices: Elements, as in the last `measure`.
        """
        return tuple(self.page.evaluate("at => zgTest(at)", list(indices)))

    def texts(self) -> Texts:
        """The words on the screen, as of the last `measure`."""
        found = json.loads(self.page.evaluate("() => JSON.stringify(zgTexts)"))
        return Texts(frozenset(found["readable"]), tuple(found["all"]))

    def words(self) -> tuple[Words, ...]:
        """The words that can be read on the screen, with their boxes, as of the last `measure`."""
        found = json.loads(self.page.evaluate("() => JSON.stringify(zgWords())"))
        return tuple(Words(inside, text, (*box,)) for inside, text, *box in found)

    def letters(self) -> list[list[Any]]:
        """Single words with their letters' box, ``[word, left, top, right, bottom]``, as of the last `measure`."""
        found: list[list[Any]] = json.loads(self.page.evaluate("() => JSON.stringify(zgLetters())"))
        return found

    def click(self, x_px: float, y_px: float) -> int | None:
        """Press and release the mouse at a point (device px); the index of the element that it reaches, if any."""
        scale = self.page.evaluate("devicePixelRatio")
        at = {"x": x_px / scale, "y": y_px / scale, "button": "left", "clickCount": 1}
        for kind in ("mousePressed", "mouseReleased"):
            self.devtools.send("Input.dispatchMouseEvent", {"type": kind, **at})
        reached: int | None = self.page.evaluate("zgClicked()")
        return None if reached is None or reached < 0 else reached


def decoded(png: bytes) -> Image.Image:
    """A screenshot in RGB."""
    image = Image.open(io.BytesIO(png))
    image.load()
    return image if image.mode == "RGB" else image.convert("RGB")


@contextmanager
def open_browser(
    path: str | None = None, assets: Path | None = None, *, settles: bool = True, named: bool = True
) -> Iterator[Browser]:
    """Start a browser, and end it afterwards.

    Args:
        path: The program; None looks for Chromium on the PATH.
        assets: The ``node_modules`` folder that skins of component libraries take their sheets from.
        settles: Have every screen drawn once more before it is looked at, so that equal screens have equal pixels.
        named: Compute roles and names; without, `measure` says no role, and as name what is written.

    Raises:
        ZoomgroundError: If there is no browser.
    """
    from playwright.sync_api import Error, sync_playwright  # noqa: PLC0415 -- the extra may be missing

    with sync_playwright() as playwright:
        found = _find(path, playwright.chromium.executable_path)
        try:
            chromium = playwright.chromium.launch(executable_path=found, args=list(_FLAGS), env=_environment())
        except Error as error:
            reason = str(error).strip().splitlines()[0]
            raise ZoomgroundError(f"{found} cannot be started as a browser ({reason}); {_GET}") from error
        try:
            yield Browser(chromium, assets, settles=settles, named=named)
        finally:
            chromium.close()


def _find(path: str | None, playwrights: str) -> str:
    """The browser's program: the given one, one on the PATH, or Playwright's own."""
    names = (path,) if path else _NAMES
    found = next((one for name in names if (one := shutil.which(name))), None)
    if found is None and path is None and Path(playwrights).is_file():
        found = playwrights
    if found is None:
        raise ZoomgroundError(f"no Chromium found (looked for {', '.join(names)}): {_GET}")
    return found


def _pair(text: str) -> tuple[str, str]:
    name, _, value = text.partition("=")
    return name, value.strip('"')


def _own(name: str) -> str:
    return files("zoomground.synth").joinpath(name).read_text(encoding="utf-8")
