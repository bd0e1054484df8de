"""The check before a run passes on every benchmark, and fails if a part of the way of an answer is broken."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from runs import IMAGES, evaluation

from zoomground.errors import ZoomgroundError
from zoomground.evaluate import figures, replay
from zoomground.evaluate.dialects import DIALECTS
from zoomground.evaluate.profiles import profiles
from zoomground.evaluate.selfcheck import self_check
from zoomground.evaluate.verdicts import Verdict
from zoomground.geometry import Box, Polygon


@pytest.mark.parametrize("name", sorted(IMAGES))
def test_it_plays_one_item_of_each_kind_in_each_arm(name: str, tmp_path: Path) -> None:
    one = evaluation(name, tmp_path / "data", arms=("on", "off", "forced"))
    kinds = {type(item.task.target) for item in one.items.items}
    assert self_check(one, play=True) == {"scored": 3, "played": 2 * 3 * len(kinds)}
    assert self_check(one, play=False) == {"scored": 3, "played": 0}


@pytest.mark.parametrize("profile", sorted(set(profiles()) - {"zoomground"}))
@pytest.mark.parametrize("dialect", sorted(DIALECTS))
def test_every_profile_in_every_dialect(profile: str, dialect: str, tmp_path: Path) -> None:
    one = evaluation("osworld_g", tmp_path / "data", profile_name=f"{profile}+{dialect}")
    assert self_check(one, play=True) == {"scored": 3, "played": 6}


@pytest.mark.parametrize("kind", [Box, Polygon])
def test_a_target_that_nothing_hits_is_found(kind: type, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one = evaluation("osworld_g", tmp_path / "data")
    monkeypatch.setattr(kind, "contains", lambda *_: False)
    with pytest.raises(ZoomgroundError, match="scored, the oracle misses 1 .*nothing was asked"):
        self_check(one, play=False)


def test_a_judge_that_praises_everything_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one = evaluation("osworld_g", tmp_path / "data")
    monkeypatch.setattr(replay, "judge", lambda *_: Verdict.CORRECT)
    with pytest.raises(ZoomgroundError, match="scored, the anti-oracle hits 3 "):
        self_check(one, play=True)


def test_a_convention_that_cannot_be_undone_is_found(tmp_path: Path) -> None:
    one = evaluation("osworld_g", tmp_path / "data", profile_name="norm1000")
    whole = one.profile.convention

    def half(x: float, y: float, frame: object) -> object:
        return whole.to_px(x / 2, y, frame)

    broken = SimpleNamespace(from_px=whole.from_px, to_px=half, about=whole.about, full=whole.full, name="half")
    with pytest.raises(ZoomgroundError, match="the oracle misses"):
        self_check(replace(one, profile=replace(one.profile, convention=broken)), play=False)


def test_an_episode_that_is_read_in_the_wrong_frame_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one = evaluation("osworld_g", tmp_path / "data", arms=("off",))
    monkeypatch.setattr(figures, "outcome_of", lambda trajectory, item: figures.Unreadable("lost"))
    with pytest.raises(ZoomgroundError, match="played, the oracle misses"):
        self_check(one, play=True)


def test_a_box_without_area_is_no_fault_of_the_code(tmp_path: Path) -> None:
    one = evaluation("ui_vision", tmp_path / "data")
    first, *rest = one.items.items
    box = Box(1 / 3, 1 / 3, 1 / 3, 1 / 3)
    flat = replace(first, task=replace(first.task, target=box), published=None)
    items = replace(one.items, items=(flat, *rest))
    assert self_check(replace(one, items=items), play=True)["scored"] == 3


@pytest.mark.parametrize("box", [Box(5000, 5000, 5040, 5050), Box(-50, 10, -1, 20)])
def test_a_target_outside_its_image_is_named_before_anything_is_asked(box: Box, tmp_path: Path) -> None:
    one = evaluation("osworld_g", tmp_path / "data")
    first, *rest = one.items.items
    outside = replace(first, task=replace(first.task, target=box))
    moved = replace(one, items=replace(one.items, items=(outside, *rest)))
    with pytest.raises(ZoomgroundError, match=r"OSWorld-G.json:1: the target of item 'aa-0' lies outside its 200x100"):
        self_check(moved, play=True)


def test_a_target_that_sticks_out_of_its_image_can_be_hit(tmp_path: Path) -> None:
    one = evaluation("osworld_g", tmp_path / "data")
    first, *rest = one.items.items
    out = replace(first, task=replace(first.task, target=Box(190, 10, 260, 20)))
    assert self_check(replace(one, items=replace(one.items, items=(out, *rest))), play=True)["scored"] == 3


def test_screenshots_that_cannot_be_opened_stop_it_where_none_can(tmp_path: Path) -> None:
    one = evaluation("rows", tmp_path / "data")
    (tmp_path / "data" / "shots" / "a.png").write_bytes(b"no picture")
    with pytest.raises(ZoomgroundError, match="item 'one' cannot be asked: .*a.png"):
        self_check(one, play=True)
