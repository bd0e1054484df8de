"""Ways of asking for an element: one file a family, with a function ``ways``; the file's name is the family's."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from importlib import import_module
from pkgutil import iter_modules
from types import MappingProxyType
from typing import TYPE_CHECKING

from zoomground.synth.asks.base import Way

if TYPE_CHECKING:
    from zoomground.synth.asks.base import Page
    from zoomground.synth.measure import Seen

Family = Callable[["Seen", "Page"], Iterator[Way]]

_NOT_FAMILIES = frozenset({"base", "wording", "absent"})


@lru_cache(1)
def families() -> Mapping[str, Family]:
    """Every family of asks for an element that is there; `absent` is asked of a whole screen."""
    names = sorted(one.name for one in iter_modules(__path__) if not one.ispkg and one.name not in _NOT_FAMILIES)
    return MappingProxyType({name: import_module(f"{__name__}.{name}").ways for name in names})
