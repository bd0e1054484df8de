"""Which accelerators a node has."""

from pathlib import Path

import pytest

from zoomground.errors import LaunchError
from zoomground.recipe import Recipe, load_recipe
from zoomground.train.devices import ASSUMED, Devices, Kind, devices_of


def recipe(**environ: str) -> Recipe:
    return load_recipe(None, environ).recipe


@pytest.fixture
def dev(tmp_path: Path) -> Path:
    for name in (
        "nvidia0",
        "nvidia1",
        "nvidia10",
        "nvidiactl",
        "nvidia-uvm",
        "davinci0",
        "davinci1",
        "davinci_manager",
    ):
        (tmp_path / name).touch()
    return tmp_path


def test_device_files_are_counted_in_their_order(dev: Path) -> None:
    assert devices_of(recipe(), {}, dev) == Devices(Kind.GPU, ("0", "1", "10"))
    assert devices_of(recipe(USE_ASCEND_NPU="1"), {}, dev) == Devices(Kind.NPU, ("0", "1"))


def test_the_device_variable_says_which_may_be_used(dev: Path) -> None:
    assert devices_of(recipe(), {"CUDA_VISIBLE_DEVICES": "3, 5"}, dev).ids == ("3", "5")
    assert devices_of(recipe(), {"CUDA_VISIBLE_DEVICES": ""}, dev) == Devices(Kind.CPU)
    assert devices_of(recipe(), {"CUDA_VISIBLE_DEVICES": "-1"}, dev) == Devices(Kind.CPU)
    assert devices_of(recipe(), {"CUDA_VISIBLE_DEVICES": "1,-1,0"}, dev).ids == ("1",)
    assert devices_of(recipe(), {"CUDA_VISIBLE_DEVICES": "GPU-ab-1"}, dev).ids == ("GPU-ab-1",)


def test_the_recipe_may_take_fewer_and_never_more(dev: Path) -> None:
    assert devices_of(recipe(ZOOMIN_CLUSTER_DEVICES="1"), {}, dev).ids == ("0",)
    with pytest.raises(LaunchError, match=r"cluster.devices is 4, this machine shows 3"):
        devices_of(recipe(ZOOMIN_CLUSTER_DEVICES="4"), {}, dev)


def test_a_machine_without_accelerators(tmp_path: Path) -> None:
    assert devices_of(recipe(), {}, tmp_path) == Devices(Kind.CPU)
    several = devices_of(recipe(NNODES="2", MASTER_ADDR="gw0"), {}, tmp_path)
    assert (several.kind, len(several.ids), several.found) == (Kind.GPU, ASSUMED, False)
    npu = devices_of(recipe(USE_ASCEND_NPU="1", ZOOMIN_CLUSTER_DEVICES="2"), {}, tmp_path)
    assert npu == Devices(Kind.NPU, ("0", "1"), found=False)
