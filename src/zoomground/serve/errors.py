"""Errors as OpenAI's clients know them, and which of them a fault of the upstream becomes.

What the upstream says may hold its address, or the key that it was sent. Only where a client can do something about it
does a client read the upstream's words, and address and key are taken out of them; the whole is the server log's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from zoomground.policies.base import Trouble

if TYPE_CHECKING:
    from zoomground.policies.endpoint import Endpoint
    from zoomground.rollout import Asked

RETRY_AFTER_S = 5
"""When a client that was turned away may come again."""

CLIENT_GONE = 499
"""Status in the log of a request whose client left before the answer; nobody reads it."""

_TYPES = {401: "authentication_error", 403: "permission_error", 429: "rate_limit_error"}


class ApiError(Exception):
    """What a client is told in place of an answer.

    Args:
        status: HTTP status.
        message: What is wrong and what to do.
        param: The field of the request that is meant.
        code: A short name.
        detail: What the log says in place of the message.
    """

    def __init__(
        self, status: int, message: str, *, param: str | None = None, code: str | None = None, detail: str = ""
    ) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.param = param
        self.code = code
        self.note = detail or f"{code or 'refused'}: {message}"

    @property
    def body(self) -> dict[str, Any]:
        """The body of the answer."""
        kind = _TYPES.get(self.status, "server_error" if self.status >= 500 else "invalid_request_error")
        return {"error": {"message": self.message, "type": kind, "param": self.param, "code": self.code}}

    @property
    def headers(self) -> dict[str, str]:
        """Headers that go with it."""
        if self.status == 401:
            return {"WWW-Authenticate": "Bearer"}
        if self.status == 429:
            return {"Retry-After": str(RETRY_AFTER_S)}
        # The loop has tried again itself; a client's further tries would each play the whole episode.
        return {"x-should-retry": "false"} if self.status >= 500 else {}


_ANSWERS = {
    Trouble.CONTEXT_OVERFLOW: (400, "context_length_exceeded", None),
    Trouble.BAD_REQUEST: (400, "upstream_bad_request", None),
    Trouble.UNKNOWN_MODEL: (404, "model_not_found", None),
    Trouble.RATE_LIMIT: (429, "upstream_rate_limit", "the upstream asks for fewer requests, also after retries"),
    Trouble.SERVER_ERROR: (502, "upstream_error", "the upstream failed, also after retries"),
    Trouble.CONNECTION: (502, "upstream_unreachable", "the upstream cannot be reached"),
    Trouble.MALFORMED_BODY: (502, "upstream_malformed", "the upstream's answers are no chat completions"),
    Trouble.WRONG_URL: (502, "upstream_wrong_url", "the proxy's --upstream is wrong: nothing answers there"),
    Trouble.UNAUTHORIZED: (502, "upstream_unauthorized", "the upstream refuses the proxy's key"),
    Trouble.QUOTA: (502, "upstream_quota", "the quota of the proxy's key at the upstream is spent"),
    Trouble.TIMEOUT: (504, "upstream_timeout", "the upstream gave no answer in time"),
}
"""Status, code and words; without words a client reads the upstream's own."""


def upstream_error(asked: Asked, endpoint: Endpoint) -> ApiError | None:
    """The error that a failed episode becomes; None for one that has an answer to give."""
    trajectory = asked.trajectory
    trouble = asked.troubles[-1] if asked.troubles else None
    if not trajectory.failed or trouble is Trouble.CONTENT_FILTER:
        return None
    status, code, words = _ANSWERS.get(trouble, _ANSWERS[Trouble.SERVER_ERROR]) if trouble else (502, None, "it broke")
    detail = trajectory.failure.replace(endpoint.api_key, "***") if endpoint.api_key else trajectory.failure
    without_address = detail.replace(endpoint.url, "the upstream").replace(endpoint.base_url, "the upstream")
    return ApiError(status, words or without_address, code=code, detail=detail)
