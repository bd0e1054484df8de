"""The training loop on screens: it learns, goes on after a kill as if nothing had been, and leaves a checkpoint."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")
pytest.importorskip("faker")

import torch
from safetensors.torch import load_file
from screen_material import SETTINGS, STYLE
from transformers import AutoModelForImageTextToText

from zoomground.curriculum.screens import course as loop
from zoomground.curriculum.screens.batches import Encoder, Maker, Mix
from zoomground.curriculum.screens.course import Course, study
from zoomground.curriculum.screens.pupil import Pupil
from zoomground.curriculum.screens.shelf import Shelf

pytestmark = [pytest.mark.engine, pytest.mark.usefixtures("_patch_embeddings_are_put_back")]

LOOK, WORDS = Mix(screens=1, crops=1), Mix(screens=1, crops=0, listings=1, episodes=1)
COURSE = Course(
    steps=5, look_share=0.4, look=LOOK, words=WORDS, late=WORDS, workers=0, save_seconds=0.0, least_screens=3
)


class KilledError(Exception):
    """In place of a SIGKILL."""


@pytest.fixture(autouse=True)
def _often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loop, "_TELL_EVERY_S", 0.0)
    monkeypatch.setattr(loop, "_LOG_EVERY", 1)
    monkeypatch.setattr(loop, "_CHECK_EVERY", 2)


def run(
    reader: Path, screens: Path, out: Path, course: Course = COURSE, *, dies_at: int = 0, start: Path | None = None
) -> list[str]:
    told: list[str] = []

    def tell(done: int, total: int, note: str) -> None:
        assert 0 <= done <= total
        told.append(note)
        if len(told) == dies_at:
            raise KilledError

    study(
        reader, out, course=course, shelf=Shelf((screens,)), settings=SETTINGS, style=STYLE, device="cpu",
        on_progress=tell, start=start,
    )  # fmt: skip
    return told


def log_of(out: Path) -> list[dict[str, object]]:
    lines = (out / "log.jsonl").read_text(encoding="utf-8").splitlines()
    passing = {"seconds", "pictures_s"}
    return [{name: value for name, value in json.loads(line).items() if name not in passing} for line in lines]


def test_a_killed_course_ends_as_one_that_was_never_killed(reader: Path, screens: Path, tmp_path: Path) -> None:
    assert len(run(reader, screens, tmp_path / "never")) == 5
    with pytest.raises(KilledError):
        run(reader, screens, tmp_path / "killed", dies_at=3)
    assert not (tmp_path / "killed" / "checkpoint").exists()
    torch.manual_seed(99)
    assert len(run(reader, screens, tmp_path / "killed")) == 3
    states = [torch.load(tmp_path / name / "state.pt", weights_only=True) for name in ("never", "killed")]
    assert all(torch.equal(value, states[1]["pupil"][name]) for name, value in states[0]["pupil"].items())
    logs = [log_of(tmp_path / name) for name in ("never", "killed")]
    assert logs[0] == logs[1]
    assert [line["part"] for line in logs[0]] == ["look", "look", "words", "words", "late"]
    assert "heldout_named_views" in logs[0][1]
    assert "digits" not in logs[0][1]
    assert "digits" in logs[0][2]


def test_what_is_left_is_an_ordinary_checkpoint_and_can_be_gone_on_from(
    reader: Path, screens: Path, tmp_path: Path
) -> None:
    run(reader, screens, tmp_path / "one")
    taught = tmp_path / "one" / "checkpoint"
    assert {path.name for path in taught.iterdir()} == {path.name for path in reader.iterdir()}
    weights, before = (load_file(folder / "model.safetensors") for folder in (taught, reader))
    assert weights.keys() == before.keys(), "the heads are thrown away"
    assert {value.dtype for value in weights.values()} == {torch.bfloat16}
    assert AutoModelForImageTextToText.from_pretrained(taught, dtype="auto").dtype is torch.bfloat16
    assert run(reader, screens, tmp_path / "one") == [], "a finished course only writes its result again"
    now = tmp_path / "one" / "now"
    state = torch.load(tmp_path / "one" / "state.pt", weights_only=True)["pupil"]
    pupil = Pupil(now, Encoder(now))
    pupil.load_state_dict(torch.load(now / "heads.pt", weights_only=True), strict=False)
    for name, value in pupil.state_dict().items():
        close = state[name].bfloat16().float() if name.startswith("model.") else state[name]
        assert torch.equal(value, close), name
    run(reader, screens, tmp_path / "two", start=now)
    assert (tmp_path / "two" / "checkpoint" / "config.json").is_file()


def test_a_course_by_the_clock_ends_in_time(reader: Path, screens: Path, tmp_path: Path) -> None:
    course = Course(
        steps=10_000, seconds=5.0, look_share=0.3, look=LOOK, words=WORDS, late=WORDS, workers=0, least_screens=1
    )
    run(reader, screens, tmp_path, course)
    log = log_of(tmp_path)
    assert 2 < len(log) < 9_999
    assert log[0]["part"] == "look"
    assert [one for one in log if "digits" in one]


def test_batches_are_the_same_where_nothing_can_be_shared(
    reader: Path, screens: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    course = replace(COURSE, workers=1)
    run(reader, screens, tmp_path / "shared", course)
    monkeypatch.setattr(loop, "_shared_memory", lambda: 0)
    run(reader, screens, tmp_path / "pickled", course)
    assert log_of(tmp_path / "shared") == log_of(tmp_path / "pickled")


def test_the_losses_teach(reader: Path, screens: Path) -> None:
    """The same batches again and again: what pictures show and what is said are learnt by heart."""
    torch.manual_seed(0)
    encoder = Encoder(reader)
    maker = Maker(encoder, Shelf((screens,)), SETTINGS, STYLE, 0)
    batch = maker.batch(1, ["0/000000"], Mix(screens=1, crops=1, listings=2, episodes=0))
    pupil = Pupil(reader, encoder)
    pupil.set_pieces_apart()
    optimizer = torch.optim.AdamW(pupil.groups(), lr=4e-3, betas=(0.9, 0.98))
    figures = []
    for _ in range(80):
        losses = pupil(batch)
        optimizer.zero_grad()
        losses.total.backward()
        torch.nn.utils.clip_grad_norm_(pupil.parameters(), 1.0)
        optimizer.step()
        figures.append({name: float(value) for name, value in losses.figures.items()})
    assert figures[0]["named_crops"] < 0.2
    assert figures[-1]["named_crops"] > 0.9
    assert figures[-1]["found_crops"] > 0.9
    assert figures[-1]["letters"] > 0.5
    assert figures[-1]["digits"] > figures[0]["digits"] + 0.3
