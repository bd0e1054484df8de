"""What ms-swift makes of a data set: labels on every right assistant turn, none on a demonstrated mistake."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from scripted import SETTINGS

from episodes import screenshot
from zoomground.collect.coarse import Coarse
from zoomground.collect.dataset import corpus, write_demonstrations
from zoomground.collect.free import Free
from zoomground.collect.style import Plan
from zoomground.data.rows import write_rows
from zoomground.geometry import Size

if TYPE_CHECKING:
    from zoomground.collect.style import Style

pytest.importorskip("torch")
pytest.importorskip("swift")
pytestmark = [pytest.mark.engine, pytest.mark.filterwarnings("ignore")]

SIZE = Size(640, 512)
COUNT = 16
STYLES: dict[str, Style] = {
    "free": Free(plans=dict.fromkeys(Plan, 1.0), forced=0.3, silent=0.3, corrected=0.3),
    "coarse": Coarse(zoom_small=1.0, plans={Plan.CUT: 1.0, Plan.MISSED: 1.0, Plan.CONTEXT: 1.0}),
}
TEMPLATES = {"zoomground_qwen3_vl": {}, "zoomground_qwen3_5": {"enable_thinking": True, "preserve_thinking": True}}


@pytest.fixture(scope="module")
def rows_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("rows")
    screenshot(SIZE).pixels.save(folder / "a.png")
    rows: list[dict[str, Any]] = [
        {"problem": f"<image>Open item {i}", "solution": f"[{x}, 40, {x + 20}, 60]", "images": ["a.png"]}
        for i, x in enumerate(range(20, 600, 90))
    ]
    write_rows(folder / "rows.jsonl", [*rows, {"problem": "<image>Open Mars", "refusal": True, "images": ["a.png"]}])
    return folder / "rows.jsonl"


@pytest.fixture(scope="module")
def checkpoints(rows_file: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    from zoomground.engines.tiny import build_checkpoint

    folder = tmp_path_factory.mktemp("checkpoints")
    texts = corpus([rows_file], count=20, seed=0, settings=SETTINGS, style=Free())
    for name in TEMPLATES:
        arch = name.removeprefix("zoomground_")
        build_checkpoint(folder / arch, arch=arch, limits=SETTINGS.limits, seed=1, corpus=texts)  # type: ignore[arg-type]
    return folder


def _template(checkpoints: Path, name: str) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from swift.model import get_processor
        from swift.template import get_template

        from zoomground.engines.swift.template import register_templates

        register_templates()
        arch = name.removeprefix("zoomground_")
        processor = get_processor(str(checkpoints / arch), model_type=arch)
        # The argument --loss_scale stays at its default.
        template = get_template(processor, template_type=name, **TEMPLATES[name])
    template.set_mode("train")
    return template


def _loaded(file: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[dict[str, Any]]:
    """The rows as ms-swift's own loader gives them to the template."""
    from swift.dataset import load_dataset

    monkeypatch.setenv("MODELSCOPE_CACHE", str(tmp_path / "cache"))
    dataset, _ = load_dataset(str(file), load_from_cache_file=False, num_proc=1)
    return list(dataset)


def _spans(template: Any, labels: list[int]) -> list[str]:
    """The texts that are trained on, one for each unbroken run of labels."""
    spans: list[list[int]] = [[]]
    for label in labels:
        if label >= 0:
            spans[-1].append(label)
        elif spans[-1]:
            spans.append([])
    return [template.tokenizer.decode(span) for span in spans if span]


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("name", TEMPLATES)
def test_right_turns_are_trained_whole_and_mistakes_not_at_all(
    rows_file: Path, checkpoints: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, style: str
) -> None:
    file = tmp_path / "sft.jsonl"
    written = write_demonstrations([rows_file], file, count=COUNT, seed=0, settings=SETTINGS, style=STYLES[style])
    # Relative paths are found by the folder that this names.
    monkeypatch.setenv("ROOT_IMAGE_DIR", str(tmp_path))
    template = _template(checkpoints, name)
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    mistakes = 0
    for row, loaded in zip(rows, _loaded(file, monkeypatch, tmp_path), strict=True):
        replies = [message for message in row["messages"] if message["role"] == "assistant"]
        trained = [reply["content"] for reply in replies if reply["loss"]]
        spans = _spans(template, template.encode(loaded)["labels"])
        assert len(spans) == len(trained)
        for span, text in zip(spans, trained, strict=True):
            said = span.removeprefix("<think>\n\n</think>\n\n")  # what one family puts in front of silent turns
            assert _plain(said) == _plain(text + "<|im_end|>")
        mistakes += len(replies) - len(trained)
    assert mistakes == written.tally.all.untrained > 2


def _plain(text: str) -> str:
    """Without the white space that templates put around thinking."""
    return "".join(text.split())
