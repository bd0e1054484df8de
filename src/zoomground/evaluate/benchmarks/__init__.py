"""The benchmarks: one file each, its ``BENCHMARK`` under the file's name."""

from __future__ import annotations

from functools import lru_cache
from importlib import import_module
from pkgutil import iter_modules
from types import MappingProxyType
from typing import TYPE_CHECKING

from zoomground.errors import ZoomgroundError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from zoomground.evaluate.items import Benchmark

_NOT_BENCHMARKS = frozenset({"base"})


@lru_cache(1)
def benchmarks() -> Mapping[str, Benchmark]:
    """Every benchmark by its name."""
    names = sorted(one.name for one in iter_modules(__path__) if one.name not in _NOT_BENCHMARKS)
    return MappingProxyType({name: import_module(f"{__name__}.{name}").BENCHMARK for name in names})


def benchmark(name: str) -> Benchmark:
    """A benchmark by its name; ``-`` and ``_`` are the same.

    Raises:
        ZoomgroundError: If there is none of that name.
    """
    known = benchmarks()
    if found := known.get(name.replace("-", "_").lower()):
        return found
    raise ZoomgroundError(f"there is no benchmark '{name}'; known are: {', '.join(known)}")
