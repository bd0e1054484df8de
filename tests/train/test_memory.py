"""The memory estimate against numbers worked out by hand."""

from pathlib import Path

import pytest

from zoomground.recipe import Recipe, load_recipe
from zoomground.train.context import Context
from zoomground.train.deepspeed import UNSHARDED, Sharding, sharding_of
from zoomground.train.devices import Devices, Kind
from zoomground.train.memory import GIB, Memory, gib, memory_of, memory_problems, trained_weights
from zoomground.train.topology import Topology, topology_of
from zoomground.train.weights import ModelShape

CLASSIC = Path(__file__).parents[2] / "recipes" / "classic.toml"

SHAPE = ModelShape(
    parameters=1000,
    vision_parameters=200,
    adapter_width=30,
    vision_adapter_width=5,
    hidden=8,
    layers=4,
    attention_layers=2,
    kv_heads=2,
    head_dim=16,
    vocabulary=50,
)
CONTEXT = Context(screenshot=100, crop=20, crops=3, opening_text=10, replies=30)
"""200 tokens in all, 90 of them from the first reply on."""


def recipe(**environ: str) -> Recipe:
    base = {"ZOOMIN_GRPO_STEPS": "2", "ZOOMIN_GRPO_MICRO_BATCH_SIZE": "2"}
    return load_recipe(None, base | environ).recipe


def topology(made: Recipe, devices: int = 4) -> Topology:
    return topology_of(made, Devices(Kind.GPU, tuple(map(str, range(devices)))))


def memory(devices: int = 4, device: float | None = None, **environ: str) -> Memory:
    made = recipe(**environ)
    return memory_of(made, topology(made, devices), SHAPE, context=CONTEXT, device=device)


ALL = {"ZOOMIN_MODEL_FREEZE_VISION": "false", "ZOOMIN_ENGINE_MODE": "colocate"}


@pytest.mark.parametrize(
    ("environ", "expected"),
    [
        # bf16 without DeepSpeed: 2 bytes, 2 bytes, two moments of 2 bytes, on every device.
        ({"ZOOMIN_ENGINE_ZERO": "0"}, (2000, 2000, 4000)),
        ({"ZOOMIN_ENGINE_ZERO": "0", "ZOOMIN_ENGINE_DTYPE": "float32"}, (4000, 4000, 8000)),
        # Nothing said: four devices that train all weights share them, with the optimizer in host memory.
        ({}, (500, 0, 0)),
        # ZeRO on 4 devices: the optimizer's 12 bytes and the gradients are split, with stage 3 the weights, too.
        ({"ZOOMIN_ENGINE_ZERO": "2"}, (2000, 500, 3000)),
        ({"ZOOMIN_ENGINE_ZERO": "3"}, (500, 500, 3000)),
        ({"ZOOMIN_ENGINE_ZERO": "3", "ZOOMIN_ENGINE_OFFLOAD_OPTIMIZER": "true"}, (500, 0, 0)),
        (
            {
                "ZOOMIN_ENGINE_ZERO": "3",
                "ZOOMIN_ENGINE_OFFLOAD_OPTIMIZER": "true",
                "ZOOMIN_ENGINE_OFFLOAD_WEIGHTS": "true",
            },
            (0, 0, 0),
        ),
        # 800 of 1000 weights are trained.
        ({"ZOOMIN_ENGINE_ZERO": "0", "ZOOMIN_MODEL_FREEZE_VISION": "true"}, (2000, 1600, 3200)),
        # 2 x (30 + 5) weights of adapters, in float32 beside the frozen ones.
        ({"ZOOMIN_ENGINE_TUNER": "lora", "ZOOMIN_ENGINE_LORA_RANK": "2"}, (2280, 280, 560)),
        ({"ZOOMIN_ENGINE_TUNER": "lora", "ZOOMIN_ENGINE_LORA_RANK": "2", "ZOOMIN_ENGINE_ZERO": "3"}, (570, 70, 210)),
    ],
)
def test_states_of_a_training_device(environ: dict[str, str], expected: tuple[int, ...]) -> None:
    found = memory(**ALL | environ).training[0]
    assert (found.weights, found.gradients, found.optimizer) == expected


def test_a_micro_batch() -> None:
    sft, grpo = memory(ZOOMIN_SFT_STEPS="1", ZOOMIN_SFT_MICRO_BATCH_SIZE="3", **ALL).training
    assert (sft.stage, grpo.stage) == ("sft", "grpo")
    # Twice (with the gradients) rows x tokens x vocabulary x 2 bytes; GRPO's start at the first reply.
    assert sft.logits == 2 * 3 * 200 * 50 * 2
    assert grpo.logits == 2 * 2 * 90 * 50 * 2
    # Rows x tokens x width x layers x 2 bytes.
    assert sft.layer_inputs == 3 * 200 * 8 * 4 * 2
    assert grpo.layer_inputs == 2 * 200 * 8 * 4 * 2
    assert grpo.total == grpo.states + grpo.logits + grpo.layer_inputs


def test_a_conversation_is_never_longer_than_allowed() -> None:
    made = recipe(**ALL, MAX_LENGTH="256")
    long = Context(screenshot=1000, crop=200, crops=3, opening_text=10, replies=30)
    found = memory_of(made, topology(made), SHAPE, context=long, device=None).training[0]
    assert found.layer_inputs == 2 * 256 * 8 * 4 * 2
    assert found.logits == 2 * 2 * 256 * 50 * 2
    without = memory_of(made, topology(made), SHAPE, context=None, device=None).training[0]
    assert (without.logits, without.layer_inputs) == (0, 0)


@pytest.mark.parametrize(("parallel", "heads"), [(1, 2), (2, 1), (4, 1)])
def test_a_rollout_device(parallel: int, heads: int) -> None:
    """Two layers of full attention keep a key and a value of 16 numbers a head; heads are never cut."""
    found = memory(8, 100_000, VLLM_TP=str(parallel)).rollout
    assert found is not None
    assert found.weights == 2000 / parallel
    assert found.kv_token == 2 * 2 * heads * 16 * 2
    assert found.room == 0.85 * 100_000
    assert found.tokens == (85_000 - 2000 // parallel) // found.kv_token


def test_without_the_devices_memory_nothing_is_said_about_room() -> None:
    found = memory()
    assert found.rollout is not None
    assert (found.rollout.room, found.rollout.tokens) == (None, None)
    assert memory_problems(found, recipe(), topology(recipe()).mode) == []


def test_transformers_has_no_rollout_device() -> None:
    made = recipe()
    cpu = topology_of(made, Devices(Kind.CPU))
    assert memory_of(made, cpu, SHAPE, context=CONTEXT, device=None).rollout is None


def test_host_memory_of_what_is_offloaded() -> None:
    """Optimizer and float32 gradients: 16 bytes a weight, spread over the nodes that train."""
    offload = {"ZOOMIN_ENGINE_ZERO": "3", "ZOOMIN_ENGINE_OFFLOAD_OPTIMIZER": "true"}
    assert memory(**ALL, ZOOMIN_ENGINE_ZERO="0").host == 0
    assert memory(**ALL | offload).host == 16_000
    assert memory(**ALL | offload, ZOOMIN_ENGINE_OFFLOAD_WEIGHTS="true").host == 18_000
    nodes = {"NNODES": "3", "MASTER_ADDR": "gw0", "ZOOMIN_MODEL_FREEZE_VISION": "false"}
    assert memory(**nodes | offload).host == 8_000


def problems(device: float, devices: int = 1, **environ: str) -> list[str]:
    made = recipe(**environ)
    place = topology(made, devices)
    return memory_problems(memory_of(made, place, SHAPE, context=CONTEXT, device=device), made, place.mode)


SMALL = {"MAX_LENGTH": "256", "ZOOMIN_GRPO_MICRO_BATCH_SIZE": "1"} | ALL
STATES = 8000
BATCH = 2 * 90 * 50 * 2 + 200 * 8 * 4 * 2
"""States without DeepSpeed and one micro batch of one row, bytes."""

WEIGHTS, CACHE = 2000, 256 * 256
"""What vLLM needs for one conversation of MAX_LENGTH tokens, bytes."""


def test_what_fits_has_no_problems() -> None:
    assert problems(1e6, **SMALL, ZOOMIN_ROLLOUTS_MEMORY_SHARE="0.5") == []


def test_vllm_beside_the_trainer_must_fit_too() -> None:
    device = 200_000.0
    share = str((device - STATES - BATCH + 1000) / device)
    found = problems(device, **SMALL, ZOOMIN_ROLLOUTS_MEMORY_SHARE=share)
    assert len(found) == 1
    assert "stage 'grpo' needs at least" in found[0]
    assert "with vLLM's" in found[0]
    # Asleep while the trainer computes, vLLM shares the device with the states alone.
    assert problems(device, **SMALL, ZOOMIN_ROLLOUTS_MEMORY_SHARE=share, ZOOMIN_ROLLOUTS_SLEEP="true") == []


def test_weights_that_do_not_fit_into_vllms_share() -> None:
    device = 100_000.0
    found = problems(device, **SMALL, ZOOMIN_ROLLOUTS_MEMORY_SHARE=str(WEIGHTS / device))
    assert ["weights of a rollout device" in problem for problem in found] == [True]


def test_a_cache_without_room_for_one_conversation() -> None:
    device = 1_000_000.0
    tight = str((WEIGHTS + CACHE - 1) / device)
    found = problems(device, **SMALL, ZOOMIN_ROLLOUTS_MEMORY_SHARE=tight)
    assert ["room for the cache of 255 tokens at most" in problem for problem in found] == [True]
    assert problems(device, **SMALL, ZOOMIN_ROLLOUTS_MEMORY_SHARE=str((WEIGHTS + CACHE + 1) / device)) == []


def test_a_trainer_that_does_not_fit() -> None:
    found = problems(STATES - 1, 2, **SMALL | {"ZOOMIN_ENGINE_MODE": "server"})
    assert any("stage 'grpo' needs at least" in problem and "vLLM's" not in problem for problem in found)


def test_numbers_for_a_person_and_for_json() -> None:
    assert (gib(1.5 * GIB), gib(GIB / 1000)) == ("1.5", "0.001")
    values = memory(device=100_000, **ALL, ZOOMIN_ENGINE_ZERO="0").to_dict()
    assert values["sharding"] == {"stage": 0, "offload_optimizer": False, "offload_weights": False}
    assert values["training_device"]["grpo"]["weights"] == 2000
    assert values["context_tokens"] == 200
    assert values["rollout_device"]["cache_of_a_token"] == 2 * 2 * 2 * 16 * 2
    assert trained_weights(recipe(), SHAPE) == 800


@pytest.mark.parametrize(
    ("devices", "environ", "expected"),
    [
        (4, {}, Sharding(3, offload_optimizer=True)),
        (1, {}, UNSHARDED),
        (4, {"ENGINE_TUNER": "lora"}, UNSHARDED),
        (4, {"ENGINE_OFFLOAD_OPTIMIZER": "false"}, Sharding(3)),
        (4, {"ENGINE_ZERO": "0"}, UNSHARDED),
        # A stage that is named decides alone.
        (4, {"ENGINE_ZERO": "3"}, Sharding(3)),
        (1, {"ENGINE_ZERO": "2"}, Sharding(2)),
        # Whoever wants to offload needs DeepSpeed, alone and with adapters, too.
        (1, {"ENGINE_OFFLOAD_OPTIMIZER": "true"}, Sharding(3, offload_optimizer=True)),
        (4, {"ENGINE_TUNER": "lora", "ENGINE_OFFLOAD_WEIGHTS": "true"}, Sharding(3, offload_weights=True)),
    ],
)
def test_who_trains_decides_what_is_shared(devices: int, environ: dict[str, str], expected: Sharding) -> None:
    made = recipe(**{f"ZOOMIN_{name}": value for name, value in environ.items()}, ZOOMIN_ENGINE_MODE="colocate")
    assert sharding_of(made, topology(made, devices)) == expected


def test_a_cpu_shares_nothing() -> None:
    made = recipe(ZOOMIN_ENGINE_OFFLOAD_OPTIMIZER="true")
    assert sharding_of(made, topology_of(made, Devices(Kind.CPU))) == UNSHARDED


QWEN_27B = ModelShape(
    parameters=27_400_000_000,
    vision_parameters=500_000_000,
    adapter_width=2_000_000,
    vision_adapter_width=200_000,
    hidden=5120,
    layers=64,
    attention_layers=16,
    kv_heads=4,
    head_dim=256,
    vocabulary=248_320,
)
"""As large as the target model, its numbers rounded."""


@pytest.mark.parametrize(
    "environ",
    [
        {"NNODES": "4", "ROLLOUT_NNODES": "1", "MASTER_ADDR": "gw0", "VLLM_SERVER_HOSTS": "gw0", "VLLM_TP": "1"},
        {"VLLM_TP": "1"},
        {"VLLM_TP": "4"},
    ],
)
def test_the_classic_commands_hold_the_target_model_on_devices_of_80_gib(environ: dict[str, str]) -> None:
    def problems(**more: str) -> list[str]:
        made = load_recipe(CLASSIC, environ | more | {"MODEL_PATH": "/models/27b"}).recipe
        nodes = topology(made, 8)
        # The longest conversation of the shipped rows, as the dry run tells it: 16,451 tokens.
        longest = Context(screenshot=1000, crop=3906, crops=3, opening_text=1173, replies=2560)
        found = memory_of(made, nodes, QWEN_27B, context=longest, device=80.0 * GIB)
        return memory_problems(found, made, nodes.mode)

    assert problems() == []
    assert problems(ZOOMIN_GRPO_MICRO_BATCH_SIZE="8", ZOOMIN_GRPO_PROMPTS_PER_STEP="24") != []
    [refused] = problems(ZOOMIN_ENGINE_ZERO="0")
    assert "engine.zero = 3" in refused
