"""What seeds share is played once: the evaluation stage with a policy that counts what it is asked."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from episodes import point_text
from zoomground.data.files import write_bytes
from zoomground.environment import GroundingEnv
from zoomground.evaluate.itemised import read_item_lines
from zoomground.policies.base import Reply
from zoomground.recipe import LoadedRecipe, load_recipe
from zoomground.train.folder import RunFolder
from zoomground.train.pipeline import claim
from zoomground.train.seeds import seed_recipes
from zoomground.train.takeover import take_over

stage = pytest.importorskip("zoomground.train.stages.evaluate", exc_type=ImportError)

asked: Counter[str] = Counter()


class Counting:
    """A checkpoint's policy that always answers the middle, and counts its episodes by checkpoint."""

    def __init__(self, checkpoint: Path, **_: Any) -> None:
        self._name = checkpoint.name

    def replies(self, envs: Sequence[GroundingEnv]) -> list[Reply]:
        asked[self._name] += len(envs)
        return [Reply(point_text(500, 500), "stop") for _ in envs]


@pytest.fixture(autouse=True)
def recipe(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(stage, "LocalPolicy", Counting)
    asked.clear()
    Image.new("RGB", (640, 400)).save(tmp_path / "a.png")
    boxes = ([310, 190, 330, 210], [100, 100, 300, 300], [315, 195, 325, 205])
    rows = [
        {"id": f"{n}", "problem": f"<image>Open {n}", "solution": json.dumps(box), "images": ["a.png"]}
        for n, box in enumerate(boxes)
    ]
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    (tmp_path / "r.toml").write_text(
        "[run]\noutput_dir = 'out'\n[model]\npath = './start'\n[data]\ntrain = ['rows.jsonl']\n"
        "heldout = ['rows.jsonl']\n[grpo]\nsteps = 2\n",
        encoding="utf-8",
    )
    checkpoint(tmp_path / "start", "start")
    return tmp_path / "r.toml"


def checkpoint(folder: Path, weights: str) -> None:
    write_bytes(folder / "config.json", b"{}")
    write_bytes(folder / "model.safetensors", weights.encode())


def evaluated(loaded: LoadedRecipe) -> RunFolder:
    """The stage on a run whose training ended with weights of its own."""
    folder = RunFolder.of(loaded)
    claim(folder, loaded)
    checkpoint(folder.grpo / "checkpoint-2", f"trained with seed {loaded.recipe.run.seed}")
    stage.evaluate(loaded, folder)
    return folder


def test_a_start_that_seeds_share_is_played_once(recipe: Path) -> None:
    runs = seed_recipes(load_recipe(recipe, {}), 2, {})
    first, second = (evaluated(one) for one in runs.values())
    # Three rows in two arms, of the start once, of what each seed trained.
    assert asked == {"start": 6, "checkpoint-2": 12}
    assert read_item_lines(first.evaluated_items) == read_item_lines(second.evaluated_items)
    assert len(read_item_lines(first.evaluated_items)) == 12
    summary = json.loads(second.evaluation_summary.read_text(encoding="utf-8"))
    assert [one["name"] for one in summary["results"]] == ["start", "start", "grpo", "grpo"]
    difference = summary["differences"][0]
    assert difference["difference"]["clusters"] == 1
    assert {size: one["pairs"] for size, one in difference["by_size"].items()} == {"small": 2, "large": 1}
    evaluated(runs[1])
    assert asked == {"start": 6, "checkpoint-2": 12}


def test_at_most_so_many_rows(recipe: Path) -> None:
    folder = evaluated(load_recipe(recipe, {"ZOOMIN_EVALUATE_ROWS": "2"}))
    assert asked == {"start": 4, "checkpoint-2": 4}
    assert len({line.item for line in read_item_lines(folder.evaluated_items)}) == 2


@pytest.mark.parametrize(
    ("environ", "name"),
    [
        ({"ZOOMIN_EVALUATE_ARMS": "on"}, "seed-1"),
        ({"ZOOMIN_CALL_COST": "0.1"}, "seed-1"),
        ({}, "elsewhere"),
    ],
)
def test_another_recipe_or_another_place_shares_nothing(recipe: Path, environ: dict[str, str], name: str) -> None:
    evaluated(seed_recipes(load_recipe(recipe, {}), 1, {})[0])
    asked.clear()
    evaluated(load_recipe(recipe, {"ZOOMIN_RUN_SEED": "1", "ZOOMIN_RUN_OUTPUT_DIR": f"out/{name}", **environ}))
    assert asked["start"] == (3 if "ZOOMIN_EVALUATE_ARMS" in environ else 6)


def test_another_start_is_played(recipe: Path, tmp_path: Path) -> None:
    runs = seed_recipes(load_recipe(recipe, {}), 2, {})
    evaluated(runs[0])
    checkpoint(tmp_path / "start", "other")
    evaluated(runs[1])
    assert asked["start"] == 12


def test_what_was_begun_stays_and_what_is_unfinished_is_not_taken(recipe: Path) -> None:
    runs = seed_recipes(load_recipe(recipe, {}), 2, {})
    source = evaluated(runs[0]).evaluated("start")
    card = json.loads((source / "run.json").read_bytes())
    other = RunFolder.of(runs[1])
    claim(other, runs[1])
    out = other.evaluated("start")
    write_bytes(out / "results.jsonl", b"")
    assert take_over(runs[1], other, out, card) is None
    (out / "results.jsonl").unlink()
    (source / "results.json").rename(source / "put away")
    assert take_over(runs[1], other, out, card) is None
    (source / "put away").rename(source / "results.json")
    assert take_over(runs[1], other, out, card) == source
