"""The plan: a screen is its seed and number, splits share nothing, and what cannot be drawn is said."""

from __future__ import annotations

from collections import Counter

import pytest

from zoomground.errors import ZoomgroundError
from zoomground.synth.plan import (
    HELDOUT_ICON_SETS,
    HELDOUT_KINDS,
    HELDOUT_SKINS,
    PHONE_KINDS,
    Plan,
    Split,
    Supply,
    make_plan,
    shared,
)
from zoomground.synth.sizes import DEFAULT_SIZES, ScreenSize, read_sizes

SUPPLY = Supply(
    ("mail", "phone", "settings", "shop", "timeline"), ("bulma", "default", "patternfly", "plum", "win98"),
    ("carbon", "lucide", "octicons", "own"), frozenset({"win98"}),
)  # fmt: skip


def specs(plan: Plan, count: int = 400) -> list:
    return [plan.screen(number) for number in range(count)]


def test_a_screen_depends_on_seed_and_number_alone() -> None:
    assert specs(make_plan(SUPPLY, seed=3)) == specs(make_plan(SUPPLY, seed=3))
    assert make_plan(SUPPLY, seed=3).screen(7) == specs(make_plan(SUPPLY, seed=3))[7]
    assert specs(make_plan(SUPPLY, seed=4)) != specs(make_plan(SUPPLY, seed=3))


def test_splits_share_no_kind_skin_icon_set_or_seed() -> None:
    sides: dict[Split, list] = {Split.TRAIN: [], Split.HELDOUT: []}
    for spec in specs(make_plan(SUPPLY, seed=1)):
        sides[spec.split].append(spec)
    assert 20 < len(sides[Split.HELDOUT]) < 65
    for name in ("kind", "skin", "icon_set", "seed"):
        train, heldout = ({getattr(spec, name) for spec in side} for side in sides.values())
        assert not train & heldout, name
    heldout_names = {spec.kind for spec in sides[Split.HELDOUT]}
    assert heldout_names == HELDOUT_KINDS
    assert {spec.skin for spec in sides[Split.HELDOUT]} == HELDOUT_SKINS
    assert {spec.icon_set for spec in sides[Split.HELDOUT]} == HELDOUT_ICON_SETS


def test_phones_show_phone_programs_and_no_other_screen_does() -> None:
    found = specs(make_plan(SUPPLY, seed=1))
    assert all((spec.kind in PHONE_KINDS) == spec.size.phone for spec in found)
    assert {spec.kind for spec in found} == set(SUPPLY.kinds)


def test_all_sizes_come_near_their_weights() -> None:
    count = 4000
    sizes = Counter(spec.size for spec in specs(make_plan(SUPPLY, seed=2, heldout_share=0), count))
    total = sum(size.weight for size in DEFAULT_SIZES)
    for size in DEFAULT_SIZES:
        assert sizes[size] / count == pytest.approx(size.weight / total, abs=0.02)


def test_a_skin_without_a_dark_form_is_light() -> None:
    dark = Counter((spec.skin, spec.dark) for spec in specs(make_plan(SUPPLY, seed=2)))
    assert dark["win98", True] == 0 < dark["win98", False]
    assert dark["default", True] > 0


def test_without_packages_own_skins_are_held_out_and_shared_icons_are_told() -> None:
    plan = make_plan(Supply(("mail", "shop"), ("default", "plum"), ("own",)), seed=1)
    heldout = {(one.kind, one.skin, one.icon_set) for one in specs(plan) if one.split is Split.HELDOUT}
    assert heldout == {("shop", "plum", "own")}
    assert "held-out screens have the icons of the others" in plan.notes[0]


def test_only_kinds_that_train_hold_nothing_out() -> None:
    plan = make_plan(SUPPLY, seed=1, kinds=["settings", "mail"])
    assert {(spec.split, spec.kind) for spec in specs(plan)} == {(Split.TRAIN, "mail"), (Split.TRAIN, "settings")}
    assert plan.notes == ("no screens are held out: no kind of program of shop, timeline is asked for or there",)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"kinds": ["paint"]}, "unknown kind of program 'paint'; there are mail, phone"),
        ({"languages": ["xx"]}, "unknown language 'xx'; there are en"),
        ({"kinds": ["shop"]}, "nothing to train on"),
        ({"kinds": ["phone"], "sizes": [ScreenSize(1920, 1080, 1.0)]}, "no kind of program fits the sizes"),
    ],
)
def test_what_cannot_be_drawn_is_said(wrong: dict, message: str) -> None:
    with pytest.raises(ZoomgroundError, match=message):
        make_plan(SUPPLY, seed=1, **wrong)


def test_held_out_alone_is_possible() -> None:
    assert {spec.split for spec in specs(make_plan(SUPPLY, seed=1, kinds=["shop"], heldout_share=1))} == {Split.HELDOUT}


def test_shared_names_what_two_sides_have_in_common() -> None:
    one = [{"kind": "mail", "seed": "0/1", "template": "a"}, {"kind": "shop", "seed": "0/2", "template": "b"}]
    two = [{"kind": "shop", "seed": "0/3", "template": "c"}]
    assert shared(one, two) == {"kind": ["shop"], "skin": [], "icon_set": [], "template": [], "seed": []}


def test_sizes_are_read_as_people_write_them() -> None:
    assert [str(size) for size in read_sizes(["3840x2160"])] == ["3840x2160@1", "3840x2160@1.5", "3840x2160@2"]
    assert read_sizes(["1600x900"]) == (ScreenSize(1600, 900, 1.0),)
    assert read_sizes(["1600x900@1.25:3"]) == (ScreenSize(1600, 900, 1.25, 3.0),)
    weighted = read_sizes(["3840x2160:2"])
    assert sum(size.weight for size in weighted) == pytest.approx(2)
    assert len(weighted) == 3


@pytest.mark.parametrize("text", ["big", "1920×1080", "100x100", "9000x1000", "1920x1080@9", "1920x1080:0", "-1x2"])
def test_other_sizes_are_refused(text: str) -> None:
    with pytest.raises(ZoomgroundError, match="size '"):
        read_sizes([text])
