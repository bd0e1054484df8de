"""Stages are done once, a stopped run goes on, a run folder belongs to one run. Stages are tiny programs here."""

import sys
from pathlib import Path

import pytest

from zoomground.errors import LaunchError
from zoomground.recipe import LoadedRecipe, Recipe, load_recipe
from zoomground.train import launch, pipeline
from zoomground.train.devices import Devices, Kind
from zoomground.train.folder import RunFolder
from zoomground.train.plan import LaunchPlan, NodePlan, Stage
from zoomground.train.progress import Progress
from zoomground.train.topology import topology_of


class Diary:
    """A display that remembers."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def begin(self, stage: Stage) -> None:
        self.lines.append(f"begin {stage.name}")

    def watch(self, progress: Progress) -> None:
        pass

    def end(self, stage: Stage, seconds: float | None) -> None:
        self.lines.append(f"{'before' if seconds is None else 'done'} {stage.name}")


@pytest.fixture
def loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> LoadedRecipe:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(launch, "POLL_S", 0.02)
    return recipe(tmp_path)


def recipe(tmp_path: Path, extra: str = "") -> LoadedRecipe:
    (tmp_path / "rows.jsonl").touch()
    path = tmp_path / "r.toml"
    path.write_text(f"[run]\noutput_dir = 'out'\n[data]\ntrain = ['rows.jsonl']\n{extra}", encoding="utf-8")
    return load_recipe(path, {})


def plan_of(monkeypatch: pytest.MonkeyPatch, *stages: tuple[str, str]) -> None:
    """Put a plan of small programs in place of the real one: (name, program); a stage makes the file of its name."""

    def plan(loaded: LoadedRecipe) -> LaunchPlan:
        folder = RunFolder.of(loaded)
        made = [
            Stage(name, (sys.executable, "-c", program), folder.log(name), outputs=(folder.root / name,))
            for name, program in stages
        ]
        return plan_on_a_cpu(folder, *made)

    monkeypatch.setattr(pipeline, "make_plan", plan)


def plan_on_a_cpu(folder: RunFolder, *stages: Stage) -> LaunchPlan:
    topology = topology_of(Recipe(), Devices(Kind.CPU))
    return LaunchPlan("r", "h", folder, Path.cwd(), topology, (NodePlan(topology.nodes[0], stages),))


def makes(name: str) -> str:
    return f"open('out/{name}', 'a').write('x')"


def run(loaded: LoadedRecipe) -> list[str]:
    diary = Diary()
    try:
        pipeline.run(loaded, diary)
    except LaunchError as error:
        diary.lines.append(str(error).partition(";")[0])
    return diary.lines


def test_stages_run_once(loaded: LoadedRecipe, monkeypatch: pytest.MonkeyPatch) -> None:
    plan_of(monkeypatch, ("a", makes("a")), ("b", makes("b")))
    assert run(loaded) == ["begin a", "done a", "begin b", "done b"]
    assert run(loaded) == ["before a", "before b"]
    assert Path("out/a").read_text(encoding="utf-8") == "x"


def test_a_failed_run_goes_on_where_it_failed(loaded: LoadedRecipe, monkeypatch: pytest.MonkeyPatch) -> None:
    plan_of(monkeypatch, ("a", makes("a")), ("b", "raise SystemExit(1)"), ("c", makes("c")))
    assert run(loaded) == ["begin a", "done a", "begin b", "stage 'b' ended with exit code 1"]
    plan_of(monkeypatch, ("a", makes("a")), ("b", makes("b")), ("c", makes("c")))
    assert run(loaded) == ["before a", "begin b", "done b", "begin c", "done c"]


def test_a_stage_whose_result_was_removed_runs_again(loaded: LoadedRecipe, monkeypatch: pytest.MonkeyPatch) -> None:
    plan_of(monkeypatch, ("a", makes("a")))
    run(loaded)
    Path("out/a").unlink()
    assert run(loaded) == ["begin a", "done a"]


def test_a_stage_that_makes_nothing_is_an_error(loaded: LoadedRecipe, monkeypatch: pytest.MonkeyPatch) -> None:
    plan_of(monkeypatch, ("a", "pass"))
    assert "ended without" in run(loaded)[-1]
    assert run(loaded)[0] == "begin a"


def test_another_recipe_in_the_same_folder_is_refused(
    loaded: LoadedRecipe, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan_of(monkeypatch, ("a", makes("a")))
    run(loaded)
    changed = recipe(tmp_path, "[grpo]\nsteps = 7\n")
    with pytest.raises(LaunchError, match=r"grpo\.steps 0 -> 7.*ZOOMIN_RUN_OUTPUT_DIR"):
        pipeline.run(changed, Diary())


def test_other_rows_in_the_same_folder_are_refused(
    loaded: LoadedRecipe, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan_of(monkeypatch, ("a", makes("a")))
    run(loaded)
    (tmp_path / "rows.jsonl").write_text("{}\n", encoding="utf-8")
    with pytest.raises(LaunchError, match=r"rows\.1 rows\.jsonl"):
        pipeline.run(loaded, Diary())


def test_another_log_folder_is_the_same_run(
    loaded: LoadedRecipe, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan_of(monkeypatch, ("a", makes("a")))
    run(loaded)
    again = load_recipe(tmp_path / "r.toml", {"LOG_DIR": str(tmp_path / "elsewhere")})
    assert run(again) == ["before a"]


def test_a_training_that_was_stopped_after_its_last_step_is_not_started_again(
    loaded: LoadedRecipe, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def plan(loaded: LoadedRecipe) -> LaunchPlan:
        folder = RunFolder.of(loaded)
        argv = (sys.executable, "-c", "raise SystemExit('trained on')")
        stage = Stage("sft", argv, folder.log("sft"), metrics=folder.sft / "logging.jsonl", steps=4)
        return plan_on_a_cpu(folder, stage)

    monkeypatch.setattr(pipeline, "make_plan", plan)
    for step in (2, 4):
        checkpoint = tmp_path / "out" / "sft" / f"checkpoint-{step}"
        checkpoint.mkdir(parents=True)
        (checkpoint / "trainer_state.json").write_text(f'{{"global_step": {step}}}')
    assert run(loaded) == ["begin sft", "done sft"]
    assert run(loaded) == ["before sft"]


def test_a_training_that_was_stopped_before_its_last_step_goes_on(
    loaded: LoadedRecipe, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def plan(loaded: LoadedRecipe) -> LaunchPlan:
        folder = RunFolder.of(loaded)
        argv = (sys.executable, "-c", makes("went-on"))
        stage = Stage("sft", argv, folder.log("sft"), metrics=folder.sft / "logging.jsonl", steps=4)
        return plan_on_a_cpu(folder, stage)

    monkeypatch.setattr(pipeline, "make_plan", plan)
    checkpoint = tmp_path / "out" / "sft" / "checkpoint-2"
    checkpoint.mkdir(parents=True)
    (checkpoint / "trainer_state.json").write_text('{"global_step": 2}')
    run(loaded)
    assert Path("out/went-on").exists()
