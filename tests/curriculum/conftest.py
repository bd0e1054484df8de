"""A small checkpoint with the curriculum's words; what the curriculum changes in this process is put back."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

pytest.importorskip("numpy")


def built(folder: Path, material: ModuleType, words: ModuleType, **shape: Any) -> Path:
    """A small random checkpoint with a curriculum's words."""
    from zoomground.engines.tiny import build_checkpoint
    from zoomground.engines.tiny_shape import TinyShape

    out = folder / "checkpoint"
    small = TinyShape(
        hidden_size=64, layers=2, heads=2, kv_heads=1, vision_hidden_size=32, initializer_range=0.04, **shape
    )
    corpus = words.corpus(material.SETTINGS, material.STYLE)
    build_checkpoint(out, limits=material.LIMITS, seed=0, corpus=corpus, phrases=words.phrases(), shape=small)
    return out


@pytest.fixture(scope="session")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    import course_material

    from zoomground.curriculum import words

    return built(tmp_path_factory.mktemp("random"), course_material, words, vocab_size=512, vision_layers=2)


@pytest.fixture
def _patch_embeddings_are_put_back(monkeypatch: pytest.MonkeyPatch) -> None:
    from zoomground.engines.patch_embedding import PATCH_EMBEDDINGS

    for family in PATCH_EMBEDDINGS:
        monkeypatch.setattr(family, "forward", family.forward)


@pytest.fixture(scope="session")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small random checkpoint with the words of screens."""
    import screen_material

    from zoomground.curriculum.screens import words

    shape = {"vocab_size": 1024, "vision_layers": 3, "deepstack": (1,)}
    return built(tmp_path_factory.mktemp("reader"), screen_material, words, **shape)


@pytest.fixture(scope="session")
def screens(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from screen_material import draw_screens

    return draw_screens(tmp_path_factory.mktemp("screens"))
