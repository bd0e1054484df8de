"""Verdicts on disk, one small file each: not asked again in the next epoch, after a restart, or by another rank.

The key is made from all that decides a verdict: transcript, words of the prompt, model and sampling. Only verdicts are
kept; a failure is asked again. A file appears whole or not at all, also when several processes write it.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from zoomground.judge.prompts import Words

_SCHEMA = 1


def verdict_key(record: str, words: Words, parameters: Mapping[str, Any], *, repeat: int = 0) -> str:
    """The key of a verdict.

    Args:
        record: The transcript as it is sent.
        words: The words of the prompt.
        parameters: Everything of the request but its messages: model, temperature, seed ...
        repeat: Tells a second verdict on the same record from the first.
    """
    told = json.dumps([_SCHEMA, repeat, words.digest, parameters, record], sort_keys=True, default=str)
    return hashlib.sha256(told.encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(frozen=True, slots=True)
class VerdictCache:
    """A folder of verdicts."""

    folder: Path

    def get(self, key: str) -> float | None:
        """A verdict; None if it is not there, or cannot be read."""
        try:
            score = json.loads(self._path(key).read_bytes())["score"]
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            return None
        is_score = isinstance(score, int | float) and not isinstance(score, bool) and 0 <= score <= 1
        return float(score) if is_score else None

    def put(self, key: str, score: float) -> None:
        """Keep a verdict.

        Raises:
            OSError: If it cannot be written.
        """
        path = self._path(key)
        path.parent.mkdir(parents=True, exist_ok=True)
        # A name of its own: two processes may write the same verdict at the same time.
        handle, partial = tempfile.mkstemp(dir=path.parent, suffix=".partial")
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as stream:
                json.dump({"score": score}, stream)
            Path(partial).replace(path)
        except OSError:
            Path(partial).unlink(missing_ok=True)
            raise

    def _path(self, key: str) -> Path:
        return self.folder / key[:2] / f"{key}.json"
