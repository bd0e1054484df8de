"""Files are there whole or not at all, and nothing is left beside them."""

from __future__ import annotations

from pathlib import Path

import pytest

from zoomground.data.files import replacing, write_bytes


def test_a_file_is_written_whole_and_its_folder_made(tmp_path: Path) -> None:
    write_bytes(tmp_path / "new" / "a.bin", b"abc")
    assert (tmp_path / "new" / "a.bin").read_bytes() == b"abc"
    assert [file.name for file in (tmp_path / "new").iterdir()] == ["a.bin"]


def test_a_writer_that_fails_leaves_the_old_file_and_no_scraps(tmp_path: Path) -> None:
    write_bytes(tmp_path / "a", b"old")

    def write_half() -> None:
        with replacing(tmp_path / "a") as partial:
            partial.write_bytes(b"ne")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_half()
    assert (tmp_path / "a").read_bytes() == b"old"
    assert [file.name for file in tmp_path.iterdir()] == ["a"]


def test_a_place_that_cannot_be_taken_leaves_no_scraps(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    with pytest.raises(OSError, match="a"):
        write_bytes(tmp_path / "a", b"abc")
    assert [file.name for file in tmp_path.iterdir()] == ["a"]
