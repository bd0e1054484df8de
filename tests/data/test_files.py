"""Files are there whole or not at all, and nothing is left beside them."""

from __future__ import annotations

from pathlib import Path

import pytest

from zoomground.data.files import append, replacing, write_bytes
from zoomground.errors import ZoomgroundError


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


FULL = Path("/dev/full")
"""Takes no byte, as a full disk does."""


def test_a_log_grows_by_whole_lines(tmp_path: Path) -> None:
    with (tmp_path / "log").open("ab", buffering=0) as stream:
        append(stream, b"one\n", tmp_path / "log")
        assert (tmp_path / "log").read_bytes() == b"one\n"
        append(stream, b"two\n", tmp_path / "log")
    assert (tmp_path / "log").read_bytes() == b"one\ntwo\n"


@pytest.mark.skipif(not FULL.exists(), reason="no full device on this system")
def test_a_full_disk_is_named_once_and_closing_the_log_raises_nothing_more() -> None:
    with FULL.open("ab", buffering=0) as stream, pytest.raises(ZoomgroundError, match=r"/dev/full: .*No space left.*"):
        append(stream, b"a line\n", FULL)
