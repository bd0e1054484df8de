"""Answers in pixels_original: px of the screenshot's file."""

from __future__ import annotations

from zoomground.evaluate.profiles.base import plain

PROFILE = plain("pixels_original", "px of the screenshot's file")
