"""Skins: one file each, its ``SKIN`` under the file's name."""

from __future__ import annotations

from functools import lru_cache
from importlib import import_module
from pkgutil import iter_modules
from types import MappingProxyType
from typing import TYPE_CHECKING

from zoomground.synth import assets as npm

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from zoomground.synth.skins.base import Skin


@lru_cache(1)
def skins() -> Mapping[str, Skin]:
    """All skins by name."""
    names = sorted(one.name for one in iter_modules(__path__) if one.name != "base")
    return MappingProxyType({name: import_module(f"{__name__}.{name}").SKIN for name in names})


def available_skins(assets: Path | None) -> Mapping[str, Skin]:
    """The skins that can be drawn with what lies in a ``node_modules`` folder, by name."""
    return MappingProxyType({name: skin for name, skin in skins().items() if npm.has(assets, skin.package)})
