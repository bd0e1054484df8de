"""One bad trajectory of each kind in a real run: it ends as data, is counted, and the run goes on."""

from __future__ import annotations

import json
import math
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from gpu_proof.fault_names import IMAGE, LONG, MEDIA, MEDIA_TOKENS, NAN, NAN_TOKENS, REPLY_CHARACTERS
from gpu_proof.figures import Proof, records_of, trained, values
from gpu_proof.modes import FEW, devices

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gpu_proof.bench import Bench, Run
    from zoomground.data.trajectories import SavedRecord

STEPS = 3


def bad(bench: Bench) -> Proof:
    """Run with the faults: the engine's by `faulty_plugin`, the image's on the disk."""
    proof = Proof("bad")
    plugin = Path(__file__).with_name("faulty_plugin.py")
    prompts = int(bench.given.get("grpo.prompts_per_step", 16))
    own = FEW | {
        "grpo.steps": STEPS, "grpo.save_steps": STEPS, "grpo.prompts_per_step": prompts,
        "data.train": write_rows(bench, prompts), "data.off_share": 0,
    }  # fmt: skip
    run = bench.run_of("bad", own, devices(bench, (0, 1)), plugin=plugin)
    launcher = run.launch()
    if run.wait((run.folder / "done" / "prompts.json").exists):
        proof.count("files of the screenshot that were cut", break_the_image(run))
    code = run.finish(launcher)
    steps = trained(proof, run, code, run.wanted)
    shown(proof, records_of(run), steps, injected(run))
    return proof


def write_rows(bench: Bench, count: int) -> Path:
    """As many rows as a step has prompts, so that each step plays all of them; those of the faults are named."""
    from zoomground.recipe import load_recipe  # noqa: PLC0415 -- the parent decides what is in force

    folder = bench.out / "bad-rows"
    folder.mkdir(parents=True, exist_ok=True)
    source = load_recipe(bench.recipe, {}).train_rows()[0]
    rows = [json.loads(line) for line in source.read_text(encoding="utf-8").splitlines()]
    broken = rows[0]["images"]
    # Rows of one screenshot share the file that the policy sees: nobody else may use the one that breaks.
    chosen = [rows[0], *(row for row in rows if row["images"] != broken)][:count]
    for row in chosen:
        row["images"] = [own_copy(source.parent / row["images"][0], folder)]
    for row, name in zip(chosen, (IMAGE, LONG, MEDIA, NAN), strict=False):
        row["id"] = name
    file = folder / "rows.jsonl"
    file.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in chosen), encoding="utf-8")
    return file


def own_copy(image: Path, folder: Path) -> str:
    """Copy a screenshot below a rows file's folder, which rows may not leave; its path from there."""
    target = folder / image.parent.name / image.name
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(image, target)
    return str(target.relative_to(folder))


def break_the_image(run: Run) -> int:
    """Cut the files of one prompt's screenshot, the original and the one that the policy sees; how many they are."""
    dataset = (run.folder / "prompts" / "prompts.jsonl").read_text(encoding="utf-8").splitlines()
    row = next(row for row in map(json.loads, dataset) if json.loads(row["zoomin_task"])["task"]["id"] == IMAGE)
    files = {Path(row["images"][0]), Path(json.loads(row["zoomin_task"])["original"])}
    for file in files:
        # The half that is left still has its header: nothing shows before the pixels are read.
        file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])
    return len(files)


def injected(run: Run) -> dict[str, int]:
    """How often each fault of the engine was put in, as the processes' logs say."""
    logs = [log.read_text(encoding="utf-8", errors="replace") for log in (run.folder / "logs").glob("*.log")]
    return {task: sum(log.count(f"fault injected: {task} ") for log in logs) for task in (LONG, MEDIA, NAN)}


def shown(
    proof: Proof, records: Sequence[SavedRecord], steps: Sequence[dict[str, float]], faults: dict[str, int]
) -> None:
    """Each fault is in the trainer's figures or in its trajectories."""
    for task, count in faults.items():
        proof.count(f"{task}: put in", count, len(steps))
    failed = [record.trajectory for record in records if record.trajectory.failed]
    share = [step["zoomin/failed"] for step in steps if "zoomin/failed" in step]
    generations = len({record.generation for record in records})
    expected = len(steps) * generations
    proof.add(f"{IMAGE}: failed episodes", len(failed), f"{expected}: all of that prompt", met=len(failed) == expected)
    proof.count(f"{IMAGE}: share of failed episodes that the trainer logs, least step", min(share, default=0), 1e-9)
    reasons = sorted({f"{one.stop_reason}: {one.failure.partition(':')[0]}" for one in failed})
    proof.add(f"{IMAGE}: why they failed", "; ".join(reasons), "an ImageError", met=reasons == ["error: ImageError"])
    zero = sum(record.advantage == 0 for record in records if record.trajectory.failed)
    proof.add("advantage of failed episodes", f"0 for {zero}", f"0 for {len(failed)}", met=zero == len(failed))
    long = sum(any(len(turn.text) >= REPLY_CHARACTERS for turn in one.trajectory.turns) for one in records)
    proof.count(f"{LONG}: trajectories with a reply of a megabyte", long, faults[LONG])
    media, nan = sum(values(steps, "zoomin/media_tokens")), sum(values(steps, "zoomin/nonfinite_logprobs"))
    proof.count(f"{MEDIA}: tokens neutralised and logged", media, faults[MEDIA] * MEDIA_TOKENS)
    proof.count(f"{NAN}: log-probs neutralised and logged", nan, faults[NAN] * NAN_TOKENS)
    rewards = values(steps, "reward")
    finite = bool(rewards) and all(map(math.isfinite, rewards))
    proof.add("reward of every step", "finite" if finite else "not finite", "finite", met=finite)
    off = values(steps, "zoomin/importance_off")
    proof.add("micro-batches without importance correction", f"{sum(off):g}", "0", met=not sum(off))
