"""Where a run keeps what: one folder, one name for each thing."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from zoomground.recipe import LoadedRecipe

SEED_PREFIX = "seed-"
"""Begins the names of the run folders of one recipe with several seeds; they lie side by side."""


@dataclass(frozen=True, slots=True)
class RunFolder:
    """The places of one run.

    Attributes:
        root: The run folder.
        logs: Logs of the stages, one file each.
    """

    root: Path
    logs: Path

    @classmethod
    def of(cls, loaded: LoadedRecipe) -> RunFolder:
        """The folder of a recipe; relative paths are under the working folder."""
        run = loaded.recipe.run
        root = Path.cwd() / run.output_dir.expanduser()
        return cls(root, Path.cwd() / run.log_dir.expanduser() if run.log_dir else root / "logs")

    @property
    def siblings(self) -> list[RunFolder]:
        """The run folders of the other seeds, if this is one of several."""
        if not self.root.name.startswith(SEED_PREFIX):
            return []
        others = sorted(path for path in self.root.parent.glob(f"{SEED_PREFIX}*") if path.name != self.root.name)
        return [RunFolder(path, path / "logs") for path in others]

    @property
    def identity(self) -> Path:
        """What this run is: recipe, values, rows."""
        return self.root / "run.json"

    @property
    def lock(self) -> Path:
        """Held by the launcher and by every process that it starts."""
        return self.root / ".lock"

    def lock_of(self, rank: int, nodes: int) -> Path:
        """The lock of one node: nodes of a run may share the folder."""
        return self.lock if nodes == 1 else self.root / f".lock.node{rank}"

    @property
    def done(self) -> Path:
        """Marks of finished stages."""
        return self.root / "done"

    @property
    def checkpoint(self) -> Path:
        """The tiny checkpoint, where the recipe builds one."""
        return self.root / "checkpoint"

    @property
    def curriculum(self) -> Path:
        """Log, state and, when it is done, the checkpoint of the curriculum."""
        return self.root / "curriculum"

    @property
    def taught(self) -> Path:
        """The checkpoint that the curriculum ends with."""
        return self.curriculum / "checkpoint"

    @property
    def demonstrations(self) -> Path:
        """Scripted episodes for SFT, with their images."""
        return self.root / "demonstrations"

    @property
    def sft_rows(self) -> Path:
        """What `swift sft` reads."""
        return self.demonstrations / "demonstrations.jsonl"

    @property
    def prompts(self) -> Path:
        """What `swift rlhf` reads."""
        return self.root / "prompts" / "prompts.jsonl"

    @property
    def sft(self) -> Path:
        """Output of `swift sft`."""
        return self.root / "sft"

    @property
    def grpo(self) -> Path:
        """Output of `swift rlhf`."""
        return self.root / "grpo"

    @property
    def trajectories(self) -> Path:
        """Trajectories of the training, one file a rank."""
        return self.root / "trajectories"

    @property
    def evaluation(self) -> Path:
        """Trajectories and figures of the held-out rows, for each checkpoint and arm."""
        return self.root / "evaluation"

    @property
    def evaluation_summary(self) -> Path:
        """The figures of all evaluations."""
        return self.evaluation / "summary.json"

    @property
    def evaluated_items(self) -> Path:
        """What every item came to, for each checkpoint and arm."""
        return self.evaluation / "items.jsonl"

    def evaluated(self, checkpoint: str) -> Path:
        """Folder of the evaluation of a checkpoint, in all arms."""
        return self.evaluation / checkpoint

    def log(self, stage: str) -> Path:
        """Log of a stage."""
        return self.logs / f"{stage}.log"
