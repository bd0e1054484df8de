"""What the encoder makes of lessons is what the checkpoint's own processor and model make of them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

pytest.importorskip("torch")
pytest.importorskip("transformers")

import numpy as np
import torch
from course_material import SETTINGS, SHEET, STYLE
from transformers import AutoModelForImageTextToText, AutoProcessor

from zoomground.curriculum.encode import Encoder, Maker
from zoomground.curriculum.lessons import NAMES, lessons_of, picture, screenshot
from zoomground.curriculum.model import Pupil
from zoomground.curriculum.words import corpus, phrases
from zoomground.engines.tiny import build_checkpoint
from zoomground.engines.tiny_shape import TinyShape
from zoomground.errors import ZoomgroundError
from zoomground.synth.boards.board import draw_board

pytestmark = [pytest.mark.engine, pytest.mark.usefixtures("_patch_embeddings_are_put_back")]
BOARDS, LESSONS, SEED = 2, 3, 5


def maker(encoder: Encoder, seed: int = SEED) -> Maker:
    return Maker(encoder, SHEET, SETTINGS, STYLE, BOARDS, LESSONS, 0.3, seed)


def references(checkpoint: Path, encoder: Encoder) -> list[Any]:
    """The same lessons through the checkpoint's processor."""
    processor = AutoProcessor.from_pretrained(checkpoint)
    made = []
    for one in range(BOARDS):
        board, lessons = lessons_of(f"{SEED}/{one}", LESSONS, 0.3, SETTINGS, STYLE)
        shot = screenshot(board, SHEET)
        for lesson in lessons:
            messages = [
                {
                    "role": role,
                    "content": [
                        {"type": "image"} if piece == "<image>" else {"type": "text", "text": piece}
                        for piece in re.split("(<image>)", said)
                        if piece
                    ],
                }
                for role, said in lesson.turns
            ]
            text = processor.apply_chat_template(messages, tokenize=False)
            images = [Image.fromarray(picture(shot, window, encoder.shown)) for window in lesson.windows]
            made.append(processor(text=[text], images=images, return_tensors="pt"))
    return made


def test_ids_positions_pixels_and_logits(checkpoint: Path) -> None:
    encoder = Encoder(checkpoint, SETTINGS)
    batch = maker(encoder).batch(0)
    reference = AutoModelForImageTextToText.from_pretrained(checkpoint, dtype=torch.float32).eval()
    pupil = Pupil(checkpoint, encoder).eval()
    own = reference.model.visual.blocks[0].attn
    assert "forward" not in vars(own), "another model of this process attends as it did"
    expected = references(checkpoint, encoder)
    assert len(expected) == len(batch.ids) == BOARDS * LESSONS
    used = 0
    with torch.no_grad():
        logits = pupil.model.lm_head(pupil.read(batch, pupil.look(torch.from_numpy(batch.pictures))))
        for row, inputs in enumerate(expected):
            length = inputs["input_ids"].shape[1]
            assert batch.mask[row].sum() == length
            assert np.array_equal(batch.ids[row, :length], inputs["input_ids"][0])
            assert set(batch.ids[row, length:]) <= {encoder.pad_id}
            kinds = {"mm_token_type_ids": inputs["mm_token_type_ids"]} if "mm_token_type_ids" in inputs else {}
            positions, _ = reference.model.get_rope_index(
                input_ids=inputs["input_ids"],
                image_grid_thw=inputs["image_grid_thw"],
                attention_mask=inputs["attention_mask"],
                **kinds,
            )
            assert np.array_equal(batch.positions[:, row, :length], positions[-3:, 0])
            pictures = batch.places[used : used + len(inputs["image_grid_thw"])]
            used += len(pictures)
            flat = pupil.patches(torch.from_numpy(batch.pictures[pictures]))
            torch.testing.assert_close(flat, inputs["pixel_values"], rtol=0, atol=1e-6)
            torch.testing.assert_close(logits[row, :length], reference(**inputs).logits[0], rtol=1e-4, atol=1e-4)
    assert used == len(batch.places)


def test_a_whole_board_looks_as_the_processor_shows_it(checkpoint: Path) -> None:
    encoder = Encoder(checkpoint, SETTINGS)
    shot = screenshot(draw_board("x"), SHEET)
    inputs = AutoProcessor.from_pretrained(checkpoint).image_processor(images=[shot.pixels], return_tensors="pt")
    ours = Pupil(checkpoint, encoder).patches(torch.tensor(picture(shot, None, encoder.shown)[None]))
    assert (ours - inputs["pixel_values"]).abs().max() <= 2 / 127.5
    assert (ours - inputs["pixel_values"]).abs().mean() < 0.1 / 127.5


def test_what_counts_is_what_the_assistant_writes(checkpoint: Path) -> None:
    encoder = Encoder(checkpoint, SETTINGS)
    batch = maker(encoder).batch(0)
    for row in range(len(batch.ids)):
        text = [encoder.tokenizer.decode([int(token)]) for token in batch.ids[row]]
        spoken = False
        for token, weight, present in zip(text, batch.weights[row], batch.mask[row], strict=True):
            spoken = (spoken or token == "assistant") and token not in {"user", "system"}
            assert spoken or not weight
            assert present or not weight
            assert weight < 3 or token.strip() in {*"0123456789", *NAMES, ""}
        assert (batch.weights[row] >= 1).any()


def test_a_number_is_a_batch(checkpoint: Path) -> None:
    encoder = Encoder(checkpoint, SETTINGS)
    one, again, next_one = (
        maker(encoder).batch(3),
        maker(Encoder(checkpoint, SETTINGS)).batch(3),
        maker(encoder).batch(4),
    )
    assert np.array_equal(one.ids, again.ids)
    assert np.array_equal(one.pictures, again.pictures)
    assert not np.array_equal(one.pictures[0], next_one.pictures[0])
    assert not np.array_equal(one.pictures[0], maker(encoder, seed=6).batch(3).pictures[0])
    assert len(one.labels) == len(one.pictures) == len(one.whole) == max(one.places) + 1


def test_names_are_one_token_each_whatever_stands_around_them(checkpoint: Path) -> None:
    encoder = Encoder(checkpoint, SETTINGS)
    ids = dict(zip(NAMES, encoder.name_ids(), strict=True))
    assert len(set(ids.values())) == len(NAMES)
    for _, lessons in (lessons_of(str(number), 4, 0.4, SETTINGS, STYLE) for number in range(10)):
        for text in (text for lesson in lessons for _, text in lesson.turns):
            tokens = encoder.tokenizer.encode(text, add_special_tokens=False)
            for name, token in ids.items():
                assert tokens.count(token) == len(re.findall(rf" {name}\b", text)), (name, text)


def test_no_name_is_left_in_the_tokenizers_corpus() -> None:
    text = "\n".join(corpus(SETTINGS, STYLE))
    assert not re.search(rf"\b({'|'.join(NAMES)})\b", text)
    assert {f" {name}" for name in NAMES} <= set(phrases())


def test_a_checkpoint_without_the_names_is_refused(tmp_path: Path) -> None:
    shape = TinyShape(hidden_size=32, layers=1, heads=2, kv_heads=1, vision_hidden_size=16)
    build_checkpoint(tmp_path / "c", limits=SETTINGS.limits, seed=0, corpus=["Press it"] * 4, shape=shape)
    with pytest.raises(ZoomgroundError, match="every name must be one token"):
        Encoder(tmp_path / "c", SETTINGS).name_ids()
