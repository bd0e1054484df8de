"""What the preflight says about devices, packages and ports of a machine with accelerators."""

import socket

import pytest

from zoomground.recipe import load_recipe
from zoomground.train import hardware as module
from zoomground.train.hardware import hardware_problems


@pytest.fixture(autouse=True)
def all_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "version_problems", lambda extra: [])
    monkeypatch.setattr(module, "deepspeed_problems", list)


def problems(**environ: str) -> list[str]:
    base = {"ZOOMIN_GRPO_STEPS": "2", "CUDA_VISIBLE_DEVICES": "0,1"}
    return hardware_problems(load_recipe(None, base | environ), base | environ)


def free_port() -> str:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return str(one.getsockname()[1])


def ports() -> dict[str, str]:
    names = ("VLLM_SERVER_PORTS", "ZOOMIN_ROLLOUTS_GROUP_PORTS", "MASTER_PORT")
    return {name: free_port() for name in names}


def test_two_gpus_are_a_server_and_a_trainer() -> None:
    assert problems(**ports()) == []


@pytest.mark.parametrize("variable", ["VLLM_SERVER_PORTS", "ZOOMIN_ROLLOUTS_GROUP_PORTS"])
def test_a_port_that_somebody_holds_is_named_with_its_variable(variable: str) -> None:
    """ms-swift would move on to another port, and the trainer would look for it in vain."""
    given = ports()
    with socket.socket() as other:
        other.bind(("127.0.0.1", int(given[variable])))
        other.listen()
        assert problems(**given) == [f"rollout server 0: port {given[variable]} is in use; set {variable}"]


def test_a_second_job_on_the_machine_is_told_to_meet_elsewhere() -> None:
    given = ports()
    with socket.socket() as other:
        other.bind(("127.0.0.1", int(given["MASTER_PORT"])))
        other.listen()
        assert problems(**given) == [
            f"port {given['MASTER_PORT']} is in use, at which the training processes meet; set MASTER_PORT"
        ]
        assert problems(**given | {"CUDA_VISIBLE_DEVICES": ""}) == []


@pytest.mark.parametrize("variable", ["VLLM_SERVER_PORTS", "ZOOMIN_ROLLOUTS_GROUP_PORTS"])
@pytest.mark.parametrize("nodes", [{}, {"NNODES": "2", "MASTER_ADDR": "127.0.0.1"}])
def test_a_server_does_not_take_the_port_of_the_meeting(variable: str, nodes: dict[str, str]) -> None:
    given = ports()
    given["MASTER_PORT"] = given[variable]
    [found] = problems(**given, **nodes)
    assert f"rollout server 0 and the meeting at node 0 want the same port {given[variable]}" in found


def test_ports_of_several_nodes_are_tried_when_they_meet() -> None:
    given = ports()
    with socket.socket() as other:
        other.bind(("127.0.0.1", int(given["VLLM_SERVER_PORTS"])))
        other.listen()
        assert problems(NNODES="2", MASTER_ADDR="127.0.0.1", **given) == []


def test_tensor_parallel_inside_the_trainer_divides_its_processes() -> None:
    found = problems(
        CUDA_VISIBLE_DEVICES="0,1,2",
        ZOOMIN_ENGINE_MODE="colocate",
        VLLM_TP="2",
        ZOOMIN_GRPO_FIT_BATCH="true",
        **ports(),
    )
    assert [problem.split(" does not divide")[0] for problem in found] == ["rollouts.tensor_parallel 2 (VLLM_TP)"]


def test_vllm_is_asked_for_where_it_generates(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "version_problems", lambda extra: [f"{extra} is missing"])
    assert problems(**ports()) == ["vllm is missing"]
    assert problems(CUDA_VISIBLE_DEVICES="") == []


def test_deepspeed_is_asked_for_where_training_processes_share_a_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "deepspeed_problems", lambda: ["deepspeed is missing"])
    several = {"CUDA_VISIBLE_DEVICES": "0,1,2", **ports()}
    assert problems(**several) == ["deepspeed is missing"]
    assert problems(**several, ZOOMIN_ENGINE_ZERO="0") == []
    assert problems(**several, ZOOMIN_ENGINE_TUNER="lora") == []
    assert problems(**ports()) == [], "two devices are a server and one training process"


@pytest.mark.parametrize(
    ("name", "value", "problem"),
    [
        ("ZOOMIN_ENGINE_ZERO", "2", "engine.zero needs an accelerator: a CPU trains without DeepSpeed"),
        ("ZOOMIN_ENGINE_OFFLOAD_OPTIMIZER", "true", "engine.offload_optimizer and engine.offload_weights need an"),
        ("ZOOMIN_ENGINE_OFFLOAD_WEIGHTS", "true", "engine.offload_optimizer and engine.offload_weights need an"),
    ],
)
def test_a_cpu_trains_without_deepspeed(name: str, value: str, problem: str) -> None:
    [found] = problems(CUDA_VISIBLE_DEVICES="", **{name: value})
    assert found.startswith(problem)
    assert problems(CUDA_VISIBLE_DEVICES="") == []
