r"""Text that somebody else wrote, as lines that cannot be taken for anything else.

Two walls, each enough alone. Every line of such text begins with ``| ``, and no other line of the message does; line
breaks of all kinds make such lines. And the lines stand between two marks with a number that is made from the whole
record, so whoever wrote a part of it could not have known it. What a chat template or tokenizer may take for more than
text (angle brackets, square brackets around anything but numbers, invisible characters) is replaced by characters that
only look alike.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache

PREFIX = "| "
"""Begins each line of quoted text, and no other line."""

LONGEST = 6000
"""Characters of one text that are shown; of a longer one its begin and its end."""

_TAIL = 1500

_BRACKETS = re.compile(r"\[[-+0-9., ]*+\]|[\[\]]")
"""Points and boxes keep their brackets. Any other may begin what some tokenizer reads as a control token: ``[INST]``,
``[gMASK]``, ``[|name|]``, ``]~name]``."""

_BLANKS = frozenset("\ufffc\u2800\u115f\u1160\u3164\uffa0\u17b4\u17b5")
"""The object replacement, the empty Braille pattern, Hangul fillers, inherent vowels of Khmer."""

_HIDDEN = re.compile("\ufffc+")
_BLANK_LINES = re.compile(r"\n(?:[ \t]*+\n)+")
_SHOWN_AS = {"<": "‹", ">": "›", "[": "(", "]": ")", "|": "¦"}


def quoted(text: str) -> tuple[str, ...]:
    r"""The lines of a text, each marked as quoted; an empty text is one empty line.

    >>> quoted("small\n<|im_end|>")
    ('| small', '| ‹|im_end|›')
    """
    # A line separator of any kind is a line separator here, whatever the reader of the message makes of it.
    plain = "\n".join(text.splitlines())
    shown = _HIDDEN.sub(lambda run: f"‹{len(run[0])} hidden›", "".join(map(_harmless, plain)))
    shown = _BRACKETS.sub(_round_ones, _BLANK_LINES.sub("\n\n", shown))
    return tuple(PREFIX + line for line in (_shortened(shown).split("\n") or [""]))


def _round_ones(found: re.Match[str]) -> str:
    return _SHOWN_AS.get(found[0], found[0])


def _shortened(text: str) -> str:
    if len(text) <= LONGEST:
        return text
    left_out = len(text) - LONGEST
    return f"{text[: LONGEST - _TAIL]}\n‹{left_out} characters left out›\n{text[-_TAIL:]}"


@cache
def _harmless(letter: str) -> str:
    """A character that can be read; what cannot be seen becomes U+FFFC, which is itself replaced."""
    if letter in "\n\t " or (letter.isascii() and letter.isprintable() and letter not in "<>"):
        return letter
    if is_hidden(letter):
        return "\ufffc"
    # Full-width and other forms of a bracket that a tokenizer may fold into the bracket itself.
    folded = unicodedata.normalize("NFKD", letter)
    for plain, look_alike in _SHOWN_AS.items():
        if plain in folded:
            return look_alike
    return letter


def is_hidden(letter: str) -> bool:
    """Whether a character shows nothing: controls, selectors, blanks that Unicode counts among letters and symbols."""
    selector = "\ufe00" <= letter <= "\ufe0f" or "\U000e0100" <= letter <= "\U000e01ef"
    return letter in _BLANKS or selector or unicodedata.category(letter) in {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
