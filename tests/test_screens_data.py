"""The shipped screens: what their guide promises holds, and the script still renders them."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import shutil
import subprocess
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest
from PIL import Image, ImageChops

from zoomground.data.rows import check_rows
from zoomground.geometry import Size
from zoomground.images import display_name

ROOT = Path(__file__).resolve().parents[1]
SCREENS = ROOT / "data_samples" / "screens"
PROMPTS = ROOT / "data_samples" / "grpo_train_prompts"
SPLITS = ("train", "heldout")
BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "chrome")

Row = dict[str, Any]


def rows_of(path: Path) -> list[Row]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def box(row: Row) -> list[float]:
    return json.loads(row["solution"])


def short_px(row: Row) -> float:
    left, top, right, bottom = box(row)
    return min(right - left, bottom - top)


@pytest.fixture(scope="module")
def splits() -> dict[str, list[Row]]:
    return {split: rows_of(SCREENS / f"{split}.jsonl") for split in SPLITS}


def by_page(rows: list[Row]) -> dict[str, list[Row]]:
    pages = defaultdict(list)
    for row in rows:
        pages[row["meta"]["page"]].append(row)
    return pages


def test_totals(splits: dict[str, list[Row]]) -> None:
    assert len(by_page(splits["train"])) >= 24
    assert len(by_page(splits["heldout"])) >= 8
    assert len(splits["train"]) >= 200
    assert len(splits["heldout"]) >= 60
    ids = [row["id"] for rows in splits.values() for row in rows]
    assert len(set(ids)) == len(ids)


def test_all_images_together_are_small_and_each_is_used(splits: dict[str, list[Row]]) -> None:
    images = sorted(ROOT.glob("data_samples/screens/images/*/*")) + sorted(PROMPTS.glob("images/*/*"))
    assert sum(image.stat().st_size for image in images) <= 4_000_000
    used = {name for rows in splits.values() for row in rows for name in row["images"]}
    assert used == {image.relative_to(SCREENS).as_posix() for image in SCREENS.glob("images/*/*")}


def test_the_name_that_the_policy_reads_tells_nothing_about_the_page(splits: dict[str, list[Row]]) -> None:
    assert {display_name(row["images"][0]) for rows in splits.values() for row in rows} == {"screen.webp"}


def test_train_and_heldout_are_apart(splits: dict[str, list[Row]]) -> None:
    train, heldout = (splits[split] for split in SPLITS)
    assert not set(by_page(train)) & set(by_page(heldout))

    def hashes(rows: list[Row]) -> set[str]:
        names = {name for row in rows for name in row["images"]}
        return {hashlib.sha256(Image.open(SCREENS / name).tobytes()).hexdigest() for name in names}

    seen, unseen = hashes(train), hashes(heldout)
    assert not seen & unseen
    assert len(seen) == len(by_page(train))
    assert len(unseen) == len(by_page(heldout))
    assert {row["meta"]["kind"] for row in heldout} - {row["meta"]["kind"] for row in train}


@pytest.mark.parametrize("split", SPLITS)
def test_sizes_themes_and_kinds_vary(splits: dict[str, list[Row]], split: str) -> None:
    metas = [row["meta"] for row in splits[split]]
    assert {meta["theme"] for meta in metas} == {"light", "dark"}
    assert {(1280, 800), (1440, 900), (1920, 1080)} <= {(meta["width"], meta["height"]) for meta in metas}
    assert {"name", "function", "relation", "position"} == {meta["how"] for meta in metas}
    assert len({meta["kind"] for meta in metas}) >= 10


def test_train_reaches_from_the_smallest_to_the_largest_viewport(splits: dict[str, list[Row]]) -> None:
    sizes = {(row["meta"]["width"], row["meta"]["height"]) for row in splits["train"]}
    assert {min(sizes), max(sizes)} == {(1280, 800), (2560, 1440)}
    kinds = defaultdict(set)
    for row in splits["train"]:
        kinds[row["meta"]["kind"]].add(row["meta"]["width"])
    assert all(len(widths) > 1 for widths in kinds.values())


@pytest.mark.parametrize("split", SPLITS)
def test_rows_have_the_training_format_and_lie_inside_their_image(splits: dict[str, list[Row]], split: str) -> None:
    for name, rows in by_page(splits[split]).items():
        (path,) = {image for row in rows for image in row["images"]}
        with Image.open(SCREENS / path) as image:
            image.load()
            size = Size(*image.size)
        for row in rows:
            assert row["problem"].startswith("<image>"), row["id"]
            assert isinstance(row["solution"], str)
            assert (row["meta"]["width"], row["meta"]["height"]) == (size.width, size.height), name
            left, top, right, bottom = box(row)
            assert 0 <= left < right <= size.width, row["id"]
            assert 0 <= top < bottom <= size.height, row["id"]
            assert short_px(row) >= 10, row["id"]


@pytest.mark.parametrize("path", [SCREENS / "train.jsonl", SCREENS / "heldout.jsonl", PROMPTS / "train.jsonl"])
def test_the_package_reads_the_rows_without_a_fault(path: Path) -> None:
    report = check_rows(path)
    assert report.ok, [str(error) for error in report.errors]
    assert not report.warnings


@pytest.mark.parametrize("split", SPLITS)
def test_each_page_has_several_targets_small_and_large_each_asked_for_once(
    splits: dict[str, list[Row]], split: str
) -> None:
    for name, rows in by_page(splits[split]).items():
        assert 6 <= len(rows) <= 12, name
        assert len({row["problem"].casefold() for row in rows}) == len(rows), name
        assert len({row["solution"] for row in rows}) == len(rows), name
        assert sum(short_px(row) < 24 for row in rows) >= 2, name
        assert sum(short_px(row) >= 60 for row in rows) >= 2, name


@pytest.mark.parametrize("split", SPLITS)
def test_about_half_of_the_targets_are_small(splits: dict[str, list[Row]], split: str) -> None:
    small = sum(short_px(row) < 24 for row in splits[split])
    assert 0.35 <= small / len(splits[split]) <= 0.65


def test_the_prompt_rows_are_train_rows_with_their_images(splits: dict[str, list[Row]]) -> None:
    rows = rows_of(PROMPTS / "train.jsonl")
    assert len(rows) == 8
    train = {row["id"]: row for row in splits["train"]}
    assert all(train[row["id"]] == row for row in rows)
    assert 0 < sum(short_px(row) < 24 for row in rows) < 8
    used = {name for row in rows for name in row["images"]}
    assert used == {image.relative_to(PROMPTS).as_posix() for image in PROMPTS.glob("images/*/*")}
    assert all((PROMPTS / name).read_bytes() == (SCREENS / name).read_bytes() for name in used)


@pytest.mark.browser
@pytest.mark.skipif(
    not any(map(shutil.which, BROWSERS)) or importlib.util.find_spec("playwright") is None,
    reason="no Chromium, or no playwright",
)
def test_the_script_renders_the_shipped_pages_again(splits: dict[str, list[Row]], tmp_path: Path) -> None:
    pages = ("records-1", "chat-101")
    command = [sys.executable, str(ROOT / "scripts" / "render_screens.py"), "--twice", "--out", str(tmp_path), "--only"]
    ran = subprocess.run([*command, *pages], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    for split, name in zip(SPLITS, pages, strict=True):
        again_rows, shipped_rows = rows_of(tmp_path / f"{split}.jsonl"), by_page(splits[split])[name]
        assert [row["problem"] for row in again_rows] == [row["problem"] for row in shipped_rows]
        for row, expected in zip(again_rows, shipped_rows, strict=True):
            # Another build of the browser may lay out letters a fraction of a pixel apart.
            assert json.loads(row["solution"]) == pytest.approx(json.loads(expected["solution"]), abs=1.0)
        image = f"images/{name}/screen.webp"
        with Image.open(SCREENS / image) as shipped, Image.open(tmp_path / image) as again:
            counts = ImageChops.difference(shipped, again).convert("L").histogram()
        # Another build of the browser may draw the edges of letters otherwise, and nothing else.
        assert sum(counts[32:]) <= 0.02 * sum(counts), name


def test_an_unknown_page_is_refused_by_name(tmp_path: Path) -> None:
    command = [sys.executable, str(ROOT / "scripts" / "render_screens.py"), "--out", str(tmp_path), "--only", "mail-99"]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ran.returncode == 2
    assert "mail-99" in ran.stderr
    assert "mail-1" in ran.stderr
    assert not list(tmp_path.iterdir())


def test_without_a_browser_the_script_says_what_to_install(tmp_path: Path) -> None:
    command = [sys.executable, str(ROOT / "scripts" / "render_screens.py"), "--out", str(tmp_path)]
    ran = subprocess.run([*command, "--browser", "no-such-browser"], capture_output=True, text=True, check=False)
    assert ran.returncode == 2
    assert "apt-get install" in ran.stderr
    assert not list(tmp_path.iterdir())
