"""Plans are values: golden texts of the shipped recipes, and what decides a command.

To make golden files anew after a wanted change: ``PYTHONPATH=src python tests/train/test_plan.py``.
"""

import json
import os
import sys
import tempfile
from pathlib import Path

import pytest

from zoomground.recipe import load_recipe
from zoomground.train.devices import Devices, Kind
from zoomground.train.plan import TRAIN_MASTER, LaunchPlan
from zoomground.train.planning import make_plan
from zoomground.train.topology import topology_of

ROOT = Path(__file__).parents[2]
GOLDEN = ROOT / "tests" / "golden" / "plans"
RECIPES = sorted((ROOT / "recipes").glob("*.toml"))
DEVICES = {"mini": 2, "mini-gpu": 2, "single-node": 8, "single-gpu-lora": 1, "npu": 8, "qwen3_8_27b": 8}
DEVICES |= {f"{recipe}-credit": DEVICES[recipe] for recipe in ("mini-gpu", "qwen3_8_27b")}
"""Accelerators of the node that a recipe is planned for; none for the others."""

BUILD_THEIR_OWN = {"demo-cpu", "demo-pretrain", "demo-quick", "demo-scratch", "mini-gpu", "mini-pretrain"}
"""Recipes that need no checkpoint."""

NODES = {1: 0, 2: 1, 4: 1, 16: 4, 64: 16}
"""Nodes of the planned clusters, and how many of them serve rollouts."""


def plan(recipe: str = "demo-scratch", devices: int | None = None, **environ: str) -> LaunchPlan:
    loaded = load_recipe(ROOT / "recipes" / f"{recipe}.toml", environ)
    count = DEVICES.get(recipe, 0) if devices is None else devices
    kind = Kind.NPU if loaded.recipe.cluster.ascend_npu else Kind.GPU
    found = Devices(kind, tuple(map(str, range(count)))) if count else Devices(Kind.CPU)
    return make_plan(loaded, topology_of(loaded.recipe, found))


def cluster(nodes: int, kind: str) -> LaunchPlan:
    """The reported set-up on so many nodes of eight devices."""
    environ = {"MODEL_PATH": "/models/my-sft", "VLLM_TP": "2", "VLLM_DP": "2" if nodes == 1 else "4"}
    if nodes > 1:
        serving = NODES[nodes]
        hosts = " ".join(f"gw{rank}" for rank in range(serving))
        environ |= {"NNODES": str(nodes), "ROLLOUT_NNODES": str(serving), "VLLM_SERVER_HOSTS": hosts}
        environ |= {"MASTER_ADDR": "gw0", "DATASETS": "/data/ds1.jsonl /data/ds2.jsonl"}
    if kind == "npu":
        environ["USE_ASCEND_NPU"] = "1"
    return plan("qwen3_8_27b", **environ)


def model_of(recipe: str) -> str:
    """A checkpoint for the recipes that build none."""
    return "" if recipe.removesuffix("-credit") in BUILD_THEIR_OWN else "/models/my-sft"


def options(plan: LaunchPlan, name: str) -> dict[str, list[str]]:
    """The options of a stage with their words."""
    return options_of(next(stage for stage in plan.stages if stage.name == name).argv)


def options_of(argv: tuple[str, ...]) -> dict[str, list[str]]:
    """The options of a command with their words."""
    found: dict[str, list[str]] = {}
    for word in argv:
        if word.startswith("--"):
            found[word] = []
        elif found:
            found[list(found)[-1]].append(word)
    return found


def normalised(plan: LaunchPlan) -> str:
    """The plan's text without what differs between machines."""
    text = plan.text().replace(str(Path(sys.executable).parent) + "/", "$BIN/").replace(str(ROOT), "$REPO")
    text = text.replace(str(Path.cwd()), "$CWD").replace(f"$BIN/{Path(sys.executable).name} ", "$BIN/python ")
    return text + "\n"


@pytest.mark.parametrize("path", RECIPES, ids=lambda path: path.stem)
def test_plan_is_the_golden_one(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = normalised(plan(path.stem, MODEL_PATH=model_of(path.stem)))
    assert text == (GOLDEN / f"{path.stem}.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("kind", ["gpu", "npu"])
@pytest.mark.parametrize("nodes", NODES)
def test_plan_of_a_cluster_is_the_golden_one(
    nodes: int, kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    text = normalised(cluster(nodes, kind))
    assert text == (GOLDEN / f"cluster-{kind}-{nodes}.txt").read_text(encoding="utf-8")


def test_no_golden_file_is_left_over() -> None:
    clusters = {f"cluster-{kind}-{nodes}" for kind in ("gpu", "npu") for nodes in NODES}
    assert {path.stem for path in GOLDEN.glob("*.txt")} == {path.stem for path in RECIPES} | clusters


def test_every_node_of_a_cluster_knows_its_part() -> None:
    made = cluster(16, "gpu")
    grpo = [next(stage for stage in node.stages if stage.name == "grpo") for node in made.nodes]
    serving, training = grpo[:4], grpo[4:]
    assert all(len(stage.services) == 1 and not stage.argv for stage in serving)
    assert all(stage.argv and not stage.services for stage in training)
    assert [stage.env["NODE_RANK"] for stage in training] == [str(rank) for rank in range(12)]
    assert {(stage.env["NNODES"], stage.env["NPROC_PER_NODE"], stage.env["MASTER_ADDR"]) for stage in training} == {
        ("12", "8", TRAIN_MASTER)
    }
    assert len({stage.argv for stage in training}) == 1
    assert {stage.needs for stage in training} == {tuple(f"http://gw{rank}:8000" for rank in range(4))}
    # LCH-09: nodes that share a file system never share a log.
    processes = [process for node in made.nodes for stage in node.stages for process in (stage, *stage.services)]
    assert len({process.log for process in processes}) == len(processes)


def test_only_the_first_training_node_runs_what_needs_one_process() -> None:
    made = cluster(4, "gpu")
    runs = [[stage.name for stage in node.stages if stage.argv] for node in made.nodes]
    assert runs == [[], ["prompts", "grpo", "report"], ["grpo"], ["grpo"]]


def test_both_sides_are_told_the_same() -> None:
    """RL-25, RL-31: scheduler, turns, images in a prompt, pixel limits, type of model."""
    made = plan("mini-gpu")
    trainer = next(stage for stage in made.stages if stage.name == "grpo")
    server = trainer.services[0]
    told = {name: options_of(process.argv) for name, process in (("trainer", trainer), ("server", server))}
    for shared in ("--multi_turn_scheduler", "--max_turns", "--max_length", "--torch_dtype", "--template", "--model"):
        assert told["trainer"][shared] == told["server"][shared]
    assert told["server"]["--vllm_limit_mm_per_prompt"] == ['{"image": 4, "video": 0}']
    assert server.env["IMAGE_MAX_TOKEN_NUM"] == trainer.env["IMAGE_MAX_TOKEN_NUM"]
    assert set(server.env["CUDA_VISIBLE_DEVICES"]).isdisjoint(trainer.env["CUDA_VISIBLE_DEVICES"])
    # `swift rollout` refuses what the trainer takes.
    assert "--check_model" not in told["server"]


@pytest.mark.parametrize(
    ("variable", "value", "option", "words"),
    [
        ("VLLM_MAX_NUM_BATCHED_TOKENS", "4096", "--vllm_engine_kwargs", ['{"max_num_batched_tokens": 4096}']),
        ("VLLM_ENGINE_KWARGS", '{"seed": 3}', "--vllm_engine_kwargs", ['{"seed": 3}']),
        ("VLLM_SERVER_PORT", "8123", "--port", ["8123"]),
        ("VLLM_SERVER_PORTS", "8124", "--port", ["8124"]),
        ("VLLM_TP", "1", "--vllm_tensor_parallel_size", ["1"]),
        ("VLLM_DP", "1", "--vllm_data_parallel_size", ["1"]),
        ("MAX_LENGTH", "4000", "--vllm_max_model_len", ["4000"]),
        ("MAX_TURNS", "3", "--max_turns", ["3"]),
        ("ZOOMIN_MAX_TOOL_CALLS", "5", "--vllm_limit_mm_per_prompt", ['{"image": 6, "video": 0}']),
    ],
)
def test_every_classic_variable_reaches_the_server(variable: str, value: str, option: str, words: list[str]) -> None:
    """LCH-09: what is declared is forwarded."""
    made = plan("mini-gpu", **{variable: value})
    server = next(stage for stage in made.stages if stage.name == "grpo").services[0]
    assert options_of(server.argv)[option] == words


@pytest.mark.parametrize(
    ("environ", "option", "words"),
    [
        ({"MOVE_MODEL_BATCHES": "8"}, "--move_model_batches", ["8"]),
        ({"VLLM_SERVER_HOSTS": "a a"}, "--vllm_server_host", ["a", "a"]),
        ({"VLLM_SERVER_HOSTS": "a a", "VLLM_SERVER_PORTS": "5 6"}, "--vllm_server_port", ["5", "6"]),
    ],
)
def test_every_classic_variable_reaches_the_trainer(environ: dict[str, str], option: str, words: list[str]) -> None:
    assert options(plan("mini-gpu", devices=8, **environ), "grpo")[option] == words


def test_the_weight_syncs_message_size_reaches_both() -> None:
    made = plan("mini-gpu", SWIFT_UPDATE_WEIGHTS_BUCKET_SIZE="64")
    grpo = next(stage for stage in made.stages if stage.name == "grpo")
    assert {process.env["SWIFT_UPDATE_WEIGHTS_BUCKET_SIZE"] for process in (grpo, *grpo.services)} == {"64"}


def test_an_npu_gets_its_own_variables_and_none_of_the_gpus() -> None:
    made = plan("npu", MODEL_PATH="/m")
    grpo = next(stage for stage in made.stages if stage.name == "grpo")
    for process in (grpo, *grpo.services):
        assert "ASCEND_RT_VISIBLE_DEVICES" in process.env
        assert "HCCL_CONNECT_TIMEOUT" in process.env
        assert not [name for name in process.env if name.startswith(("CUDA", "NCCL"))]


def test_deepspeed_is_told_what_the_recipe_says() -> None:
    trainer = next(stage for stage in cluster(4, "gpu").nodes[1].stages if stage.name == "grpo")
    found = json.loads(options_of(trainer.argv)["--deepspeed"][0])["zero_optimization"]
    assert (found["stage"], found["offload_optimizer"]["device"], "offload_param" in found) == (3, "cpu", False)
    assert "--deepspeed" not in options(plan("single-gpu-lora", MODEL_PATH="/m"), "grpo")
    one = plan("mini-gpu", devices=1)
    assert next(stage for stage in one.stages if stage.name == "grpo").env["NPROC_PER_NODE"] == "1"


def test_adapters_are_merged_before_anything_else_reads_them() -> None:
    made = plan("single-gpu-lora", MODEL_PATH="/m", ZOOMIN_SFT_STEPS="2")
    names = [stage.name for stage in made.stages]
    assert names == ["demonstrations", "sft", "merge-sft", "prompts", "grpo", "merge-grpo", "report"]
    merged = next(stage for stage in made.stages if stage.name == "merge-sft").outputs[0].parent
    assert options(made, "grpo")["--model"] == [str(merged)]
    assert options(made, "grpo")["--tuner_type"] == ["lora"]


def test_sft_and_grpo_start_from_what_the_curriculum_taught() -> None:
    made = plan("demo-pretrain", ZOOMIN_SFT_STEPS="2", ZOOMIN_GRPO_STEPS="2")
    names = [stage.name for stage in made.stages]
    assert names == ["demonstrations", "checkpoint", "curriculum", "sft", "prompts", "grpo", "evaluate", "report"]
    taught = next(stage for stage in made.stages if stage.name == "curriculum").outputs[0].parent
    assert options(made, "sft")["--model"] == [str(taught)]
    direct = plan("demo-pretrain", ZOOMIN_GRPO_STEPS="2")
    assert options(direct, "grpo")["--model"] == [str(taught)]


def test_a_curriculum_sees_one_device() -> None:
    stage = next(stage for stage in plan("demo-pretrain", devices=4).stages if stage.name == "curriculum")
    assert stage.env["CUDA_VISIBLE_DEVICES"].count(",") == 0


def test_servers_listen_where_trainers_are_and_nowhere_else() -> None:
    alone = next(stage for stage in plan("mini-gpu").stages if stage.name == "grpo").services[0]
    assert options_of(alone.argv)["--host"] == ["127.0.0.1"]
    shared = cluster(4, "gpu").nodes[0].stages
    server = next(stage for stage in shared if stage.services).services[0]
    assert options_of(server.argv)["--host"] == ["gw0"]


def test_no_golden_name_is_forgotten() -> None:
    assert set(DEVICES) <= {path.stem for path in RECIPES}


def test_planning_writes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    plan()
    assert not list(tmp_path.iterdir())


def test_rewards_and_weights_are_those_of_the_recipe_in_order() -> None:
    made = plan(ZOOMIN_REWARDS_WEIGHTS="zoomin_format=0.5 zoomin_accuracy=2")
    assert options(made, "grpo")["--reward_funcs"] == ["zoomin_format", "zoomin_accuracy"]
    assert options(made, "grpo")["--reward_weights"] == ["0.5", "2.0"]


def test_a_slope_for_misses_is_a_weight_like_others() -> None:
    told = options(plan(ZOOMIN_REWARDS_WEIGHTS="zoomin_accuracy=1 dense_distance=0.2"), "grpo")
    assert told["--reward_funcs"] == ["zoomin_accuracy", "dense_distance"]
    assert told["--reward_weights"] == ["1.0", "0.2"]


def test_a_step_holds_all_rollouts_whatever_the_micro_batch() -> None:
    for micro in (4, 8, 16, 32):
        found = options(plan(ZOOMIN_GRPO_MICRO_BATCH_SIZE=str(micro)), "grpo")
        batch = int(found["--per_device_train_batch_size"][0]) * int(found["--gradient_accumulation_steps"][0])
        assert batch == 32


def test_the_trainer_is_told_of_remedies_and_where_to_write_its_figures() -> None:
    told = options(plan(), "grpo")
    assert told["--report_to"] == ["none"]
    assert not {"--dynamic_sample", "--max_resample_times", "--overlong_filter"} & set(told)
    environ = {"ZOOMIN_RUN_REPORT_TO": "tensorboard", "ZOOMIN_GRPO_OVERLONG_FILTER": "true"}
    environ |= {"ZOOMIN_GRPO_DYNAMIC_SAMPLE": "true", "ZOOMIN_GRPO_MAX_RESAMPLE_TIMES": "2"}
    told = options(plan(**environ), "grpo")
    assert told["--report_to"] == ["tensorboard"]
    assert (told["--dynamic_sample"], told["--max_resample_times"]) == (["true"], ["2"])
    assert told["--overlong_filter"] == ["true"]
    assert options(plan(**environ), "sft")["--report_to"] == ["tensorboard"]


def test_data_workers_are_for_sft_alone() -> None:
    """GRPO's batches hold no images yet: its workers would do nothing, and take a minute to end."""
    made = plan("mini-gpu")
    workers = {name: options(made, name)["--dataloader_num_workers"] for name in ("sft", "grpo")}
    assert workers == {"sft": ["12"], "grpo": ["0"]}


def test_training_stages_agree_on_what_the_model_sees() -> None:
    made = plan()
    sft, grpo = options(made, "sft"), options(made, "grpo")
    for shared in ("--template", "--model_type", "--max_length", "--torch_dtype", "--external_plugins", "--seed"):
        assert sft[shared] == grpo[shared]
    environments = [{k: v for k, v in stage.env.items() if k != "ZOOMIN_TRAJECTORIES"} for stage in made.stages]
    assert all(environment == environments[0] for environment in environments)
    assert environments[0]["IMAGE_MAX_TOKEN_NUM"] == "40"


def test_grpo_starts_from_the_last_checkpoint_of_sft_or_from_the_given_one(tmp_path: Path) -> None:
    assert options(plan(), "grpo")["--model"][0].endswith("output/demo-scratch/sft/checkpoint-600")
    given = plan("classic", MODEL_PATH=str(tmp_path))
    assert [stage.name for stage in given.stages] == ["prompts", "grpo", "report"]
    assert options(given, "grpo")["--model"] == [str(tmp_path)]
    hub = plan("classic", MODEL_PATH="Qwen/Qwen3-VL-4B-Instruct")
    assert options(hub, "grpo")["--model"] == ["Qwen/Qwen3-VL-4B-Instruct"]
    assert "HF_HUB_OFFLINE" not in hub.stages[0].env
    assert given.stages[0].env["HF_HUB_OFFLINE"] == "1"


def test_a_checkpoint_of_ms_swift_says_what_it_was_trained_as(tmp_path: Path) -> None:
    (tmp_path / "args.json").write_text('{"model_type": "qwen3_5", "template": "qwen3_8", "lr": 1}', encoding="utf-8")
    found = options(plan("classic", MODEL_PATH=str(tmp_path)), "grpo")
    assert (found["--model_type"], found["--template"]) == (["qwen3_5"], ["qwen3_8"])
    told = options(plan("classic", MODEL_PATH=str(tmp_path), ZOOMIN_MODEL_TEMPLATE="mine"), "grpo")
    assert (told["--model_type"], told["--template"]) == (["qwen3_5"], ["mine"])
    (tmp_path / "args.json").write_text("cut", encoding="utf-8")
    assert "--template" not in options(plan("classic", MODEL_PATH=str(tmp_path)), "grpo")


def test_a_stopped_stage_goes_on_from_its_last_whole_checkpoint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert "--resume_from_checkpoint" not in options(plan(), "sft")
    for step in (50, 100):
        folder = tmp_path / "output" / "demo-scratch" / "sft" / f"checkpoint-{step}"
        folder.mkdir(parents=True)
        (folder / "trainer_state.json").write_text('{"global_step": 50}')
    assert options(plan(), "sft")["--resume_from_checkpoint"][0].endswith("sft/checkpoint-50")


def test_variables_in_force_reach_every_stage_and_launcher_variables_none() -> None:
    made = plan(MAX_TURNS="4", NNODES="1")
    assert all(stage.env["MAX_TURNS"] == "4" for stage in made.stages)
    assert all("NNODES" in stage.unset and "NNODES" not in stage.env for stage in made.stages)
    assert options(made, "grpo")["--max_turns"] == ["4"]


def test_the_text_is_one_that_a_shell_reads_back() -> None:
    import shlex

    made = plan()
    text = made.text().replace("\\\n", " ")
    for stage in made.stages:
        assert any(shlex.split(line) == list(stage.argv) for line in text.splitlines() if stage.argv[0] in line)


if __name__ == "__main__":
    os.chdir(tempfile.gettempdir())
    for recipe in RECIPES:
        text = normalised(plan(recipe.stem, MODEL_PATH=model_of(recipe.stem)))
        (GOLDEN / f"{recipe.stem}.txt").write_text(text, encoding="utf-8")
    for number in NODES:
        for accelerator in ("gpu", "npu"):
            text = normalised(cluster(number, accelerator))
            (GOLDEN / f"cluster-{accelerator}-{number}.txt").write_text(text, encoding="utf-8")
