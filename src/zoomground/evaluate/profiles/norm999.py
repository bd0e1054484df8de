"""Answers in norm999: 0 to 999, as families with 1000 bins count."""

from __future__ import annotations

from zoomground.evaluate.profiles.base import plain

PROFILE = plain("norm999", "0 to 999, as families with 1000 bins count")
