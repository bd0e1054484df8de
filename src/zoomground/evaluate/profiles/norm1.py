"""Answers in norm1: shares of the image, 0 to 1."""

from __future__ import annotations

from zoomground.evaluate.profiles.base import plain

PROFILE = plain("norm1", "shares of the image, 0 to 1")
