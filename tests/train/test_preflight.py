"""What the preflight finds, and that it finds nothing wrong with a good set-up."""

import json
from pathlib import Path

import pytest
from PIL import Image

from judging import DEAD, scores
from scripted_endpoint import MODEL, fails, scripted
from zoomground.geometry import Size
from zoomground.recipe import load_recipe
from zoomground.train import hardware
from zoomground.train import preflight as module
from zoomground.train.context import context_of
from zoomground.train.folder import RunFolder
from zoomground.train.pipeline import claim
from zoomground.train.preflight import preflight

GOOD = """
[run]
output_dir = "out"
[model]
build.arch = "qwen3_vl"
max_length = 2048
[data]
train = ["rows.jsonl"]
[image]
max_pixels = 40960
[grpo]
steps = 2
max_completion_length = 96
[episode]
crop_max_pixels = 40960
[engine]
dtype = "float32"
"""


def rows(folder: Path, *, count: int = 1, solution: str = "[10,10,30,30]", size: tuple[int, int] = (640, 400)) -> None:
    Image.new("RGB", size, "white").save(folder / "a.png")
    row = {"problem": "<image>Open the File menu", "solution": solution, "images": ["a.png"]}
    (folder / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for _ in range(count)), encoding="utf-8")


def check(folder: Path, **environ: str) -> list[str]:
    path = folder / "r.toml"
    if not path.exists():
        path.write_text(GOOD, encoding="utf-8")
    return preflight(load_recipe(path, environ), environ)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    # What is installed where the tests run is not what these tests are about.
    for place in (module, hardware):
        monkeypatch.setattr(place, "version_problems", lambda extra: [])
    rows(tmp_path)
    return tmp_path


def test_a_good_set_up_has_no_problems(folder: Path) -> None:
    assert check(folder) == []
    assert check(folder, NNODES="1", VLLM_TP="1", USE_ASCEND_NPU="0") == []


@pytest.mark.parametrize(
    ("environ", "expected"),
    [
        ({"VLLM_TP": "2"}, "2 devices (VLLM_TP x VLLM_DP), and this machine shows no GPU"),
        ({"USE_ASCEND_NPU": "1", "ZOOMIN_CLUSTER_DEVICES": "2"}, "this machine has no NPU: the plan takes 2 a node"),
        ({"ZOOMIN_ENGINE_MODE": "server"}, "engine.mode is server, and this machine has no accelerator"),
        ({"ZOOMIN_GRPO_MICRO_BATCH_SIZE": "7"}, "32 rollouts of a step (4 prompts x 8 generations) do not spread"),
        ({"ZOOMIN_GRPO_STEPS": "0"}, "nothing to train"),
        (
            {"ZOOMIN_SFT_STEPS": "1", "ZOOMIN_SFT_MICRO_BATCH_SIZE": "5"},
            "sft.micro_batch_size 5: it is no multiple of 5",
        ),
        ({"MAX_LENGTH": "256"}, "context budget"),
        ({"MODEL_PATH": "./nowhere"}, "nowhere: no checkpoint there"),
        ({"MODEL_PATH": "./nowhere", "ZOOMIN_MODEL_BUILD_ARCH": "qwen3_5"}, "choose one"),
        ({"DATASETS": "rows.jsonl nowhere.jsonl"}, "nowhere.jsonl"),
    ],
)
def test_problems_are_found_and_named(folder: Path, environ: dict[str, str], expected: str) -> None:
    found = check(folder, **environ)
    assert len(found) == 1
    assert expected in found[0]


def test_dynamic_sampling_needs_a_batch_of_prompts(folder: Path) -> None:
    rows(folder, count=3)
    assert check(folder) == []
    (found,) = check(folder, ZOOMIN_GRPO_DYNAMIC_SAMPLE="true")
    assert found.startswith("grpo.dynamic_sample draws batches of 4 prompts (grpo.prompts_per_step), data.train has 3")
    assert check(folder, ZOOMIN_GRPO_DYNAMIC_SAMPLE="true", ZOOMIN_GRPO_STEPS="0", ZOOMIN_SFT_STEPS="2") == []
    rows(folder, count=4)
    assert check(folder, ZOOMIN_GRPO_DYNAMIC_SAMPLE="true") == []


def test_a_writer_of_events_that_is_missing_is_named(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        module, "version_problems", lambda extra: ["tensorboard is missing"] if extra == "tensorboard" else []
    )
    assert check(folder) == []
    assert check(folder, ZOOMIN_RUN_REPORT_TO="tensorboard") == ["tensorboard is missing"]


def test_every_problem_at_once(folder: Path) -> None:
    wrong = {"NNODES": "2", "MASTER_ADDR": "gw0", "ZOOMIN_GRPO_MICRO_BATCH_SIZE": "7", "ZOOMIN_ENGINE_ZERO": "0"}
    found = check(folder, **wrong, DATASETS="nowhere.jsonl")
    assert [problem.split()[0] for problem in found] == ["this", "the", f"{folder}/nowhere.jsonl:"]


def test_bad_rows_name_file_line_and_field(folder: Path) -> None:
    """DAT-05, DAT-07: before training."""
    rows(folder, solution="[600,10,700,30]")
    assert "rows.jsonl:1: field 'solution'" in check(folder)[0]


def test_many_bad_rows_are_cut_short(folder: Path) -> None:
    rows(folder, count=9, solution="[600,10,700,30]")
    found = check(folder)
    assert len(found) == module.SHOWN_ERRORS + 1
    assert "9 errors in all" in found[-1]


def test_empty_rows(folder: Path) -> None:
    (folder / "rows.jsonl").write_text("\n", encoding="utf-8")
    assert "holds no rows" in check(folder)[0]


def test_checkpoints(folder: Path) -> None:
    (folder / "r.toml").write_text(GOOD.replace('build.arch = "qwen3_vl"\n', ""), encoding="utf-8")
    assert "no checkpoint: set model.path" in check(folder)[0]
    assert "config.json is missing" in check(folder, MODEL_PATH="./model")[0]
    (folder / "model").mkdir()
    (folder / "model" / "config.json").write_text("{}")
    assert check(folder, MODEL_PATH="./model") == []
    processor = {"image_processor": {"patch_size": 14, "merge_size": 2}}
    (folder / "model" / "processor_config.json").write_text(json.dumps(processor))
    assert "image.factor is 32, the processor of" in check(folder, MODEL_PATH="./model")[0]
    assert check(folder, MODEL_PATH="./model", ZOOMIN_IMAGE_FACTOR="28") == []
    assert check(folder, MODEL_PATH="Some/Hub-Model") == []


def test_context_grows_with_screenshot_and_crops() -> None:
    recipe = load_recipe(environ={}).recipe
    small, large = (
        context_of(recipe, [Size(1280, 800)]).total,
        context_of(recipe, [Size(1280, 800), Size(3840, 2160)]).total,
    )
    assert large - small == 120 * 68 - 40 * 25
    fewer = load_recipe(environ={"ZOOMIN_MAX_TOOL_CALLS": "2"}).recipe
    assert small - context_of(fewer, [Size(1280, 800)]).total > 4_000_000 // 1024


def test_an_unshowable_screenshot(folder: Path) -> None:
    rows(folder, size=(9000, 40), solution="[1,1,5,5]")
    assert "thinner than 200:1" in check(folder)[0]


def test_another_run_in_the_folder_is_found_before_the_start(folder: Path) -> None:
    check(folder)
    loaded = load_recipe(folder / "r.toml", {})
    claim(RunFolder.of(loaded), loaded)
    assert check(folder) == []
    assert "MAX_TURNS" not in check(folder, MAX_TURNS="3")[0]
    assert "episode.max_turns 6 -> 3" in check(folder, MAX_TURNS="3")[0]


def test_disk(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module.shutil, "disk_usage", lambda _: type("Usage", (), {"free": 1000})())
    assert "disk: checkpoints need about 0.2 GB" in check(folder)[0]


def judged(*base_urls: str, **more: str) -> dict[str, str]:
    named = {"API_BASE": " ".join(base_urls), "MODEL": MODEL, "API_KEY": "sk-secret-of-the-judge"} | more
    return {f"ZOOMIN_COT_RM_{name}": value for name, value in named.items()}


def test_a_judge_is_asked_once(folder: Path) -> None:
    with scripted([scores(0.8)]) as server:
        assert check(folder, **judged(server.base_url)) == []
    assert len(server.bodies) == 1


def test_jdg_17_a_judge_that_gives_no_verdict_is_a_problem_that_says_what_to_do(folder: Path) -> None:
    """JDG-17: the address is not guessed; JDG-11: it is found before anything starts, not in the trainer."""
    with scripted([fails(401, "sk-secret-of-the-judge is no key")]) as server:
        root = server.base_url.removesuffix("/v1")
        first, second = check(folder, **judged(root, server.base_url))
    assert f"judge (ZOOMIN_COT_RM_API_BASE) {root}: wrong_url: there is nothing at {root}" in first
    assert "for most servers it ends in /v1" in first
    assert "unauthorized: " in second
    assert "set ZOOMIN_COT_RM_API_KEY" in second
    assert "sk-secret" not in first + second


def test_one_judge_that_answers_is_enough_and_the_others_are_named(
    folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with scripted([scores(0.8)]) as server:
        assert check(folder, **judged(DEAD, server.base_url)) == []
    (record,) = caplog.records
    assert f"judge (ZOOMIN_COT_RM_API_BASE) {DEAD}: connection: " in record.message
    assert "the other endpoints are asked in its place" in record.message


@pytest.mark.parametrize(
    "environ",
    [
        {"ZOOMIN_REWARDS_WEIGHTS": "zoomin_accuracy=1"},
        {"NNODES": "2", "NODE_RANK": "0", "MASTER_ADDR": "gw0"},
        {"ZOOMIN_GRPO_STEPS": "0", "ZOOMIN_SFT_STEPS": "1"},
    ],
    ids=["no weight", "a node that only serves", "no GRPO"],
)
def test_a_judge_that_is_not_needed_here_is_not_asked(folder: Path, environ: dict[str, str]) -> None:
    with scripted([fails(401)]) as server:
        problems = check(folder, **judged(server.base_url), **environ)
    assert server.bodies == []
    assert not [problem for problem in problems if "judge" in problem]


TAUGHT = """
[run]
output_dir = "out"
[model]
build.arch = "qwen3_vl"
build.size = "boards"
max_length = 2048
[image]
min_pixels = 4096
max_pixels = 40960
[episode]
crop_max_pixels = 40960
[curriculum]
steps = 2
sheet = "parts.png"
[sft]
style = "lattice"
[grpo]
max_completion_length = 96
"""


def test_a_curriculum_needs_no_rows(folder: Path) -> None:
    (folder / "r.toml").write_text(TAUGHT, encoding="utf-8")
    (folder / "parts.png").write_bytes(b"")
    assert check(folder) == []
    assert check(folder, ZOOMIN_SFT_STEPS="2") == ["data.train names no rows (DATASETS)"]
    assert "nothing to train" in check(folder, ZOOMIN_CURRICULUM_STEPS="0")[0]


@pytest.mark.parametrize(
    ("environ", "expected"),
    [
        ({"MODEL_PATH": "./m"}, "leave model.path (MODEL_PATH) out, or set curriculum.steps to 0"),
        ({"ZOOMIN_MODEL_BUILD_ARCH": "qwen3_5"}, "set model.build.arch to 'qwen3_vl'"),
        ({"ZOOMIN_SFT_STYLE": "coarse"}, "sft.style is 'coarse'; set it to 'lattice'"),
        ({"ZOOMIN_CURRICULUM_SHEET": "nowhere.png"}, "nowhere.png: no such file; scripts/render_boards.py renders it"),
        (
            {"ZOOMIN_CROP_MAX_PIXELS": "20480"},
            "as large as a board, 256x160 px; with these settings they are 192x96: set episode.crop_max_pixels to "
            "image.max_pixels (40960)",
        ),
    ],
)
def test_what_a_curriculum_cannot_do_is_named(folder: Path, environ: dict[str, str], expected: str) -> None:
    (folder / "r.toml").write_text(TAUGHT, encoding="utf-8")
    (folder / "parts.png").write_bytes(b"")
    found = [problem for problem in check(folder, **environ) if "curriculum" in problem]
    assert len(found) == 1
    assert expected in found[0]


def test_what_a_curriculum_on_screens_needs(folder: Path) -> None:
    on_screens = TAUGHT.replace('sheet = "parts.png"', 'screens = ["screens"]').replace("lattice", "closer")
    (folder / "r.toml").write_text(on_screens, encoding="utf-8")
    assert check(folder) == [], "the screens may still come"
    problems = check(folder, ZOOMIN_SFT_STYLE="lattice", ZOOMIN_CURRICULUM_START="nowhere")
    assert "sft.style is 'lattice'; set it to 'closer'" in problems[0]
    assert "heads.pt is missing; name the folder curriculum/now" in problems[1]
    [problem] = check(folder, ZOOMIN_CURRICULUM_SCREENS="nowhere/screens")
    assert "is no folder, so that no screens can come there" in problem


def test_a_curriculum_without_a_sheet(folder: Path) -> None:
    (folder / "r.toml").write_text(TAUGHT.replace('sheet = "parts.png"\n', ""), encoding="utf-8")
    assert check(folder) == ["curriculum.sheet names no picture: set it to the parts.png of data_samples/boards"]
