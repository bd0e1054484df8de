"""The loop against the engine's own OpenAI server: a tiny checkpoint behind ``swift deploy``; ask, eval, collect."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

pytest.importorskip("torch")
pytest.importorskip("openai")
pytest.importorskip("swift")

import served
from episodes import crop_text, screenshot, task
from zoomground.cli.app import app
from zoomground.data.trajectories import read_records
from zoomground.environment import GroundingEnv
from zoomground.evaluate.log import read_results
from zoomground.images import load_screenshot
from zoomground.policies.base import Trouble
from zoomground.policies.endpoint import Endpoint, EndpointPolicy
from zoomground.rollout import ask
from zoomground.trajectory import StopReason

pytestmark = pytest.mark.engine

SETTINGS = served.SETTINGS
SCREEN = served.SCREEN
INSTRUCTION = "Open the File menu"
TOKENS = 12


def test_ask_reads_the_same_as_the_checkpoint_played_here(base_url: str, checkpoint: Path, shot: Path) -> None:
    """Greedy replies of server and local engine agree, so both put the same tokens and pixels before the model."""
    from zoomground.engines.local import LocalPolicy

    asked = ask(shot, INSTRUCTION, endpoint=Endpoint(base_url, served.MODEL, max_tokens=TOKENS), settings=SETTINGS)
    loaded = load_screenshot(shot)
    local = LocalPolicy(checkpoint, max_new_tokens=TOKENS)
    (reply,) = local.replies([GroundingEnv(asked.trajectory.task, loaded, SETTINGS)])
    assert asked.replies[0].text == reply.text
    assert asked.trajectory.stop_reason is StopReason.LENGTH
    assert asked.usage.completion_tokens == TOKENS
    assert asked.usage.prompt_tokens > served.LIMITS.image_tokens(SCREEN)


def test_a_conversation_with_a_crop_reads_the_same(base_url: str, checkpoint: Path, shot: Path) -> None:
    from zoomground.engines.local import LocalPolicy

    episode = GroundingEnv(task(SCREEN), load_screenshot(shot), SETTINGS)
    episode.step(crop_text(100, 100, 600, 700))
    assert episode.views.crop_count == 1

    async def reply() -> str:
        async with EndpointPolicy(Endpoint(base_url, served.MODEL, max_tokens=TOKENS)) as policy:
            return (await policy.reply(episode)).text

    (local,) = LocalPolicy(checkpoint, max_new_tokens=TOKENS).replies([episode])
    assert asyncio.run(reply()) == local.text


def test_its_errors_have_their_names(base_url: str, shot: Path) -> None:
    unknown = ask(shot, INSTRUCTION, endpoint=Endpoint(base_url, "other"), settings=SETTINGS)
    assert unknown.replies[0].trouble is Trouble.UNKNOWN_MODEL
    assert unknown.trajectory.failure.endswith(f"it serves: {served.MODEL}")
    wrong = ask(shot, INSTRUCTION, endpoint=Endpoint(base_url.removesuffix("/v1"), served.MODEL), settings=SETTINGS)
    assert wrong.replies[0].trouble is Trouble.WRONG_URL
    long = ask(shot, "menu " * 5000, endpoint=Endpoint(base_url, served.MODEL), settings=SETTINGS)
    assert long.trajectory.stop_reason is StopReason.CONTEXT_BUDGET, long.trajectory.failure


@pytest.mark.parametrize("by", ["endpoint", "checkpoint"])
def test_collect_samples_different_replies(
    by: str, base_url: str, checkpoint: Path, shot: Path, tmp_path: Path
) -> None:
    rows = tmp_path / "rows.jsonl"
    row = {"problem": f"<image>{INSTRUCTION}", "solution": "[1,1,9,9]", "images": [shot.name]}
    rows.write_text(json.dumps(row) + "\n", encoding="utf-8")
    limits = {"MIN_PIXELS": str(served.LIMITS.min_pixels), "MAX_PIXELS": str(served.LIMITS.max_pixels)}
    arguments = ["collect", rows, "--out", tmp_path / "out", "--n", 4, "--max-tokens", TOKENS, "--seed", 3, "--json"]
    who = {"endpoint": ["--base-url", base_url, "--model", served.MODEL], "checkpoint": ["--checkpoint", checkpoint]}
    words = [str(word) for word in [*arguments, *who[by]]]
    result = CliRunner().invoke(app, words, env=limits, catch_exceptions=False)
    assert result.exit_code == 0, result.stderr
    figures = json.loads(result.stdout)
    assert (figures["episodes"], figures["failed"]) == (4, 0)
    texts = [line.record.trajectory.turns[0].text for line in read_records(tmp_path / "out")]
    assert len(set(texts)) > 1


def test_eval_of_the_server_is_eval_of_the_checkpoint(base_url: str, checkpoint: Path, tmp_path: Path) -> None:
    """Greedy, in both arms: the same words turn by turn, so the same verdicts and tables."""
    for number in range(3):
        screenshot(SCREEN, seed=number).pixels.save(tmp_path / f"{number}.png")
    rows = [
        {"id": f"{n}", "problem": f"<image>{INSTRUCTION}", "solution": "[1,1,90,60]", "images": [f"{n}.png"]}
        for n in range(3)
    ]
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    limits = {"MIN_PIXELS": str(served.LIMITS.min_pixels), "MAX_PIXELS": str(served.LIMITS.max_pixels)}
    found = {}
    for name, who in (
        ("endpoint", ["--base-url", base_url, "--model", served.MODEL, "--concurrency", 2]),
        ("checkpoint", ["--checkpoint", checkpoint, "--concurrency", 1]),
    ):
        out = tmp_path / name
        words = [
            "eval",
            "rows",
            "--data",
            tmp_path / "rows.jsonl",
            "--out",
            out,
            "--max-tokens",
            TOKENS,
            *who,
            "--json",
        ]
        result = CliRunner().invoke(app, [str(word) for word in words], env=limits, catch_exceptions=False)
        assert result.exit_code == 0, result.stderr
        arms = json.loads(result.stdout)["arms"]
        assert [arm["verdicts"]["error"] for arm in arms.values()] == [0, 0]
        turns = {place: [turn.text for turn in one.trajectory.turns] for place, one in read_results(out).items()}
        found[name] = (turns, {arm: one["verdicts"] for arm, one in arms.items()})
    assert found["endpoint"] == found["checkpoint"]
    assert set(found["endpoint"][0]) == {(arm, f"{n}") for arm in ("on", "off") for n in range(3)}
