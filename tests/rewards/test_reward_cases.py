"""The worked values of the shared case file, every row to 1e-6."""

from __future__ import annotations

import json
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from reward_episodes import Look, episode

from zoomground.geometry import Box, Size
from zoomground.rewards import REWARDS, RewardSettings, hit
from zoomground.task import Difficulty

if TYPE_CHECKING:
    from zoomground.trajectory import Trajectory

CASES = Path(__file__).parents[2] / ".." / "shared" / "cases" / "rewards.jsonl"
ROWS = [json.loads(line) for line in CASES.read_text("utf-8").splitlines()] if CASES.exists() else []


def trajectory_of(row: dict[str, Any]) -> Trajectory:
    turns = [
        [Look(*crop["box_px"], shown=Size(*crop["shown"])) for crop in crops]
        for _, crops in groupby(row["crops"], key=lambda crop: crop["turn"])
    ]
    difficulty = Difficulty(row["difficulty"]) if "difficulty" in row else None
    return episode(
        *turns,
        answer=tuple(row["answer_norm"]),
        target=Box(*row["target_px"]),
        screen=Size(*row["screen"]),
        view=Size(*row["view"]),
        difficulty=difficulty,
    )


@pytest.mark.skipif(not ROWS, reason="the shared case file is not here")
def test_the_case_file_was_read() -> None:
    assert len(ROWS) >= 40


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['id']}-{row['kind']}")
def test_worked_values(row: dict[str, Any]) -> None:
    trajectory = trajectory_of(row)
    assert hit(trajectory) is row["hit"]
    scores = {name: REWARDS[name](RewardSettings())(trajectory) for name in row["expected"]}
    assert scores == pytest.approx(row["expected"], abs=1e-6)
