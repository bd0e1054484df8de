"""Answers in px of the image that was sent, whose sides are multiples of 32: Qwen3-VL and its relatives."""

from __future__ import annotations

from zoomground.evaluate.profiles.base import plain

PROFILE = plain("pixels_sent_32", "px of the image that was sent, sides in multiples of 32")
