"""Verdicts and what they add up to: every average by its name, refusals apart, one denominator."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from episodes import env, point_text, task
from layouts import downloaded
from zoomground.errors import ZoomgroundError
from zoomground.evaluate.benchmarks import benchmark
from zoomground.evaluate.export import leaderboard
from zoomground.evaluate.items import Item, ItemSet, Scoring
from zoomground.evaluate.metrics import McNemar, mcnemar
from zoomground.evaluate.scores import score
from zoomground.evaluate.verdicts import Declined, Failed, Given, Pointed, Unreadable, Verdict, judge, outcome_of
from zoomground.geometry import Box, Point, Polygon, Size
from zoomground.protocol.settings import EpisodeSettings
from zoomground.task import Refusal, Target, Task
from zoomground.trajectory import StopReason

if TYPE_CHECKING:
    from pathlib import Path

SIZE = Size(1000, 500)


def asked(target: Target, name: str = "a", **fields: Any) -> Item:
    return Item(Task(name, "Open", "a.png", SIZE, target), None, **fields)


def item_set(*cells: tuple[str, str, Target]) -> ItemSet:
    items = tuple(
        asked(target, str(number), groups={"platform": platform, "ui_type": kind})
        for number, (platform, kind, target) in enumerate(cells)
    )
    return ItemSet("invented", items, "0", "official")


@pytest.mark.parametrize(
    ("point", "inside"), [((100, 100), True), ((200, 200), True), ((200.01, 150), False), ((99.99, 150), False)]
)
def test_evl_01_all_four_edges_are_inside(point: tuple[float, float], *, inside: bool) -> None:
    verdict = judge(asked(Box(100, 100, 200, 200)), Pointed(Point(*point)))
    assert verdict is (Verdict.CORRECT if inside else Verdict.WRONG)


def test_every_outcome_against_every_target() -> None:
    triangle = Polygon((Point(0, 0), Point(10, 0), Point(0, 10)))
    box, polygon, refusal = asked(Box(0, 0, 10, 10)), asked(triangle), asked(Refusal())
    corner = Pointed(Point(9, 9))  # in the box around the triangle, not in it
    assert [judge(one, corner) for one in (box, polygon, refusal)] == [Verdict.CORRECT, Verdict.WRONG, Verdict.WRONG]
    assert [judge(one, Declined()) for one in (box, polygon, refusal)] == [
        Verdict.REFUSED,
        Verdict.REFUSED,
        Verdict.CORRECT,
    ]
    for one in (box, polygon, refusal):
        assert judge(one, Unreadable("several points")) is Verdict.WRONG_FORMAT
        assert judge(one, Failed("429")) is Verdict.ERROR
    as_published = replace(polygon, published=Box(0, 0, 10, 10))
    assert judge(as_published, corner, Scoring.PUBLISHED) is Verdict.CORRECT
    assert judge(as_published, corner) is Verdict.WRONG
    with pytest.raises(ZoomgroundError, match="item 'a' has no target"):
        judge(replace(box, task=replace(box.task, target=None)), corner)


def test_episodes_come_to_outcomes_in_px_of_the_annotation() -> None:
    one = asked(Box(0, 0, 10, 10))
    answered = env(task(Size(500, 250), Box(0, 0, 10, 10)))  # the file is half as large as the annotation says
    answered.step(point_text(500, 500))
    assert outcome_of(answered.trajectory(), one) == Pointed(Point(500, 250))
    failed = env(task(SIZE, Box(0, 0, 10, 10)))
    failed.fail(StopReason.ERROR, "429 for the fifth time")
    assert outcome_of(failed.trajectory(), one) == Failed("429 for the fifth time")
    declined = env(task(SIZE, Refusal()), EpisodeSettings(allow_decline=True))
    declined.step("<action>decline()</action>")
    assert outcome_of(declined.trajectory(), one) == Declined()
    mumbled = env(task(SIZE, Box(0, 0, 10, 10)))
    for _ in range(3):
        mumbled.step("somewhere")
    assert outcome_of(mumbled.trajectory(), one) == Unreadable("corrections_spent")


def test_averages_have_names_and_differ() -> None:
    box = Box(0, 0, 10, 10)
    items = item_set(("mobile", "text", box), ("mobile", "text", box), ("mobile", "text", box), ("web", "icon", box))
    verdicts = dict.fromkeys("012", Verdict.CORRECT) | {"3": Verdict.WRONG}
    found = score(benchmark("screenspot"), items, verdicts)
    assert found.averages == {"mean of six cells": 0.5, "micro": 0.75}
    assert next(iter(found.averages)) == benchmark("screenspot").headline.name
    assert found.cells["platform"]["mobile"].value == 1.0
    crossed = {name: (one.count, one.total) for name, one in found.cells["platform x ui_type"].items()}
    assert crossed == {"mobile, text": (3, 3), "web, icon": (0, 1)}
    assert found.refusals is None
    assert json.loads(json.dumps(found.to_dict()))["verdicts"] == {
        "correct": 3,
        "wrong": 1,
        "wrong_format": 0,
        "refused": 0,
        "error": 0,
    }


def test_refusals_are_reported_apart() -> None:
    box = Box(0, 0, 10, 10)
    items = item_set(("a", "b", box), ("a", "b", box), ("a", "b", Refusal()), ("a", "b", Refusal()))
    verdicts = {"0": Verdict.CORRECT, "1": Verdict.REFUSED, "2": Verdict.CORRECT, "3": Verdict.WRONG}
    found = score(benchmark("osworld_g"), items, verdicts)
    assert found.averages == {"micro": 0.5, "without refusals": 0.5}
    assert found.refusals is not None
    shares = {name: (share.count, share.total) for name, share in found.refusals.shares.items()}
    assert shares == {"without": (1, 2), "declined": (1, 2), "false": (1, 2)}
    assert found.to_dict()["refusals"]["false"]["value"] == 0.5


def test_the_denominator_never_shrinks() -> None:
    box = Box(0, 0, 10, 10)
    items = item_set(("a", "b", box), ("a", "b", box), ("a", "b", box))
    verdicts = {"0": Verdict.CORRECT, "1": Verdict.ERROR, "2": Verdict.WRONG_FORMAT}
    found = score(benchmark("screenspot"), items, verdicts)
    assert (found.overall.count, found.overall.total) == (1, 3)
    assert (found.parsed_only.count, found.parsed_only.total) == (1, 1)
    with pytest.raises(ZoomgroundError, match="invented: 1 items have no verdict, first '2'"):
        score(benchmark("screenspot"), items, {"0": Verdict.CORRECT, "1": Verdict.WRONG})
    with pytest.raises(ZoomgroundError, match="1 items have no verdict, first '2'"):
        benchmark("screenspot").headline.of(items, {"0": True, "1": False})
    with pytest.raises(ZoomgroundError, match="has no items"):
        score(benchmark("screenspot"), item_set(), {})


def test_mcnemar_on_known_splits() -> None:
    first = {str(i): i < 50 for i in range(100)}
    second = {str(i): 9 <= i < 51 for i in range(100)}  # loses nine, gains one
    found = mcnemar(first, second)
    assert (found.gained, found.lost, found.both, found.neither) == (1, 9, 41, 49)
    assert found.p_value == pytest.approx(2 * 11 / 2**10)  # the binomial tail of 1 or fewer in 10
    assert mcnemar(first, first) == McNemar(0, 0, 50, 50, 1.0)
    assert mcnemar({"a": True, "b": False}, {"a": False, "b": True}).p_value == 1.0
    assert mcnemar({str(i): False for i in range(2000)}, {str(i): True for i in range(2000)}).p_value == 0.0
    with pytest.raises(ZoomgroundError, match="no row in common"):
        mcnemar({"a": True}, {"b": True})


def test_the_document_of_screenspot_pro_s_leaderboard(tmp_path: Path) -> None:
    one = benchmark("screenspot_pro")
    items = one.load(downloaded("screenspot_pro", tmp_path, {}), images=False)
    given = {
        "paint_linux_0": Given(Pointed(Point(10, 20)), "[50, 200]"),
        "paint_linux_1": Given(Pointed(Point(31, 5)), "[155, 50]"),
        "sheet_windows_0": Given(Unreadable("no point"), "?"),
    }
    assert one.export is leaderboard
    document = json.loads(json.dumps(leaderboard(items.worded("cn"), given)))
    assert [detail["correctness"] for detail in document["details"]] == ["correct", "wrong", "wrong_format"]
    assert [detail["pred"] for detail in document["details"]] == [[10, 20], [31, 5], None]
    assert document["details"][0] == {
        "id": "paint_linux_0",
        "img_path": "paint_linux/one.png",
        "group": "Creative",
        "platform": "linux",
        "application": "paint",
        "lang": "cn",
        "instruction_style": "instruction",
        "gt_type": "positive",
        "prompt_to_evaluate": "选择圆形画笔",
        "ui_type": "icon",
        "task_filename": "paint_linux",
        "pred": [10.0, 20.0],
        "raw_response": "[50, 200]",
        "bbox": [10.0, 20.0, 40.0, 32.0],
        "correctness": "correct",
    }
    metrics = document["metrics"]
    assert metrics["overall"] == {
        "num_correct_action": 1,
        "num_total": 3,
        "wrong_format_num": 1,
        "action_acc": 1 / 3,
        "text_acc": 0.0,
        "icon_acc": 0.5,
    }
    assert metrics["leaderboard_simple_style"]["group:Creative"]["icon_acc"] == 1.0
    assert metrics["leaderboard_detailed_style"].keys() == {"app:paint", "app:sheet"}
    assert metrics["fine_grained"].keys() == {
        "plat:linux app:paint inst_style:instruction gt_type:positive",
        "plat:windows app:sheet inst_style:instruction gt_type:positive",
    }
    assert metrics["seeclick_style"].keys() == {
        "plat:linux inst_style:instruction gt_type:positive",
        "plat:windows inst_style:instruction gt_type:positive",
    }
    given["paint_linux_1"] = Given(Declined())
    assert leaderboard(items, given)["details"][1]["correctness"] == "wrong_format"
    for unfinished in (given | {"sheet_windows_0": Given(Failed("429"))}, dict(list(given.items())[:2])):
        with pytest.raises(ZoomgroundError, match="1 items have no answer, first 'sheet_windows_0'"):
            leaderboard(items, unfinished)
