"""What an icon set is: a drawing for each concept."""

from __future__ import annotations

from typing import Protocol


class IconSet(Protocol):
    """Draws concepts."""

    @property
    def name(self) -> str:
        """Its name."""
        ...

    def svg(self, concept: str, size_px: float) -> str:
        """An inline SVG in the text's colour.

        Args:
            concept: A key of `zoomground.synth.concepts.CONCEPTS`.
            size_px: Side of the drawn square in CSS px.

        Raises:
            ZoomgroundError: If the set does not draw the concept.
        """
        ...

    def draws(self, concept: str) -> bool:
        """Whether it draws a concept."""
        ...
