"""A tiny checkpoint is loaded by the family's own classes and speaks the protocol in few tokens."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from zoomground.errors import ZoomgroundError
from zoomground.geometry import PixelLimits, Size
from zoomground.protocol.prompts import build_system_prompt

pytest.importorskip("torch")
pytestmark = pytest.mark.engine

LIMITS = PixelLimits(factor=32, min_pixels=4 * 32**2, max_pixels=16 * 32**2)
ARCHS = ("qwen3_vl", "qwen3_5")
PROMPTS = [build_system_prompt(f"Open the {word} menu", f"{word}.png", 1280, 800) for word in ("File", "Edit", "View")]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    from zoomground.engines.tiny import build_checkpoint

    folder = tmp_path_factory.mktemp("tiny")
    return {
        arch: build_checkpoint(folder / arch, arch=arch, limits=LIMITS, seed=3, corpus=PROMPTS)  # type: ignore[arg-type]
        for arch in ARCHS
    }


@pytest.fixture(params=ARCHS)
def card(request: pytest.FixtureRequest, built: dict[str, Any]) -> Any:
    return built[request.param]


def test_loads_as_its_family_with_one_to_five_million_weights(card: Any) -> None:
    from transformers import AutoConfig, AutoModelForImageTextToText

    from zoomground.engines.tiny_shape import TinyShape

    assert AutoConfig.from_pretrained(card.path).model_type == card.arch
    model = AutoModelForImageTextToText.from_pretrained(card.path)
    assert model.num_parameters() == card.parameters
    # These few texts fill less of the vocabulary than a run's corpus does.
    full_vocabulary = TinyShape().vocab_size + TinyShape().max_phrases
    missing = (full_vocabulary - card.vocab_size) * TinyShape().hidden_size
    assert 1_000_000 <= card.parameters + missing <= 5_000_000
    assert json.loads((card.path / "tiny.json").read_text())["parameters"] == card.parameters


def test_prompt_survives_the_tokenizer_and_is_short(card: Any) -> None:
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(card.path)
    for text in [*PROMPTS, "unseen words, 漢字 and <|im_end|>", " two  spaces\n\n\tand a tab "]:
        assert tokenizer.decode(tokenizer(text)["input_ids"]) == text
    assert len(tokenizer(PROMPTS[0])["input_ids"]) < 100


def test_digits_stay_single(card: Any) -> None:
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(card.path)
    tokens = [tokenizer.decode([number]) for number in tokenizer("[1280.00,801.25]")["input_ids"]]
    assert [token for token in tokens if any(c.isdigit() for c in token)] == list("1280008" + "0125")


def test_rl_01_eos_and_pad_differ_and_media_tokens_are_never_sampled(card: Any) -> None:
    from transformers import AutoTokenizer, GenerationConfig

    tokenizer = AutoTokenizer.from_pretrained(card.path)
    assert tokenizer.eos_token_id != tokenizer.pad_token_id
    config = GenerationConfig.from_pretrained(card.path)
    for token in ("<|image_pad|>", "<|video_pad|>", "<|vision_start|>", "<|im_start|>"):
        assert tokenizer.convert_tokens_to_ids(token) in config.suppress_tokens
    assert tokenizer.eos_token_id in config.eos_token_id
    assert tokenizer.eos_token_id not in config.suppress_tokens


def test_processor_resizes_as_the_limits_say(card: Any) -> None:
    from PIL import Image
    from transformers import AutoProcessor

    processor = AutoProcessor.from_pretrained(card.path)
    for size in (Size(1280, 800), Size(20, 90), Size(100, 100)):
        grid = processor.image_processor(images=[Image.new("RGB", (size.width, size.height))])["image_grid_thw"][0]
        view = LIMITS.view_size(size)
        assert [int(side) * 16 for side in grid[1:]] == [view.height, view.width]


def test_equal_seeds_give_equal_weights(built: dict[str, Any], tmp_path: Path) -> None:
    from zoomground.engines.tiny import build_checkpoint

    def weights(seed: int) -> bytes:
        card = build_checkpoint(tmp_path / str(seed), limits=LIMITS, seed=seed, corpus=PROMPTS)
        return (card.path / "model.safetensors").read_bytes()

    first = (built["qwen3_vl"].path / "model.safetensors").read_bytes()
    assert weights(3) == first
    assert weights(4) != first


def test_replaces_an_old_folder_and_leaves_nothing_beside_it(tmp_path: Path) -> None:
    from zoomground.engines.tiny import build_checkpoint

    out = tmp_path / "model"
    out.mkdir()
    (out / "old.txt").write_text("old")
    build_checkpoint(out, limits=LIMITS, seed=0, corpus=PROMPTS)
    assert not (out / "old.txt").exists()
    assert [path.name for path in tmp_path.iterdir()] == ["model"]


def test_refuses_an_empty_corpus_and_an_odd_factor(tmp_path: Path) -> None:
    from zoomground.engines.tiny import build_checkpoint

    with pytest.raises(ZoomgroundError, match="corpus is empty"):
        build_checkpoint(tmp_path / "a", limits=LIMITS, seed=0, corpus=[])
    with pytest.raises(ZoomgroundError, match="use 28 or 32"):
        build_checkpoint(tmp_path / "b", limits=PixelLimits(27, 27**2, 27**2), seed=0, corpus=PROMPTS)
    assert list(tmp_path.iterdir()) == []


def test_phrases_end_at_digits_and_quotes() -> None:
    from zoomground.engines.tiny import recurring_phrases

    names = ["mail", "shop", "map", "news"]
    texts = [f'crop_image(image_path="{name}.png", x1={i}) done here' for i, name in enumerate(names)]
    phrases = recurring_phrases(texts, share=0.9, min_chars=8)
    assert phrases == ['crop_image(image_path="', ") done here"]
    assert recurring_phrases(texts, share=0.9, min_chars=8, limit=1) == phrases[:1]


@pytest.mark.parametrize(
    ("thinking", "kept", "opening"),
    [(True, "<think>\nlook\n</think>\n\n", "<think>\n"), (False, "", "<think>\n\n</think>\n\n")],
)
def test_qwen3_5_template_has_the_familys_form(built: dict[str, Any], thinking: bool, kept: str, opening: str) -> None:
    from transformers import AutoProcessor

    processor = AutoProcessor.from_pretrained(built["qwen3_5"].path)
    chat = [
        {"role": "system", "content": " rules "},
        {"role": "user", "content": [{"type": "text", "text": "see "}, {"type": "image"}]},
        {"role": "assistant", "content": "<think>\nlook\n</think>\n\ncrop"},
        {"role": "user", "content": "result"},
    ]
    text = processor.apply_chat_template(
        chat, tokenize=False, add_generation_prompt=True, preserve_thinking=thinking, enable_thinking=thinking
    )
    assert text == (
        "<|im_start|>system\nrules<|im_end|>\n"
        "<|im_start|>user\nsee <|vision_start|><|image_pad|><|vision_end|><|im_end|>\n"
        f"<|im_start|>assistant\n{kept}crop<|im_end|>\n"
        f"<|im_start|>user\nresult<|im_end|>\n<|im_start|>assistant\n{opening}"
    )
