"""JSON lines: every fault has a line number, and a file is never half written."""

from __future__ import annotations

import json
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from zoomground.data import jsonl
from zoomground.errors import RowError, ZoomgroundError


def file_of(folder: Path, content: bytes) -> Path:
    path = folder / "rows.jsonl"
    path.write_bytes(content)
    return path


def only_error(path: Path, **options: int) -> RowError:
    faults = [line for line in jsonl.scan(path, **options) if isinstance(line, jsonl.BadLine | jsonl.CutLine)]
    assert len(faults) == 1
    assert faults[0].line == faults[0].error.line
    return faults[0].error


def test_dat_09_utf_8_is_read_whatever_the_locale_and_a_byte_order_mark_is_skipped(tmp_path: Path) -> None:
    text = '{"problem": "<image>打开“文件”菜单"}\n'
    for mark in (b"", b"\xef\xbb\xbf"):
        (line,) = jsonl.read(file_of(tmp_path, mark + text.encode("utf-8")))
        assert line.value["problem"] == "<image>打开“文件”菜单"


def test_dat_09_a_bad_byte_is_an_error_with_its_line_number(tmp_path: Path) -> None:
    error = only_error(file_of(tmp_path, b'{"a": 1}\n\n{"a": "caf\xe9"}\n{"a": 2}\n'))
    assert error.line == 3
    assert "byte 11 (0xe9) is not UTF-8; save the file as UTF-8" in str(error)
    assert "rows.jsonl:3" in str(error)


def test_dat_09_utf_16_is_named_once(tmp_path: Path) -> None:
    error = only_error(file_of(tmp_path, '{"a": 1}\n{"a": 2}\n'.encode("utf-16")))
    assert "UTF-16; save it as UTF-8" in error.problem


def test_dat_11_blank_lines_are_skipped_and_told_apart(tmp_path: Path) -> None:
    path = file_of(tmp_path, b'\n{"a": 1}\r\n  \t\r\n{"a": 2}\n\n')
    assert [type(line) for line in jsonl.scan(path)] == [
        jsonl.BlankLine,
        jsonl.JsonLine,
        jsonl.BlankLine,
        jsonl.JsonLine,
        jsonl.BlankLine,
    ]
    assert [(line.line, line.value) for line in jsonl.read(path)] == [(2, {"a": 1}), (4, {"a": 2})]


def test_dat_11_a_cut_last_line_is_an_error_or_left_out_on_wish(tmp_path: Path) -> None:
    path = file_of(tmp_path, b'{"a": 1}\n{"a": 2')
    assert [line.value for line in jsonl.read(path, drop_cut_last=True)] == [{"a": 1}]
    with pytest.raises(RowError, match=r"rows\.jsonl:2: field 'line': the file ends inside this line"):
        list(jsonl.read(path))


def test_dat_11_a_cut_character_counts_as_a_cut_line(tmp_path: Path) -> None:
    path = file_of(tmp_path, b'{"a": 1}\n' + '{"a": "文'.encode()[:-1])
    assert len(list(jsonl.read(path, drop_cut_last=True))) == 1


def test_dat_11_a_whole_last_line_needs_no_line_end(tmp_path: Path) -> None:
    assert len(list(jsonl.read(file_of(tmp_path, b'{"a": 1}\n{"a": 2}')))) == 2


def test_dat_11_a_bad_line_in_the_middle_is_never_dropped(tmp_path: Path) -> None:
    path = file_of(tmp_path, b'{"a": 1\n{"a": 2}\n')
    with pytest.raises(RowError, match=r"rows\.jsonl:1: .*is not JSON"):
        list(jsonl.read(path, drop_cut_last=True))


def test_dat_11_a_64_megabyte_line_is_refused_without_being_held(tmp_path: Path) -> None:
    path = tmp_path / "long.jsonl"
    with path.open("wb") as stream:
        stream.write(b'{"a": 1}\n{"a": "')
        for _ in range(64):
            stream.write(b"x" * 1024 * 1024)
        stream.write(b'"}\n{"a": 3}\n')
    tracemalloc.start()
    try:
        lines = list(jsonl.scan(path, max_line_bytes=100_000))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert [type(line) for line in lines] == [jsonl.JsonLine, jsonl.BadLine, jsonl.JsonLine]
    assert lines[2].line == 3
    assert peak < 8 * 1024 * 1024
    with pytest.raises(RowError, match=r"long\.jsonl:2: .*longer than 33,554,432 bytes"):
        list(jsonl.read(path))


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b""])
def test_dat_11_the_limit_is_the_longest_line_that_is_read(tmp_path: Path, end: bytes) -> None:
    line = b'{"a": "123"}'
    path = file_of(tmp_path, line + end + (b'{"b":1}' + end if end else b""))
    assert all(isinstance(item, jsonl.JsonLine) for item in jsonl.scan(path, max_line_bytes=len(line)))
    assert [item.line for item in jsonl.scan(path, max_line_bytes=len(line))] == ([1, 2] if end else [1])
    assert isinstance(next(jsonl.scan(path, max_line_bytes=len(line) - 1)), jsonl.BadLine)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"[1, 2]\n", "holds a list, not an object; one JSON object a line"),
        (b"[\n", "is not JSON"),
        (b"3\n", "holds a number"),
        (b"null\n", "holds null"),
        (b'"text"\n', "holds a string"),
        (b"true\n", "holds true or false"),
        (b"{'a': 1}\n", "is not JSON: Expecting property name"),
        (b'{"a": 1} {"b": 2}\n', "is not JSON: Extra data at column 10"),
        (b'{"a": NaN}\n', "NaN is no JSON number"),
        (b'{"a": -Infinity}\n', "-Infinity is no JSON number"),
        (b'{"id": 1, "b": {"c": 1, "c": 2}}\n', "key 'c' stands there twice"),
        (b"[" * 200_000 + b"\n", "is nested too deeply"),
        (b'{"a": ' + b"9" * 5000 + b"}\n", "is not JSON"),
    ],
)
def test_what_is_no_json_object_is_named(tmp_path: Path, content: bytes, message: str) -> None:
    assert message in str(only_error(file_of(tmp_path, content)))


def test_only_a_line_feed_ends_a_line(tmp_path: Path) -> None:
    value = {"a": "one\u2028two\u0085three\x0b\x1c"}
    path = tmp_path / "rows.jsonl"
    assert jsonl.write(path, [value]) == 1
    assert [line.value for line in jsonl.read(path)] == [value]


@pytest.mark.parametrize("kind", ["absent", "folder"])
def test_a_file_that_cannot_be_opened_is_named(tmp_path: Path, kind: str) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(ZoomgroundError, match=kind):
        list(jsonl.scan(tmp_path / kind))


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**60), 2**60)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=40, deadline=None)
@given(values=st.lists(st.dictionaries(st.text(), JSON, max_size=4), max_size=5))
def test_what_is_written_reads_back(tmp_path_factory: pytest.TempPathFactory, values: list[dict[str, Any]]) -> None:
    path = tmp_path_factory.mktemp("jsonl") / "deep" / "rows.jsonl"
    assert jsonl.write(path, values) == len(values)
    assert [line.value for line in jsonl.read(path)] == values
    assert len(path.read_bytes().splitlines()) >= len(values)


@given(st.binary(max_size=200))
def test_any_bytes_give_lines_and_faults_and_nothing_else(
    tmp_path_factory: pytest.TempPathFactory, content: bytes
) -> None:
    path = file_of(tmp_path_factory.mktemp("jsonl"), content)
    numbers = [line.line for line in jsonl.scan(path)]
    assert numbers == list(range(1, len(numbers) + 1))


@pytest.mark.parametrize("bad", [{"a": float("nan")}, {"a": Path("x")}, {"a": "\ud800"}])
def test_a_failed_write_leaves_the_old_file_and_no_scraps(tmp_path: Path, bad: dict[str, Any]) -> None:
    path = tmp_path / "rows.jsonl"
    jsonl.write(path, [{"a": 1}])
    with pytest.raises(RowError, match=r"rows\.jsonl:2: .*cannot be written as JSON"):
        jsonl.write(path, [{"a": 2}, bad])
    assert json.loads(path.read_text(encoding="utf-8")) == {"a": 1}
    assert [entry.name for entry in tmp_path.iterdir()] == ["rows.jsonl"]


def test_a_source_that_fails_half_way_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    jsonl.write(path, [{"a": 1}])

    def source() -> Iterator[dict[str, Any]]:
        yield {"a": 2}
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        jsonl.write(path, source())
    assert [line.value for line in jsonl.read(path)] == [{"a": 1}]
    assert [entry.name for entry in tmp_path.iterdir()] == ["rows.jsonl"]


def test_text_is_written_as_itself_with_plain_line_ends(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    jsonl.write(path, [{"b": "文件", "a": 1.5}])
    assert path.read_bytes() == '{"b": "文件", "a": 1.5}\n'.encode()
