"""The documentation is run: Python blocks execute, quoted prompts are the golden ones, linked files exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from PIL import Image

from zoomground.environment import GroundingEnv
from zoomground.geometry import Size
from zoomground.images import Screenshot
from zoomground.protocol.settings import EpisodeSettings
from zoomground.task import Refusal, Task

ROOT = Path(__file__).parents[1]
PAGES = sorted(
    path for pattern in ("*.md", "docs/*.md", "plugins/**/*.md", "data_samples/**/*.md") for path in ROOT.glob(pattern)
)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_python_blocks_run(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    # Nothing else is given: whoever copies a page's blocks has only what they define.
    names: dict[str, object] = {"__name__": "documentation"}
    for number, block in enumerate(re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)):
        if block.startswith(">>>"):
            continue  # a session with its output: tests/rewards/test_reward_docs.py runs it
        exec(compile(block, f"{page.name} block {number}", "exec"), names)  # noqa: S102 -- our own documentation


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_quoted_prompts_are_the_golden_ones(page: Path) -> None:
    quoted = re.findall(r"<!-- prompt: (\S+) -->\n```text\n(.*?)\n```", page.read_text(encoding="utf-8"), re.DOTALL)
    for name, text in quoted:
        golden = (ROOT / "tests" / "golden" / "prompts" / f"{name}.txt").read_text(encoding="utf-8")
        assert text == golden.split("\n=====\n")[0].strip(), name


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_linked_files_exist(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#\s]+)", page.read_text(encoding="utf-8")):
        if "://" not in target:
            assert (page.parent / target).exists(), target


def test_the_quoted_observation_is_what_the_environment_says() -> None:
    page = (ROOT / "plugins" / "grounding_zoom_in" / "README.md").read_text(encoding="utf-8")
    quoted = next(line for line in page.splitlines() if line.startswith('{"image_path": "crop_1.png"'))
    size = Size(3840, 2160)
    blank = Screenshot(Image.new("RGB", (size.width, size.height)), size, sha256="", source="blank")
    episode = GroundingEnv(Task("t", "Open the File menu", "screen.png", size, Refusal()), blank, EpisodeSettings())
    reply = episode.step('<action>crop_image(image_path="screen.png", x1=0, y1=0, x2=250, y2=125)</action>')
    assert reply is not None
    assert reply.text.splitlines()[1] == quoted
