"""Skins: one file each, its ``SKIN`` under the file's name."""

from __future__ import annotations

from functools import lru_cache
from importlib import import_module
from pkgutil import iter_modules
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from zoomground.synth.skins.base import Skin


@lru_cache(1)
def skins() -> Mapping[str, Skin]:
    """All skins by name."""
    names = sorted(one.name for one in iter_modules(__path__) if one.name != "base")
    return MappingProxyType({name: import_module(f"{__name__}.{name}").SKIN for name in names})
