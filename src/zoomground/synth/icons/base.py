"""What an icon set is: a drawing for each concept."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from pathlib import Path


class IconSet(Protocol):
    """Draws concepts."""

    @property
    def name(self) -> str:
        """Its name; the file's."""
        ...

    @property
    def package(self) -> str:
        """The npm package that its drawings come from; empty: none is needed."""
        ...

    def at(self, assets: Path | None) -> IconSet:
        """The set, reading its drawings from a ``node_modules`` folder."""
        ...

    def svg(self, concept: str, size_px: float) -> str:
        """An inline SVG in the text's colour.

        Args:
            concept: A key of `zoomground.synth.icons.own.ICONS`.
            size_px: Side of the drawn square in CSS px.

        Raises:
            ZoomgroundError: If nobody draws the concept, or the package is not there.
        """
        ...

    def draws(self, concept: str) -> bool:
        """Whether the set has a drawing of its own for a concept."""
        ...

    def synonyms(self, concept: str) -> tuple[str, ...]:
        """English words that the set's authors found for a drawing, each for one concept only, never its name."""
        ...
