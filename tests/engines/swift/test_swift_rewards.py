"""The registered rewards in ms-swift's own scoring: finite floats for every sample, equal to the pure functions."""

from __future__ import annotations

import math
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
import torch
from PIL import Image
from swift.infer_engine.protocol import RolloutInferRequest
from swift.rewards import orms
from swift.rl_core.data import GRPOSample
from swift.rl_core.grpo_algorithm import score_completions
from swift_loops import LOOPS, Said

from zoomground.engines.swift import plugin  # noqa: F401 -- registers
from zoomground.engines.swift.scheduler import TRAJECTORY_KEY
from zoomground.rewards import REWARDS, Rubric
from zoomground.trajectory import Trajectory

pytestmark = pytest.mark.engine

NAMES = tuple(REWARDS)
HIT, MISS = "[500.00,500.00]", "[1.00,1.00]"
CROP = '<action>crop_image(image_path="screen.png", x1=450.00, y1=450.00, x2=550.00, y2=550.00)</action>'
SCRIPTS = {
    "hit": [Said(HIT)],
    "zoomed": [Said(CROP), Said(HIT)],
    "miss": [Said(MISS)],
    "cut": [Said("[1.0", finish_reason="length")],
    "loose": [Said("(500, 500)")],
}


@pytest.fixture(scope="module")
def screen(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("screens") / "screen.png"
    Image.new("RGB", (640, 400), "white").save(path)
    return path


def samples(
    screen: Path, loop: Any, *, break_one: bool = False, scripts: dict[str, list[Said]] = SCRIPTS
) -> list[GRPOSample]:
    rows = {
        key: {
            "messages": [{"role": "user", "content": "<image>Open it"}],
            "images": [{"bytes": None, "path": str(screen if key != "miss" or not break_one else "gone.png")}],
            "solution": "[316,196,324,204]",
        }
        for key in scripts
    }
    made = {key: GRPOSample.from_row(row) for key, row in rows.items()}
    requests: dict[str, RolloutInferRequest] = {}
    for key, sample in made.items():
        sample.request_id = key
        requests[key] = sample.to_infer_request(include_extra=True)
    outputs, _, _ = loop(requests, scripts)
    for key, sample in made.items():
        sample.apply_rollout_output(rollout_output=outputs[key])
    return list(made.values())


def score(some: list[GRPOSample], functions: list[Any]) -> torch.Tensor:
    return score_completions(
        some, functions, [None] * len(functions), use_gym_env=False, device=torch.device("cpu"), trainer_state=object()
    )


@pytest.mark.parametrize("loop", LOOPS.values(), ids=LOOPS)
def test_the_trainer_scores_what_the_rubric_scores(screen: Path, loop: Any) -> None:
    some = samples(screen, loop)
    scored = score(some, [orms[name](args=None) for name in NAMES])
    rubric = Rubric(dict.fromkeys(NAMES, 1.0))
    for sample, row in zip(some, scored.tolist(), strict=True):
        record = Trajectory.from_json(sample.rollout_infos[TRAJECTORY_KEY])
        expected = [value or 0.0 for value in rubric.score(record).values.values()]
        assert row == pytest.approx(expected), sample.request_id
    accuracy = dict(zip(SCRIPTS, scored[:, NAMES.index("zoomin_accuracy")].tolist(), strict=True))
    assert accuracy == {"hit": 1.0, "zoomed": 1.0, "miss": 0.0, "cut": 0.0, "loose": 1.0}
    shape = dict(zip(SCRIPTS, scored[:, NAMES.index("zoomin_format")].tolist(), strict=True))
    assert shape == {"hit": 1.0, "zoomed": 1.0, "miss": 1.0, "cut": 0.0, "loose": 0.0}
    bonus = dict(zip(SCRIPTS, scored[:, NAMES.index("zoomin_zoom_bonus")].tolist(), strict=True))
    assert bonus["zoomed"] == 1.0
    assert bonus["hit"] == 0.0


def test_a_group_in_which_all_miss_has_a_slope_with_dense_distance_and_none_without(screen: Path) -> None:
    answers = {f"miss{number}": [Said(f"[{500 + 60 * number}.00,500.00]")] for number in (1, 2, 3)}
    some = samples(screen, LOOPS["trainer"], scripts=answers)
    names = [name for name in NAMES if name != "dense_distance"]
    flat = score(some, [orms[name](args=None) for name in names])
    assert flat.std(dim=0).max().item() == 0
    slope = score(some, [orms["dense_distance"](args=None)]).squeeze(1).tolist()
    assert 0.5 > slope[0] > slope[1] > slope[2] > 0


def test_a_failed_episode_scores_nothing_and_stays_finite(screen: Path) -> None:
    some = samples(screen, LOOPS["server"], break_one=True)
    scored = score(some, [orms[name](args=None) for name in NAMES])
    assert torch.isfinite(scored).all()
    failed = scored[list(SCRIPTS).index("miss")]
    assert failed.tolist() == [0.5 if name == "zoomin_cot_rm" else 0.0 for name in NAMES]


@pytest.mark.parametrize(
    "infos", [{TRAJECTORY_KEY: "{"}, {TRAJECTORY_KEY: 7}, {}, None, {TRAJECTORY_KEY: '{"schema": 99}'}]
)
def test_rl_23_one_bad_sample_does_not_fail_the_batch(screen: Path, infos: Any) -> None:
    some = samples(screen, LOOPS["trainer"])
    good = score(some, [orms["zoomin_accuracy"](args=None)])
    some[1].rollout_infos = deepcopy(infos)
    function = orms["zoomin_accuracy"](args=None)
    scored = score(some, [function])
    assert function.door.unscored == 1
    assert scored[1].item() == 0.0
    others = [index for index in range(len(some)) if index != 1]
    assert scored[others].tolist() == good[others].tolist()


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_a_value_that_is_no_number_counts_as_unscored(
    screen: Path, value: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    function = orms["zoomin_accuracy"](args=None)
    monkeypatch.setattr(function.door, "_reward", lambda _: value)
    scored = score(samples(screen, LOOPS["trainer"])[:1], [function])
    assert scored.tolist() == [[0.0]]
    assert function.door.unscored == 1


def test_rl_21_a_reward_that_does_not_apply_is_zero(screen: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    function = orms["zoomin_accuracy"](args=None)
    given = iter([1.0, None, 0.0])
    monkeypatch.setattr(function.door, "_reward", lambda _: next(given))
    assert score(samples(screen, LOOPS["trainer"])[:3], [function]).tolist() == [[1.0], [0.0], [0.0]]
    assert function.door.unscored == 0


@pytest.mark.parametrize("name", NAMES)
def test_rl_21_rl_23_every_reward_is_a_finite_float_whatever_breaks(
    screen: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """RL-23: a fault costs its sample only. It earns 0, the judge's reward its neutral score, and it is counted."""
    function = orms[name](args=None)
    calls = iter(range(9))
    scored = function.door._reward

    def times_out(trajectory: Trajectory) -> float | None:
        if next(calls) == 1:
            raise TimeoutError("the judge did not answer")
        return scored(trajectory)

    some = samples(screen, LOOPS["trainer"])[:3]
    expected = score(some, [orms[name](args=None)]).tolist()
    monkeypatch.setattr(function.door, "_reward", times_out)
    values = score(some, [function])
    assert torch.isfinite(values).all()
    assert values[1].item() == (0.5 if name == "zoomin_cot_rm" else 0.0)
    assert [values.tolist()[0], values.tolist()[2]] == [expected[0], expected[2]]
    assert (function.door.unscored, function.door.unscored_in_batch) == (1, 1)
    assert function.door.last_failure == "TimeoutError: the judge did not answer"
    score(some[:1], [function])
    assert (function.door.unscored, function.door.unscored_in_batch) == (1, 0)


@pytest.mark.parametrize(("text", "reward"), [(HIT, 1.0), (MISS, 0.0), ("(500, 500)", 1.0), ("no idea", 0.0)])
def test_training_without_the_scheduler_is_scored_from_the_text(screen: Path, text: str, reward: float) -> None:
    function = orms["zoomin_accuracy"](args=None)
    columns = {
        "messages": [[{"role": "user", "content": "<image>Open it"}, {"role": "assistant", "content": text}]],
        "images": [[{"bytes": None, "path": str(screen)}]],
        "solution": ["[316,196,324,204]"],
        "finish_reason": ["stop"],
    }
    assert function([text], **columns, trainer_state=object()) == [reward]


def test_numbers_of_the_environment_reach_the_rewards(screen: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    zoomed = samples(screen, LOOPS["trainer"])[1:2]
    before = score(zoomed, [orms["zoomin_crop_process_gated"](args=None)]).item()
    monkeypatch.setenv("ZOOMIN_CALL_COST", "0.25")
    after = score(zoomed, [orms["zoomin_crop_process_gated"](args=None)]).item()
    assert before - after == pytest.approx(0.2)
