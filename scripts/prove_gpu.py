#!/usr/bin/env python
"""Prove the engine on real accelerators, mode by mode: ``python scripts/prove_gpu.py --out DIR [--modes server ...]``.

The recipe is `recipes/mini-gpu.toml`; its SFT makes the checkpoint that every mode starts from, unless --start names
one. Each mode starts the launcher as a person would, in a run folder of its own, and writes what it showed: found,
wanted, met. The exit code is 1 if anything was not met.

    server          a vLLM server on the first device, training on the second, weights sent by NCCL, 10 steps
    colocate        one device, vLLM inside the trainer, 10 steps
    lora            the same with adapters, 2 steps, merged
    zero3           one device or two, vLLM inside each trainer, ZeRO-3 with the optimizer in host memory, 2 steps
    credit          credit by turn, the turn filter by the known box, and every remedy against groups that teach nothing
    remedies        every remedy, and the turn filter by the policy's own doubts
    bad             a corrupt image, a reply of a megabyte, media tokens, log-probs that are no numbers
    resume          the trainer killed at a random step, and the same command again
    two-servers     two servers share the first device, training on the second
    step            ten steps to measure: three servers on the first device, training on the second
    launcher-death  the launcher killed alone: nothing of the run stays
    qwen35          log-probs of vLLM against transformers, Qwen3.5's architecture beside Qwen3-VL's

`bad` and `launcher-death` have a server where there are two devices, and vLLM inside the trainer where there is one.
--set KEY=VALUE is for every run, on top of what a mode says. Modes that run at the same time need calls of their own
(CUDA_VISIBLE_DEVICES says on what); a last call without modes gathers what all of them wrote. Without an accelerator
the modes of one device run on the CPU, for a rehearsal: --recipe recipes/demo-scratch.toml --set sft.steps=30 ...
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "scripts")]

from gpu_proof.agreement import agreement  # noqa: E402
from gpu_proof.bench import NAMES, Bench, versions  # noqa: E402
from gpu_proof.faults import bad  # noqa: E402
from gpu_proof.kills import launcher_death, resume  # noqa: E402
from gpu_proof.modes import TRAININGS, devices_for, train  # noqa: E402
from gpu_proof.turns import credit, remedies  # noqa: E402

from zoomground.recipe import load_recipe  # noqa: E402
from zoomground.train.devices import devices_of  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Callable

    from gpu_proof.figures import Proof

MODES: dict[str, Callable[[Bench], Proof]] = {
    **{name: partial(train, name=name) for name in TRAININGS},
    "bad": bad,
    "credit": credit,
    "remedies": remedies,
    "resume": resume,
    "launcher-death": launcher_death,
    "qwen35": agreement,
}


def start_of(bench: Bench) -> Path | None:
    """The checkpoint that the recipe's SFT makes, once for all modes."""
    recipe = load_recipe(bench.recipe, {NAMES[key]: value for key, value in bench.given.items()}).recipe
    made = bench.out / "sft" / "sft" / f"checkpoint-{recipe.sft.steps}"
    if (made / "config.json").exists():
        return made
    print("== sft", flush=True)
    run = bench.run_of("sft", {"grpo.steps": 0}, bench.devices[:1])
    run.variables[NAMES["grpo.steps"]] = "0"
    return made if run.finish() == 0 else None


def gathered(out: Path) -> str:
    """Everything that modes have written, as one page."""
    pages = [path.read_text(encoding="utf-8") for path in sorted((out / "proofs").glob("*.md"))]
    facts = ", ".join(f"{name} {value}" for name, value in versions().items())
    return "\n".join([f"# {facts}", "", *pages])


def arguments() -> argparse.Namespace:
    """What the caller wants."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--modes", nargs="*", choices=list(MODES), default=[])
    parser.add_argument("--recipe", type=Path, default=ROOT / "recipes" / "mini-gpu.toml")
    parser.add_argument("--start", type=Path, help="checkpoint that GRPO starts from; default: the recipe's SFT")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="a recipe's key for every run")
    args = parser.parse_args()
    args.given = dict(text.partition("=")[::2] for text in args.set)
    if unknown := sorted(set(args.given) - set(NAMES)):
        parser.error(f"--set: no key of a recipe: {', '.join(unknown)}")
    return args


def main() -> int:
    """Run the modes and write what they showed."""
    args = arguments()
    out = args.out.resolve()
    (out / "proofs").mkdir(parents=True, exist_ok=True)
    recipe = args.recipe.resolve()
    devices = devices_of(load_recipe(recipe, {}).recipe, os.environ).ids
    bench = Bench(out, recipe, args.given, devices, args.start.resolve() if args.start else None)
    for mode in set(args.modes) & set(TRAININGS):
        devices_for(bench, mode)
    if args.modes and args.modes != ["qwen35"] and bench.start is None:
        bench = Bench(out, recipe, args.given, devices, start_of(bench))
        if bench.start is None:
            print(f"the SFT failed: {out / 'sft.out'}", file=sys.stderr)
            return 1
    met = True
    for mode in args.modes:
        print(f"== {mode}", flush=True)
        proof = MODES[mode](bench)
        met &= all(line.met for line in proof.lines)
        (out / "proofs" / f"{mode}.json").write_text(json.dumps(proof.to_dict(), indent=1) + "\n", encoding="utf-8")
        (out / "proofs" / f"{mode}.md").write_text(proof.text(), encoding="utf-8")
        print(proof.text(), flush=True)
    (out / "proof.md").write_text(gathered(out), encoding="utf-8")
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
