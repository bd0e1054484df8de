"""What every item came to, as lines."""

from __future__ import annotations

from pathlib import Path

import pytest
from runs import Fake, broken, evaluation

from episodes import crop_text, point_text
from zoomground.environment import GroundingEnv
from zoomground.errors import RowError, ZoomgroundError
from zoomground.evaluate.figures import figures
from zoomground.evaluate.itemised import item_lines, read_item_lines, write_item_lines
from zoomground.evaluate.players import AsyncPlayer
from zoomground.evaluate.run import run


def test_lines_return_as_they_were_written(tmp_path: Path) -> None:
    one = evaluation("rows", tmp_path / "data", arms=("on",))
    first, second, *others = [item.id for item in one.items.items]

    def say(env: GroundingEnv) -> object:
        if env.task.id == second:
            return broken()
        return point_text(1, 1) if len(env.messages) > 2 else crop_text(0, 0, 500, 500, "a.png")

    results = run(one, AsyncPlayer(Fake(say).connect, 1), tmp_path / "out", version="1")  # type: ignore[arg-type]
    made = list(item_lines("grpo", one.items, {"on": figures(one, "on", results)}))
    write_item_lines(tmp_path / "items.jsonl", made)
    assert read_item_lines(tmp_path / "items.jsonl") == made
    found = {line.item: line for line in made}
    assert set(found) == {first, second, *others}
    assert (found[first].checkpoint, found[first].arm, found[first].zoomed) == ("grpo", "on", True)
    assert (found[second].hit, found[second].zoomed) == (False, None)
    assert {line.page for line in made} == {item.task.meta.get("page") or item.task.image for item in one.items.items}


def test_a_bad_line_and_a_missing_file_are_named(tmp_path: Path) -> None:
    with pytest.raises(ZoomgroundError, match="start the run again"):
        read_item_lines(tmp_path / "items.jsonl")
    (tmp_path / "items.jsonl").write_text('{"checkpoint": "a"}\n', "utf-8")
    with pytest.raises(RowError, match=r"items\.jsonl:1"):
        read_item_lines(tmp_path / "items.jsonl")
