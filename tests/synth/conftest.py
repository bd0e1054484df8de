"""Where the npm packages of skins and icon sets are, for the tests that draw with them."""

import os
from pathlib import Path

import pytest

from zoomground.synth import assets as npm

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
