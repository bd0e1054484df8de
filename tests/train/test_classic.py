"""What users of the classic launcher type, in dry run: commands give their topology, variables have their effect.

The plans are those of a node of eight GPUs.
"""

import re
from pathlib import Path

import pytest

from zoomground.recipe import load_recipe
from zoomground.train.devices import Devices, Kind
from zoomground.train.plan import TRAIN_MASTER, LaunchPlan, Stage
from zoomground.train.planning import make_plan
from zoomground.train.topology import Mode, Role, topology_of

ROOT = Path(__file__).parents[2]
NOTES = ROOT / ".." / "shared" / "notes" / "classic.md"
MODEL = {"MODEL_PATH": "/models/qwen3.8-27b-sft"}
FOUR_NODES = MODEL | {
    "NNODES": "4", "ROLLOUT_NNODES": "1", "MASTER_ADDR": "gw0", "VLLM_SERVER_HOSTS": "gw0",
    "DATASETS": "/data/ds1.jsonl /data/ds2.jsonl",
}  # fmt: skip

HERE = "a variable of every process"
"""Marks a variable that the launcher hands on as it is: the trainer and the server read the rules from it."""

VARIABLES = {
    "MODEL_PATH": ("/models/other", "--model /models/other"),
    "NNODES": ("3", "3 nodes, 2 of which train, 16 training processes"),
    "NODE_RANK": ("2", "this node   2, which trains"),
    "ROLLOUT_NNODES": ("0", "4 nodes, 4 of which train, 32 training processes, rollouts by vLLM in the trainer"),
    "MASTER_ADDR": ("gw9", "server 0    node 0, http://gw9:8000"),
    "MASTER_PORT": ("29777", "MASTER_PORT=29777"),
    "VLLM_TP": ("2", "--vllm_tensor_parallel_size 2"),
    "VLLM_DP": ("4", "--vllm_data_parallel_size 4"),
    "VLLM_SERVER_HOSTS": ("gw0 gw0", "--vllm_server_host gw0 gw0"),
    "VLLM_SERVER_PORTS": ("8123", "--vllm_server_port 8123"),
    "VLLM_SERVER_PORT": ("8124", "--vllm_server_port 8124"),
    "VLLM_MAX_NUM_BATCHED_TOKENS": ("4096", """--vllm_engine_kwargs '{"max_num_batched_tokens": 4096}'"""),
    "VLLM_ENGINE_KWARGS": ('{"seed": 3}', """--vllm_engine_kwargs '{"seed": 3}'"""),
    "DATASETS": ("/data/mine.jsonl", HERE),
    "MAX_TURNS": ("3", "--max_turns 3"),
    "MAX_LENGTH": ("9999", "--vllm_max_model_len 9999"),
    "MAX_PIXELS": ("1048576", "IMAGE_MAX_TOKEN_NUM=1024"),
    "LOG_DIR": ("/logs", "(log /logs/grpo.node1.log)"),
    "USE_ASCEND_NPU": ("1", "HCCL_CONNECT_TIMEOUT=1800"),
    "SWIFT_UPDATE_WEIGHTS_BUCKET_SIZE": ("64", HERE),
    "MOVE_MODEL_BATCHES": ("8", "--move_model_batches 8"),
    "ZOOMIN_CROP_UPSCALE_FACTOR": ("2", HERE),
    "ZOOMIN_CROP_MAX_PIXELS": ("1000000", HERE),
    "ZOOMIN_CALL_COST": ("0.1", HERE),
    "ZOOMIN_MAX_TOOL_CALLS": ("5", """--vllm_limit_mm_per_prompt '{"image": 6, "video": 0}'"""),
    "ZOOMIN_MAX_CALLS_PER_TURN": ("1", HERE),
    "ZOOMIN_MAX_CORRECTIONS": ("1", HERE),
    "ZOOMIN_PARSER_MODE": ("strict", HERE),
    "ZOOMIN_CROP_QUALITY": ("iou", HERE),
    "ZOOMIN_COT_RM_NEUTRAL_SCORE": ("0.25", HERE),
    "ZOOMIN_COT_RM_MODEL": ("judge", HERE),
    "ZOOMIN_COT_RM_CONCURRENCY": ("16", HERE),
    "ZOOMIN_COT_RM_TIMEOUT": ("7", HERE),
    "ZOOMIN_COT_RM_DEADLINE": ("120", HERE),
    "ZOOMIN_COT_RM_CACHE": ("/data/verdicts", HERE),
    "ZOOMIN_COT_RM_LANGUAGE": ("en", HERE),
}
"""Every classic variable: a value, and what the plan says then and does not say without it."""

OF_THE_JUDGE = {"ZOOMIN_COT_RM_API_BASE", "ZOOMIN_COT_RM_API_KEY"}
"""What makes a judge, and what no plan may show; tests/recipe/test_judging.py."""

OF_THE_SCRIPT = {"DRY_RUN", "ZOOMIN_RECIPE"}
"""What the shell door reads itself; tests/cli/test_train.py."""


def plan(environ: dict[str, str], recipe: Path = ROOT / "recipes" / "classic.toml") -> LaunchPlan:
    loaded = load_recipe(recipe, environ)
    kind = Kind.NPU if loaded.recipe.cluster.ascend_npu else Kind.GPU
    return make_plan(loaded, topology_of(loaded.recipe, Devices(kind, tuple("01234567"))))


def grpo(made: LaunchPlan, node: int) -> Stage:
    return next(stage for stage in made.nodes[node].stages if stage.name == "grpo")


@pytest.mark.parametrize("variable", VARIABLES)
def test_every_variable_shows_in_the_plan(variable: str) -> None:
    """LCH-09: what is declared is forwarded, to the server as to the trainer."""
    value, said = VARIABLES[variable]
    base = dict(FOUR_NODES)
    if variable == "MASTER_ADDR":
        # It is also where the server stands, unless hosts are named.
        del base["VLLM_SERVER_HOSTS"]
    expected = f"   {variable}={value}\n" if said is HERE else said
    assert expected in plan(base | {variable: value}).text()
    assert expected not in plan(base).text()


def test_no_variable_is_forgotten() -> None:
    if not NOTES.exists():
        pytest.skip("no notes here")
    section = NOTES.read_text(encoding="utf-8").partition("## Environment")[2].partition("Known faults")[0]
    names = set(re.findall(r"\b[A-Z]{2,}(?:_[A-Z]+)+\b|\b[A-Z]{6,}\b", section)) | {
        f"ZOOMIN_COT_RM_{end}" for end in re.findall(r"\b_([A-Z]+)\b", section)
    }
    known = set(VARIABLES) | OF_THE_SCRIPT | OF_THE_JUDGE
    assert names - known == set()
    assert known - names - {"ZOOMIN_COT_RM_NEUTRAL_SCORE"} == set()


def test_the_smoke_test_colocates_on_one_gpu_and_splits_several() -> None:
    loaded = load_recipe(ROOT / "recipes" / "classic.toml", MODEL | {"NNODES": "1", "VLLM_TP": "1"})
    one, two = (topology_of(loaded.recipe, Devices(Kind.GPU, ids)) for ids in (("0",), ("0", "1")))
    assert (one.mode, one.world_size, one.servers) == (Mode.COLOCATE, 1, ())
    assert (two.mode, two.world_size, two.servers[0].devices, two.nodes[0].trains_on) == (
        Mode.SERVER, 1, ("0",), ("1",)
    )  # fmt: skip
    assert topology_of(loaded.recipe, Devices(Kind.CPU)).mode is Mode.TRANSFORMERS


@pytest.mark.parametrize("rank", range(4))
def test_the_four_node_commands_serve_on_node_0_and_train_on_the_others(rank: int) -> None:
    environ = FOUR_NODES | {"NODE_RANK": str(rank)} | ({"MASTER_PORT": "29500"} if rank == 0 else {})
    made = plan(environ)
    assert made.here == rank
    assert [node.node.role for node in made.nodes] == [Role.ROLLOUT, Role.TRAIN, Role.TRAIN, Role.TRAIN]
    mine = grpo(made, rank)
    if rank == 0:
        assert not mine.argv
        assert [server.url for server in mine.services] == ["http://gw0:8000"]
        return
    assert not mine.services
    assert mine.needs == ("http://gw0:8000",)
    told = {name: mine.env[name] for name in ("NNODES", "NODE_RANK", "NPROC_PER_NODE", "MASTER_ADDR", "MASTER_PORT")}
    assert told == {
        "NNODES": "3", "NODE_RANK": str(rank - 1), "NPROC_PER_NODE": "8", "MASTER_ADDR": TRAIN_MASTER,
        "MASTER_PORT": "29500",
    }  # fmt: skip


def test_both_datasets_and_the_classic_output_folder_are_taken() -> None:
    loaded = load_recipe(ROOT / "recipes" / "classic.toml", FOUR_NODES)
    assert loaded.train_rows() == [Path("/data/ds1.jsonl"), Path("/data/ds2.jsonl")]
    assert plan(FOUR_NODES).folder.root == Path.cwd() / "output" / "zoomin_grounding_grpo"
