"""Which accelerators this machine has, found without importing the training stack."""

from __future__ import annotations

import os
from dataclasses import dataclass
from enum import StrEnum
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING

from zoomground.errors import LaunchError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from zoomground.recipe import Recipe


class Kind(StrEnum):
    """What a model is trained on."""

    CPU = "cpu"
    GPU = "gpu"
    NPU = "npu"


VISIBLE = {Kind.GPU: "CUDA_VISIBLE_DEVICES", Kind.NPU: "ASCEND_RT_VISIBLE_DEVICES"}
"""The variable that gives a process its devices."""

TORCH_DEVICES = {Kind.CPU: "cpu", Kind.GPU: "cuda", Kind.NPU: "npu"}
"""What torch calls a kind; the launcher leaves our own stages one device to see."""

_FILES = {Kind.GPU: "nvidia[0-9]*", Kind.NPU: "davinci[0-9]*"}
"""Their device files."""


@dataclass(frozen=True, slots=True)
class Devices:
    """The accelerators of a node.

    Attributes:
        kind: What they are.
        ids: As the device variable names them, in order; empty on a CPU.
        found: Whether this machine has them; else the recipe says so, or they are assumed for a plan.
    """

    kind: Kind
    ids: tuple[str, ...] = ()
    found: bool = True


ASSUMED = 8
"""Accelerators of a node in a plan for several nodes, made on a machine that has none."""


def devices_of(recipe: Recipe, environ: Mapping[str, str] | None = None, dev: Path = Path("/dev")) -> Devices:
    """The accelerators of a node of this recipe.

    Args:
        recipe: A validated recipe; ``cluster.devices`` overrides what is found.
        environ: The environment variables; default: the process's own. A device variable that is set says which
            devices may be used.
        dev: Folder of the device files.

    Raises:
        LaunchError: If the recipe wants more devices than this machine shows.
    """
    environ = os.environ if environ is None else environ
    cluster = recipe.cluster
    kinds = (Kind.NPU,) if cluster.ascend_npu else (Kind.GPU,)
    for kind in kinds:
        visible = environ.get(VISIBLE[kind])
        ids = _ids(dev, kind) if visible is None else _named(visible)
        if not ids:
            continue
        if cluster.devices > len(ids):
            raise LaunchError(
                f"cluster.devices is {cluster.devices}, this machine shows {len(ids)} ({VISIBLE[kind]}, {dev})"
            )
        return Devices(kind, ids[: cluster.devices or None])
    wanted = cluster.devices or (ASSUMED if cluster.nodes > 1 or cluster.ascend_npu else 0)
    if not wanted:
        return Devices(Kind.CPU)
    return Devices(kinds[0], tuple(str(index) for index in range(wanted)), found=False)


def _named(visible: str) -> tuple[str, ...]:
    """The devices that a variable names; -1 ends the list, as the drivers read it."""
    names = (part for part in visible.replace(" ", "").split(",") if part)
    return tuple(takewhile(lambda name: name != "-1", names))


def _ids(dev: Path, kind: Kind) -> tuple[str, ...]:
    prefix = _FILES[kind].partition("[")[0]
    numbers = [
        int(file.name.removeprefix(prefix)) for file in dev.glob(_FILES[kind]) if file.name[len(prefix) :].isdecimal()
    ]
    return tuple(str(number) for number in sorted(numbers))
