"""Styles of demonstrations by the name that a recipe uses."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from zoomground.collect.closer import Closer
from zoomground.collect.coarse import Coarse
from zoomground.collect.free import Free
from zoomground.collect.lattice import Lattice

if TYPE_CHECKING:
    from collections.abc import Mapping

    from zoomground.collect.style import Style

STYLES: Mapping[str, Style] = MappingProxyType(
    {"free": Free(), "coarse": Coarse(), "lattice": Lattice(), "closer": Closer()}
)
