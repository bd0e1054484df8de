"""What a run showed: lines of a proof (found, wanted, met) and where the time of a step went."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from statistics import fmean, median
from typing import TYPE_CHECKING, Any

from zoomground.data.trajectories import SavedRecord, read_records

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gpu_proof.bench import Run

Step = dict[str, float]

PHASES = ("generation", "environment", "reward", "batch", "training", "weight_sync", "records")
"""Parts of a step as the trainer logs them, each without the others; together they are the step."""

ENVIRONMENT_SHARE = 0.05
"""The environment and the rewards are to take less of a step than this."""

ALIKE = 0.02
"""Mean absolute difference of log perplexities up to which both sides are said to see the same."""


@dataclass(frozen=True, slots=True)
class Line:
    """One thing that a mode is to show."""

    what: str
    found: str
    wanted: str
    met: bool


@dataclass
class Proof:
    """What a mode came to.

    Attributes:
        mode: Its name.
        lines: What it showed.
        seconds: Median seconds of a step by phase, the first step left out.
    """

    mode: str
    lines: list[Line] = field(default_factory=list)
    seconds: dict[str, float] = field(default_factory=dict)

    def add(self, what: str, found: object, wanted: str, *, met: bool) -> None:
        """A line."""
        self.lines.append(Line(what, str(found), wanted, met))

    def count(self, what: str, found: float, least: float = 1) -> None:
        """A line of something that must have happened."""
        self.add(what, f"{found:g}", f"at least {least:g}", met=found >= least)

    def none(self, what: str, found: float) -> None:
        """A line of something that must not have happened."""
        self.add(what, f"{found:g}", "0", met=found == 0)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        lines = [{"what": one.what, "found": one.found, "wanted": one.wanted, "met": one.met} for one in self.lines]
        return {"mode": self.mode, "lines": lines, "seconds": self.seconds}

    def text(self) -> str:
        """As Markdown."""
        rows = [f"| {one.what} | {one.found} | {one.wanted} | {'yes' if one.met else 'NO'} |" for one in self.lines]
        table = [f"## {self.mode}", "", "| what | found | wanted | met |", "|---|---|---|---|", *rows, ""]
        if self.seconds:
            names = list(self.seconds)
            table += [
                f"| {' | '.join(names)} |",
                "|---" * len(names) + "|",
                f"| {' | '.join(f'{self.seconds[name]:.3g}' for name in names)} |",
                "",
            ]
        return "\n".join(table)


def records_of(run: Run) -> list[SavedRecord]:
    """The trajectories that training logged."""
    folder = run.folder / "trajectories"
    return [line.record for line in read_records(folder)] if any(folder.glob("*.jsonl")) else []


def trained(proof: Proof, run: Run, code: int, steps: int) -> list[Step]:
    """What every mode that trains must show; gives its steps."""
    found = run.steps()
    proof.add("exit code of the launcher", code, "0", met=code == 0)
    proof.add("steps", len(found), str(steps), met=len(found) == steps)
    finite = all(math.isfinite(step[name]) for step in found for name in ("loss", "grad_norm"))
    proof.add("loss and gradients", "finite" if finite else "not finite", "finite", met=finite and bool(found))
    learnt = sum(step["grad_norm"] > 0 for step in found)
    proof.count("steps with a gradient", learnt)
    proof.seconds = seconds(found)
    return found


def agreed(proof: Proof, steps: Sequence[Step]) -> None:
    """Ids, masks and images are the same on both sides: the log-probs are, and there is one for each trained token."""
    differences = values(steps, "rollout_correction/log_ppl_abs_diff")
    mean = fmean(differences) if differences else math.nan
    proof.add(
        "mean absolute difference of log perplexities, vLLM and trainer",
        f"{mean:.2g}",
        f"below {ALIKE}",
        met=mean < ALIKE,
    )
    for what, name in (
        ("micro-batches without importance correction, share", "zoomin/importance_off"),
        ("turns whose log-prob count is not that of the ids", "zoomin/logprob_mismatch"),
    ):
        logged = values(steps, name)
        proof.add(what, f"{sum(logged):g}" if logged else "not logged", "0", met=bool(logged) and not sum(logged))


def played(proof: Proof, records: Sequence[SavedRecord], *, many: bool) -> None:
    """Episodes of every kind occurred, rare ones too where there are many, and none broke."""
    crops = [crop for record in records for crop in record.trajectory.crops]
    proof.count("crops", len(crops))
    proof.count("crops of crops", sum(crop.parent.startswith("crop_") for crop in crops), least=int(many))
    proof.count("corrections", sum(record.trajectory.corrections for record in records))
    proof.none("failed episodes", sum(record.trajectory.failed for record in records))


def seconds(steps: Sequence[Step]) -> dict[str, float]:
    """Where the time of a step goes: medians, without the first step, in which everything is made ready."""
    later = steps[1:] or steps
    named = {name: f"zoomin/seconds/{name}" for name in PHASES}
    extra = {"environment, CPU": "environment_cpu", "environment, longest wait": "environment_longest"}
    named |= {label: f"zoomin/seconds/{name}" for label, name in extra.items()}
    named = {"step": "step_time"} | named
    return {label: median(found) for label, name in named.items() if (found := values(later, name))}


def time_kept(proof: Proof) -> None:
    """The environment and the rewards take little of a step.

    A trainer that drives the episodes waits for their environment: a phase of its own. Beside a server it waits for the
    server, whose episodes go on side by side: the environment cannot cost more than the longest wait of one episode.
    """
    spent = proof.seconds
    environment = spent.get("environment", spent.get("environment, longest wait"))
    what, wanted = "environment and rewards, share of a step", f"below {ENVIRONMENT_SHARE:.0%}"
    if environment is None or "step" not in spent:
        proof.add(what, "not logged", wanted, met=False)
        return
    share = (environment + spent.get("reward", 0.0)) / spent["step"]
    proof.add(what, f"{share:.1%}", wanted, met=share < ENVIRONMENT_SHARE)


def values(steps: Sequence[Step], name: str) -> list[float]:
    """A figure of all steps that logged it."""
    return [step[name] for step in steps if name in step]
