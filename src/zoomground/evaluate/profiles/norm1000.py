"""Answers in norm1000: 0 to 1000."""

from __future__ import annotations

from zoomground.evaluate.profiles.base import plain

PROFILE = plain("norm1000", "0 to 1000")
