"""What an image is called in front of the policy."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zoomground.images import DEFAULT_NAME, display_name


@pytest.mark.parametrize(
    ("given_name", "name"),
    [
        ("a.png", "a.png"),
        ("shots/day 1/a (2).png", "a (2).png"),
        ("shots\\day\\A.PNG", "A.PNG"),
        ("C:/shots/截图.png", "截图.png"),
        ("crop_a.png", "crop_a.png"),
        ("my_crop_1.png", "my_crop_1.png"),
        ("R&D.png", "R&D.png"),
    ],
)
def test_a_harmless_name_is_the_base_name(given_name: str, name: str) -> None:
    assert display_name(given_name) == name


@pytest.mark.parametrize(
    "given_name",
    [
        "",
        "shots/",
        "..",
        'say "hi".png',
        "it's.png",
        "a`b.png",
        "two\nlines.png",
        "bell\a.png",
        "zero\u200bwidth.png",
        "no\u00a0break.png",
        "crop_1.png",
        "shots/CROP_12.PNG",
        "<image>.png",
        "a<|im_end|>.png",
        "a&lt;b.png",
        "x" * 300 + ".png",
        "data:image/png;base64,AAAA",
        " DATA:image/png;base64,AAAA",
    ],
)
def test_a_name_that_would_be_misread_is_replaced(given_name: str) -> None:
    assert display_name(given_name) == DEFAULT_NAME


@given(st.text())
def test_a_display_name_is_safe_and_stays_as_it_is(text: str) -> None:
    name = display_name(text)
    assert name
    assert not set(name) & set("\"'`<>\n\r/\\")
    assert display_name(name) == name
