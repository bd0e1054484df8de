"""docs/serving.md says what is: its examples run, its limits are the verb's."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

pytest.importorskip("fastapi")
pytest.importorskip("uvicorn")
pytest.importorskip("openai")

import typer

from proxies import ZOOM, proxied
from saved import picture
from scripted_endpoint import says, scripted
from zoomground.cli.app import app

PAGE = (Path(__file__).parents[2] / "docs" / "serving.md").read_text("utf-8")
MODEL = "zoomground"


def example(name: str, root: str) -> str:
    (block,) = re.findall(rf"<!-- run: {name} -->\n```\w+\n(.*?)```", PAGE, re.DOTALL)
    assert "http://localhost:8100" in block
    return block.replace("http://localhost:8100", root)


def test_the_example_of_the_sdk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    picture(tmp_path / "screen.png")
    monkeypatch.chdir(tmp_path)
    with scripted([says(text) for text in ZOOM]) as upstream, proxied(upstream.base_url, model=MODEL) as proxy:
        exec(compile(example("sdk", proxy.root), "serving.md", "exec"), {})  # noqa: S102 -- our own documentation
    first, second, streamed = capsys.readouterr().out.splitlines()
    assert first == streamed == "[504.50,507.50]"
    assert second.endswith("[{'name': 'crop_1.png', 'region_px': [576, 360, 717, 448]}] 214")


@pytest.mark.skipif(shutil.which("curl") is None, reason="needs curl")
def test_the_example_of_curl(tmp_path: Path) -> None:
    picture(tmp_path / "screen.png")
    with scripted([says(text) for text in ZOOM]) as upstream, proxied(upstream.base_url, model=MODEL) as proxy:
        command = ["bash", "-c", example("curl", proxy.root)]
        result = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert '"content":"[504.50,507.50]"' in result.stdout


def test_the_limits_are_the_verb_s() -> None:
    verb = typer.main.get_command(app).commands["serve"]  # type: ignore[attr-defined]
    defaults = {option: parameter.default for parameter in verb.params for option in parameter.opts}
    rows = re.findall(r"^\| (`--[^|]*) \| ([^|]*) \|", PAGE, re.MULTILINE)
    told = {
        option: float(number)
        for options, numbers in rows
        for option, number in zip(re.findall(r"--[\w-]+", options), re.findall(r"\d+", numbers), strict=True)
    }
    limits = ("--max-body", "--max-image-pixels", "--concurrency", "--queue", "--time-limit", "--timeout", "--retries")
    assert told == {option: float(defaults[option]) for option in limits}
