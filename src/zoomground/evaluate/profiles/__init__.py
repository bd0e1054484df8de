"""Model profiles: one file each, its ``PROFILE`` under the file's name."""

from __future__ import annotations

from functools import lru_cache
from importlib import import_module
from pkgutil import iter_modules
from types import MappingProxyType
from typing import TYPE_CHECKING

from zoomground.evaluate.profiles.base import lookup

if TYPE_CHECKING:
    from collections.abc import Mapping

    from zoomground.evaluate.profiles.base import Profile

_NOT_PROFILES = frozenset({"base", "conventions"})


@lru_cache(1)
def profiles() -> Mapping[str, Profile]:
    """Every profile by its name."""
    names = sorted(one.name for one in iter_modules(__path__) if not one.ispkg and one.name not in _NOT_PROFILES)
    return MappingProxyType({name: import_module(f"{__name__}.{name}").PROFILE for name in names})


def profile(name: str) -> Profile:
    """A profile by its name, with ``+DIALECT`` if its answers are written in another way.

    Raises:
        ZoomgroundError: If there is no such profile or dialect.
    """
    return lookup(name, profiles())
