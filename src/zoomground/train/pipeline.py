"""Runs a plan: stage after stage, each done once, whatever was stopped in between.

A finished stage leaves a mark. A run folder belongs to one experiment: the first start writes down what it is (the
values in force, the rows), and a later start with another recipe or other rows is refused and told what changed.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import socket
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from zoomground import __version__
from zoomground.data.files import write_bytes
from zoomground.errors import LaunchError
from zoomground.recipe.recipe import digest
from zoomground.train.folder import RunFolder
from zoomground.train.launch import locked, run_stage, stoppable
from zoomground.train.meeting import Alone, Cluster, Meeting
from zoomground.train.plan import LaunchPlan
from zoomground.train.planning import make_plan
from zoomground.train.resume import checkpoint_step, last_checkpoint, rewind

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from zoomground.recipe import LoadedRecipe
    from zoomground.train.plan import Stage
    from zoomground.train.progress import Progress
    from zoomground.train.topology import Topology


class Display(Protocol):
    """Shows a person how a run goes."""

    def begin(self, stage: Stage) -> None:
        """A stage starts."""
        ...

    def watch(self, progress: Progress) -> None:
        """The running stage is that far."""
        ...

    def end(self, stage: Stage, seconds: float | None) -> None:
        """A stage is done; None seconds: it was done before."""
        ...


def run(loaded: LoadedRecipe, display: Display) -> RunFolder:
    """Carry out the plan of a recipe.

    Args:
        loaded: A validated recipe that passed the preflight.
        display: Shows how it goes.

    Returns:
        The run folder.

    Raises:
        LaunchError: If a stage fails, the folder is in use, or holds another run.
        KeyboardInterrupt: On Ctrl-C or SIGTERM, after the running stage was ended.
    """
    folder = RunFolder.of(loaded)
    plan = make_plan(loaded)
    with stoppable(), locked(folder.lock_of(plan.here, len(plan.nodes))) as lock:
        identity = claim(folder, loaded)
        with meet(loaded, plan.topology) as meeting:
            for stage in plan.stages:
                _carry_out(stage, Start(plan, identity, lock, meeting, display))
    return folder


@dataclass(frozen=True, slots=True)
class Start:
    """One start of a run, on this node.

    Attributes:
        plan: What is to be done.
        identity: Hash that the run's marks carry.
        lock: Descriptor of the run folder's lock.
        meeting: The other nodes.
        display: Shows how it goes.
    """

    plan: LaunchPlan
    identity: str
    lock: int
    meeting: Meeting
    display: Display

    @property
    def leads(self) -> bool:
        """Whether this node decides and marks what is done: the first one that trains."""
        return self.plan.nodes[self.plan.here].node.train_rank == 0


def _carry_out(stage: Stage, start: Start) -> None:
    """One stage on this node, unless it was done before."""
    folder = start.plan.folder
    done = start.leads and is_done(folder, stage, start.identity)
    if not start.meeting.decide(stage.name, runs=not done):
        start.display.end(stage, None)
        return
    started = time.monotonic()
    start.display.begin(stage)
    if stage.metrics is not None and start.leads:
        rewind(stage.metrics.parent, stage.rewinds)
    trained = start.meeting.decide(f"{stage.name}/trained", runs=start.leads and has_trained(stage))
    if not trained and (stage.argv or stage.services):
        run_stage(stage, cwd=start.plan.cwd, lock=start.lock, watch=start.display.watch, meeting=start.meeting)
    if start.leads:
        _mark_done(folder, stage, start.identity)
    start.meeting.finish(stage.name)
    start.display.end(stage, time.monotonic() - started)


@contextlib.contextmanager
def meet(loaded: LoadedRecipe, topology: Topology) -> Iterator[Meeting]:
    """Meet the other nodes of the run, and tell them how it ended here."""
    if len(topology.nodes) == 1:
        yield Alone()
        return
    cluster = Cluster(loaded, topology)
    name = f"node {loaded.recipe.cluster.node_rank} ({socket.gethostname()})"
    try:
        yield cluster
    except KeyboardInterrupt:
        cluster.fail(f"{name} was stopped")
        raise
    except LaunchError as error:
        cluster.fail(f"{name}: {error}")
        raise
    cluster.leave()


def identity_of(loaded: LoadedRecipe) -> dict[str, Any]:
    """What makes a run this run: version, the values in force, and the content of its rows files."""
    rows = [*loaded.train_rows(), *loaded.heldout_rows()]
    return {
        "version": __version__,
        "recipe": loaded.recipe.values(),
        "rows": {
            f"{number} {path.name}": hashlib.sha256(path.read_bytes()).hexdigest()[:12]
            for number, path in enumerate(rows, start=1)
        },
    }


def claim(folder: RunFolder, loaded: LoadedRecipe) -> str:
    """Make the run folder this run's own; gives the hash that its marks carry.

    Raises:
        LaunchError: If it is another run's; the message names what differs.
    """
    if problems := difference(folder, loaded):
        raise LaunchError(problems[0])
    mine = identity_of(loaded)
    if not folder.identity.exists():
        _write(folder.identity, mine)
    return digest(mine)


def difference(folder: RunFolder, loaded: LoadedRecipe) -> list[str]:
    """Why a run folder cannot be this run's; an empty list if it can."""
    try:
        theirs = json.loads(folder.identity.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return []
    changed = _changes(theirs, identity_of(loaded))
    if not changed:
        return []
    return [
        f"the run folder {folder.root} holds another run; changed since: {'; '.join(changed)}. "
        "Remove that folder, or name another one (run.output_dir, ZOOMIN_RUN_OUTPUT_DIR)"
    ]


def is_done(folder: RunFolder, stage: Stage, identity: str) -> bool:
    """Whether a stage left its mark in this run, and what it made still stands."""
    try:
        mark = json.loads((folder.done / f"{stage.name}.json").read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        return False
    return mark.get("run") == identity and all(path.exists() for path in stage.outputs)


def has_trained(stage: Stage) -> bool:
    """Whether a training stage was stopped after its last checkpoint; started again, ms-swift would train on."""
    last = None if stage.metrics is None else last_checkpoint(stage.metrics.parent)
    return last is not None and checkpoint_step(last) == stage.steps


def _mark_done(folder: RunFolder, stage: Stage, identity: str) -> None:
    missing = [str(path) for path in stage.outputs if not path.exists()]
    if missing:
        raise LaunchError(f"stage '{stage.name}' ended without {', '.join(missing)}; its log: {stage.log}")
    _write(folder.done / f"{stage.name}.json", {"run": identity})


def _changes(old: Any, new: Any, name: str = "") -> list[str]:
    if isinstance(old, dict) and isinstance(new, dict):
        keys = sorted(old.keys() | new.keys())
        nested = [_changes(old.get(key), new.get(key), f"{name}.{key}".lstrip(".")) for key in keys]
        return [change for changes in nested for change in changes]
    return [] if old == new else [f"{name.removeprefix('recipe.')} {old!r} -> {new!r}"]


def _write(path: Path, value: Any) -> None:
    write_bytes(path, (json.dumps(value, indent=1) + "\n").encode("utf-8"))
