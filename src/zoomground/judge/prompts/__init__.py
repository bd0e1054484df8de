"""What the judge is told: versioned text files in English and Chinese.

A prompt is code: a change of any word makes a new folder (``v2``), because verdicts of two versions are not of one
scale. The words are a part of every cache key.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from zoomground.errors import RecipeError

if TYPE_CHECKING:
    from zoomground.judge.settings import Language


@dataclass(frozen=True, slots=True)
class Words:
    """One version in one language.

    Attributes:
        system: The instructions.
        closing: Stands after the record.
        strict: Stands after it instead when the first reply could not be read.
    """

    system: str
    closing: str
    strict: str

    @property
    def digest(self) -> str:
        """Identifies the words."""
        return hashlib.sha256("\0".join((self.system, self.closing, self.strict)).encode("utf-8")).hexdigest()

    def messages(self, record: str, *, strict: bool = False) -> list[dict[str, str]]:
        """The chat messages about one record."""
        closing = self.strict if strict else self.closing
        return [{"role": "system", "content": self.system}, {"role": "user", "content": f"{record}\n\n{closing}"}]


@cache
def words(version: str, language: Language) -> Words:
    """The words of a version in a language.

    Raises:
        RecipeError: If there are none.
    """
    folder = files(__package__).joinpath(version, language)
    try:
        texts = {name: folder.joinpath(f"{name}.txt").read_text("utf-8") for name in ("system", "closing", "strict")}
    except FileNotFoundError as error:
        raise RecipeError(f"unknown version '{version}' of the judge's prompt in language '{language}'") from error
    return Words(**{name: text.strip() for name, text in texts.items()})
