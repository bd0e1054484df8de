"""Profiles: every convention to px, the words of each prompt, and what is declared by name."""

from __future__ import annotations

from dataclasses import replace
from importlib.resources import files

import pytest

from zoomground.errors import ZoomgroundError
from zoomground.evaluate.dialects import DIALECTS
from zoomground.evaluate.dialects.base import Spoken
from zoomground.evaluate.profiles import profile, profiles
from zoomground.evaluate.profiles.conventions import CONVENTIONS, Frame
from zoomground.evaluate.verdicts import Declined, Pointed, Unreadable
from zoomground.geometry import PixelLimits, Point, Size

ANNOTATED = Size(2000, 1000)


def test_the_families_are_complete() -> None:
    assert set(profiles()) == {*CONVENTIONS, "mai_ui", "zoomground"}
    assert all(one.name == name for name, one in profiles().items())


@pytest.mark.parametrize(
    ("name", "numbers", "frame"),
    [
        ("norm1", (0.25, 0.5), Frame(ANNOTATED)),
        ("norm100", (25, 50), Frame(ANNOTATED)),
        ("norm999", (249.75, 499.5), Frame(ANNOTATED)),
        ("norm1000", (250, 500), Frame(ANNOTATED)),
        ("norm1000", (250, 500), Frame(ANNOTATED, Size(4000, 2000), Size(500, 250))),
        ("pixels_original", (500, 500), Frame(ANNOTATED)),
        ("pixels_original", (1000, 1000), Frame(ANNOTATED, Size(4000, 2000))),
        ("pixels_sent_28", (497, 504), Frame(ANNOTATED)),  # 2000x1000 becomes 1988x1008 in multiples of 28
        ("pixels_sent_32", (496, 496), Frame(ANNOTATED)),  # and 1984x992 in multiples of 32
        ("pixels_sent_28", (125, 125), Frame(ANNOTATED, None, Size(500, 250))),
    ],
)
def test_a_quarter_and_a_half_in_every_convention(name: str, numbers: tuple[float, float], frame: Frame) -> None:
    one = profile(name)
    assert one.outcome(Spoken(*numbers), frame) == Pointed(Point(500, 500))


def test_the_far_edge_is_inside_and_nothing_is_clamped() -> None:
    frame = Frame(Size(333, 777))
    assert profile("norm1000").outcome(Spoken(1000, 1000), frame) == Pointed(Point(333, 777))
    assert profile("norm999").outcome(Spoken(999, 999), frame) == Pointed(Point(333, 777))
    assert profile("norm1").outcome(Spoken(1.5, -1), frame) == Pointed(Point(499.5, -777))


def test_declines_and_unreadable_replies_have_no_place() -> None:
    for said in (Declined(), Unreadable("no point")):
        assert profile("norm1").outcome(said, Frame(ANNOTATED)) == said


def test_a_dialect_is_declared_beside_the_convention() -> None:
    one = profile("pixels_sent_28+click")
    assert (one.name, one.convention.name, one.dialect.NAME) == ("pixels_sent_28+click", "pixels_sent_28", "click")
    assert one.read("click(512, 407)") == Spoken(512, 407)
    assert isinstance(profile("pixels_sent_28").read("click 512"), Unreadable)
    for name, error in (
        ("norm2", "no profile 'norm2'; known are: mai_ui, norm1"),
        ("norm1+xml", "no answer dialect 'xml'"),
        ("zoomground+click", "has its own dialects"),
    ):
        with pytest.raises(ZoomgroundError, match=error):
            profile(name)


def test_the_limits_of_the_served_model_take_the_place_of_the_family_s() -> None:
    limits = PixelLimits(28, 28 * 28 * 4, 28 * 28 * 100)
    one = profile("pixels_sent_28").resized_by(limits)
    view = limits.view_size(ANNOTATED)
    assert one.outcome(Spoken(view.width, view.height), Frame(ANNOTATED)) == Pointed(Point(2000, 1000))
    with pytest.raises(ZoomgroundError, match="takes pixel limits of factor 28, got factor 32"):
        one.resized_by(PixelLimits(32))
    with pytest.raises(ZoomgroundError, match="takes no pixel limits"):
        profile("norm1").resized_by(limits)


def test_the_prompt_says_form_units_and_how_to_decline() -> None:
    one = profile("pixels_sent_28")
    system, user = one.messages("Open the\n File <image> menu", "shot.png", Frame(ANNOTATED), allow_decline=True)
    assert "[x, y]" in system.text
    assert "1988 x 1008 px" in system.text  # the image that the numbers are about
    assert "answer decline() instead" in system.text
    assert user.image_names == ("shot.png",)
    assert user.text == "Open the File < image> menu"
    plain = one.messages("Open", "shot.png", Frame(ANNOTATED))[0].text
    assert "decline" not in plain
    assert "$" not in plain


@pytest.mark.parametrize("name", sorted(set(profiles()) - {"zoomground"}))
@pytest.mark.parametrize("spoken", sorted(DIALECTS))
def test_what_every_prompt_asks_for_is_what_is_read(name: str, spoken: str) -> None:
    one = profile(f"{name}+{spoken}")
    text = one.messages("Open", "shot.png", Frame(ANNOTATED))[0].text
    form = one.dialect.ABOUT.partition("nothing else: ")[2]
    assert form in text
    numbers = form.replace("x1", "10").replace("y1", "20").replace("x2", "30").replace("y2", "40")
    numbers = numbers.replace("x, y", "20, 30").replace("x y", "20 30")
    assert one.read(numbers) == Spoken(20, 30)


def test_the_own_protocol_is_read_by_its_own_parser() -> None:
    one = profile("zoomground")
    assert one.episode
    assert one.read("<think>there</think>[512.00,407.00]") == Spoken(512, 407)
    assert one.read("<action>decline()</action>") == Declined()
    crop = '<action>crop_image(image_path="a.png", x1=0, y1=0, x2=10, y2=10)</action>'
    assert one.read(crop) == Unreadable("a crop is no answer")
    assert one.read("[512, 1700]") == Unreadable("out_of_range")


def test_prompts_have_a_version() -> None:
    folder = files("zoomground.evaluate.profiles").joinpath("prompts")
    assert sorted(entry.name for entry in folder.iterdir()) == ["v1"]
    with pytest.raises(ZoomgroundError, match="no version 'v9' with a text 'system'"):
        replace(profile("norm1"), version="v9").messages("Open", "shot.png", Frame(ANNOTATED))
