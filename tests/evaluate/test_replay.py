"""Recorded answers: the published figures come out again, and what does not fit together is named."""

from __future__ import annotations

import json
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from layouts import SHARED, downloaded, needs_shared
from zoomground.errors import ZoomgroundError
from zoomground.evaluate.benchmarks import benchmark
from zoomground.evaluate.items import ItemSet, Scoring
from zoomground.evaluate.profiles import profile
from zoomground.evaluate.replay import Replay, other_convention, read_answers, replay
from zoomground.evaluate.scores import Scores, score
from zoomground.evaluate.verdicts import Verdict

FILES = {
    "mmbench_gui_l2": "MMBench",
    "screenspot_pro": "SSPro",
    "screenspot_v2": "SSV2",
    "osworld_g": "OS_G",
    "osworld_g_refined": "OS_G_Refine",
}


@cache
def published(name: str) -> Replay:
    items = benchmark(name).load(SHARED / "annotations", images=False)
    return replay(items, read_answers(SHARED / "recorded_answers" / f"{FILES[name]}.jsonl"), profile("mai_ui"))


def scores(name: str, scoring: Scoring = Scoring.TRUE) -> Scores:
    found = published(name)
    return score(benchmark(name), found.items, found.verdicts(scoring), scoring)


@needs_shared
@pytest.mark.parametrize(
    ("name", "scoring", "average", "percent"),
    [
        ("mmbench_gui_l2", "true", "micro", 88.76),
        ("mmbench_gui_l2", "true", "mean of basic and advanced", 88.78),
        ("screenspot_pro", "true", "micro", 67.05),
        ("screenspot_v2", "true", "micro", 94.89),
        ("osworld_g", "published", "micro", 61.70),
        ("osworld_g", "true", "micro", 63.65),
        ("osworld_g", "true", "without refusals", 70.39),
        ("osworld_g_refined", "published", "micro", 69.50),
        ("osworld_g_refined", "true", "micro", 71.63),
        ("osworld_g_refined", "true", "without refusals", 79.22),
    ],
)
def test_the_published_figures(name: str, scoring: str, average: str, percent: float) -> None:
    assert round(100 * scores(name, Scoring(scoring)).averages[average], 2) == percent


@needs_shared
def test_the_published_figures_of_parts() -> None:
    levels = scores("mmbench_gui_l2").cells["level"]
    assert {level: round(100 * share.value, 2) for level, share in levels.items()} == {
        "basic": 93.28,
        "advanced": 84.28,
    }
    refusals = scores("osworld_g").refusals
    assert refusals is not None
    assert (refusals.without.total, refusals.declined.count, refusals.declined.total, refusals.false.count) == (
        510,
        0,
        54,
        0,
    )


@needs_shared
@pytest.mark.parametrize("name", sorted(FILES))
def test_every_answer_is_used_and_read(name: str) -> None:
    found = published(name)
    assert found.mismatches == ()
    counts = scores(name).counts
    assert counts[Verdict.ERROR] == counts[Verdict.WRONG_FORMAT] == 0
    assert sum(counts.values()) == len(found.items) == found.items.expected
    assert found.disagreements(Scoring.PUBLISHED) == []  # verdict by verdict as its authors recorded it


@needs_shared
@pytest.mark.parametrize(
    ("name", "gained", "lost"), [("osworld_g", 12, {"Cf4yF5Buvk-1"}), ("osworld_g_refined", 12, set())]
)
def test_recorded_verdicts_are_wrong_where_the_polygons_were_broken(name: str, gained: int, lost: set[str]) -> None:
    found = published(name)
    differ = found.disagreements()
    assert Counter(one.recorded for one in differ) == Counter({False: gained, **({True: len(lost)} if lost else {})})
    assert {one.id for one in differ if one.recorded} == lost
    assert {one.why for one in differ} == {
        "the record was scored against the target as published, which is not the one that was meant"
    }
    assert {found.items.by_id[one.id].groups["target"] for one in differ} == {"polygon"}
    for other in FILES.keys() - {"osworld_g", "osworld_g_refined"}:
        assert published(other).disagreements() == []


@needs_shared
def test_the_declared_convention_is_the_best_one() -> None:
    rescored = published("screenspot_pro").rescored()
    assert round(100 * rescored["norm1000"], 2) == 67.05
    assert max(rescored["norm1"], rescored["pixels_original"], rescored["pixels_sent_28"]) < 0.01
    assert other_convention("norm1000", rescored) is None
    warning = other_convention("pixels_original", rescored)
    assert warning is not None
    assert "declared as pixels_original the answers score 0.70 %, as norm1000 67.05 %" in warning


@pytest.fixture
def items(tmp_path: Path) -> ItemSet:
    return benchmark("osworld_g").load(downloaded("osworld_g", tmp_path / "data", {}), images=False)


def record(name: str, text: object = "[825, 250]", **fields: Any) -> dict[str, Any]:
    return {"id": name, "raw_response": text} | fields


def played(items: ItemSet, folder: Path, *records: dict[str, Any], name: str = "norm1000") -> Replay:
    path = folder / "answers.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in records), "utf-8")
    return replay(items, read_answers(path), profile(name))


def test_every_kind_of_verdict_and_a_fixed_denominator(items: ItemSet, tmp_path: Path) -> None:
    found = played(items, tmp_path, record("aa-0"), record("aa-1", "decline()"), record("bb-0", "decline()"))
    assert found.verdicts() == {"aa-0": Verdict.CORRECT, "aa-1": Verdict.REFUSED, "bb-0": Verdict.CORRECT}
    found = played(items, tmp_path, record("aa-0", "[1, 1]"), record("aa-1", "it is on the left"), record("bb-0"))
    assert found.verdicts() == {"aa-0": Verdict.WRONG, "aa-1": Verdict.WRONG_FORMAT, "bb-0": Verdict.WRONG}
    found = played(items, tmp_path, record("aa-0", None, error="429"), record("aa-1", finish_reason="length"))
    assert found.verdicts() == {"aa-0": Verdict.ERROR, "aa-1": Verdict.WRONG_FORMAT, "bb-0": Verdict.ERROR}
    figures = score(benchmark("osworld_g"), items, found.verdicts())
    assert (figures.total, figures.overall.total, figures.parsed_only.total) == (3, 3, 0)
    assert figures.counts[Verdict.ERROR] == 2


def test_answers_that_belong_to_no_item_are_named(items: ItemSet, tmp_path: Path) -> None:
    found = played(
        items,
        tmp_path,
        record("aa-0", instruction="  Change the   settings "),
        record("aa-1", instruction="Something else"),
        record("zz-9"),
    )
    assert [(one.id, one.why.partition(": ")[0]) for one in found.mismatches] == [
        ("aa-1", "line 2 of answers.jsonl answers another instruction"),
        ("zz-9", "line 3 of answers.jsonl"),
        ("aa-1", "has no recorded answer; counted as an error"),
        ("bb-0", "has no recorded answer; counted as an error"),
    ]
    assert found.verdicts()["aa-1"] is Verdict.ERROR


def test_the_last_record_of_an_item_counts(items: ItemSet, tmp_path: Path) -> None:
    found = played(items, tmp_path, record("aa-0", None, error="500"), record("aa-0"))
    assert found.verdicts()["aa-0"] is Verdict.CORRECT


def test_px_are_those_of_the_image_that_the_record_names(items: ItemSet, tmp_path: Path) -> None:
    answer = record("aa-0", "[330, 100]")  # 165, 25 px of the 200x100 screenshot, if that was sent twice as large
    assert (
        played(items, tmp_path, answer | {"sent_size": [400, 400]}, name="pixels_sent_28").verdicts()["aa-0"]
        is Verdict.CORRECT
    )
    assert played(items, tmp_path, answer, name="pixels_sent_28").verdicts()["aa-0"] is Verdict.WRONG
    assert (
        played(items, tmp_path, answer | {"sent_size": [400, 400]}, name="pixels_original").verdicts()["aa-0"]
        is Verdict.WRONG
    )


def test_a_recorded_verdict_that_differs_is_shown(items: ItemSet, tmp_path: Path) -> None:
    found = played(items, tmp_path, record("aa-0", correctness="incorrect"), record("aa-1", "?", correctness="correct"))
    assert [(one.id, one.recorded, one.ours) for one in found.disagreements()] == [
        ("aa-0", False, Verdict.CORRECT),
        ("aa-1", True, Verdict.WRONG_FORMAT),
    ]
    assert "(165, 25) px held against" in found.disagreements()[0].why


def test_the_document_of_a_harness_is_read_too(items: ItemSet, tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    path.write_text(json.dumps({"metrics": {}, "details": [record("aa-0", correctness="correct")]}), "utf-8")
    assert [(one.id, one.line, one.correct) for one in read_answers(path)] == [("aa-0", 1, True)]
    for text in ("[]", "{", '{"details": 1}', '{"details": [1]}'):
        path.write_text(text, "utf-8")
        with pytest.raises(ZoomgroundError, match=r"run\.json: .*'details'"):
            read_answers(path)


@pytest.mark.parametrize(
    ("bad", "field"),
    [
        ({"raw_response": "[1, 2]"}, "id"),
        ({"id": "a", "raw_response": 7}, "raw_response"),
        ({"id": 1}, "raw_response"),
        (record("a", correctness="perhaps"), "correctness"),
        (record("a", sent_size=[100]), "sent_size"),
        (record("a", sent_size=[0, 100]), "sent_size"),
    ],
)
def test_a_bad_record_names_line_and_field(bad: dict[str, Any], field: str, tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    path.write_text(json.dumps(record("x")) + "\n" + json.dumps(bad) + "\n", "utf-8")
    with pytest.raises(ZoomgroundError, match=rf"answers\.jsonl:2: field '{field}'"):
        read_answers(path)
