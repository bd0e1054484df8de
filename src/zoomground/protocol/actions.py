"""What a policy can do in one turn, and what a reply is read as.

`Parsed` and `Malformed` are the two results of `zoomground.protocol.parser.parse`; there is no third.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal


@dataclass(frozen=True, slots=True)
class Answer:
    """The final point, in [0, 1000] x [0, 1000] over the original screenshot."""

    x: float
    y: float
    kind: Literal["answer"] = "answer"


@dataclass(frozen=True, slots=True)
class Crop:
    """A request to look at a part of a named image; corners in [0, 1000] of that image (or its px, by recipe)."""

    image_path: str
    x1: float
    y1: float
    x2: float
    y2: float
    kind: Literal["crop"] = "crop"


@dataclass(frozen=True, slots=True)
class Decline:
    """The policy says that the named thing is not on the screen."""

    kind: Literal["decline"] = "decline"


Action = Answer | Crop | Decline


class Dialect(StrEnum):
    """The way a reply was written; the order is the order of the chain."""

    CANONICAL = "canonical"
    LOOSE_POINT = "loose_point"
    JSON = "json"
    XML = "xml"
    BARE = "bare"
    FALLBACK = "fallback"


class ParserMode(StrEnum):
    """How much of the dialect chain is tried."""

    STRICT = "strict"
    TOLERANT = "tolerant"
    FALLBACK = "fallback"


class CropUnits(StrEnum):
    """Unit of a crop call's corners."""

    NORM = "norm"
    PIXELS = "pixels"


class Reason(StrEnum):
    """Why a turn is bad. The first group comes from the parser, the second from the environment."""

    LENGTH = "length"
    EMPTY = "empty"
    THINKING = "thinking"
    SPECIAL_TOKEN = "special_token"  # noqa: S105 -- a reason's name, no secret
    ESCAPED_TAG = "escaped_tag"
    MIXED = "mixed"
    TOO_MANY_CROPS = "too_many_crops"
    BAD_CALL = "bad_call"
    BAD_POINT = "bad_point"
    BAD_NUMBER = "bad_number"
    OUT_OF_RANGE = "out_of_range"
    BAD_ORDER = "bad_order"
    SEVERAL_POINTS = "several_points"
    FOREIGN = "foreign"
    NOT_CANONICAL = "not_canonical"
    NO_ACTION = "no_action"

    OVER_BUDGET = "over_budget"
    UNKNOWN_IMAGE = "unknown_image"
    OUTSIDE_IMAGE = "outside_image"
    DECLINE_OFF = "decline_off"
    ZOOM_FIRST = "zoom_first"


@dataclass(frozen=True, slots=True)
class Parsed:
    """A readable turn: one answer, one decline, or one or two crops, and the dialect it was written in."""

    actions: tuple[Answer] | tuple[Decline] | tuple[Crop, ...]
    dialect: Dialect
    kind: Literal["parsed"] = "parsed"


@dataclass(frozen=True, slots=True)
class Malformed:
    """An unreadable turn and why."""

    reason: Reason
    detail: str = ""
    kind: Literal["malformed"] = "malformed"
