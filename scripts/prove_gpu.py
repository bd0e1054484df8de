"""The engine on real accelerators, mode by mode: ``python scripts/prove_gpu.py --out DIR [--modes colocate ...]``.

One small model is trained by SFT once; GRPO then starts from it in each mode, through the launcher, as a user would
start it. The table at the end is read from what the trainer logged: seconds of a step by phase, the difference between
the rollouts' log-probs and the trainer's, what was played. A mode that is done is not run again.

    colocate     one device, vLLM inside the trainer
    lora         the same with adapters
    zero3        all devices, vLLM inside each trainer, ZeRO-3 with the optimizer in host memory
    server       a vLLM server on the first device, training on the others, weights sent by NCCL
    transformers no vLLM, for a machine without accelerators

Exit code 1 if a mode failed; the others are still run.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path
from statistics import fmean, median

ROOT = Path(__file__).resolve().parents[1]

RECIPE = """
[run]
output_dir = "{out}"
[model]
{model}
model_type = "{arch}"
template = "zoomground_{arch}"
freeze_vision = false
max_length = 4096
[data]
train = ["{root}/data_samples/screens/train.jsonl"]
[image]
min_pixels = 4096
max_pixels = 262144
[episode]
crop_max_pixels = 262144
[rewards]
legible_px = 14.0
[sft]
style = "coarse"
steps = {sft_steps}
demonstrations = {demonstrations}
batch_size = {sft_batch}
micro_batch_size = {sft_micro}
learning_rate = 1e-3
save_steps = {sft_save}
[grpo]
steps = {steps}
prompts_per_step = {prompts}
num_generations = 8
micro_batch_size = {micro}
learning_rate = 1e-5
top_p = 0.98
max_completion_length = 128
epsilon_high = 0.3
save_steps = {save}
[engine]
{engine}
gradient_checkpointing = false
data_workers = {workers}
[rollouts]
max_sequences = 512
memory_share = 0.2
"""

MODES = {
    "colocate": 'mode = "colocate"\nzero = 2',
    "lora": 'mode = "colocate"\ntuner = "lora"',
    "zero3": 'mode = "colocate"\nzero = 3\noffload_optimizer = true',
    "server": 'mode = "server"\nzero = 2',
    "transformers": 'mode = "transformers"\ndtype = "float32"',
}
ONE_DEVICE = {"colocate", "lora"}

PHASES = ("generation", "weight_sync", "reward", "batch", "training", "records")
FIGURES = {
    "step": "step_time",
    **{phase: f"zoomin/seconds/{phase}" for phase in PHASES},
    "env CPU": "zoomin/seconds/environment_cpu",
    "|dlogp|": "rollout_correction/log_ppl_abs_diff",
    "IS off": "zoomin/importance_off",
    "zoomed": "zoomin/zoom_rate",
    "crops": "zoomin/crops",
    "corrections": "zoomin/corrections",
    "failed": "zoomin/failed",
    "mismatches": "zoomin/logprob_mismatch",
}


def recipe(args: argparse.Namespace, name: str, model: str, engine: str, *, sft: bool) -> Path:
    """The recipe of one run, written beside its folder."""
    tiny = args.size == "tiny"
    text = RECIPE.format(
        out=args.out / name, root=ROOT, arch=args.arch, model=model, engine=engine,
        sft_steps=args.sft_steps if sft else 0, steps=0 if sft else args.steps, prompts=args.prompts,
        demonstrations=200 if tiny else 3000, sft_batch=4 if tiny else 64, sft_micro=4 if tiny else 32,
        sft_save=args.sft_steps, micro=args.micro, save=max(1, args.steps // 2), workers=0 if tiny else 8,
    )  # fmt: skip
    file = args.out / f"{name}.toml"
    file.write_text(text, encoding="utf-8")
    return file


def train(args: argparse.Namespace, name: str, file: Path, mode: str) -> int:
    """Run a recipe through the launcher on the devices of a mode; gives its exit code."""
    environ = dict(os.environ) | {"PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"}
    if mode in ONE_DEVICE:
        environ["CUDA_VISIBLE_DEVICES"] = environ.get("CUDA_VISIBLE_DEVICES", "0").split(",")[0]
    elif mode == "zero3":
        environ["ROLLOUT_NNODES"] = "0"
    print(f"== {name}", flush=True)
    command = [sys.executable, "-m", "zoomground", "train", str(file)]
    return subprocess.run(command, env=environ, check=False, cwd=args.out).returncode  # noqa: S603 -- our own command


def steps_of(folder: Path) -> list[dict[str, float]]:
    """The logged steps of a run."""
    log = folder / "grpo" / "logging.jsonl"
    rows = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()] if log.is_file() else []
    return [row for row in rows if "loss" in row and "reward" in row]


def table(args: argparse.Namespace, modes: list[str]) -> dict[str, dict[str, float]]:
    """Each mode's figures: seconds are medians of the steps after the first, all else means of all steps."""
    found: dict[str, dict[str, float]] = {}
    for mode in modes:
        steps = steps_of(args.out / mode)
        if not steps:
            continue
        found[mode] = {"steps": len(steps)}
        for label, name in FIGURES.items():
            timed = label == "step" or "seconds/" in name
            values = [row[name] for row in (steps[1:] if timed and len(steps) > 1 else steps) if name in row]
            if values:
                found[mode][label] = (median if timed else fmean)(values)
    return found


def show(found: dict[str, dict[str, float]]) -> None:
    """Print the figures, a column for each mode."""
    print(f"{'':14}" + "".join(f"{mode:>14}" for mode in found))
    for label in ("steps", *FIGURES):
        cells = (f"{one[label]:14.4g}" if label in one else f"{'-':>14}" for one in found.values())
        print(f"{label:14}" + "".join(cells))


def main() -> int:
    """Run the modes and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--modes", nargs="+", choices=list(MODES), default=["colocate", "lora", "zero3", "server"])
    parser.add_argument("--arch", choices=["qwen3_vl", "qwen3_5"], default="qwen3_vl")
    parser.add_argument("--size", choices=["tiny", "mini"], default="mini")
    parser.add_argument("--sft-steps", type=int, default=250)
    parser.add_argument("--steps", type=int, default=10)
    parser.add_argument("--prompts", type=int, default=24)
    parser.add_argument("--micro", type=int, default=16)
    args = parser.parse_args()
    args.out = args.out.resolve()
    args.out.mkdir(parents=True, exist_ok=True)
    build = f'build.arch = "{args.arch}"\nbuild.size = "{args.size}"'
    engine = MODES["transformers"] if args.modes == ["transformers"] else MODES["colocate"]
    if train(args, "sft", recipe(args, "sft", build, engine, sft=True), "colocate"):
        return 1
    start = f'path = "{args.out}/sft/sft/checkpoint-{args.sft_steps}"'
    codes = [train(args, mode, recipe(args, mode, start, MODES[mode], sft=False), mode) for mode in args.modes]
    found = table(args, args.modes)
    (args.out / "proof.json").write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    show(found)
    return int(any(codes))


if __name__ == "__main__":
    sys.exit(main())
