"""Packs: bounded, whole, usable alone, the set again when put together, and the same bytes each time."""

from __future__ import annotations

import json
import tarfile
from pathlib import Path

import pytest
from PIL import Image

from zoomground.data.pack import INDEX, Pack, read_bytes, verify_packs, write_packs
from zoomground.data.rows import read_rows
from zoomground.errors import RowError, ZoomgroundError

LIMIT = 40_000


def make_set(folder: Path, screens: int = 6, rows: int = 3) -> Path:
    lines = []
    for screen in range(screens):
        file = folder / f"images/{screen}/screen.png"
        file.parent.mkdir(parents=True)
        Image.effect_noise((100, 80), 90).convert("RGB").save(file)
        lines += [
            {
                "problem": f"<image>Öffne {row}",
                "solution": "[1,2,30,40]",
                "images": [f"images/{screen}/screen.png"],
                "id": f"{screen}/{row}",
            }
            for row in range(rows)
        ]
    (folder / "train.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return folder


def unpack(packs: Path, pack: Pack, out: Path) -> None:
    with tarfile.open(packs / pack.file) as archive:
        archive.extractall(out, filter="data")


def test_packs_keep_the_limit_and_screens_stay_whole(tmp_path: Path) -> None:
    source = make_set(tmp_path / "set")
    packs = write_packs(source, tmp_path / "packs", limit_bytes=LIMIT)
    assert len(packs) > 1
    ids = []
    for pack in packs:
        assert (tmp_path / "packs" / pack.file).stat().st_size == pack.size_bytes <= LIMIT
        alone = tmp_path / pack.file.removesuffix(".tar")
        unpack(tmp_path / "packs", pack, alone)
        rows = list(read_rows(alone / pack.rows_file, open_images=True))
        assert len(rows) == pack.rows
        assert pack.rows == 3 * pack.images
        ids += [row.task.id for row in rows]
    assert ids == [row.task.id for row in read_rows(source / "train.jsonl")]


def test_packs_fill_the_limit(tmp_path: Path) -> None:
    source = make_set(tmp_path / "set")
    [whole] = write_packs(source, tmp_path / "one", limit_bytes=10**9)
    room = whole.size_bytes + tarfile.RECORDSIZE
    assert len(write_packs(source, tmp_path / "two", limit_bytes=room)) == 1


def test_all_packs_in_one_folder_are_the_set_again(tmp_path: Path) -> None:
    source, whole = make_set(tmp_path / "set"), tmp_path / "whole"
    packs = write_packs(source, tmp_path / "packs", limit_bytes=LIMIT)
    for pack in packs:
        unpack(tmp_path / "packs", pack, whole)
    text = "".join((whole / pack.rows_file).read_text(encoding="utf-8") for pack in packs)
    assert [json.loads(line) for line in text.splitlines()] == [
        json.loads(line) for line in (source / "train.jsonl").read_text(encoding="utf-8").splitlines()
    ]
    for file in source.rglob("*.png"):
        assert (whole / file.relative_to(source)).read_bytes() == file.read_bytes()


def test_bytes_depend_on_the_files_alone(tmp_path: Path) -> None:
    source = make_set(tmp_path / "set")
    first = write_packs(source, tmp_path / "one", limit_bytes=LIMIT)
    for file in source.rglob("*"):
        file.touch()
        file.chmod(0o700)
    assert write_packs(source, tmp_path / "two", limit_bytes=LIMIT) == first
    for pack in first:
        assert (tmp_path / "one" / pack.file).read_bytes() == (tmp_path / "two" / pack.file).read_bytes()


def test_demonstrations_bring_all_their_images(tmp_path: Path) -> None:
    source = make_set(tmp_path / "set", screens=2)
    row = {"messages": [], "images": ["images/0/screen.png", "images/1/screen.png"]}
    (source / "sft.jsonl").write_text(json.dumps(row) + "\n")
    (source / "train.jsonl").unlink()
    [pack] = write_packs(source, tmp_path / "packs", limit_bytes=10**6)
    assert (pack.rows_file, pack.rows, pack.images) == ("sft-000.jsonl", 1, 2)


def test_a_screen_larger_than_the_limit_is_named(tmp_path: Path) -> None:
    source = make_set(tmp_path / "set")
    with pytest.raises(ZoomgroundError, match=r"train.jsonl:1: images/0/screen.png .* more than the limit of 9,000"):
        write_packs(source, tmp_path / "packs", limit_bytes=9000)


def test_a_missing_image_is_named_with_its_line(tmp_path: Path) -> None:
    source = make_set(tmp_path / "set")
    (source / "images/1/screen.png").unlink()
    with pytest.raises(RowError, match=r"train.jsonl:4: field 'images'"):
        write_packs(source, tmp_path / "packs", limit_bytes=LIMIT)


def test_a_folder_that_holds_something_is_left_alone(tmp_path: Path) -> None:
    source = make_set(tmp_path / "set")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "a").touch()
    with pytest.raises(ZoomgroundError, match="not empty"):
        write_packs(source, tmp_path / "full", limit_bytes=LIMIT)
    with pytest.raises(ZoomgroundError, match="no rows file"):
        write_packs(source / "images", tmp_path / "packs", limit_bytes=LIMIT)


@pytest.mark.parametrize("inside", ["packs", "images/packs", "."])
def test_packs_do_not_go_into_what_is_packed(tmp_path: Path, inside: str) -> None:
    source = make_set(tmp_path / "set")
    with pytest.raises(ZoomgroundError, match=r"lies in .*set, which is packed; name a folder beside it"):
        write_packs(source, source / inside, limit_bytes=LIMIT)
    assert not (source / "packs").exists()


def test_verify_finds_damage_and_absence(tmp_path: Path) -> None:
    packs = write_packs(make_set(tmp_path / "set"), tmp_path / "packs", limit_bytes=LIMIT)
    assert verify_packs(tmp_path / "packs") == packs
    first = tmp_path / "packs" / packs[0].file
    data = bytearray(first.read_bytes())
    data[600] ^= 1
    first.write_bytes(data)
    with pytest.raises(ZoomgroundError, match="damaged"):
        verify_packs(tmp_path / "packs")
    first.unlink()
    with pytest.raises(ZoomgroundError, match="is missing"):
        verify_packs(tmp_path / "packs")
    (tmp_path / "packs" / INDEX).write_text("[]")
    with pytest.raises(ZoomgroundError, match="no index of packs|not an index"):
        verify_packs(tmp_path / "packs")
    (tmp_path / "packs" / INDEX).unlink()
    with pytest.raises(ZoomgroundError, match="holds no index"):
        verify_packs(tmp_path / "packs")


@pytest.mark.parametrize(("text", "size"), [("48MiB", 48 * 2**20), ("50 MB", 50 * 10**6), ("1.5KiB", 1536), ("7", 7)])
def test_sizes_are_read_as_people_write_them(text: str, size: int) -> None:
    assert read_bytes(text) == size


@pytest.mark.parametrize("text", ["", "MiB", "-1MB", "0", "5 apples", "1e3"])
def test_other_sizes_are_refused(text: str) -> None:
    with pytest.raises(ZoomgroundError, match="not written like 48MiB"):
        read_bytes(text)
