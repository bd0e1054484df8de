"""A browser for the tests of screens, and the npm packages of skins and icon sets where they are."""

from __future__ import annotations

import importlib.util
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from zoomground.synth import assets as npm

if TYPE_CHECKING:
    from zoomground.synth.browser import Browser

_NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "chrome")
_NAMED = os.environ.get("ZOOMGROUND_ASSETS")
ASSETS = npm.find(Path(_NAMED) if _NAMED else None)

needs_assets = pytest.mark.skipif(
    ASSETS is None, reason=f"no npm packages of skins and icon sets; fetch them: {npm.INSTALL}"
)


@pytest.fixture(scope="session")
def assets() -> Path:
    """The ``node_modules`` folder."""
    assert ASSETS is not None
    return ASSETS


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """An open browser; one a module, because its event loop would disturb the tests of other folders."""
    if not any(map(shutil.which, _NAMES)) or importlib.util.find_spec("playwright") is None:
        pytest.skip("no Chromium, or no playwright")
    from zoomground.synth.browser import open_browser

    with open_browser(assets=ASSETS) as opened:
        yield opened
