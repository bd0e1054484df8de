"""One browser for the tests of all programs."""

from __future__ import annotations

import importlib.util
import shutil
from typing import TYPE_CHECKING

import pytest

from zoomground.synth.browser import Browser, open_browser

if TYPE_CHECKING:
    from collections.abc import Iterator

_NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "chrome")


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """An open browser."""
    if not any(map(shutil.which, _NAMES)) or importlib.util.find_spec("playwright") is None:
        pytest.skip("no Chromium, or no playwright")
    with open_browser() as opened:
        yield opened
