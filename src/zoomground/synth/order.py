"""What a person asks for, made into a plan, a studio, and the terms that decide the files of the set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from zoomground.errors import ZoomgroundError
from zoomground.synth import assets as npm
from zoomground.synth import words
from zoomground.synth.browser import open_browser
from zoomground.synth.crew import Studio
from zoomground.synth.make import Asking
from zoomground.synth.pages import PagePlan, PageStudio, digest, find_pages
from zoomground.synth.parts import Workshop
from zoomground.synth.plan import make_plan
from zoomground.synth.run import Numbered
from zoomground.synth.sizes import DEFAULT_SIZES, read_sizes
from zoomground.synth.studio import ProgramStudio, supply

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class Wish:
    """What is asked for, whatever is drawn.

    Attributes:
        seed: Decides everything.
        rows_per_screen: Most rows of a screen.
        refusals: Share of rows that ask for something that is not there.
        heldout_share: Share that is held out.
        sizes: Sizes as a person writes them; none: the usual ones.
        browser: Path of the browser; None looks for one.
        made_by: Version of this package, for the manifest.
        elements: Whether the elements of every screen are listed.
        quick: See `Asking`.
    """

    seed: int
    rows_per_screen: int
    refusals: float
    heldout_share: float
    sizes: Sequence[str]
    browser: str | None
    made_by: str
    elements: bool = False
    quick: bool = False

    def asking(self, refusals: float) -> Asking:
        """What is wanted of every screen."""
        return Asking(self.rows_per_screen, refusals, self.elements, self.quick)


@dataclass(frozen=True, slots=True)
class Order:
    """A set that can be made.

    Attributes:
        plan: What its screens are.
        studio: What workers make them with.
        workshop: Where they go.
        terms: Everything that decides its files.
        notes: What the person should know first.
    """

    plan: Numbered
    studio: Studio
    workshop: Workshop
    terms: Mapping[str, Any]
    notes: tuple[str, ...] = ()


def of_programs(out: Path, wish: Wish, *, kinds: Sequence[str], languages: Sequence[str], assets: Path | None) -> Order:
    """Screens of programs.

    Args:
        out: Folder of the set.
        wish: What is asked for.
        kinds: Only these kinds of program; none: all.
        languages: Only these languages; none: all that the installed fonts can write.
        assets: Folder of the npm packages; None looks in the usual place.

    Raises:
        ZoomgroundError: If a name is unknown, there is no browser, or nothing is left to draw.
    """
    packages = npm.find(assets)
    with open_browser(wish.browser) as browser:
        chromium, written = browser.version, browser.languages()
    for language in languages:
        if language in words.LANGUAGES and language not in written:
            raise ZoomgroundError(f"no font here writes '{language}'; {_FONTS}, or leave it out")
    plan = make_plan(
        supply(packages), seed=wish.seed, kinds=kinds, languages=languages or written,
        sizes=read_sizes(list(wish.sizes)), heldout_share=wish.heldout_share,
    )  # fmt: skip
    notes = list(plan.notes)
    if not languages and (missing := [one for one in words.LANGUAGES if one not in written]):
        notes.insert(0, f"no font here writes {', '.join(missing)}: left out; {_FONTS}")
    if packages is None:
        notes.insert(0, f"no npm packages: own skins and icons alone draw every screen; more looks: {npm.INSTALL}")
    arguments = {**_arguments(wish), "languages": [name for name, _ in plan.languages], **plan.drawn_from}
    licences = [
        {"package": one.package, "version": one.version, "licence": one.licence} for one in npm.licences(packages)
    ]
    terms = {"arguments": arguments, "versions": _versions(wish.made_by, chromium), "licences": licences}
    workshop = Workshop(out)
    studio = ProgramStudio(workshop, wish.asking(wish.refusals), wish.browser, packages)
    return Order(plan, studio, workshop, terms, tuple(notes))


def of_pages(out: Path, wish: Wish, folder: Path) -> Order:
    """Screens of a person's own pages.

    Args:
        out: Folder of the set.
        wish: What is asked for.
        folder: The pages, and all that they load.

    Raises:
        ZoomgroundError: If there is no page or no browser.
    """
    pages = find_pages(folder)
    sizes = read_sizes(list(wish.sizes)) or DEFAULT_SIZES
    with open_browser(wish.browser) as browser:
        chromium = browser.version
    plan = PagePlan(pages, wish.seed, sizes, wish.heldout_share)
    workshop = Workshop(out)
    arguments = {**_arguments(wish), "refusals": 0, "pages": list(pages), "hash of the pages": digest(folder)}
    terms = {"arguments": arguments, "versions": _versions(wish.made_by, chromium), "licences": []}
    # Nothing proves that an icon of a page does not show a thing, so nobody is asked for what is not there.
    return Order(plan, PageStudio(workshop, wish.asking(0), folder, wish.browser), workshop, terms)


_FONTS = "on Debian or Ubuntu run 'apt-get install fonts-noto-cjk'"


def _arguments(wish: Wish) -> dict[str, Any]:
    return {
        "seed": wish.seed, "rows-per-screen": wish.rows_per_screen, "refusals": wish.refusals,
        "heldout-share": wish.heldout_share, "sizes asked for": list(wish.sizes),
        **{name: True for name in ("elements", "quick") if getattr(wish, name)},
    }  # fmt: skip


def _versions(made_by: str, chromium: str) -> dict[str, str]:
    return {"zoomground": made_by, "Chromium": chromium, "Faker": version("faker"), "Pillow": version("pillow")}
