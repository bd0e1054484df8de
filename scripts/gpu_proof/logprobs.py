"""One half of `agreement`, in a process of its own: ``logprobs.py vllm|transformers MODEL SCREENS``.

``vllm`` samples replies to real screens and writes their ids and log-probs; ``transformers`` scores the same ids.
"""

# ruff: noqa: PLC0415 -- each half imports what it needs
from __future__ import annotations

import json
import math
import sys
from pathlib import Path
from typing import Any

PROMPTS, TOKENS = 12, 48


def conversations(model: Path, screens: Path) -> list[dict[str, Any]]:
    """The prompt's text and the picture of some rows, one for each screen."""
    from PIL import Image
    from transformers import AutoProcessor

    processor = AutoProcessor.from_pretrained(model)
    found: dict[str, dict[str, Any]] = {}
    for line in (screens / "train.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        parts = [{"type": "image"}, {"type": "text", "text": row["problem"].removeprefix("<image>")}]
        text = processor.apply_chat_template(
            [{"role": "user", "content": parts}], tokenize=False, add_generation_prompt=True
        )
        name = row["images"][0]
        if name not in found:
            found[name] = {"text": text, "image": Image.open(screens / name).convert("RGB")}
    return list(found.values())[:PROMPTS]


def sample(model: Path, screens: Path) -> list[dict[str, Any]]:
    """Replies by vLLM, with the log-prob of each sampled token."""
    from vllm import LLM, SamplingParams

    engine = LLM(
        model=str(model), dtype="bfloat16", enforce_eager=True, gpu_memory_utilization=0.1, max_model_len=2048,
        limit_mm_per_prompt={"image": 1, "video": 0}, mm_processor_cache_gb=0, max_num_seqs=16,
        kv_cache_memory_bytes=4_000_000_000,
        # The default kernel of linear attention on this card wants flashinfer.
        additional_config={"gdn_prefill_backend": "triton"},
    )  # fmt: skip
    asked = conversations(model, screens)
    given = [{"prompt": one["text"], "multi_modal_data": {"image": one["image"]}} for one in asked]
    rules = SamplingParams(temperature=1.0, max_tokens=TOKENS, logprobs=0, seed=0, ignore_eos=True)
    found = []
    for reply in engine.generate(given, rules):
        out = reply.outputs[0]
        values = [entry[token].logprob for token, entry in zip(out.token_ids, out.logprobs or [], strict=True)]
        # JSON knows no NaN; a value like this one is not overlooked.
        finite = [value if math.isfinite(value) else -1e9 for value in values]
        found.append({"ids": list(out.token_ids), "logprobs": finite})
    return found


def score(model: Path, screens: Path) -> list[dict[str, Any]]:
    """The log-probs of the same tokens by transformers, in bf16 and in float32."""
    import torch
    from transformers import AutoModelForImageTextToText, AutoProcessor

    device = "cuda" if torch.cuda.is_available() else "cpu"
    processor = AutoProcessor.from_pretrained(model)
    sampled = json.loads((model / "vllm.json").read_text(encoding="utf-8"))
    found: list[dict[str, Any]] = [{} for _ in sampled]
    for key, dtype in (("logprobs", torch.bfloat16), ("float32", torch.float32)):
        net = AutoModelForImageTextToText.from_pretrained(model, dtype=dtype).to(device).eval()
        for row, one, out in zip(sampled, conversations(model, screens), found, strict=True):
            given = processor(text=[one["text"]], images=[one["image"]], return_tensors="pt").to(device)
            start, ids = given["input_ids"].shape[1], torch.tensor([row["ids"]], device=device)
            given["input_ids"] = torch.cat([given["input_ids"], ids], dim=1)
            given["attention_mask"] = torch.ones_like(given["input_ids"])
            if "mm_token_type_ids" in given:
                given["mm_token_type_ids"] = torch.cat([given["mm_token_type_ids"], torch.zeros_like(ids)], dim=1)
            given["pixel_values"] = given["pixel_values"].to(dtype)
            with torch.no_grad():
                logits = net(**given).logits[0, start - 1 : -1].float()
            values = logits.log_softmax(-1).gather(1, ids[0].unsqueeze(1))[:, 0]
            out[key] = values.tolist()
    return found


if __name__ == "__main__":
    half, folder, screens = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
    result = {"vllm": sample, "transformers": score}[half](folder, screens)
    (folder / f"{half}.json").write_text(json.dumps(result), encoding="utf-8")
