"""ms-swift is imported once, its own warnings held back: only ours are errors. Without it its tests are left out.

One checkpoint is served by ``swift deploy`` for all tests of a session: a server takes a while to start.
"""

import importlib
import os
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest

import served
from episodes import screenshot

collect_ignore: list[str] = []

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    try:
        for module in ("swift.rollout", "swift.infer_engine.protocol", "swift.template.vision_utils", "swift.trainers"):
            importlib.import_module(module)
    except ImportError:
        collect_ignore.append("swift")


@pytest.fixture(autouse=True)
def _environment_is_put_back() -> Iterator[None]:
    """``datasets`` puts a copy in the place of `os.environ`: what monkeypatch set in the original stays in the copy."""
    environ, before = os.environ, dict(os.environ)
    yield
    for name in set(os.environ) - set(before):
        del os.environ[name]
    os.environ = environ  # noqa: B003 -- the object that was there
    os.environ.clear()
    os.environ.update(before)


@pytest.fixture(scope="session")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What `base_url` serves."""
    folder = tmp_path_factory.mktemp("served") / "checkpoint"
    served.build(folder)
    return folder


@pytest.fixture(scope="session")
def base_url(checkpoint: Path) -> Iterator[str]:
    """The engine's own OpenAI server."""
    with served.served(checkpoint, checkpoint.parent / "deploy.log") as url:
        yield url


@pytest.fixture
def shot(tmp_path: Path) -> Path:
    """A screenshot that its processor leaves alone."""
    file = tmp_path / "screen.png"
    screenshot(served.SCREEN).pixels.save(file)
    return file
