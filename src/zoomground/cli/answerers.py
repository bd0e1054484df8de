"""Who answers an evaluation: recorded answers, a scripted player, a checkpoint on this machine, or an endpoint."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from zoomground.cli.output import needs_extra
from zoomground.data.checkpoints import checkpoint_hash
from zoomground.evaluate.players import BatchPlayer, Player, endpoint_player
from zoomground.evaluate.scripted import SCRIPTED
from zoomground.policies.base import one_by_one

if TYPE_CHECKING:
    from zoomground.policies.endpoint import Endpoint

_TEMPLATE_KEY = "chat_template_kwargs"


@dataclass(frozen=True, slots=True)
class Answerer:
    """Who answers.

    Attributes:
        identity: Kind, name, sampling, arguments of the chat template: what results of two runs may not differ in.
        player: Who plays.
        about: What else is worth knowing, such as the address; results do not depend on it.
        ends_in_think: Whether the chat template opens the thinking; None: as the recipe says.
        factor: Patch multiple of the image processor; None: as the recipe says.
    """

    identity: Mapping[str, Any]
    player: Player
    about: Mapping[str, Any] = field(default_factory=dict)
    ends_in_think: bool | None = None
    factor: int | None = None


def scripted(name: str, size: int) -> Answerer:
    """A player that needs no model.

    Raises:
        typer.BadParameter: If there is none of that name.
    """
    if name not in SCRIPTED:
        raise typer.BadParameter(f"'{name}' is none of: {', '.join(SCRIPTED)}", param_hint="--policy")
    return Answerer({"kind": "scripted", "model": name}, BatchPlayer(one_by_one(SCRIPTED[name]), size))


def served(endpoint: Endpoint, concurrency: int) -> Answerer:
    """A model behind an endpoint."""
    identity = {"kind": "endpoint", "thinking": endpoint.thinking.value, **endpoint.parameters()}
    return Answerer(identity, endpoint_player(endpoint, concurrency), {"base_url": endpoint.base_url})


def local(
    checkpoint: Path, *, size: int, max_tokens: int, temperature: float, top_p: float | None, seed: int,
    device: str, extra: Mapping[str, Any],
) -> Answerer:  # fmt: skip
    """A checkpoint on this machine.

    Raises:
        ZoomgroundError: If the folder holds none, or torch is not installed.
        typer.BadParameter: If ``extra`` holds something that a checkpoint has no use for.
    """
    if unknown := extra.keys() - {_TEMPLATE_KEY}:
        problem = f"a checkpoint takes {_TEMPLATE_KEY} alone, got {', '.join(sorted(unknown))}"
        raise typer.BadParameter(problem, param_hint="--extra-body")
    template = extra.get(_TEMPLATE_KEY) or {}
    drawn = {"max_tokens": max_tokens, "temperature": temperature, "top_p": top_p}
    sampling = {**drawn, "seed": seed if temperature else None, _TEMPLATE_KEY: template}
    identity = {"kind": "checkpoint", "model": checkpoint_hash(checkpoint), **sampling}
    with needs_extra("train"):
        from zoomground.engines.local import LocalPolicy  # noqa: PLC0415 -- an optional part
    policy = LocalPolicy(
        checkpoint,
        batch_size=size,
        max_new_tokens=max_tokens,
        temperature=temperature,
        top_p=1.0 if top_p is None else top_p,
        seed=seed,
        device=device,
        chat_template_kwargs=template,
    )
    about = {"checkpoint": str(checkpoint), "device": device}
    return Answerer(identity, BatchPlayer(policy, size), about, policy.prompt_ends_in_think, policy.factor)


def replayed(file: Path) -> dict[str, Any]:
    """Identity of recorded answers: the file's hash."""
    return {"kind": "recorded", "model": hashlib.sha256(file.read_bytes()).hexdigest()[:16]}
