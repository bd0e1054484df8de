"""The screen that the scheduler's tests share, and the prompts of a real step."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from PIL import Image, ImageDraw
from real_step import LIMITS
from swift_loops import SIZE

from zoomground.engines.swift.dataset import write_dataset
from zoomground.protocol.settings import EpisodeSettings


@pytest.fixture(scope="session")
def screen(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("screens") / "screen.png"
    Image.linear_gradient("L").resize((SIZE.width, SIZE.height)).convert("RGB").save(path)
    return path


@pytest.fixture(scope="session")
def prompts_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("rows")
    lines = []
    for number in range(4):
        image = Image.new("RGB", (256, 160), (40 * number, 80, 120))
        ImageDraw.Draw(image).rectangle([120, 72, 136, 88], fill="red")
        image.save(folder / f"s{number}.png")
        row = {"problem": f"<image>Item {number}", "solution": "[120,72,136,88]", "images": [f"s{number}.png"]}
        lines.append(json.dumps(row))
    (folder / "rows.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    out = folder / "engine" / "prompts.jsonl"
    write_dataset([folder / "rows.jsonl"], out, settings=EpisodeSettings(limits=LIMITS), off_share=0.0)
    return out
