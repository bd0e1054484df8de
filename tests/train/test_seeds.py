"""One recipe with several seeds: a run folder each, nothing done twice, one table. Stages are tiny programs here."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path

import pytest
from PIL import Image
from typer.testing import CliRunner

from zoomground.cli.app import app
from zoomground.evaluate.itemised import ItemLine, write_item_lines
from zoomground.recipe import LoadedRecipe, Recipe, load_recipe
from zoomground.report.figures import StepFigures
from zoomground.train import launch, pipeline
from zoomground.train.devices import Devices, Kind
from zoomground.train.folder import RunFolder
from zoomground.train.plan import LaunchPlan, NodePlan, Stage
from zoomground.train.seeds import report_seeds, seed_recipes, seeds_preflight
from zoomground.train.topology import topology_of

ROWS = Path(__file__).parents[2] / "data_samples" / "screens"

RECIPE = f"""
[run]
output_dir = "out"
seed = 5
[model]
build.arch = "qwen3_vl"
model_type = "qwen3_vl"
template = "zoomground_qwen3_vl"
[data]
train = ["{ROWS}/train.jsonl"]
heldout = ["{ROWS}/heldout.jsonl"]
[image]
max_pixels = 40960
[episode]
crop_max_pixels = 40960
[grpo]
steps = 2
"""


@pytest.fixture(autouse=True)
def recipe(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(launch, "POLL_S", 0.02)
    monkeypatch.setattr("zoomground.train.preflight.version_problems", lambda extra: [])
    path = tmp_path / "r.toml"
    path.write_text(RECIPE, encoding="utf-8")
    return path


def finished(root: Path, hits: str, seed: int) -> None:
    """What the stages of a seed leave: four rows on two pages, in both arms, before and after."""
    folder = RunFolder(root, root / "logs")
    before_after = {"start": "0001", "grpo": hits}
    write_item_lines(
        folder.evaluated_items,
        [
            ItemLine(name, arm, str(n), "ppqq"[n], "large" if n == 3 else "small", letter == "1" and arm == "on", n < 2)
            for name, letters in before_after.items()
            for arm in ("on", "off")
            for n, letter in enumerate(letters)
        ],
    )
    folder.evaluation_summary.write_text("{}", encoding="utf-8")
    steps = [StepFigures(step, 8, 0, step / 10, 0.1 * seed, 0.5, 1.0, 0.5, None) for step in (1, 2)]
    (root / "metrics.jsonl").write_text("".join(json.dumps(asdict(one)) + "\n" for one in steps), encoding="utf-8")


def test_every_seed_has_a_folder_of_its_own_and_every_process_is_told(recipe: Path, tmp_path: Path) -> None:
    loaded = load_recipe(recipe, {"LOG_DIR": "logs of all", "MAX_TURNS": "4"})
    runs = seed_recipes(loaded, 3, {"LOG_DIR": "logs of all", "MAX_TURNS": "4"})
    assert list(runs) == [5, 6, 7]
    for seed, one in runs.items():
        folder = RunFolder.of(one)
        assert (folder.root, folder.logs) == (tmp_path / f"out/seed-{seed}", tmp_path / f"logs of all/seed-{seed}")
        assert one.variables["ZOOMIN_RUN_SEED"] == str(seed)
        # What a stage reads from the variables that it is given is what the launcher planned.
        assert load_recipe(recipe, one.variables).recipe == one.recipe
    changed = {
        name for name in ("run", *Recipe.model_fields) if getattr(runs[6].recipe, name) != getattr(loaded.recipe, name)
    }
    assert changed == {"run"}
    assert [path.root.name for path in RunFolder(tmp_path / "out/seed-5", tmp_path).siblings] == []
    (tmp_path / "out/seed-6").mkdir(parents=True)
    assert [path.root.name for path in RunFolder(tmp_path / "out/seed-5", tmp_path).siblings] == ["seed-6"]
    assert RunFolder(tmp_path / "out/other", tmp_path).siblings == []


def stages(monkeypatch: pytest.MonkeyPatch, *, broken: int | None = None) -> None:
    """A plan of two small programs; each notes the seed that it is told. One seed's second stage may break."""

    def plan(loaded: LoadedRecipe) -> LaunchPlan:
        folder, seed = RunFolder.of(loaded), loaded.recipe.run.seed
        stops = "raise SystemExit(1)\n" if seed == broken else ""
        made = [
            Stage(
                name,
                (sys.executable, "-c", f"import os\n{stops if name == 'b' else ''}{note(folder.root, name)}"),
                folder.log(name),
                env=dict(loaded.variables),
                outputs=(folder.root / name,),
            )
            for name in "ab"
        ]
        topology = topology_of(Recipe(), Devices(Kind.CPU))
        return LaunchPlan("r", "h", folder, Path.cwd(), topology, (NodePlan(topology.nodes[0], tuple(made)),))

    monkeypatch.setattr(pipeline, "make_plan", plan)


def note(root: Path, name: str) -> str:
    return f"open({str(root / name)!r}, 'a').write(os.environ['ZOOMIN_RUN_SEED'] + ' ')"


def start(recipe: Path, *words: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, ["train", str(recipe), "--seeds", "2", *words])
    return result.exit_code, result.stdout, result.stderr


def done(tmp_path: Path) -> dict[str, str]:
    files = (path for path in (tmp_path / "out").glob("seed-*/[ab]"))
    return {f"{path.parent.name}/{path.name}": path.read_text(encoding="utf-8") for path in sorted(files)}


def test_a_stopped_start_goes_on_and_does_nothing_twice(
    recipe: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stages(monkeypatch, broken=6)
    code, _, said = start(recipe)
    assert (code, "stage 'b' ended with exit code 1" in said) == (1, True)
    assert done(tmp_path) == {"seed-5/a": "5 ", "seed-5/b": "5 ", "seed-6/a": "6 "}
    stages(monkeypatch)
    for seed, hits in ((5, "1101"), (6, "0111")):
        finished(tmp_path / "out" / f"seed-{seed}", hits, seed)
    code, out, said = start(recipe)
    assert code == 0, said
    assert done(tmp_path) == {"seed-5/a": "5 ", "seed-5/b": "5 ", "seed-6/a": "6 ", "seed-6/b": "6 "}
    assert "grpo - start, arm on" in out
    assert "+66.7 [" in out
    written = {name: (tmp_path / "out" / name).read_bytes() for name in ("seeds.json", "seeds.md", "seeds.png")}
    code, out, _ = start(recipe, "--json")
    assert (code, done(tmp_path)["seed-6/b"]) == (0, "6 ")
    assert {name: (tmp_path / "out" / name).read_bytes() for name in written} == written
    assert json.loads(out) == json.loads(written["seeds.json"])


def test_the_table_of_two_finished_seeds(recipe: Path, tmp_path: Path) -> None:
    loaded = load_recipe(recipe, {})
    runs = seed_recipes(loaded, 2, {})
    for seed, hits in ((5, "1101"), (6, "0111")):
        finished(RunFolder.of(runs[seed]).root, hits, seed)
    report = report_seeds(loaded, runs)
    document = json.loads((tmp_path / "out/seeds.json").read_text(encoding="utf-8"))
    assert document == report.to_dict()
    assert document["runs"] == {"5": "seed-5", "6": "seed-6"}
    small = document["differences"][0]
    assert (small["what"], small["size"]) == ("grpo - start, arm on", "small")
    # Items 0, 1 and 2 over the seeds: 1/2, 1, 1/2; page p 3/4, page q 1/2.
    assert small["pooled"] == pytest.approx({"mean": 2 / 3, "low": 0.5, "high": 0.75, "pairs": 3, "clusters": 2})
    text = (tmp_path / "out/seeds.md").read_text(encoding="utf-8")
    assert "| grpo - start, arm on | small | pooled | +66.7 [+50.0, +75.0] | 3 (2) |" in text
    assert "](seeds.png)" in text
    with Image.open(tmp_path / "out/seeds.png") as picture:
        colors = picture.convert("RGB").getcolors(maxcolors=1 << 20)
    drawn = {color for _, color in colors or ()}
    assert {(31, 119, 180), (255, 127, 14)} <= drawn


def test_without_evaluation_and_training_there_is_no_table_and_no_picture(recipe: Path, tmp_path: Path) -> None:
    loaded = load_recipe(recipe, {"ZOOMIN_DATA_HELDOUT": "[]"})
    report = report_seeds(loaded, seed_recipes(loaded, 2, {"ZOOMIN_DATA_HELDOUT": "[]"}))
    assert (report.tables(), report.picture, (tmp_path / "out/seeds.png").exists()) == ([], None, False)
    assert report.to_dict()["seeds"] == [5, 6]


def test_the_preflight_looks_at_the_folder_of_every_seed(recipe: Path, tmp_path: Path) -> None:
    runs = seed_recipes(load_recipe(recipe, {}), 2, {})
    assert seeds_preflight(runs) == []
    pipeline.claim(RunFolder.of(runs[6]), runs[6])
    assert seeds_preflight(runs) == []
    identity = tmp_path / "out/seed-6/run.json"
    identity.write_text(identity.read_text(encoding="utf-8").replace('"steps": 2', '"steps": 9'), encoding="utf-8")
    (problem,) = seeds_preflight(runs)
    assert "out/seed-6 holds another run" in problem
    assert "grpo.steps 9 -> 2" in problem


def test_dry_run_shows_every_seeds_plan_and_writes_nothing(recipe: Path, tmp_path: Path) -> None:
    code, out, said = start(recipe, "--dry-run")
    assert code == 0, said
    assert out.index("--seed 5") < out.index("seed 6\n") < out.index("--seed 6")
    assert "out/seed-6/grpo" in out
    code, out, _ = start(recipe, "--dry-run", "--json")
    document = json.loads(out)
    assert [one["seed"] for one in document["seeds"]] == [5, 6]
    assert document["seeds"][1]["stages"][-1]["name"] == "report"
    assert document["problems"] == []
    assert [path.name for path in tmp_path.iterdir()] == ["r.toml"]


def test_no_seeds_are_wrong_use(recipe: Path) -> None:
    assert CliRunner().invoke(app, ["train", str(recipe), "--seeds", "0"]).exit_code == 2
