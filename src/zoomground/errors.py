"""The error tree: each class is one kind of trouble, each message says what is wrong, where, and what to do.

Errors are for the people who run the program. What a policy does wrong is never an exception: it is data
(`zoomground.protocol.actions.Malformed`, a correction, a stop reason).
"""

from typing import Self


class ZoomgroundError(Exception):
    """Base of every error that zoomground raises on purpose."""


class ImageError(ZoomgroundError):
    """An image cannot be opened, is too large, is cut short, or holds pixels of an unknown range."""


class RegionError(ZoomgroundError):
    """A region is empty after rounding, or lies wholly outside the image."""


class RowError(ZoomgroundError):
    """A row of a data file is wrong; the message names file, line and field."""

    def __init__(self, file: str, line: int, field: str, problem: str) -> None:
        super().__init__(f"{file}:{line}: field '{field}': {problem}")
        self.file = file
        self.line = line
        self.field = field
        self.problem = problem

    def __reduce__(self) -> tuple[type[Self], tuple[str, int, str, str]]:
        """Errors travel from worker processes to the one that reports them."""
        return type(self), (self.file, self.line, self.field, self.problem)


class RecipeError(ZoomgroundError):
    """A recipe, or an environment variable that stands for one of its keys, is wrong."""


class UnknownVariableError(RecipeError):
    """An environment variable has our prefix and nobody reads it: wrong use, as a mistyped option is."""


class EpisodeOverError(ZoomgroundError):
    """A finished episode was stepped again: a driver's mistake, not the policy's."""


class LaunchError(ZoomgroundError):
    """A plan cannot be carried out, or one of its processes failed."""
