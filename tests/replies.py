"""Strategies for replies: any text, text that is nearly a reply, and turns."""

from __future__ import annotations

from hypothesis import strategies as st

from zoomground.protocol.actions import Answer, Crop, Decline

NEAR_MISSES = [
    "<think>",
    "</think>",
    "<THINK>",
    "<action>",
    "</action>",
    "<tool_call>",
    "</tool_call>",
    "<function=crop_image>",
    "<parameter=x1>",
    "</parameter>",
    "</function>",
    'crop_image(image_path="a.png", x1=1, y1=2, x2=3, y2=4)',
    "decline()",
    '{"x": 1, "y": 2}',
    '[{"point_2d": [3.5, 4]}]',
    '{"name": "crop_image", "arguments": {"image_path": "a", "x1": 1, "y1": 2, "x2": 3, "y2": 4}}',
    "[1.00,2.00]",
    "(3, 4)",
    "（5，6）",
    "<|im_end|>",
    "<|image_pad|>",
    "&lt;",
    "<box>",
    "```",
    "**",
    *"[](){}<>\"'\\,:;=.0159%+-_ \n\t\u200b\u00a0，］］（e",
    "\ud800",
    "\x00",
    "nan",
    "9" * 400,
]
texts = st.one_of(
    st.text(alphabet=st.characters(), max_size=200),
    st.lists(st.sampled_from(NEAR_MISSES), max_size=12).map("".join),
)
numbers = st.floats(0, 1000).map(lambda value: round(value, 2))
answers = st.builds(Answer, numbers, numbers)


@st.composite
def crops(draw: st.DrawFn) -> Crop:
    x1, x2 = sorted(draw(st.lists(numbers, min_size=2, max_size=2, unique=True)))
    y1, y2 = sorted(draw(st.lists(numbers, min_size=2, max_size=2, unique=True)))
    name = draw(st.text(st.characters(exclude_characters='"\r\n<'), min_size=1, max_size=20))
    return Crop(name, x1, y1, x2, y2)


turns = st.one_of(
    answers.map(lambda answer: (answer,)),
    st.just((Decline(),)),
    st.lists(crops(), min_size=1, max_size=2).map(tuple),
)
