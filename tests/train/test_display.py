"""What a person sees of a run: lines where there is no terminal, a bar that goes away where there is one."""

import io
from pathlib import Path

import pytest
from rich.console import Console

from zoomground.train import display
from zoomground.train.display import Bar
from zoomground.train.plan import Stage
from zoomground.train.progress import Progress

STAGE = Stage("grpo", ("true",), Path("grpo.log"), steps=20)


def shown(*, terminal: bool, progress: list[Progress], seconds: float | None = 12.4) -> str:
    screen = io.StringIO()
    with Bar(Console(file=screen, force_terminal=terminal, width=100)) as bar:
        bar.begin(STAGE)
        for one in progress:
            bar.watch(one)
        bar.end(STAGE, seconds)
    return screen.getvalue()


def test_lines_where_there_is_no_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(display, "LINE_EVERY_S", 0.0)
    steps = [Progress(0, 20), Progress(3, 20, "reward 0.5"), Progress(3, 20, "reward 0.5"), Progress(4, 20)]
    lines = [line.strip() for line in shown(terminal=False, progress=steps).splitlines()]
    assert lines == ["grpo ...", "grpo 3/20  reward 0.5", "grpo 4/20", "grpo            done in 12 s"]


def test_lines_are_rare() -> None:
    assert len(shown(terminal=False, progress=[Progress(3, 20), Progress(4, 20)]).splitlines()) == 2


def test_a_bar_on_a_terminal() -> None:
    text = shown(terminal=True, progress=[Progress(3, 20, "reward 0.5")])
    assert "grpo" in text
    assert "done in 12 s" in text


def test_a_stage_of_an_earlier_start() -> None:
    assert "was done before" in shown(terminal=False, progress=[], seconds=None)


def test_brackets_in_a_note_are_no_markup(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(display, "LINE_EVERY_S", 0.0)
    assert "[red]x" in shown(terminal=False, progress=[Progress(1, 2, "[red]x")])
