"""The data set is what the trainer needs, comes out the same after a stop, and never mixes two sets."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from episodes import screenshot
from zoomground.collect.dataset import corpus, write_demonstrations
from zoomground.collect.script import Style
from zoomground.data.rows import write_rows
from zoomground.data.shown import resized
from zoomground.errors import ZoomgroundError
from zoomground.geometry import PixelLimits, Size
from zoomground.images import load_screenshot
from zoomground.protocol.actions import Dialect
from zoomground.protocol.parser import parse
from zoomground.protocol.settings import EpisodeSettings

SETTINGS = EpisodeSettings(limits=PixelLimits(factor=32, min_pixels=4 * 32**2, max_pixels=16 * 32**2))
SIZE = Size(320, 256)


@pytest.fixture
def rows_file(tmp_path: Path) -> Path:
    rows: list[dict[str, Any]] = []
    for name in ("mail-1.png", "shop-2.png"):
        screenshot(SIZE, seed=len(rows)).pixels.save(tmp_path / name)
        for i in range(3):
            x = 20 + 90 * i
            solution = f"[{x}, 40, {x + 12}, 52]"
            rows.append({"problem": f"<image>Open item {i} of {name}", "solution": solution, "images": [name]})
    rows.append({"problem": "<image>Open the moon", "refusal": True, "images": ["mail-1.png"]})
    write_rows(tmp_path / "rows.jsonl", rows)
    return tmp_path / "rows.jsonl"


def _write(rows_file: Path, out: Path, count: int = 12, seed: int = 0, **options: Any) -> list[dict[str, Any]]:
    style = options.pop("style", Style(zoom_small=0.7, zoom_legible=0.7))
    file = write_demonstrations([rows_file], out, count=count, seed=seed, settings=SETTINGS, style=style, **options)
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def test_rows_hold_one_image_for_each_tag_and_canonical_turns(rows_file: Path, tmp_path: Path) -> None:
    """DAT-13: coordinates stand in the text, in [0,1000]; there is no field whose boxes a framework would rescale."""
    rows = _write(rows_file, tmp_path / "out", count=30)
    assert len(rows) == 30
    assert any(len(row["images"]) > 1 for row in rows)
    for row in rows:
        assert set(row) == {"messages", "images"}
        tags = sum(message["content"].count("<image>") for message in row["messages"])
        assert tags == len(row["images"])
        assert [message["role"] for message in row["messages"][:3]] == ["system", "user", "assistant"]
        for path in row["images"]:
            assert Path(path).is_absolute()
            with Image.open(path) as image:
                image.load()
        for message in row["messages"]:
            if message["role"] == "assistant":
                parsed = parse(message["content"])
                assert parsed.kind == "parsed"
                assert parsed.dialect is Dialect.CANONICAL
        assert "moon" not in row["messages"][0]["content"]


def test_crop_files_have_the_size_that_the_observation_reports(rows_file: Path, tmp_path: Path) -> None:
    for row in _write(rows_file, tmp_path / "out", count=30, style=Style(zoom_small=1.0, zoom_legible=1.0)):
        crops = iter(row["images"][1:])
        for message in row["messages"][2:]:
            for line in message["content"].splitlines():
                if line.startswith("{"):
                    said = json.loads(line)
                    assert load_screenshot(next(crops)).size == Size(said["width"], said["height"])


def test_a_share_is_played_without_zoom_and_a_share_under_another_name(rows_file: Path, tmp_path: Path) -> None:
    rows = _write(rows_file, tmp_path / "out", count=60, style=Style(off=0.3, renamed=0.5))
    without = [row for row in rows if "crop_image" not in row["messages"][0]["content"]]
    assert 8 <= len(without) <= 28
    own = [
        row
        for row in rows
        if any(f"image_path: {name}" in row["messages"][1]["content"] for name in ("mail-1.png", "shop-2.png"))
    ]
    assert 15 <= len(own) <= 45


def test_a_stopped_run_goes_on_and_comes_out_the_same(rows_file: Path, tmp_path: Path) -> None:
    whole = _write(rows_file, tmp_path / "whole")
    seen: list[int] = []

    def stop(done: int, count: int) -> None:
        seen.append(done)
        if done == 5:
            raise KeyboardInterrupt

    out = tmp_path / "stopped"
    with pytest.raises(KeyboardInterrupt):
        _write(rows_file, out, on_progress=stop)
    partial = out / "demonstrations.partial.jsonl"
    partial.write_text(partial.read_text()[:-20])  # the last line was cut
    seen.clear()
    again = _write(rows_file, out, on_progress=lambda done, count: seen.append(done))
    assert seen == list(range(5, 13))
    assert [row["messages"] for row in again] == [row["messages"] for row in whole]
    assert not partial.exists()

    seen.clear()
    assert _write(rows_file, out, on_progress=stop) == again
    assert seen == []


def test_other_arguments_make_a_new_data_set(rows_file: Path, tmp_path: Path) -> None:
    first = _write(rows_file, tmp_path / "out")
    second = _write(rows_file, tmp_path / "out", seed=1)
    assert [row["messages"] for row in second] != [row["messages"] for row in first]
    assert len(_write(rows_file, tmp_path / "out", count=3)) == 3


def test_a_folder_with_other_files_is_left_alone(rows_file: Path, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("years of work")
    with pytest.raises(ZoomgroundError, match="holds other files"):
        _write(rows_file, tmp_path / "mine")
    assert (tmp_path / "mine" / "thesis.txt").exists()


def test_a_screenshot_is_shown_upright_at_the_size_that_the_policy_sees(tmp_path: Path) -> None:
    turned = screenshot(SIZE).pixels.transpose(Image.Transpose.ROTATE_90)
    exif = Image.Exif()
    exif[0x0112] = 6
    turned.save(tmp_path / "turned.png", exif=exif)
    row = {"problem": "<image>Open it", "solution": "[20, 20, 60, 60]", "images": ["turned.png"]}
    write_rows(tmp_path / "rows.jsonl", [row])
    with Image.open(_write(tmp_path / "rows.jsonl", tmp_path / "out", count=1)[0]["images"][0]) as image:
        view = SETTINGS.limits.view_size(SIZE)
        assert image.size == (view.width, view.height)
        assert image.tobytes() == resized(screenshot(SIZE), view).tobytes()


def test_thinking_that_the_template_opens_is_written_whole(rows_file: Path, tmp_path: Path) -> None:
    settings = replace(SETTINGS, prompt_ends_in_think=True)
    file = write_demonstrations([rows_file], tmp_path / "out", count=5, seed=0, settings=settings)
    for line in file.read_text().splitlines():
        for message in json.loads(line)["messages"]:
            if message["role"] == "assistant":
                assert message["content"].startswith("<think>\n")
                assert message["content"].count("</think>") == 1


def test_the_corpus_holds_every_correction_and_names_of_the_data_in_one_document_only(tmp_path: Path) -> None:
    screenshot(SIZE).pixels.save(tmp_path / "ledger.png")
    row = {"problem": "<image>Open it", "solution": "[20, 20, 60, 60]", "images": ["ledger.png"]}
    rows_file = tmp_path / "rows.jsonl"
    write_rows(rows_file, [row])
    texts = corpus([rows_file], count=40, seed=0, settings=SETTINGS)
    together = "\n".join(texts)
    assert sum("ledger" in text for text in texts) == 1
    for words in ("it was cut off.", "No crops remain.", "This is your last turn.", '"to_original"'):
        assert words in together
    assert corpus([rows_file], count=40, seed=0, settings=SETTINGS) == texts


def test_needs_rows_that_can_be_shown(tmp_path: Path) -> None:
    screenshot(SIZE).pixels.save(tmp_path / "a.png")
    write_rows(tmp_path / "rows.jsonl", [{"problem": "<image>Open the moon", "refusal": True, "images": ["a.png"]}])
    with pytest.raises(ZoomgroundError, match="no row that can be demonstrated"):
        _write(tmp_path / "rows.jsonl", tmp_path / "out")
