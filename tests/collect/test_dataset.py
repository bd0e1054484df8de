"""The data set is what the trainer needs, the same however it was made, and never a mix of two."""

from __future__ import annotations

import fcntl
import hashlib
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from scripted import SETTINGS

from episodes import screenshot
from zoomground.collect.coarse import Coarse
from zoomground.collect.dataset import Written, corpus, write_demonstrations
from zoomground.collect.free import Free
from zoomground.collect.style import Plan
from zoomground.data.rows import write_rows
from zoomground.data.shown import resized
from zoomground.errors import RowError, ZoomgroundError
from zoomground.geometry import Size
from zoomground.images import load_screenshot
from zoomground.protocol.actions import Dialect
from zoomground.protocol.parser import parse
from zoomground.protocol.settings import Arm

SIZE = Size(640, 512)


@pytest.fixture
def rows_file(tmp_path: Path) -> Path:
    rows: list[dict[str, Any]] = []
    for name in ("mail-1.png", "shop-2.png"):
        screenshot(SIZE, seed=len(rows)).pixels.save(tmp_path / name)
        for i in range(3):
            x = 20 + 190 * i
            solution = f"[{x}, 40, {x + 20}, 60]"
            rows.append({"problem": f"<image>Open item {i} of {name}", "solution": solution, "images": [name]})
    rows.append({"problem": "<image>Open the moon", "refusal": True, "images": ["mail-1.png"]})
    write_rows(tmp_path / "rows.jsonl", rows)
    return tmp_path / "rows.jsonl"


def _write(rows_file: Path, file: Path, count: int | None = 12, seed: int = 0, **options: Any) -> Written:
    options = {"settings": SETTINGS, "style": Free(), **options}
    return write_demonstrations([rows_file], file, count=count, seed=seed, **options)


def _read(written: Written) -> list[dict[str, Any]]:
    return [json.loads(line) for line in written.file.read_text(encoding="utf-8").splitlines()]


def tree(folder: Path) -> dict[str, str]:
    """Hash of every file below a folder by its relative path."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def test_rows_hold_one_image_for_each_tag_and_say_which_turns_are_trained(rows_file: Path, tmp_path: Path) -> None:
    """DAT-13: coordinates stand in the text, in [0,1000]; there is no field whose boxes a framework would rescale."""
    written = _write(rows_file, tmp_path / "out" / "sft.jsonl", count=40)
    rows = _read(written)
    assert len(rows) == written.played == written.tally.all.count == 40
    assert any(len(row["images"]) > 1 for row in rows)
    for row in rows:
        assert set(row) == {"messages", "images", "demonstration"}
        assert sum(message["content"].count("<image>") for message in row["messages"]) == len(row["images"])
        assert [message["role"] for message in row["messages"][:3]] == ["system", "user", "assistant"]
        assert row["messages"][-1]["loss"] is True
        for path in row["images"]:
            with Image.open(written.file.parent / path) as image:
                image.load()
        for message in row["messages"]:
            assert ("loss" in message) == (message["role"] == "assistant")
            if message.get("loss"):
                assert parse(message["content"]).dialect is Dialect.CANONICAL  # type: ignore[union-attr]
        record = json.loads(row["demonstration"])
        assert record["untrained"] == sum(message.get("loss") is False for message in row["messages"])
    assert any(message.get("loss") is False for row in rows for message in row["messages"])


def test_crop_files_have_the_size_that_the_observation_reports(rows_file: Path, tmp_path: Path) -> None:
    written = _write(rows_file, tmp_path / "sft.jsonl", count=30)
    for row in _read(written):
        crops = iter(row["images"][1:])
        for message in row["messages"][2:]:
            for line in message["content"].splitlines():
                if line.startswith('{"image_path"'):
                    said = json.loads(line)
                    assert load_screenshot(written.file.parent / next(crops)).size == Size(
                        said["width"], said["height"]
                    )


def test_a_screenshot_is_written_once_upright_at_the_size_that_the_model_is_shown(tmp_path: Path) -> None:
    turned = screenshot(SIZE).pixels.transpose(Image.Transpose.ROTATE_90)
    exif = Image.Exif()
    exif[0x0112] = 6
    turned.save(tmp_path / "turned.png", exif=exif)
    row = {"problem": "<image>Open it", "solution": "[20, 20, 60, 60]", "images": ["turned.png"]}
    write_rows(tmp_path / "rows.jsonl", [row])
    written = _write(tmp_path / "rows.jsonl", tmp_path / "sft.jsonl", count=5)
    (path,) = {row["images"][0] for row in _read(written)}
    with Image.open(tmp_path / path) as image:
        view = SETTINGS.limits.view_size(SIZE)
        assert image.size == (view.width, view.height)
        assert image.tobytes() == resized(screenshot(SIZE), view).tobytes()


def test_every_row_comes_once_by_default_and_refusals_with_the_offer(rows_file: Path, tmp_path: Path) -> None:
    rows = _read(_write(rows_file, tmp_path / "sft.jsonl", count=None))
    records = [json.loads(row["demonstration"]) for row in rows]
    assert sorted(record["task"] for record in records) == [f"rows:{line}" for line in range(1, 8)]
    (refusal,) = (record for record in records if record["plan"] == Plan.DECLINE)
    assert refusal["decline_offered"]
    assert refusal["seen_px"] is None


def test_a_style_that_keeps_to_the_settings_leaves_refusals_out(rows_file: Path, tmp_path: Path) -> None:
    tally = _write(rows_file, tmp_path / "sft.jsonl", count=None, style=Coarse()).tally
    assert tally.all.count == 6
    assert tally.decline_offered == 0


def test_paths_are_relative_or_absolute(rows_file: Path, tmp_path: Path) -> None:
    relative = _read(_write(rows_file, tmp_path / "a" / "sft.jsonl"))
    absolute = _read(_write(rows_file, tmp_path / "b" / "sft.jsonl", absolute=True))
    for one, other in zip(relative, absolute, strict=True):
        assert [str(tmp_path / "b" / path) for path in one["images"]] == other["images"]
        assert one["messages"] == other["messages"]
        assert all(path.startswith("sft.images/") for path in one["images"])


def test_the_manifest_holds_counts_and_the_hash_of_every_file(rows_file: Path, tmp_path: Path) -> None:
    written = _write(rows_file, tmp_path / "out" / "sft.jsonl")
    manifest = json.loads(written.manifest.read_text())
    found = tree(tmp_path / "out")
    assert manifest["complete"] is True
    assert manifest["sha256"] == written.sha256 == found.pop("sft.jsonl")
    del found["sft.manifest.json"]
    assert {f"sft.images/{name}": value for name, value in manifest["pictures"].items()} == found
    assert len(found) == written.pictures
    assert manifest["tally"]["count"] == 12
    assert manifest["made_from"]["seed"] == 0


def test_the_tally_counts_what_is_there(rows_file: Path, tmp_path: Path) -> None:
    written = _write(rows_file, tmp_path / "sft.jsonl", count=60)
    tally = written.tally
    assert sum(found.count for found in tally.plans.values()) == sum(tally.arms.values()) == 60
    assert tally.plans[Plan.DECLINE].to_dict()["legible_after"] is None
    assert tally.arms[Arm.OFF] > 0
    assert tally.all.crops == sum(len(row["images"]) - 1 for row in _read(written))
    assert tally.all.legible_before == 0
    assert 0.5 < tally.all.to_dict()["legible_after"] < 1.0


def test_the_number_of_processes_changes_nothing(rows_file: Path, tmp_path: Path) -> None:
    _write(rows_file, tmp_path / "one" / "sft.jsonl")
    _write(rows_file, tmp_path / "two" / "sft.jsonl", jobs=2)
    assert tree(tmp_path / "one") == tree(tmp_path / "two")


def test_a_stopped_run_goes_on_and_comes_out_the_same(rows_file: Path, tmp_path: Path) -> None:
    _write(rows_file, tmp_path / "whole" / "sft.jsonl")
    seen: list[int] = []

    def stop(done: int, count: int) -> None:
        seen.append(done)
        if done == 5:
            raise KeyboardInterrupt

    out = tmp_path / "stopped"
    with pytest.raises(KeyboardInterrupt):
        _write(rows_file, out / "sft.jsonl", on_progress=stop)
    partial = out / "sft.partial.jsonl"
    partial.write_text(partial.read_text()[:-20])  # the last line was cut
    (out / "sft.images" / "crops" / "half.png.77.unfinished").write_bytes(b"half a picture")
    seen.clear()
    written = _write(rows_file, out / "sft.jsonl", on_progress=lambda done, count: seen.append(done))
    assert seen == list(range(5, 13))
    assert written.played == 8
    assert tree(out) == tree(tmp_path / "whole")

    seen.clear()
    again = _write(rows_file, out / "sft.jsonl", on_progress=stop)
    assert again.played == 0
    assert seen == []
    assert tree(out) == tree(tmp_path / "whole")


def test_other_arguments_need_the_word(rows_file: Path, tmp_path: Path) -> None:
    file = tmp_path / "out" / "sft.jsonl"
    first = _read(_write(rows_file, file))
    with pytest.raises(ZoomgroundError, match=r"made with other arguments \(count, seed\)"):
        _write(rows_file, file, seed=1, count=5)
    with pytest.raises(ZoomgroundError, match=r"\(style\)"):
        _write(rows_file, file, style=Free(off=0.5))
    second = _read(_write(rows_file, file, seed=1, overwrite=True))
    assert [row["messages"] for row in second] != [row["messages"] for row in first]
    _write(rows_file, tmp_path / "fresh" / "sft.jsonl", seed=1)
    assert tree(tmp_path / "out") == tree(tmp_path / "fresh")


@pytest.mark.parametrize("name", ["sft.jsonl", "sft.manifest.json", "sft.partial.jsonl", "sft.images/cat.png"])
def test_files_of_others_are_left_alone(rows_file: Path, tmp_path: Path, name: str) -> None:
    mine = tmp_path / "mine" / name
    mine.parent.mkdir(parents=True)
    mine.write_text("years of work")
    with pytest.raises(ZoomgroundError, match="was not written by this program"):
        _write(rows_file, tmp_path / "mine" / "sft.jsonl", overwrite=True)
    assert mine.read_text() == "years of work"


def test_two_data_sets_stand_side_by_side(rows_file: Path, tmp_path: Path) -> None:
    _write(rows_file, tmp_path / "a.jsonl")
    _write(rows_file, tmp_path / "b.jsonl", seed=1)
    assert _write(rows_file, tmp_path / "a.jsonl").played == 0


def test_one_process_writes_a_file_at_a_time(rows_file: Path, tmp_path: Path) -> None:
    def meet(done: int, count: int) -> None:
        with pytest.raises(ZoomgroundError, match="another process is writing it"):
            _write(rows_file, tmp_path / "sft.jsonl")

    assert _write(rows_file, tmp_path / "sft.jsonl", count=12, on_progress=meet).played == 12
    with (tmp_path / "sft.jsonl").open() as stream:
        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)


def test_thinking_that_the_template_opens_is_written_whole(rows_file: Path, tmp_path: Path) -> None:
    settings = replace(SETTINGS, prompt_ends_in_think=True)
    for row in _read(_write(rows_file, tmp_path / "sft.jsonl", settings=settings)):
        for message in row["messages"]:
            if message["role"] == "assistant":
                assert message["content"].startswith("<think>\n")
                assert message["content"].count("</think>") == 1


def test_the_corpus_holds_every_correction_and_names_of_the_data_in_one_document_only(tmp_path: Path) -> None:
    screenshot(SIZE).pixels.save(tmp_path / "ledger.png")
    row = {"problem": "<image>Open it", "solution": "[20, 20, 60, 60]", "images": ["ledger.png"]}
    rows_file = tmp_path / "rows.jsonl"
    write_rows(rows_file, [row])
    texts = corpus([rows_file], count=40, seed=0, settings=SETTINGS, style=Coarse())
    together = "\n".join(texts)
    assert sum("ledger" in text for text in texts) == 1
    for words in ("it was cut off.", "No crops remain.", "This is your last turn.", '"to_original"'):
        assert words in together
    assert corpus([rows_file], count=40, seed=0, settings=SETTINGS, style=Coarse()) == texts


def test_needs_rows_that_can_be_shown(tmp_path: Path) -> None:
    screenshot(SIZE).pixels.save(tmp_path / "a.png")
    write_rows(tmp_path / "rows.jsonl", [{"problem": "<image>Open the moon", "refusal": True, "images": ["a.png"]}])
    with pytest.raises(ZoomgroundError, match="no row that can be demonstrated"):
        _write(tmp_path / "rows.jsonl", tmp_path / "out.jsonl", style=Coarse())
    with pytest.raises(ZoomgroundError, match=r"a \.jsonl file"):
        _write(tmp_path / "rows.jsonl", tmp_path / "out.json")


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_row_that_cannot_be_answered_is_named(tmp_path: Path, jobs: int) -> None:
    screenshot(SIZE).pixels.save(tmp_path / "a.png")
    thin = "[5.00001, 5.00001, 5.00002, 5.00002]"
    write_rows(tmp_path / "rows.jsonl", [{"problem": "<image>Open it", "solution": thin, "images": ["a.png"]}])
    with pytest.raises(RowError, match=r"rows\.jsonl:1: .*solution.*too small to be answered"):
        _write(tmp_path / "rows.jsonl", tmp_path / "out.jsonl", jobs=jobs)
