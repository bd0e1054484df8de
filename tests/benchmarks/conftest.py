"""The benchmarks are scripts: their folder is put on the path, and their modules are forgotten afterwards."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture(scope="session", autouse=True)
def _benchmarks_on_the_path() -> Iterator[None]:
    before, path = set(sys.modules), list(sys.path)
    sys.path.insert(0, str(BENCHMARKS))
    yield
    sys.path[:] = path
    ours = {"bench", "crop_path", "run", "encoders", "experiment"}
    for name in set(sys.modules) - before:
        if name.partition(".")[0] in ours:
            del sys.modules[name]
