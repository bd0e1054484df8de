"""The dialects in which a reply may be written: one module each, its file name is its name.

A dialect module has ``NAME`` and ``read(reply)``: the turn if the reply is written in that dialect, `Malformed` if it
is but badly, None if it is not. `CHAIN` is the order in which they are asked; the first that does not say None decides.

=============  =======================================================================================
canonical      exactly the text that `zoomground.protocol.render` writes
loose_point    one bracketed pair of numbers, spelt in any tolerated way, with or without prose around it
json           ``{"x","y"}``, ``{"point_2d"}``; calls ``{"name","arguments"}`` in ``<tool_call>``
xml            tagged calls that are not canonical: ``<action>``, ``<function=..><parameter=..>``
bare           one call without tags that is all that stands outside thinking
fallback       the last of several points
=============  =======================================================================================

How models of other families answer (clicks, point tags, boxes) is read in `zoomground.evaluate.dialects`. Those are
asked by name in place of the chain and never join it: their numbers may be pixels.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from zoomground.protocol.dialects import bare, canonical, fallback, json, loose_point, xml

if TYPE_CHECKING:
    from zoomground.protocol.actions import Dialect, Malformed, Parsed
    from zoomground.protocol.reply import Reply


class ReadsReplies(Protocol):
    """What every dialect module offers."""

    @property
    def NAME(self) -> Dialect:  # noqa: N802 -- a module's constant
        """The dialect's name."""

    def read(self, reply: Reply, /) -> Parsed | Malformed | None:
        """Read the reply; None if it is not written in this dialect."""


CHAIN: tuple[ReadsReplies, ...] = (canonical, loose_point, json, xml, bare, fallback)
"""Every dialect of the chain, in the order of `Dialect`."""
