"""The judge inside ms-swift: as a registered reward, and in a real GRPO step against a judge on loopback."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from real_step import GENERATIONS, HIT, MISS, REWARDS, Seen, run_a_step, script_the_policy
from swift.rewards import AsyncORM, orms

from judging import DEAD, SOUND, hit_with, miss_with
from scripted_endpoint import MODEL, Answer, fails, says, scripted
from zoomground.data.trajectories import read_records
from zoomground.engines.swift import plugin  # noqa: F401 -- registers
from zoomground.engines.swift.judging import judge_figures
from zoomground.engines.swift.scheduler import TRAJECTORY_KEY
from zoomground.judge.canaries import EMPTY

pytestmark = [pytest.mark.engine, pytest.mark.filterwarnings("ignore")]

THOUGHT = "<think>The red item stands in the middle of the screen, so I point there.</think>\n"
WORDS = [
    [THOUGHT + HIT],
    [THOUGHT + MISS],
    ["<think>It is small; I look at the middle, where the red item is.</think>\nCROP", HIT],
    [HIT],
]
"""A hit with reasons, a miss with reasons, a zoomed hit, a hit without a word."""

CANARY_REQUESTS = 2 * (1 + len(EMPTY))


def judge(_: int, body: dict[str, Any]) -> Answer:
    """0.9 to a zoomed episode, 0.3 to any other."""
    return says(json.dumps({"score": 0.9 if "crop of screenshot" in body["messages"][1]["content"] else 0.3}))


def columns(*trajectories: Any) -> dict[str, Any]:
    infos = [{TRAJECTORY_KEY: one if isinstance(one, str) else one.to_json()} for one in trajectories]
    return {"rollout_infos": infos, "messages": [[] for _ in infos]}


def turn_on(monkeypatch: pytest.MonkeyPatch, base_url: str, **more: str) -> None:
    for name, value in {"API_BASE": base_url, "MODEL": MODEL, "API_KEY": "sk-secret-of-the-judge", **more}.items():
        monkeypatch.setenv(f"ZOOMIN_COT_RM_{name}", value)


def test_the_registered_reward_is_async_and_scores_by_the_judge(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    args = type("Args", (), {"output_dir": str(tmp_path)})
    with scripted(judge) as server:
        turn_on(monkeypatch, server.base_url)
        reward = orms["zoomin_cot_rm"](args=args)
        assert isinstance(reward, AsyncORM)
        assert server.bodies == [], "nothing is contacted before the first batch"
        batch = columns(hit_with(SOUND), miss_with(SOUND), hit_with(":"), "{")
        values = asyncio.run(reward(["?"] * 4, **batch))
        assert values == [0.3, 0.0, 0.0, 0.5]
        assert len(server.bodies) == 1 + CANARY_REQUESTS
        assert (reward.door.unscored, reward.door.unscored_in_batch) == (1, 1)
        # The second epoch, and a second start: nothing is asked.
        assert asyncio.run(reward(["?"] * 4, **batch)) == values
        again = orms["zoomin_cot_rm"](args=args)
        assert asyncio.run(again(["?"] * 4, **batch)) == values
        assert len(server.bodies) == 1 + CANARY_REQUESTS
    figures = judge_figures([reward.judge.take(), again.judge.take()])
    assert figures["zoomin/judge/wanted"] == 3
    assert figures["zoomin/judge/cached"] == 2
    assert figures["zoomin/judge/no_reasoning"] == 3
    assert figures["zoomin/judge/score"] == pytest.approx(0.3)
    assert figures["zoomin/judge/failed_share"] == 0
    assert figures["zoomin/judge/canary_sound"] == 0.9


@pytest.mark.parametrize("base_url", [DEAD, "broken"])
def test_jdg_11_a_judge_that_is_down_costs_no_sample_and_is_not_unscored(
    base_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """JDG-11: training starts and goes on with the neutral score; a step is not refused for it."""
    with scripted([fails(404, "nothing here")]) as server:
        turn_on(monkeypatch, server.base_url if base_url == "broken" else base_url, NEUTRAL_SCORE="0.25")
        reward = orms["zoomin_cot_rm"](args=None)
        values = asyncio.run(reward(["?"] * 3, **columns(hit_with(SOUND), hit_with(SOUND + "!"), miss_with(SOUND))))
    assert values == [0.25, 0.25, 0.0]
    assert reward.door.unscored == 0
    figures = judge_figures([reward.judge.take()])
    assert figures["zoomin/judge/failed_share"] == 1
    assert "zoomin/judge/score" not in figures


def test_the_processes_of_a_run_share_its_concurrency(monkeypatch: pytest.MonkeyPatch) -> None:
    turn_on(monkeypatch, DEAD, CONCURRENCY="10")
    monkeypatch.setattr("torch.distributed.is_initialized", lambda: True)
    monkeypatch.setattr("torch.distributed.get_world_size", lambda: 4)
    monkeypatch.setattr("torch.distributed.get_rank", lambda: 1)
    reward = orms["zoomin_cot_rm"](args=None)
    assert reward.judge._judge.settings.concurrency == 2
    asyncio.run(reward(["?"], **columns(miss_with(SOUND))))
    assert reward.judge.take()[0].requests == 0, "one process asks about the canaries"


def test_a_step_of_the_trainer_is_judged(
    prompts_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """What the judge says is what the trainer weighs and logs; its key is in none of the run's files."""
    script_the_policy(monkeypatch, Seen(), WORDS)
    with scripted(judge) as server:
        turn_on(monkeypatch, server.base_url)
        out, line = run_a_step("qwen3_vl", prompts_file, tmp_path, monkeypatch)
        bodies, keys = list(server.bodies), set(server.keys)
    records = [line.record for line in read_records(out)]
    assert len(records) == 2 * GENERATIONS
    by_generation = [
        {record.rewards["zoomin_cot_rm"] for record in records if record.generation == n} for n in range(4)
    ]
    assert [sorted(round(value, 6) for value in values) for values in by_generation] == [[0.3], [0.0], [0.9], [0.0]]
    for record in records:
        total = sum(REWARDS[name] * value for name, value in record.rewards.items() if value is not None)
        assert record.total == pytest.approx(total)
    assert len(bodies) == 4 + CANARY_REQUESTS, "two hits with reasons of each of two prompts"
    assert all(b"image_url" not in body and b"data:" not in body for body in bodies)
    assert keys == {"Bearer sk-secret-of-the-judge"}
    assert line["rewards/zoomin_cot_rm/mean"] == pytest.approx(0.3)
    assert line["zoomin/judge/wanted"] == 4
    assert line["zoomin/judge/score"] == pytest.approx(0.6)
    assert line["zoomin/judge/failed_share"] == 0
    assert line["zoomin/judge/requests"] == 4 + CANARY_REQUESTS
    assert line["zoomin/alarm/judge"] == 0
    kept = list((out / "judge").rglob("*.json"))
    assert len(kept) == 4 + CANARY_REQUESTS
    said = "".join(capfd.readouterr())
    written = b"".join(path.read_bytes() for path in out.rglob("*") if path.is_file())
    assert "sk-secret" not in said
    assert b"sk-secret" not in written
