"""How numbers, spaces and brackets may be spelt in a reply: fixed tables, no Unicode normalisation.

Normalising (NFKC) would turn full-width and mathematical digits into ASCII ones and change image names; the tables
below name each character that is let through.
"""

from __future__ import annotations

import math
import re

from zoomground.geometry import NORM

CANONICAL_SPACES = " \t\r\n\f\v"
"""White space that a canonical reply may have around its parts."""

SPACES = CANONICAL_SPACES + (
    "\u00a0\u2007\u202f"  # no-break spaces
    "\u2002\u2003\u2004\u2005\u2006\u2008\u2009\u200a\u3000"  # typographic and ideographic spaces
    "\u200b\u200c\u200d\u2060\ufeff"  # zero width, word joiner, byte order mark
)
"""White space that a tolerated reply may have anywhere between tokens."""

SPACE = f"[{SPACES}]"
"""`SPACES` as a regular expression's class."""

COMMA = "[,，]"
SQUARE_OPEN, SQUARE_CLOSE = "[［", "]］"
ROUND_OPEN, ROUND_CLOSE = "(（", ")）"

DECIMAL = r"(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)"
"""A decimal without sign, exponent, underscore or percent sign; leading zeros are let through."""

DOUBLE_QUOTED = r'"[^"\\\n]*+(?:\\.[^"\\\n]*+)*+"'
SINGLE_QUOTED = r"'[^'\\\n]*+(?:\\.[^'\\\n]*+)*+'"

END_OF_TURN = (
    "<|im_end|>",
    "<|endoftext|>",
    "<|end_of_text|>",
    "<|eot_id|>",
    "<|eom_id|>",
    "<|end_of_turn|>",
    "<|end|>",
    "<|eos|>",
)
"""Tokens that end a turn; a server may leave one of them at the end of the text."""

SPECIAL_TOKEN = re.compile(r"<\|[^<>|]*\|>")

_SIGNED = re.compile(rf"[+-]?{DECIMAL}")
_PAIR = re.compile(rf"{SPACE}*(\+?{DECIMAL}){SPACE}*{COMMA}{SPACE}*(\+?{DECIMAL}){SPACE}*")
_WORD = re.compile(r"[^\W\d_]+")
_DIGIT = re.compile(r"\d")
_SEPARATOR = re.compile(r"[,;，；、]")
_NUMBER_WORDS = frozenset({"e", "nan", "inf", "infinity"})
_INFO_STRING = re.compile(r"[A-Za-z0-9_+.-]*[ \t]*\r?\n")


def number(text: str) -> float | None:
    """The value of a plain decimal with an optional sign, or None; never NaN, infinite only by its length.

    >>> number("+0512.5"), number("1e3"), number("50%")
    (512.5, None, None)
    """
    text = text.strip(SPACES)
    return float(text) if _SIGNED.fullmatch(text) else None


def pair(text: str) -> tuple[float, float] | None:
    """The two numbers of what stands between the brackets of a point, or None.

    >>> pair(" 512 , 407.10 "), pair("512,30,407,10")
    ((512.0, 407.1), None)
    """
    found = _PAIR.fullmatch(text)
    return (float(found[1]), float(found[2])) if found else None


def in_range(*values: float) -> bool:
    """Whether all values lie in [0, 1000], both ends inside; a minus sign is outside even before a zero."""
    return all(math.copysign(1.0, value) > 0 and value <= NORM for value in values)


def finite(*values: float) -> bool:
    """Whether no value overflowed to infinity."""
    return all(math.isfinite(value) for value in values)


def has_words(text: str) -> bool:
    """Whether letters other than those of a number stand in the text, in any script."""
    return any(word[0].lower() not in _NUMBER_WORDS for word in _WORD.finditer(text))


def is_numeric(text: str) -> bool:
    """Whether the text can only be meant as numbers, readable or not: digits of any script, ``nan``, no words."""
    if has_words(text):
        return False
    return bool(_DIGIT.search(text)) or any(len(word[0]) > 1 for word in _WORD.finditer(text))


def fields(text: str) -> int:
    """The number of fields that commas or semicolons of any width make."""
    return len(_SEPARATOR.findall(text)) + 1


def without_markdown(text: str) -> str:
    r"""The text without the spaces, the code fence, the bold stars and the backticks around it.

    >>> without_markdown("```python\ncrop_image()\n```")
    'crop_image()'
    """
    text = text.strip(SPACES)
    for mark in ("```", "**", "`"):
        if len(text) >= 2 * len(mark) and text.startswith(mark) and text.endswith(mark):
            text = text[len(mark) : -len(mark)]
            info = _INFO_STRING.match(text) if mark == "```" else None
            text = text[info.end() if info else 0 :].strip(SPACES)
    return text
