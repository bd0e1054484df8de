"""What lies over a desktop: one module each, with ``WEIGHT``, ``fits(view)`` and ``lay(scene, view)``."""

from __future__ import annotations

from functools import lru_cache
from importlib import import_module
from pkgutil import iter_modules
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from zoomground.synth.desktop.view import View
    from zoomground.synth.graph import Box
    from zoomground.synth.scene import Scene

_SHARES = (0.42, 0.18)
"""Shares of desktops and of phones that something lies over."""


@lru_cache(1)
def overlays() -> Mapping[str, Any]:
    """All modules by name."""
    names = sorted(one.name for one in iter_modules(__path__) if not one.name.startswith("_"))
    return MappingProxyType({name: import_module(f"{__name__}.{name}") for name in names})


def overlay(scene: Scene, view: View) -> Box | None:
    """What the seed lays over a desktop, if anything."""
    if not scene.chance(_SHARES[view.free.width < 600]):
        return None
    fitting = [module for module in overlays().values() if module.fits(view)]
    if not fitting:
        return None
    chosen = scene.rng.choices(fitting, [module.WEIGHT for module in fitting])[0]
    laid: Box = chosen.lay(scene, view)
    return laid
