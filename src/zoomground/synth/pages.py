"""A person's own pages as screens: served to the browser from one folder, offline, labelled through the same gates.

There is no scene graph behind such a page: `gather.js` finds what can be pointed at by the roles that the browser
computes, and the graph's elements are made from that. Clocks stand still, chance is seeded, nothing moves, and every
page is drawn twice all the same.
"""

from __future__ import annotations

import hashlib
import json
import mimetypes
import random
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, unquote, urlsplit

from zoomground.errors import ZoomgroundError
from zoomground.synth import words
from zoomground.synth.browser import Browser, open_browser
from zoomground.synth.graph import Box, Element, Group, Part, Placed, Role, Screen, State, Text
from zoomground.synth.html import Drawn
from zoomground.synth.make import Asking, Maker, Stopwatch
from zoomground.synth.parts import Workshop
from zoomground.synth.plan import ScreenSpec, Split
from zoomground.synth.sizes import DEFAULT_SIZES, ScreenSize
from zoomground.synth.studio import Bench

if TYPE_CHECKING:
    from collections.abc import Sequence
    from contextlib import ExitStack


_ORIGIN = "http://pages.invalid/"
_LOAD_MS = 20_000.0
_NOON = 1_700_000_000
"""What every clock in a page says, in seconds since 1970."""

_SCROLLED_SHARE = 0.5
_CHANCE = "(() => { let s = 1; Math.random = () => (s = (s * 16807) % 2147483647) / 2147483647; })();"


def find_pages(folder: Path) -> tuple[str, ...]:
    """The pages of a folder and of those below it, by path.

    Raises:
        ZoomgroundError: If there is none.
    """
    found = sorted(
        file.relative_to(folder).as_posix() for file in folder.rglob("*") if file.suffix.lower() in {".html", ".htm"}
    )
    if not found:
        raise ZoomgroundError(f"{folder} holds no page (*.html)")
    return tuple(found)


def digest(folder: Path) -> str:
    """A hash of everything in a folder: other files, other screens."""
    total = hashlib.sha256()
    for file in sorted(one for one in folder.rglob("*") if one.is_file()):
        total.update(json.dumps(file.relative_to(folder).as_posix()).encode())
        with file.open("rb") as stream:
            total.update(hashlib.file_digest(stream, "sha256").digest())
    return total.hexdigest()


@dataclass(frozen=True, slots=True)
class PagePlan:
    """Which page is which screen: all pages in turn, each time in another size or scrolled to another place.

    Attributes:
        pages: Their paths.
        seed: Decides sizes, places and instructions.
        sizes: Sizes to draw from.
        heldout_share: Share of the pages (not of the screens) that are held out.
    """

    pages: tuple[str, ...]
    seed: int
    sizes: tuple[ScreenSize, ...] = DEFAULT_SIZES
    heldout_share: float = 0.1

    def screen(self, number: int) -> ScreenSpec:
        """The screen of a number."""
        seed = f"{self.seed}/{number}"
        rng = random.Random(f"{seed}/plan")
        page = self.pages[number % len(self.pages)]
        held_out = random.Random(f"{self.seed}/{page}/split").random() < self.heldout_share
        return ScreenSpec(
            number=number,
            seed=seed,
            split=Split.HELDOUT if held_out else Split.TRAIN,
            kind=page,
            skin="",
            icon_set="",
            size=rng.choices(self.sizes, [one.weight for one in self.sizes])[0],
            language="en",
            dark=False,
            density=0.0,
        )


@dataclass(frozen=True, slots=True)
class PageStudio:
    """Makes screens of pages; see `zoomground.synth.studio.ProgramStudio`.

    Attributes:
        workshop: Where they go.
        asking: What they are asked for.
        folder: The pages, with everything that they load.
        browser: Path of the browser; None looks for one.
    """

    workshop: Workshop
    asking: Asking
    folder: Path
    browser: str | None = None

    def open(self, stack: ExitStack) -> Bench:
        """See `zoomground.synth.crew.Studio`."""
        stack.enter_context(self.workshop.attended())
        browser = stack.enter_context(open_browser(self.browser))
        return Bench(Maker(Pages(self.folder, browser), browser, self.workshop, self.asking, redrawn_one_in=1))


@dataclass(slots=True)
class Pages:
    """The pages of a folder in a browser; nothing outside the folder can be loaded."""

    folder: Path
    browser: Browser
    _root: Path = field(init=False)

    def __post_init__(self) -> None:
        self._root = self.folder.resolve()
        self._prepare()

    def _prepare(self) -> None:
        """Make the browser's page one that gets files of the folder alone, and in which time and chance stand still."""
        page = self.browser.page
        page.route("**/*", lambda route: self._serve(route))  # noqa: PLW0108 -- Playwright marks what it is given
        page.clock.set_fixed_time(_NOON)
        # Playwright's own init scripts run inside a function, and what they define would not be found later.
        self.browser.devtools.send("Page.enable")
        for name in ("page.js", "gather.js"):
            source = files("zoomground.synth").joinpath(name).read_text(encoding="utf-8")
            self.browser.devtools.send("Page.addScriptToEvaluateOnNewDocument", {"source": source})
        page.add_init_script(_CHANCE)

    def icons(self, spec: ScreenSpec) -> None:
        """See `Source`."""

    def show(self, browser: Browser, spec: ScreenSpec, watch: Stopwatch) -> tuple[Screen, Drawn]:
        """See `Source`."""
        with watch.phase("show"):
            self._open(browser, spec)
            place = random.Random(f"{spec.seed}/scroll")
            share = place.random() if place.random() < _SCROLLED_SHARE else 0.0
            browser.page.evaluate(
                "share => scrollTo(0, Math.round(share * (document.documentElement.scrollHeight - innerHeight)))", share
            )
            found = browser.page.evaluate("() => zgGather()")
        language = str(found["language"]).split("-", 1)[0].lower()
        screen = Screen(
            spec.size.width_px, spec.size.height_px, spec.size.scale,
            language if language in words.LANGUAGES else "en", spec.kind, dark=False, font="", font_px=16.0, root=Box(),
        )  # fmt: skip
        return screen, Drawn("", tuple(_placed(index, one) for index, one in enumerate(found["found"])))

    def _open(self, browser: Browser, spec: ScreenSpec) -> None:
        from playwright.sync_api import TimeoutError as TooLongError  # noqa: PLC0415 -- the extra may be missing

        size = spec.size
        if browser.use(size.scale):
            self._prepare()
        browser.devtools.send(
            "Emulation.setDeviceMetricsOverride",
            {"width": round(size.width_px / size.scale), "height": round(size.height_px / size.scale),
             "deviceScaleFactor": size.scale, "mobile": False},
        )  # fmt: skip
        try:
            browser.page.goto(_ORIGIN + quote(spec.kind), wait_until="load", timeout=_LOAD_MS)
        except TooLongError:
            raise ZoomgroundError(
                f"{self.folder / spec.kind} is not loaded after {_LOAD_MS / 1000:.0f} s; does a script of it wait?"
            ) from None
        browser.page.evaluate("() => document.fonts.ready.then(() => { zgFreeze(); zgListen(); })")

    def _serve(self, route: Any) -> None:
        """Answer a request with a file of the folder; everything else does not exist."""
        url = urlsplit(route.request.url)
        file = (self._root / unquote(url.path).lstrip("/")).resolve()
        if f"{url.scheme}://{url.netloc}/" == _ORIGIN and file.is_relative_to(self._root) and file.is_file():
            data = file.read_bytes()
            route.fulfill(body=data, content_type=_content_type(file, data))
        else:
            route.abort()


def _content_type(file: Path, data: bytes) -> str:
    """What a file is, as its name says; text that does not say its encoding is UTF-8 if it can be."""
    kind = mimetypes.guess_type(file.name)[0] or "application/octet-stream"
    if not kind.startswith("text/"):
        return kind
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return kind
    return f"{kind}; charset=utf-8"


def _placed(index: int, values: Sequence[Any]) -> Placed:
    role, name, text, value, checked, selected, disabled, filled, groups, parent = values
    flags = {State.CHECKED: checked, State.SELECTED: selected, State.DISABLED: disabled}
    shown = text if text == name else ""
    element = Element(
        Role(role),
        text=shown,
        label="" if shown else name,
        value=value,
        states=frozenset(state for state, on in flags.items() if on),
        # What is drawn inside it, so that it does not pass for an empty box.
        children=(Text(text),) if filled and not shown else (),
    )
    around = tuple(Group(Part(part), title, True, number) for part, title, number in groups)
    return Placed(index, element, around, parent)
