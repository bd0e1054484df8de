"""Reading a reply: any text gives a turn or the reason why it is none (DESIGN section 2, Reading a reply).

The order of things: a cut reply is none; a trailing end-of-turn token is taken off and any other special token spoils
the reply; thinking is split off; the dialects read what is left, the first that knows it decides. Nothing here raises,
recurses or looks at a character more than a fixed number of times.
"""

from __future__ import annotations

from zoomground.protocol import thinking
from zoomground.protocol.actions import CropUnits, Dialect, Malformed, Parsed, ParserMode, Reason
from zoomground.protocol.dialects import CHAIN
from zoomground.protocol.reply import Reply
from zoomground.protocol.spelling import END_OF_TURN, SPACES, SPECIAL_TOKEN


def parse(
    text: str,
    *,
    finish_reason: str | None = None,
    prompt_ends_in_think: bool = False,
    crop_units: CropUnits = CropUnits.NORM,
    mode: ParserMode = ParserMode.TOLERANT,
) -> Parsed | Malformed:
    r"""Read one reply of the policy; total, in linear time.

    >>> parse("<think>top right</think>\n[965.00,21.00]").kind
    'parsed'

    Args:
        text: The reply, any string.
        finish_reason: Why the engine stopped; after ``"length"`` nothing is read.
        prompt_ends_in_think: Whether the prompt already opened the thinking, so that the reply only closes it.
        crop_units: What a crop's corners are given in; pixels are checked for order only.
        mode: How much is read beside the canonical text.
    """
    if finish_reason == "length":
        return Malformed(Reason.LENGTH, "the reply was cut by the length limit")
    reply = _reply(text, prompt_ends_in_think=prompt_ends_in_think, crop_units=crop_units)
    if isinstance(reply, Malformed):
        return reply
    result = _first(reply, fallback=mode == ParserMode.FALLBACK)
    if mode == ParserMode.STRICT and isinstance(result, Parsed) and result.dialect is not Dialect.CANONICAL:
        return Malformed(Reason.NOT_CANONICAL, f"the reply can be read as {result.dialect.value} only")
    return result


def _reply(text: str, *, prompt_ends_in_think: bool, crop_units: CropUnits) -> Reply | Malformed:
    """Take off what stands around the turn."""
    stripped = text.rstrip(SPACES)
    token = next((token for token in END_OF_TURN if stripped.endswith(token)), "")
    if token:
        text = stripped.removesuffix(token)
    if SPECIAL_TOKEN.search(text):
        return Malformed(Reason.SPECIAL_TOKEN, "special tokens must not be written")
    outside = thinking.split(text, prompt_ends_in_think=prompt_ends_in_think)
    if isinstance(outside, Malformed):
        return outside
    # The line break keeps words on both sides of the thinking apart.
    lead = f"{outside.lead}\n" if outside.lead.strip(SPACES) else ""
    if not (lead + outside.body).strip(SPACES):
        return Malformed(Reason.EMPTY, "nothing stands outside thinking")
    return Reply(lead + outside.body, len(lead), outside.canonical and not token, crop_units)


def _first(reply: Reply, *, fallback: bool) -> Parsed | Malformed:
    """Ask the dialects in turn."""
    for dialect in CHAIN:
        if dialect.NAME is Dialect.FALLBACK and not fallback:
            continue
        result = dialect.read(reply)
        if result is not None:
            return result
    if isinstance(reply.marks, Malformed):
        return reply.marks
    if reply.marks.items:
        return Malformed(Reason.SEVERAL_POINTS, "the reply must hold exactly one point")
    return Malformed(Reason.NO_ACTION, "the reply holds neither an action nor a point in brackets")
