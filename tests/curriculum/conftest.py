"""A small checkpoint with the curriculum's words; what the curriculum changes in this process is put back."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("numpy")


@pytest.fixture(scope="session")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from course_material import LIMITS, SETTINGS, STYLE

    from zoomground.curriculum import words
    from zoomground.engines.tiny import build_checkpoint
    from zoomground.engines.tiny_shape import TinyShape

    shape = TinyShape(
        vocab_size=512,
        hidden_size=64,
        layers=2,
        heads=2,
        kv_heads=1,
        vision_hidden_size=32,
        vision_layers=2,
        initializer_range=0.04,
    )
    out = tmp_path_factory.mktemp("random") / "checkpoint"
    texts = words.corpus(SETTINGS, STYLE)
    build_checkpoint(out, limits=LIMITS, seed=0, corpus=texts, phrases=words.phrases(), shape=shape)
    return out


@pytest.fixture
def _patch_embeddings_are_put_back(monkeypatch: pytest.MonkeyPatch) -> None:
    from zoomground.engines.patch_embedding import PATCH_EMBEDDINGS

    for family in PATCH_EMBEDDINGS:
        monkeypatch.setattr(family, "forward", family.forward)


@pytest.fixture(scope="session")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small random checkpoint with the words of screens."""
    from screen_material import LIMITS, SETTINGS, STYLE

    from zoomground.curriculum.screens import words
    from zoomground.engines.tiny import build_checkpoint
    from zoomground.engines.tiny_shape import TinyShape

    shape = TinyShape(
        vocab_size=1024,
        hidden_size=64,
        layers=2,
        heads=2,
        kv_heads=1,
        vision_hidden_size=32,
        vision_layers=3,
        initializer_range=0.04,
        deepstack=(1,),
    )
    out = tmp_path_factory.mktemp("reader") / "checkpoint"
    texts = words.corpus(SETTINGS, STYLE)
    build_checkpoint(out, limits=LIMITS, seed=0, corpus=texts, phrases=words.phrases(), shape=shape)
    return out


@pytest.fixture(scope="session")
def screens(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from screen_material import draw_screens

    return draw_screens(tmp_path_factory.mktemp("screens"))
