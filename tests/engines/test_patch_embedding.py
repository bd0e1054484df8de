"""The matrix product gives what the convolution gives, for every family."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")
pytestmark = pytest.mark.engine


@pytest.mark.parametrize("index", [0, 1, 2])
def test_matrix_product_equals_the_convolution(index: int, monkeypatch: pytest.MonkeyPatch) -> None:
    from transformers.models.qwen3_vl.configuration_qwen3_vl import Qwen3VLVisionConfig

    from zoomground.engines import patch_embedding

    family = patch_embedding.PATCH_EMBEDDINGS[index]
    try:
        made = family(Qwen3VLVisionConfig(hidden_size=48, patch_size=16))
    except TypeError:
        made = family(patch_size=16, embed_dim=48)
    torch.manual_seed(0)
    patches = torch.randn(10, 3 * 2 * 16 * 16)
    expected = made(patches)
    monkeypatch.setattr(family, "forward", patch_embedding._matrix_product)
    torch.testing.assert_close(made(patches), expected, rtol=1e-5, atol=1e-5)
    made.to(torch.bfloat16)
    assert made(patches).dtype is torch.bfloat16
    torch.testing.assert_close(made(patches).float(), expected, rtol=0.05, atol=0.05)
