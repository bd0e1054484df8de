"""Lessons on screens: what is read off the shelf, what pictures show, and what the checkpoint gets of it."""

from __future__ import annotations

import random
import re
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

pytest.importorskip("torch")
pytest.importorskip("transformers")
pytest.importorskip("faker")

import numpy as np
import torch
from screen_material import SETTINGS, STYLE, draw_screen
from transformers import AutoModelForImageTextToText, AutoProcessor

from zoomground.collect.lattice import WINDOWS
from zoomground.curriculum.screens.batches import Batch, Encoder, Maker, Mix
from zoomground.curriculum.screens.lessons import Named, episode, listing, own_ask
from zoomground.curriculum.screens.pieces import pieces_of, seen_in
from zoomground.curriculum.screens.plan import Plan
from zoomground.curriculum.screens.pupil import Pupil, patches_of, pictures_of
from zoomground.curriculum.screens.shelf import Shelf
from zoomground.geometry import Box, Size

pytestmark = [pytest.mark.engine, pytest.mark.usefixtures("_patch_embeddings_are_put_back")]
MIX = Mix(screens=2, crops=1, listings=2, episodes=2)


def maker(reader: Path, screens: Path, seed: int = 3) -> Maker:
    return Maker(Encoder(reader), Shelf((screens,)), SETTINGS, STYLE, seed)


def test_the_shelf_holds_what_is_complete(tmp_path: Path) -> None:
    draw_screen(tmp_path, 0)
    draw_screen(tmp_path, 1, split="heldout")
    shelf = Shelf((tmp_path,))
    assert shelf.names() == ["0/000000", "0/000001"]
    assert [shelf.is_heldout(name) for name in shelf.names()] == [False, True]
    (tmp_path / ".synth" / "parts" / "000001.json").unlink()
    assert shelf.names() == ["0/000000"], "its part is written last"
    page = shelf.page("0/000000")
    assert len(page.things) == 13
    assert [thing.name for thing in page.things if thing.is_icon] == ["Delete"]
    assert [(ask.instruction, ask.name, ask.box_px) for ask in page.asks] == [
        ("Click the trash can", "Delete", Box(600, 10, 624, 34))
    ]


def test_a_plan_says_the_same_again_and_grows_ahead(tmp_path: Path) -> None:
    draw_screen(tmp_path, 0)
    plan = Plan(tmp_path / "plan.jsonl", Shelf((tmp_path,)))
    plan.begin("look", 0)
    assert plan.grow(0) == 1
    draw_screen(tmp_path, 1)
    draw_screen(tmp_path, 2, split="heldout")
    plan.begin("words", 4)
    assert plan.grow(6) == 2
    assert plan.grow(9) == 2
    again = Plan(tmp_path / "plan.jsonl", Shelf((tmp_path,)))
    for one in (plan, again):
        assert one.at(3) == ("look", ["0/000000"])
        assert one.at(5) == ("words", ["0/000000"])
        assert one.at(6) == ("words", ["0/000000", "0/000001"])
        assert one.heldout() == ["0/000002"]
    with (tmp_path / "plan.jsonl").open("a") as file:
        file.write('{"first": 1, "part": "la')
    assert again.at(5)[0] == "words", "a line without its end is not there yet"


def test_pieces_and_letters_stand_where_they_are_drawn(reader: Path, screens: Path) -> None:
    page, tokenizer = Shelf((screens,)).page("0/000000"), Encoder(reader).tokenizer
    pieces = pieces_of(page, tokenizer)
    # The upper left button alone, at four times its size: 20 to 110 and 60 to 88 px.
    shown, grid = Size(448, 224), Size(14, 7)
    seen = seen_in(pieces, Box(10, 50, 122, 106), shown, grid)
    name = page.things[0].name
    assert tokenizer.decode(seen.ids[np.argsort(seen.tokens)]).split() == name.split()
    assert "".join(chr(32 + letter) for letter in sorted(seen.letters)) == "".join(sorted(set(name)))
    assert set(seen.tokens // grid.width) <= {2, 3}, "its middle is 24 px below the window's upper edge"
    assert not set(seen.empty) & set(seen.tokens)
    assert 0 in seen.empty
    assert {patch // 4 // grid.width for patch in seen.patches} == set(seen.tokens // grid.width)
    far = seen_in(pieces, Box(0, 0, 640, 400), Size(64, 32), Size(2, 1))
    assert len(far.letters) == 0, "nobody can read that"
    icon = seen_in(pieces, Box(590, 0, 640, 50), Size(160, 160), Size(5, 5))
    assert sorted(icon.ids) == sorted(tokenizer(" Delete")["input_ids"])
    assert set(icon.tokens.tolist()) == {2 * 5 + 2}


def test_names_behind_a_quotation_mark_are_other_tokens(reader: Path, screens: Path) -> None:
    page, tokenizer = Shelf((screens,)).page("0/000000"), Encoder(reader).tokenizer
    one, other = (pieces_of(page, tokenizer, behind_space=behind) for behind in (True, False))
    assert one.ids[0] != other.ids[0]
    assert np.array_equal(one.letters, other.letters)


def test_a_listing_says_what_the_picture_shows(screens: Path) -> None:
    page = Shelf((screens,)).page("0/000000")
    things = Named.of(page)
    lesson = listing(things, None, Size(320, 192), random.Random(1))
    assert lesson is not None
    said = lesson.turns[1][1]
    places = {name: (x, y) for name, x, y in re.findall(r"The (\w+) is at (\d+) (\d+)\.", said)}
    boxes = {thing.name: thing.box_px for thing in page.things}
    assert len(places) == 12
    for name, (x, y) in places.items():
        assert boxes[name].x1 <= int(x) * 0.64 <= boxes[name].x2
        assert boxes[name].y1 <= int(y) * 0.4 <= boxes[name].y2
    named = [line for line in said.splitlines() if line.startswith("At ")]
    assert len(named) == 6
    for line in named:
        x, y, name = re.fullmatch(r"At (\d+) (\d+): (\w+)\.", line).groups()  # type: ignore[union-attr]
        assert boxes[name].x1 <= int(x) * 0.64 <= boxes[name].x2
    weights = lesson.weights[1]
    assert len(weights) == len(said)
    start = said.index(named[0])
    assert weights[start] == 0, "the place is given"
    assert weights[start + len(named[0]) - 2] == 3, "the name is to be read"
    crop = listing(things, WINDOWS[8], Size(320, 192), random.Random(1))
    assert crop is None or " of the crop." in crop.turns[1][1]


def test_episodes_end_in_the_target(screens: Path) -> None:
    page = Shelf((screens,)).page("0/000001")
    things, zoomed = Named.of(page), 0
    for number in range(40):
        rng = random.Random(number)
        ask = page.asks[0] if number % 2 else own_ask(things, rng)
        assert ask is not None
        assert ask.name in ask.instruction or number % 2
        lesson = episode(page, ask, SETTINGS, STYLE, rng)
        x, y = re.search(r"\[([\d.]+),([\d.]+)\]", lesson.turns[-1][1]).groups()  # type: ignore[union-attr]
        assert ask.box_px.x1 <= float(x) * 0.64 <= ask.box_px.x2
        assert ask.box_px.y1 <= float(y) * 0.4 <= ask.box_px.y2
        zoomed += len(lesson.windows) > 1
        assert sum("<image>" in said for _, said in lesson.turns) == len(lesson.windows)
    assert 5 < zoomed < 40


def test_a_batch_is_the_same_again_and_another_one_by_number(reader: Path, screens: Path) -> None:
    names = Shelf((screens,)).names()
    one, same, other = (maker(reader, screens).batch(number, names, MIX) for number in (1, 1, 2))
    assert one.words is not None
    assert same.words is not None
    assert torch.equal(one.words.ids, same.words.ids)
    assert torch.equal(one.truth.answers, same.truth.answers)
    assert [group.cuts for group in one.groups] == [group.cuts for group in same.groups]
    assert [group.cuts for group in one.groups] != [group.cuts for group in other.groups]
    assert maker(reader, screens).batch(1, names, Mix(2, 1)).words is None


def test_pictures_and_words_are_what_the_checkpoint_would_be_given(reader: Path, screens: Path) -> None:
    """Ids, positions, patches and hidden states against the processor and the model's own forward pass."""
    encoder = Encoder(reader)
    made = maker(reader, screens).batch(5, Shelf((screens,)).names()[:1], Mix(screens=1, crops=0, episodes=3))
    assert made.words is not None
    pupil = Pupil(reader, encoder).eval()
    with torch.no_grad():
        hidden = pupil.read(made.words, pupil._look(made))
    model = AutoModelForImageTextToText.from_pretrained(reader, dtype=torch.float32).eval()
    processor = AutoProcessor.from_pretrained(reader)
    for row in range(len(made.words.ids)):
        ids = made.words.ids[row]
        length = int((ids != encoder.pad_id).nonzero().max()) + 1
        pictures = _pictures_in(made, made.words.seen, made.words.ids, row, encoder)
        images = [Image.fromarray(one) for one in pictures]
        text = encoder.tokenizer.decode(ids[:length])
        text = re.sub(r"(<\|image_pad\|>)+", "<|image_pad|>", text)
        asked: Any = processor(text=[text], images=images, return_tensors="pt")
        assert torch.equal(asked["input_ids"][0], ids[:length])
        positions, _ = model.model.get_rope_index(
            asked["input_ids"], mm_token_type_ids=asked["mm_token_type_ids"], image_grid_thw=asked["image_grid_thw"]
        )
        assert torch.equal(positions[:, 0], made.words.positions[:, row, :length])
        with torch.no_grad():
            want = model.model(**asked).last_hidden_state[0]
        torch.testing.assert_close(hidden[row, :length], want, atol=2e-4, rtol=1e-3)


def _pictures_in(batch: Batch, seen: torch.Tensor, ids: torch.Tensor, row: int, encoder: Encoder) -> list[Any]:
    """The pixels of the pictures of a lesson, in order, by the tokens that the lesson sees."""
    counts = (ids == encoder.image_id).sum(1)
    own = seen[int(counts[:row].sum()) : int(counts[: row + 1].sum())]
    found, at = {}, 0
    for group in batch.groups:
        pixels = pictures_of(group, list(batch.shots))
        assert patches_of(pixels, group).shape == (len(group.cuts) * group.grid.area * 4, 3 * 2 * 16 * 16)
        for one in pixels:
            array = ((one.permute(1, 2, 0) + 1) * 127.5).round().byte().numpy()
            found[at] = array
            at += group.grid.area
    return [found[int(one)] for one in own if int(one) in found]


def test_a_picture_is_what_the_processor_makes_of_a_screenshot(reader: Path, screens: Path) -> None:
    made = maker(reader, screens).batch(5, Shelf((screens,)).names()[:1], Mix(screens=1, crops=0))
    group = made.groups[0]
    assert group.cuts[0].whole
    ours = patches_of(pictures_of(group, list(made.shots)), group)
    shot = Image.fromarray(made.shots[0].numpy())
    theirs: Any = AutoProcessor.from_pretrained(reader).image_processor(images=[shot], return_tensors="pt")
    assert ours.shape == theirs["pixel_values"].shape
    assert (ours - theirs["pixel_values"]).abs().mean() < 0.01
