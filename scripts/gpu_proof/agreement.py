"""Log-probs of vLLM and of transformers for the same conversations, on random weights of an architecture.

The weights are drawn wide enough that the text distribution is far from flat: where two implementations differ, it
shows. Qwen3-VL, which is proven, is the control.
"""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from statistics import fmean, stdev
from typing import TYPE_CHECKING

from gpu_proof.bench import ROOT
from gpu_proof.figures import Proof

if TYPE_CHECKING:
    from gpu_proof.bench import Bench

WIDE = 0.08
"""Standard deviation of the weights; at the families' 0.02 every token is about as likely as the next."""

ALLOWED = 2.0
"""Two bf16 implementations round differently; one that computes something else is off by the deviation itself."""


def agreement(bench: Bench) -> Proof:
    """Compare on each architecture; the checkpoints are built here."""
    proof = Proof("qwen35")
    for arch, size in (("qwen3_vl", "mini"), ("qwen3_5", "mini"), ("qwen3_5", "tiny")):
        model = bench.out / "qwen35" / f"{arch}-{size}"
        compare(proof, f"{arch} {size}", build(bench, model, arch, size))
    return proof


def build(bench: Bench, out: Path, arch: str, size: str) -> Path:
    """A checkpoint of random weights, with the recipe's pixel limits and its prompts for a corpus."""
    from zoomground.collect.dataset import corpus  # noqa: PLC0415 -- torch, for this mode alone
    from zoomground.engines.tiny import build_checkpoint  # noqa: PLC0415
    from zoomground.engines.tiny_shape import SHAPES  # noqa: PLC0415
    from zoomground.recipe import load_recipe  # noqa: PLC0415
    from zoomground.train.stages.demonstrations import demonstration_style  # noqa: PLC0415

    if not (out / "config.json").exists():
        loaded = load_recipe(bench.recipe, {})
        style, settings = demonstration_style(loaded.recipe), loaded.recipe.episode_settings()
        texts = corpus(loaded.train_rows(), count=100, seed=0, settings=settings, style=style)
        shape = replace(SHAPES[size], initializer_range=WIDE)
        build_checkpoint(out, arch=arch, limits=settings.limits, seed=0, corpus=texts, shape=shape)  # type: ignore[arg-type]
    return out


def compare(proof: Proof, name: str, model: Path) -> None:
    """Generate with vLLM, score the same tokens with transformers; each in a process of its own."""
    program = Path(__file__).with_name("logprobs.py")
    log = model.with_suffix(".log")
    for half in ("vllm", "transformers"):
        with log.open("ab") as stream:
            command = [sys.executable, str(program), half, str(model), str(ROOT / "data_samples" / "screens")]
            code = subprocess.run(command, stdout=stream, stderr=subprocess.STDOUT, check=False).returncode  # noqa: S603
        if code:
            proof.add(f"{name}: {half}", f"exit code {code}, {log}", "0", met=False)
            return
    sampled = json.loads((model / "vllm.json").read_text(encoding="utf-8"))
    scored = json.loads((model / "transformers.json").read_text(encoding="utf-8"))
    ours = [value for row in sampled for value in row["logprobs"]]
    theirs = [value for row in scored for value in row["logprobs"]]
    exact = [value for row in scored for value in row["float32"]]
    difference, noise = _mean_difference(ours, exact), _mean_difference(theirs, exact)
    proof.add(
        f"{name}: mean absolute difference of log-probs from transformers in float32, {len(ours)} tokens",
        f"vLLM in bf16 {difference:.3g}, transformers in bf16 {noise:.3g} (their deviation is {stdev(ours):.3g})",
        f"vLLM's at most {ALLOWED} times transformers'",
        met=len(ours) == len(exact) and difference <= ALLOWED * noise,
    )
    tokens = [token for row in sampled for token in row["ids"]]
    proof.count(f"{name}: different tokens sampled", len(set(tokens)), 20)


def _mean_difference(one: list[float], other: list[float]) -> float:
    return fmean(abs(a - b) for a, b in zip(one, other, strict=False)) if one else float("nan")
