"""Icon sets: one file each, its ``ICON_SET`` under the file's name."""

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

    from zoomground.synth.icons.base import IconSet

_NOT_SETS = frozenset({"base", "package"})


@lru_cache(1)
def all_icon_sets() -> Mapping[str, IconSet]:
    """All icon sets by name, whether their packages are there or not."""
    names = sorted(one.name for one in iter_modules(__path__) if one.name not in _NOT_SETS)
    return MappingProxyType({name: import_module(f"{__name__}.{name}").ICON_SET for name in names})


def icon_sets(assets: Path | None) -> Mapping[str, IconSet]:
    """The icon sets that can be drawn with what lies in a ``node_modules`` folder, by name."""
    found = {name: one.at(assets) for name, one in all_icon_sets().items() if npm.has(assets, one.package)}
    return MappingProxyType(found)
