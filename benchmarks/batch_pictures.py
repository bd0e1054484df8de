"""Pictures of a trainer's batch and of a rollout engine's requests: one by one, or each once.

``python benchmarks/batch_pictures.py [--quick]``
"""

from __future__ import annotations

import copy
import random
import sys
import tempfile
import time
import warnings
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench import screens
from bench.result import Better, Comparison, Result, arguments, finish
from bench.setups import settings_of
from bench.timing import in_turns

from zoomground.crops import travelling_cut
from zoomground.data.shown import write_shown
from zoomground.geometry import NORM_FRAME, Box, PixelLimits, Region
from zoomground.images import load_screenshot

if TYPE_CHECKING:
    from collections.abc import Callable

METHOD = """\
Samples of a step as ms-swift's template encodes them for the trainer, one after the other: eight rollouts of a prompt
share their screenshot, nearly half of them have a crop. Straightforward: ms-swift's own way, every sample opens,
resizes and takes apart each of its images. Ours: the same call within `processed_ahead`. Both give the same tensors,
which is checked. A rollout engine's requests are the turns of the same rollouts, each with the pictures so far: the
template encodes them, and the image processor gets its pictures, as vLLM does it. Straightforward: each request by
itself. Ours: with `ServedPictures`, empty at the beginning. Best round of each; CPU time is of all threads together."""

SETUP = "mini"
MEMBERS = 8
ZOOMS = 0.45
"""Share of the rollouts with a crop; of the proof on GPUs (docs/training.md)."""

_WORDS = "Click the small icon in the toolbar, the one that opens the settings of this page. " * 12


def main() -> None:
    """Measure."""
    parser = arguments(__doc__)
    parser.add_argument("--prompts", type=int, help="default 16, quick 4")
    chosen = parser.parse_args()
    try:
        import swift  # noqa: F401, PLC0415 -- only to see whether it is there
    except ImportError:
        sys.exit("skipped: ms-swift is not installed")
    prompts = chosen.prompts or (4 if chosen.quick else 16)
    with tempfile.TemporaryDirectory() as folder:
        limits = settings_of(SETUP).limits
        template = a_template(Path(folder), limits)
        samples = some_samples(Path(folder), prompts)
        rounds = 1 if chosen.quick else 3
        batch, requests = measure(batch_sides(template, samples), rounds), turns_of(samples)
        served = measure(request_sides(template, requests), rounds)
    note = f"crops of at most {limits.max_pixels:,} px; {len(samples)} samples of {prompts} prompts"
    comparisons = [
        Comparison(f"pictures of a batch, {what}, {SETUP}", "ms a sample", *figures, Better.LESS, note=note)
        for what, figures in batch.items()
    ]
    note += f", {len(requests)} requests"
    comparisons += [
        Comparison(f"pictures of rollout requests, {what}, {SETUP}", "ms a request", *figures, Better.LESS, note=note)
        for what, figures in served.items()
    ]
    finish(Result("batch_pictures", METHOD, chosen.quick, comparisons=comparisons), chosen.json)


def a_template(folder: Path, limits: PixelLimits) -> Any:
    """ms-swift's template of a random checkpoint."""
    from swift.model import get_processor  # noqa: PLC0415 -- takes seconds
    from swift.template import get_template  # noqa: PLC0415

    from zoomground.engines.swift.template import register_templates  # noqa: PLC0415
    from zoomground.engines.tiny import build_checkpoint  # noqa: PLC0415

    register_templates()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        build_checkpoint(folder / "checkpoint", arch="qwen3_vl", limits=limits, seed=0, corpus=[_WORDS])
        processor = get_processor(str(folder / "checkpoint"), model_type="qwen3_vl")
        template = get_template(processor, template_type="zoomground_qwen3_vl")
    template.set_mode("train")
    return template


def some_samples(folder: Path, prompts: int) -> list[dict[str, Any]]:
    """The rollouts of some prompts, those of a prompt side by side."""
    dice, settings, samples = random.Random(0), settings_of(SETUP), []
    for file in screens.write(folder, screens.FULL_HD, prompts):
        shot = load_screenshot(file)
        shown = str(write_shown(shot, settings.limits, folder / "shown"))
        for _ in range(MEMBERS):
            images = [shown]
            if dice.random() < ZOOMS:
                x, y = dice.randint(0, 700), dice.randint(0, 700)
                region = Region.whole(shot.size).subregion(Box(x, y, x + 300, y + 300), NORM_FRAME)
                size = settings.limits.shown_size(region.size, settings.crop_upscale_factor, settings.crop_max_pixels)
                images.append(travelling_cut(shot, region, size).data_uri())
            turns = [{"role": "user", "content": f"<image>{_WORDS}"}, {"role": "assistant", "content": "Here."}]
            samples.append({"messages": turns * len(images), "images": images})
    return samples


def turns_of(samples: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The requests of rollouts: one a turn, with the pictures so far."""
    return [
        {"messages": sample["messages"][: 2 * turn - 1], "images": sample["images"][:turn]}
        for sample in samples
        for turn in range(1, len(sample["images"]) + 1)
    ]


Sides = dict[str, "Callable[[], list[dict[str, Any]]]"]
"""Ours and the straightforward way, by name."""


def batch_sides(template: Any, samples: list[dict[str, Any]]) -> Sides:
    """Both ways to encode the samples of a step."""
    from zoomground.engines.swift.processed import processed_ahead  # noqa: PLC0415 -- ms-swift

    def straightforward() -> list[dict[str, Any]]:
        template.set_mode("train")
        return [template.encode(copy.deepcopy(sample)) for sample in samples]

    def ours() -> list[dict[str, Any]]:
        with processed_ahead(template, [sample["images"] for sample in samples]):
            return straightforward()

    return {"ours": ours, "straightforward": straightforward}


def request_sides(template: Any, requests: list[dict[str, Any]]) -> Sides:
    """Both ways to prepare the requests of a rollout engine."""
    from zoomground.engines.swift.served import ServedPictures  # noqa: PLC0415 -- ms-swift

    def prepared(request: dict[str, Any]) -> dict[str, Any]:
        made = template.encode(copy.deepcopy(request))
        values = template.processor.image_processor(made.pop("images"), return_tensors="pt", do_resize=False)
        return made | dict(values)

    def straightforward() -> list[dict[str, Any]]:
        template.set_mode("vllm")
        return [prepared(request) for request in requests]

    def ours() -> list[dict[str, Any]]:
        served = ServedPictures(template, 10**9)
        try:
            return straightforward()
        finally:
            served.close()

    return {"ours": ours, "straightforward": straightforward}


def measure(sides: Sides, rounds: int) -> dict[str, tuple[float, float]]:
    """Milliseconds a sample or request, ours and the straightforward way's, by clock."""
    walls: dict[str, float] = {}

    def timed(name: str, work: Callable[[], list[dict[str, Any]]]) -> int:
        begun_s = time.perf_counter()
        made = work()
        walls[name] = min(walls.get(name, float("inf")), time.perf_counter() - begun_s)
        return len(made)

    mine, its = sides["ours"](), sides["straightforward"]()
    check_alike(mine, its)
    best = in_turns(rounds, {name: partial(timed, name, work) for name, work in sides.items()})
    to_ms = 1000 / len(mine)
    return {
        "CPU": (best["ours"].cpu_s * to_ms, best["straightforward"].cpu_s * to_ms),
        "wall": (walls["ours"] * to_ms, walls["straightforward"] * to_ms),
    }


def check_alike(one: list[dict[str, Any]], other: list[dict[str, Any]]) -> None:
    """Refuse to compare what does not do the same.

    Raises:
        SystemExit: If a sample differs.
    """
    import torch  # noqa: PLC0415 -- takes seconds

    for number, (mine, its) in enumerate(zip(one, other, strict=True)):
        for name in mine.keys() | its.keys():
            pair = mine.get(name), its.get(name)
            alike = torch.equal(*pair) if all(torch.is_tensor(value) for value in pair) else pair[0] == pair[1]
            if not alike:
                sys.exit(f"sample {number}: {name} differs between the two sides")


if __name__ == "__main__":
    main()
