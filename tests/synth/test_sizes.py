"""Sizes: what a person may ask for, and that pixels are as many as asked for."""

from __future__ import annotations

import pytest

from zoomground.errors import ZoomgroundError
from zoomground.synth.sizes import DEFAULT_SIZES, read_sizes


def test_every_default_size_is_a_whole_number_of_css_px() -> None:
    for size in DEFAULT_SIZES:
        assert (size.width_px / size.scale).is_integer(), size
        assert (size.height_px / size.scale).is_integer(), size


def test_a_scale_that_leaves_parts_of_px_is_refused() -> None:
    with pytest.raises(ZoomgroundError, match="whole number of CSS px"):
        read_sizes(["2560x1440@1.5"])
