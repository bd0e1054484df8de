"""The screen that the scheduler's tests share."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image
from swift_loops import SIZE


@pytest.fixture(scope="session")
def screen(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("screens") / "screen.png"
    Image.linear_gradient("L").resize((SIZE.width, SIZE.height)).convert("RGB").save(path)
    return path
