"""When two icons look so alike that words for one might be taken for the other."""

from __future__ import annotations

from functools import lru_cache

from zoomground.synth.query import plain

_ALIKE = 0.4  # common words over all words
_FILLERS = frozenset(
    {
        "a", "an", "the", "of", "on", "in", "at", "its", "it", "with", "by", "to", "from", "for", "and", "or", "that",
        "is", "are", "one", "some", "before", "after", "between", "each", "other",
    }
)  # fmt: skip
# Words that different people use for one shape.
_SHAPES = (
    "square box rectangle frame oblong window outline sheet board", "circle ring round disc dot dial globe",
    "cross x plus", "arrow triangle angle chevron", "line lines stroke bar bars dash slash rows strip strips",
    "letter text", "sheets sheet paper page document clipboard", "picture photo film camera apparatus",
    "person persons people head shoulders", "lock padlock", "pin tack marker", "flag pennant", "bin can pot",
    "pencil nib pen tool", "star sun", "cogwheel gear",
)  # fmt: skip
_CLASS = {word: shapes.split()[0] for shapes in reversed(_SHAPES) for word in shapes.split()}
_VAGUE = frozenset(shapes.split()[0] for shapes in _SHAPES[:6])
_SIZES = frozenset({"short", "small", "empty", "two", "three", "four", "straight", "horizontal", "upright", "level"})


@lru_cache(4096)
def _words(looks: str) -> frozenset[str]:
    return frozenset(_CLASS.get(word, word) for word in plain(looks).split() if word not in _FILLERS)


@lru_cache(65536)
def alike(one: str, other: str) -> bool:
    """Whether two descriptions could be meant for one icon.

    Example:
        >>> alike("a magnifying glass", "a magnifying glass with a plus sign"), alike("a floppy disk", "a bell")
        (True, False)
    """
    a, b = _words(one), _words(other)
    return bool(a) and bool(b) and (a <= b or b <= a or len(a & b) >= _ALIKE * len(a | b))


def is_vague(looks: str) -> bool:
    """Whether a description is of bare shapes only ("a cross"), which many drawings show."""
    return _words(looks) <= _VAGUE | _SIZES
