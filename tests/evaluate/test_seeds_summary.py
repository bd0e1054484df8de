"""Several seeds: rates of each, differences of each and of all together, held against cases made by hand."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from zoomground.errors import ZoomgroundError
from zoomground.evaluate.itemised import ItemLine
from zoomground.evaluate.metrics import wilson
from zoomground.evaluate.seeds import Contrast, SeedsSummary

Hits = dict[tuple[str, str], str]
"""Of a checkpoint and an arm: one letter an item, 1 hit, 0 missed; capitals H and M are the same with a crop."""

MEANING = {"1": (True, False), "0": (False, False), "H": (True, True), "M": (False, True), "x": (False, None)}


def lines(hits: Hits, *, pages: str = "ppqq", large: int = 0) -> list[ItemLine]:
    """Lines of items on these pages, the last ``large`` of which have large targets."""
    return [
        ItemLine(checkpoint, arm, str(n), pages[n], "large" if n >= len(pages) - large else "small", *MEANING[letter])
        for (checkpoint, arm), letters in hits.items()
        for n, letter in enumerate(letters)
    ]


def contrast(summary: SeedsSummary, what: str, size: str = "small") -> Contrast:
    return next(one for one in summary.contrasts if (one.what, one.size) == (what, size))


def test_pooled_is_the_mean_over_seeds_of_each_item_drawn_by_page() -> None:
    start = {("start", "on"): "0000"}
    one = lines(start | {("grpo", "on"): "1100"})
    two = lines(start | {("grpo", "on"): "1110"})
    found = contrast(SeedsSummary.of({3: one, 4: two}), "grpo - start, arm on")
    # Items: 1, 1, 1/2, 0 over two seeds; pages: p 1, q 1/4. Drawn are pp (1), pq (5/8) or qq (1/4).
    assert (found.pooled.mean, found.pooled.low, found.pooled.high) == (0.625, 0.25, 1.0)
    assert (found.pooled.pairs, found.pooled.clusters) == (4, 2)
    assert {seed: (one.mean, one.low, one.high) for seed, one in found.seeds.items()} == {
        3: (0.5, 0.0, 1.0),
        4: (0.75, 0.5, 1.0),
    }


def test_seeds_that_go_against_each_other_come_to_nothing() -> None:
    middle = {("start", "on"): "0011"}
    summary = SeedsSummary.of(
        {0: lines(middle | {("grpo", "on"): "1111"}), 1: lines(middle | {("grpo", "on"): "0000"})}
    )
    found = contrast(summary, "grpo - start, arm on")
    assert (found.seeds[0].mean, found.seeds[1].mean, found.pooled.mean) == (0.5, -0.5, 0.0)


def test_a_seed_with_a_start_of_its_own_is_held_against_that() -> None:
    first = lines({("sft", "on"): "1100", ("grpo", "on"): "1111"})
    second = lines({("sft", "on"): "0000", ("grpo", "on"): "0000"})
    found = contrast(SeedsSummary.of({0: first, 1: second}), "grpo - sft, arm on")
    assert (found.seeds[0].mean, found.seeds[1].mean, found.pooled.mean) == (0.5, 0.0, 0.25)


WHOLE: Hits = {
    ("start", "on"): "0M01",
    ("start", "off"): "0001",
    ("middle", "on"): "0H01",
    ("middle", "off"): "0001",
    ("grpo", "on"): "HH0x",
    ("grpo", "off"): "1001",
}


def test_the_differences_that_matter_and_no_others() -> None:
    summary = SeedsSummary.of({0: lines(WHOLE, large=1)})
    assert [(one.what, one.size, round(one.pooled.mean, 3), one.pooled.pairs) for one in summary.contrasts] == [
        ("grpo - start, arm on", "small", 0.667, 3),
        ("grpo - start, arm on", "large", -1.0, 1),
        ("arm on - off, grpo", "small", 0.333, 3),
    ]
    without_off = {place: hits for place, hits in WHOLE.items() if place[1] == "on"}
    assert len(SeedsSummary.of({0: lines(without_off)}).contrasts) == 1
    only_start = {place: hits for place, hits in WHOLE.items() if place[0] == "start"}
    assert [one.what for one in SeedsSummary.of({0: lines(only_start)}).contrasts] == ["arm on - off, start"]


def test_rates_of_each_checkpoint_and_arm_by_size() -> None:
    summary = SeedsSummary.of({0: lines(WHOLE, large=1), 1: lines(WHOLE | {("grpo", "on"): "0000"}, large=1)})
    assert [(one.checkpoint, one.arm) for one in summary.rates] == list(WHOLE)
    grpo = summary.rates[4]
    assert {size: (one.count, one.total) for size, one in grpo.hits[0].items()} == {"small": (2, 3), "large": (0, 1)}
    assert (grpo.hits[0]["small"].low, grpo.hits[0]["small"].high) == wilson(2, 3)
    # The episode that broke is a miss, and neither zoomed nor direct.
    assert {size: (one.count, one.total) for size, one in grpo.zooms[0].items()} == {"small": (2, 3), "large": (0, 0)}
    assert grpo.pooled_hits["small"].mean == pytest.approx(1 / 3)
    assert grpo.pooled_zooms["small"].mean == pytest.approx(1 / 3)
    assert (grpo.pooled_zooms["large"].mean, grpo.pooled_zooms["large"].items) == (0.0, 1)


def test_tables_and_plain_values() -> None:
    summary = SeedsSummary.of({0: lines(WHOLE, large=1), 1: lines(WHOLE, large=1)})
    (_, head, rates), (_, _, differences) = summary.tables()
    assert len(head) == len(rates[0])
    assert [row[:3] for row in rates[:2]] == [["0", "start", "on"], ["0", "start", "off"]]
    assert rates[0][3:] == ["0.0 [0, 56]", "100.0 [21, 100]", "33.3 [6, 79]", "0.0 [0, 79]"]
    assert rates[4][6] == "-"
    assert [row[0] for row in rates] == ["0"] * 6 + ["1"] * 6 + ["pooled"] * 6
    assert [row[2] for row in differences] == ["0", "1", "pooled"] * 3
    assert differences[2] == ["grpo - start, arm on", "small", "pooled", "+66.7 [+0.0, +100.0]", "3 (2)"]
    document = json.loads(json.dumps(summary.to_dict(), allow_nan=False))
    assert document["rates"][0]["zoom_rate"]["0"]["small"]["count"] == 1
    assert document["rates"][0]["hit_rate"]["pooled"]["large"]["mean"] == 1.0
    assert document["differences"][0]["seeds"]["1"]["mean"] == document["differences"][0]["pooled"]["mean"]


@pytest.mark.parametrize("change", [{"item": "9"}, {"page": "r"}, {"size": "large"}, {"arm": "forced"}])
def test_seeds_that_asked_something_else_are_refused(change: dict[str, str]) -> None:
    good = lines(WHOLE)
    odd = [*good[:-1], replace(good[-1], **change)]
    with pytest.raises(ZoomgroundError, match="seeds 5 and 6 did not ask the same items"):
        SeedsSummary.of({5: good, 6: odd})


def test_nothing_asked_is_no_table() -> None:
    assert SeedsSummary.of({0: [], 1: []}).tables()[1][2] == []
