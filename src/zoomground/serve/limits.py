"""What one proxy bears: sizes, places, time."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from zoomground.serve.errors import ApiError

if TYPE_CHECKING:
    from starlette.requests import Request


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of a proxy.

    Attributes:
        body_bytes: Largest body of a request; an image in base64 is a third larger than its file.
        image_pixels: Largest screenshot, read from its header before it is decoded.
        concurrency: Episodes that are played at once.
        queue: Requests that may wait for one of these.
        time_s: Longest time from a request's first byte to its answer, in s.
        keep_alive_s: How often a stream that has nothing to say yet sends a comment, in s.
    """

    body_bytes: int = 32 * 2**20
    image_pixels: int = 36_000_000
    concurrency: int = 8
    queue: int = 16
    time_s: float = 600.0
    keep_alive_s: float = 10.0


@dataclass(slots=True)
class Places:
    """Counts the requests that are inside: those that are played and those that wait."""

    limits: Limits
    taken: int = field(default=0, init=False)

    def enter(self) -> None:
        """Take a place; whoever takes one gives it back by `leave`.

        Raises:
            ApiError: If none is left.
        """
        if self.taken >= self.limits.concurrency + self.limits.queue:
            raise ApiError(
                429, f"{self.taken} requests are being answered or wait already; come again later", code="queue_full"
            )
        self.taken += 1

    def leave(self) -> None:
        """Give a place back."""
        self.taken -= 1


async def read_body(request: Request, limit: int) -> bytes:
    """Read a body, and stop keeping it where it grows too large.

    A client that is still sending does not hear an answer. So what is too large is read on to twice the limit, without
    being kept; whatever is larger still is cut off.

    Args:
        request: The request.
        limit: Largest body in bytes.

    Raises:
        ApiError: If it is larger.
    """
    too_large = ApiError(413, f"the body is larger than {limit:,} bytes; send a smaller image", code="body_too_large")
    declared = request.headers.get("content-length", "")
    if declared.isdecimal() and int(declared) > 2 * limit:
        raise too_large
    body, size = bytearray(), 0
    async for part in request.stream():
        size += len(part)
        if size > 2 * limit:
            break
        if size > limit:
            body.clear()
        else:
            body += part
    if size > limit:
        raise too_large
    return bytes(body)
