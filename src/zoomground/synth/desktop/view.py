"""What the parts of a desktop know of each other: areas, the programs by name, and where things can open."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from pkgutil import iter_modules
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from zoomground.synth import kinds

if TYPE_CHECKING:
    from collections.abc import Mapping

    from zoomground.synth.graph import Box
    from zoomground.synth.scene import Scene

Builder = Callable[["Scene"], "Box"]


@dataclass(frozen=True, slots=True)
class Area:
    """A rectangle in CSS px."""

    x: float
    y: float
    width: float
    height: float

    @property
    def css(self) -> str:
        """Its place inside a stack."""
        return f"left:{self.x:g}px;top:{self.y:g}px;width:{self.width:g}px;height:{self.height:g}px;"

    def fills(self, other: Area) -> bool:
        """Whether it is the whole of another one."""
        return self == other


@dataclass(frozen=True, slots=True)
class View:
    """A desktop as what lies over it sees it.

    Attributes:
        kind: Program in front.
        free: The screen without its bars.
        front: Window of the program in front.
        title_px: Height of its title bar.
        start: Where a start menu's corner is, and whether it opens upwards; None without one.
        clock: Where the tray's corner is, and whether it opens upwards; None without one.
        menu: Where the program's first menu opens, from the window's top left; None if it has no menus.
    """

    kind: str
    free: Area
    front: Area
    title_px: float
    start: tuple[float, float, bool] | None
    clock: tuple[float, float, bool] | None
    menu: tuple[float, float] | None


@lru_cache(1)
def _modules() -> Mapping[str, Any]:
    names = sorted(one.name for one in iter_modules(kinds.__path__) if not one.name.startswith("_"))
    return MappingProxyType({name: import_module(f"{kinds.__name__}.{name}") for name in names})


def builders() -> dict[str, Builder]:
    """Every kind of program by name: one module of `kinds` each, with a function ``build``."""
    return {name: module.build for name, module in _modules().items()}


def opens_menu_at(kind: str) -> tuple[float, float] | None:
    """Where a program's first menu opens, from the top left below its title: its module's ``MENU_AT``."""
    found: tuple[float, float] | None = getattr(_modules()[kind], "MENU_AT", None)
    return found
