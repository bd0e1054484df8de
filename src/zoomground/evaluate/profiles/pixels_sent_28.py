"""Answers in px of the image that was sent, whose sides are multiples of 28: Qwen2.5-VL and its relatives."""

from __future__ import annotations

from zoomground.evaluate.profiles.base import plain

PROFILE = plain("pixels_sent_28", "px of the image that was sent, sides in multiples of 28")
