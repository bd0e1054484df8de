"""ms-swift is imported once, its own warnings held back: only ours are errors. Without it its tests are left out."""

import importlib
import os
import warnings
from collections.abc import Iterator

import pytest

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
