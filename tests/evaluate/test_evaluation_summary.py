"""Tables: hand-made answers, figures worked out by hand."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest
from runs import Fake, evaluation

from zoomground.environment import GroundingEnv
from zoomground.evaluate.players import AsyncPlayer
from zoomground.evaluate.run import run
from zoomground.evaluate.scripted import SCRIPTED
from zoomground.evaluate.summary import Summary, by_size, fingerprint
from zoomground.policies.base import Reply, Usage

CROP = '<action>crop_image(image_path="one.png", x1=0.00, y1=0.00, x2=500.00, y2=500.00)</action>'


def zoomer(env: GroundingEnv) -> str:
    """Right after one crop on the first item, in the crop's frame on the second, and rambling on the third."""
    if env.settings.arm.value == "off":
        return SCRIPTED["oracle"].reply(env).text if env.task.id == "paint_linux_1" else "[1000.00,1000.00]"
    if env.task.id == "sheet_windows_0":
        return "Point at [1,1] or at [2,2]."
    if not env.views.crop_count:
        return CROP
    # [10, 20, 40, 32] and [0, 0, 30, 10] of 200x100 px: their middles, the second as the crop shows it.
    return "[125.00,260.00]" if env.task.id == "paint_linux_0" else " [250, 150] "


@pytest.fixture
def summary(tmp_path: Path) -> Summary:
    one = evaluation("screenspot_pro", tmp_path / "data", arms=("on", "off"))
    return Summary.of(one, run(one, AsyncPlayer(Fake(zoomer).connect, 2), tmp_path / "out", version="1"))


def test_the_arms_are_paired_on_the_same_items(summary: Summary) -> None:
    (found,) = summary.pairs
    assert (found.first, found.second) == ("off", "on")
    assert (found.mcnemar.gained, found.mcnemar.lost, found.mcnemar.both, found.mcnemar.neither) == (1, 1, 0, 1)
    assert (found.difference.mean, found.difference.pairs) == (0.0, 3)
    assert {arm: one.hits for arm, one in summary.arms.items()} == {
        "on": {"paint_linux_0": True, "paint_linux_1": False, "sheet_windows_0": False},
        "off": {"paint_linux_0": False, "paint_linux_1": True, "sheet_windows_0": False},
    }


def test_the_pairs_of_each_size_add_up_to_the_pairs(tmp_path: Path) -> None:
    one = evaluation("screenspot_pro", tmp_path / "data", arms=("on", "off"))
    whole = Summary.of(one, run(one, AsyncPlayer(Fake(zoomer).connect, 2), tmp_path / "out", version="1"))
    arms = dict(whole.arms)
    # As if the second target were large where it was seen; the first arm that asked an item decides.
    arms["on"] = replace(arms["on"], classes={**arms["on"].classes, "paint_linux_1": "large"})
    sized = by_size(arms)
    assert {
        size: (pair.mcnemar.gained, pair.mcnemar.lost, pair.difference.pairs) for size, (pair,) in sized.items()
    } == {
        "small": (1, 0, 2),
        "large": (0, 1, 1),
    }
    assert list(whole.sized) == ["small"]
    tables = {table.title: table for table in whole.tables()}
    assert tables["paired, by size of the target as seen"].rows[0][:2] == ["small", "on - off"]
    assert whole.to_dict({})["pairs_by_size"]["small"][0]["mcnemar"]["gained"] == 1


def test_cost_and_how_the_replies_were_written(summary: Summary) -> None:
    on, off = summary.arms["on"], summary.arms["off"]
    assert (on.cost.crops, off.cost.crops) == (2 / 3, 0)
    assert (on.cost.turns, off.cost.turns) == ((2 + 2 + 3) / 3, 1)
    assert on.cost.corrections == 1
    assert on.cost.prompt_tokens == pytest.approx(100 * 7 / 3)
    assert on.cost.seconds == pytest.approx(0.5 * 7 / 3)
    assert on.cost.image_tokens is not None
    assert off.cost.image_tokens is not None
    assert on.cost.image_tokens > off.cost.image_tokens
    assert on.dialects == {"canonical": 3, "loose_point": 1}
    assert sum(on.malformed.values()) == 3
    assert on.stop_reasons == {"answered": 2, "corrections_spent": 1}
    assert (on.zoomed.count, on.zoomed.total) == (2, 3)
    assert (on.crop_frame, off.crop_frame) == (1, 0)  # the second answer was meant in the crop's frame
    assert on.scores.counts["wrong_format"] == 1


def test_groups_and_sizes(summary: Summary) -> None:
    on = summary.arms["on"]
    assert {name: (one.count, one.total) for name, one in on.scores.cells["ui_type"].items()} == {
        "icon": (1, 2),
        "text": (0, 1),
    }
    # 30x12, 30x10, 10x6 of 200x100 px: 1.8, 1.5 and 0.3 percent; all under 28 px.
    assert {name: (one.count, one.total) for name, one in on.sizes["area"].items()} == {
        "0.1 to 1 %": (0, 1),
        "1 % and more": (1, 2),
    }
    assert {name: one.total for name, one in on.sizes["legible"].items()} == {"small": 3}


def test_every_table_has_a_column_for_each_arm(summary: Summary) -> None:
    tables = {one.title: one for one in summary.tables()}
    assert tables["screenspot_pro, 3 items, percent"].rows[0] == ["screenspot_pro micro", "33.33", "33.33"]
    assert tables["on the same items, paired"].rows[0][0] == "on - off"
    for one in tables.values():
        assert all(len(row) == len(one.head) for row in one.rows), one.title
    assert tables["by application"].rows[0][0] == "paint"


def test_evl_03_what_a_figure_was_made_with_stands_beside_it(summary: Summary) -> None:
    made = dict(next(one for one in summary.tables() if one.title == "made with").rows)
    assert summary.evaluation.items.revision in made["data"]
    assert made["parser"].startswith("protocol ")
    assert made["prompt, arm on"] != made["prompt, arm off"]
    assert made["model"] == "m"


def test_answers_in_another_convention_are_hinted_at(tmp_path: Path) -> None:
    one = evaluation("rows", tmp_path / "data", profile_name="norm1000")

    def shares(env: GroundingEnv) -> str:
        place = env.task.place
        if place is None:
            return "decline()"
        middle = place.box.center
        return f"[{middle.x / env.task.size.width:.4f}, {middle.y / env.task.size.height:.4f}]"

    results = run(one, AsyncPlayer(Fake(shares).connect, 2), tmp_path / "out", version="1")
    found = Summary.of(one, results).arms["off"]
    assert (found.scores.overall.count, found.conventions["norm1"]) == (1, 1.0)
    assert found.conventions["norm1000"] == found.scores.overall.value  # the decline is right in all of them
    assert found.warning is not None
    assert "as norm1 100.00 %" in found.warning


def test_an_item_that_was_not_asked_is_an_error_and_counts(tmp_path: Path) -> None:
    one = evaluation("rows", tmp_path / "data", arms=("off",))
    found = Summary.of(one, {})
    assert (found.errors, found.error_share) == (3, 1.0)
    assert found.arms["off"].scores.overall.total == 3
    assert found.arms["off"].failures == {"not asked yet": 3}


def test_the_fingerprint_is_of_the_question_and_the_target(tmp_path: Path) -> None:
    first, second, _ = evaluation("rows", tmp_path / "data").items.items
    assert fingerprint(first) == fingerprint(first)
    assert fingerprint(first) != fingerprint(second)


def test_no_more_than_the_limit_at_once(tmp_path: Path) -> None:
    one = evaluation("screenspot_pro", tmp_path / "data", arms=("on", "off", "forced"))
    running = most = 0

    class Slow:
        async def reply(self, env: GroundingEnv) -> Reply:
            nonlocal running, most
            running += 1
            most = max(most, running)
            await asyncio.sleep(0)
            running -= 1
            return Reply("[1.00,1.00]", "stop", usage=Usage(requests=1))

    fake = Fake(lambda _: "")
    fake.reply = Slow().reply  # type: ignore[method-assign]
    results = run(one, AsyncPlayer(fake.connect, 3), tmp_path / "out", version="1")
    assert len(results) == 9
    assert most <= 3
