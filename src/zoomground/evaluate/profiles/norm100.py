"""Answers in norm100: percent of the image, 0 to 100."""

from __future__ import annotations

from zoomground.evaluate.profiles.base import plain

PROFILE = plain("norm100", "percent of the image, 0 to 100")
