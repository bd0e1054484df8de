"""What every dialect owes to the chain, whoever wrote it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from zoomground.protocol.actions import CropUnits, Dialect, Malformed, Parsed
from zoomground.protocol.dialects import CHAIN, ReadsReplies
from zoomground.protocol.reply import Reply

TEXTS = [
    json.loads(line)["text"]
    for line in Path(__file__).with_name("cases.jsonl").read_text(encoding="utf-8").split("\n")
    if line
]
each_dialect = pytest.mark.parametrize("dialect", CHAIN, ids=lambda dialect: dialect.NAME.value)


def _reply(text: str, *, plain: bool = True) -> Reply:
    return Reply(outside=text, lead=0, plain=plain, units=CropUnits.NORM)


def test_the_chain_is_the_order_of_the_names() -> None:
    assert [dialect.NAME for dialect in CHAIN] == list(Dialect)


@each_dialect
def test_the_file_name_is_the_name(dialect: ReadsReplies) -> None:
    assert dialect.__name__.rpartition(".")[2] == dialect.NAME.value  # type: ignore[attr-defined]
    assert dialect.__doc__


@each_dialect
def test_it_answers_for_itself_only_and_always_the_same(dialect: ReadsReplies) -> None:
    read = 0
    for text in TEXTS:
        result = dialect.read(_reply(text))
        assert result == dialect.read(_reply(text))
        assert result is None or isinstance(result, Malformed) or result.dialect is dialect.NAME
        read += isinstance(result, Parsed)
    assert read > 0


@each_dialect
def test_plain_prose_is_none_of_its_business(dialect: ReadsReplies) -> None:
    assert dialect.read(_reply("The button (top left) is small.")) is None


def test_no_two_tolerant_dialects_read_one_reply() -> None:
    for text in TEXTS:
        readers = [d.NAME for d in CHAIN[1:-1] if isinstance(d.read(_reply(text)), Parsed)]
        assert len(readers) <= 1, text


def test_the_canonical_dialect_reads_nothing_that_was_dressed() -> None:
    assert all(CHAIN[0].read(_reply(text, plain=False)) is None for text in TEXTS)


def test_the_fallback_trusts_nobody_before_it() -> None:
    assert isinstance(CHAIN[-1].read(_reply("[1,2000] or [1,2]")), Malformed)
