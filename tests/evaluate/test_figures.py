"""Figures of one arm: a fixed denominator, faults apart, sizes as the policy sees them."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from runs import SETTINGS, Fake, broken, evaluation

from episodes import crop_text, point_text
from zoomground.environment import GroundingEnv
from zoomground.evaluate.figures import Figures, figures
from zoomground.evaluate.players import AsyncPlayer, BatchPlayer
from zoomground.evaluate.run import run
from zoomground.geometry import PixelLimits
from zoomground.policies.base import Reply

WIDE = replace(SETTINGS, limits=PixelLimits(32, 4 * 1024, 1024 * 1024))
SMALL, LARGE = [640, 400, 660, 420], [100, 100, 200, 160]
HIT, MISS = point_text(507.8, 512.5), point_text(1, 1)
ZOOM, ELSEWHERE = crop_text(400, 400, 600, 600, "a.png"), crop_text(0, 0, 100, 100, "a.png")


def played(folder: Path, said: list[list[str | Reply]], targets: list[Any], **given: Any) -> Figures:
    """The figures of one arm in which each item gets these replies in turn."""
    evaluation("rows", folder / "data")
    Image.new("RGB", (1280, 800)).save(folder / "data" / "shots" / "a.png")
    rows = [
        {"id": f"{n}", "problem": f"<image>Open {n}", "solution": json.dumps(target), "images": ["shots/a.png"]}
        for n, target in enumerate(targets)
    ]
    (folder / "data" / "held_out.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    one = evaluation("rows", folder / "data", arms=("on",), **({"settings": WIDE} | given))
    asked: dict[str, int] = {}

    def say(env: GroundingEnv) -> str | Reply:
        asked[env.task.id] = asked.get(env.task.id, -1) + 1
        return said[int(env.task.id)][asked[env.task.id]]

    return figures(one, "on", run(one, AsyncPlayer(Fake(say).connect, 1), folder / "out", version="1"))


def test_figures_of_a_mixed_log(tmp_path: Path) -> None:
    replies = [[ZOOM, HIT], [MISS], ["no idea", "(1, 1)"], [point_text(117, 160)], [ZOOM, broken()]]
    found = played(tmp_path, replies, [SMALL, SMALL, SMALL, LARGE, SMALL])
    assert (found.scores.overall.count, found.scores.overall.total) == (2, 5)
    sizes = {size: (share.count, share.total) for size, share in found.sizes["legible"].items()}
    assert sizes == {"small": (1, 4), "large": (1, 1)}
    assert (found.zoomed.count, found.zoomed.total) == (1, 4)
    assert {size: (share.count, share.total) for size, share in found.zoomed_sizes.items()} == {
        "small": (1, 3),
        "large": (0, 1),
    }
    assert found.zooms == {"0": True, "1": False, "2": False, "3": False}
    assert (found.canonical.count, found.canonical.total) == (4, 6)
    assert (found.cost.turns, found.cost.crops, found.cost.corrections) == (6 / 4, 1 / 4, 1 / 4)
    assert found.crop_frame == 0
    assert found.stop_reasons == {"answered": 4, "error": 1}
    assert found.reward is not None
    plain = json.loads(json.dumps(found.to_dict()))
    assert plain["overall"]["value"] == 0.4
    assert plain["zoomed_sizes"]["small"]["count"] == 1
    assert plain["sizes"]["legible"]["large"]["value"] == 1.0


@pytest.mark.parametrize(("answer", "counted"), [((100, 100), 1), ((200, 200), 1), ((200.01, 150), 0)])
def test_evl_01_the_edges_of_the_box_count_as_in_the_reward(
    answer: tuple[float, float], counted: int, tmp_path: Path
) -> None:
    x, y = 1.28, 0.8
    target = [100 * x, 100 * y, 200 * x, 200 * y]
    found = played(tmp_path, [[point_text(*answer)]], [target])
    assert found.scores.overall.count == counted
    assert found.reward is not None
    assert (found.reward >= 1.0) == bool(counted)


def test_img_25_answers_in_the_frame_of_the_last_crop_are_counted_and_are_no_hits(tmp_path: Path) -> None:
    inside = point_text((507.8 - 400) * 5, (512.5 - 400) * 5)
    replies: list[list[str | Reply]] = [
        [ZOOM, inside], [ELSEWHERE, ZOOM, inside], [inside], [ZOOM, ELSEWHERE, inside], [ZOOM, HIT]
    ]  # fmt: skip
    found = played(tmp_path, replies, [SMALL] * 5)
    assert found.crop_frame == 2
    assert found.scores.overall.count == 1


def test_size_is_judged_as_the_policy_sees_it(tmp_path: Path) -> None:
    for name, limits in (("large", WIDE.limits), ("small", PixelLimits(32, 4 * 1024, 64 * 1024))):
        found = played(tmp_path / name, [[MISS]], [[0, 0, 40, 40]], settings=replace(WIDE, limits=limits))
        assert list(found.sizes["legible"]) == [name]


def test_the_episodes_of_a_batch_are_of_one_arm(tmp_path: Path) -> None:
    batches: list[list[str]] = []

    class Policy:
        def replies(self, envs: Any) -> list[Reply]:
            batches.append([env.settings.arm.value for env in envs])
            return [Reply(MISS, "stop") for _ in envs]

    one = evaluation("rows", tmp_path / "data", arms=("on", "off"))
    run(one, BatchPlayer(Policy(), 2), tmp_path / "out", version="1")
    assert batches == [["on", "on"], ["on"], ["off", "off"], ["off"]]
