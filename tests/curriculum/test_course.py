"""The training loop: what it learns, how it goes on after a kill, and what it leaves."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")

import torch
from course_material import SETTINGS, SHEET, STYLE
from safetensors.torch import load_file
from transformers import AutoModelForImageTextToText

from zoomground.curriculum import loop
from zoomground.curriculum.encode import Encoder, Maker
from zoomground.curriculum.loop import Course, study
from zoomground.curriculum.model import Pupil

pytestmark = [pytest.mark.engine, pytest.mark.usefixtures("_patch_embeddings_are_put_back")]

COURSE = Course(look_steps=2, steps=3, boards=1, lessons=2, save_steps=2, workers=0)


class KilledError(Exception):
    """In place of a SIGKILL."""


def run(checkpoint: Path, out: Path, course: Course = COURSE, *, dies_at: int = 0) -> list[tuple[int, int, str]]:
    told: list[tuple[int, int, str]] = []

    def tell(step: int, total: int, note: str) -> None:
        told.append((step, total, note))
        if step == dies_at:
            raise KilledError

    study(checkpoint, out, course=course, settings=SETTINGS, style=STYLE, sheet=SHEET, device="cpu", on_progress=tell)
    return told


def test_a_killed_course_ends_as_one_that_was_never_killed(
    checkpoint: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(loop, "_TELL_EVERY_S", 0.0)
    monkeypatch.setattr(loop, "_LOG_EVERY", 1)
    never = run(checkpoint, tmp_path / "never")
    assert [step for step, _, _ in never] == [1, 2, 3, 4, 5]
    with pytest.raises(KilledError):
        run(checkpoint, tmp_path / "killed", dies_at=3)
    assert not (tmp_path / "killed" / "checkpoint").exists()
    torch.manual_seed(99)
    again = run(checkpoint, tmp_path / "killed")
    assert [step for step, _, _ in again] == [3, 4, 5]
    one, other = (load_file(tmp_path / name / "checkpoint" / "model.safetensors") for name in ("never", "killed"))
    assert one.keys() == other.keys()
    assert all(torch.equal(one[name], other[name]) for name in one)
    states = [torch.load(tmp_path / name / "state.pt", weights_only=True) for name in ("never", "killed")]
    assert all(torch.equal(value, states[1]["pupil"][name]) for name, value in states[0]["pupil"].items())
    assert all(value.dtype is torch.float32 for value in states[0]["pupil"].values())
    logs = [
        [
            {name: value for name, value in json.loads(line).items() if name != "seconds"}
            for line in (tmp_path / name / "log.jsonl").read_text(encoding="utf-8").splitlines()
        ]
        for name in ("never", "killed")
    ]
    assert logs[0] == logs[1]
    assert [line["step"] for line in logs[0]] == [1, 2, 3, 4, 5]


def test_what_is_left_is_an_ordinary_checkpoint_in_bfloat16(checkpoint: Path, tmp_path: Path) -> None:
    told = run(checkpoint, tmp_path)
    assert told[-1][:2] == (5, 5)
    assert "words" in told[-1][2]
    taught = tmp_path / "checkpoint"
    assert {path.name for path in taught.iterdir()} == {path.name for path in checkpoint.iterdir()}
    weights, before = (load_file(folder / "model.safetensors") for folder in (taught, checkpoint))
    assert weights.keys() == before.keys(), "the heads are thrown away"
    assert {value.dtype for value in weights.values()} == {torch.bfloat16}
    assert json.loads((taught / "config.json").read_text(encoding="utf-8"))["dtype"] == "bfloat16"
    model = AutoModelForImageTextToText.from_pretrained(taught, dtype="auto")
    assert model.dtype is torch.bfloat16
    finished = {path: path.read_bytes() for path in taught.iterdir()}
    assert run(checkpoint, tmp_path) == [], "a finished course only writes its result again"
    assert {path: path.read_bytes() for path in taught.iterdir()} == finished


@pytest.mark.parametrize("words", [False, True])
def test_it_learns_a_handful_of_lessons(checkpoint: Path, words: bool) -> None:
    encoder = Encoder(checkpoint, SETTINGS)
    torch.manual_seed(0)
    pupil = Pupil(checkpoint, encoder)
    pupil.set_names_apart()
    batch = Maker(encoder, SHEET, SETTINGS, STYLE, 1, 3, 0.3, 0).batch(0)
    course = Course(look_steps=0 if words else 1000, steps=1000, rate=1e-2)
    optimizer = torch.optim.AdamW(pupil.groups(), lr=course.rate)
    seen = [loop._learn(pupil, optimizer, batch, step, course) for step in range(40, 58)]
    assert (seen[0].words is None) is not words
    parts = ("words", "vision") if words else ("vision",)
    for part in parts:
        first, last = (float(getattr(one, part).detach()) for one in (seen[0], seen[-1]))
        assert 0 < last < 0.8 * first, part


def test_the_second_part_teaches_both_halves_the_first_the_tower_alone(checkpoint: Path) -> None:
    encoder = Encoder(checkpoint, SETTINGS)
    batch = Maker(encoder, SHEET, SETTINGS, STYLE, 1, 2, 0.5, 0).batch(0)
    for step, learns in ((1, False), (3, True)):
        pupil = Pupil(checkpoint, encoder)
        optimizer = torch.optim.AdamW(pupil.groups(), lr=1e-3)
        loop._learn(pupil, optimizer, batch, step, COURSE)
        language = [one.grad for one in pupil.model.model.language_model.layers.parameters()]
        assert all((grad is not None) is learns for grad in language)
        assert all(one.grad is not None for one in pupil.model.model.visual.merger.parameters())
        tower, rest = optimizer.param_groups
        assert tower["lr"] == pytest.approx(rest["lr"] * (0.3 if learns else 1.0))


def test_the_rate_rises_and_falls_in_each_part() -> None:
    course = Course(look_steps=200, steps=400)
    shares = [loop._share(step, course) for step in range(1, 601)]
    assert shares[0] == pytest.approx(1 / 50, abs=1e-3)
    assert max(shares[:200]) == max(shares[45:60])
    assert shares[199] == pytest.approx(0.3)
    assert shares[200] < 0.05
    assert max(shares[200:]) == max(shares[245:260])
    assert shares[-1] == pytest.approx(0.01)
