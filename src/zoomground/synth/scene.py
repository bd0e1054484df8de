"""What a program's builder draws from: one seed's choices, words and names in the screen's language."""

from __future__ import annotations

import random
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import lru_cache
from typing import TYPE_CHECKING, cast

from zoomground.synth import words

if TYPE_CHECKING:
    from collections.abc import Callable

    from faker import Faker


_SEPARATORS = {
    "de": str.maketrans(",.", ".,"),
    "es": str.maketrans(",.", ".,"),
    "fr": str.maketrans(",.", "\u00a0,"),
}
"""How thousands and decimals are set apart."""


@lru_cache
def _faker(language: str) -> Faker:
    from faker import Factory  # noqa: PLC0415 -- the extra may be missing; `synth` says so before anything starts

    # A bare generator: the same methods as `Faker`'s proxy, which is twice as slow for one locale.
    return cast("Faker", Factory.create(words.LANGUAGES[language], use_weighting=False))


@dataclass(slots=True)
class Scene:
    """The choices behind one program on one screen.

    Attributes:
        rng: Every choice comes from it.
        language: Language of all texts.
        width: Width that the program has, in CSS px.
        height: Height that it has, in CSS px.
        density: 0 roomy to 1 packed: how small and how many its parts are.
        dark: Whether the screen is dark.
    """

    rng: random.Random
    language: str
    width: float
    height: float
    density: float = 0.5
    dark: bool = False
    _used: set[str] = field(default_factory=set)
    _now: list[datetime] = field(default_factory=list)

    def sized(self, width: float, height: float) -> Scene:
        """The same scene for another window: the same random numbers and used names go on."""
        return replace(self, width=width, height=height)

    def chance(self, share: float) -> bool:
        """True with this probability."""
        return self.rng.random() < share

    def between(self, roomy: float, packed: float) -> float:
        """A whole number of px between two ends by density, with some play."""
        at = min(1.0, max(0.0, self.density + self.rng.uniform(-0.15, 0.15)))
        return float(round(roomy + (packed - roomy) * at))

    def say(self, key: str, **parts: object) -> str:
        """A text of `words` in the screen's language."""
        return words.say(key, self.language, **parts)

    def goals(self, key: str, *, unsaid: str = "", **parts: object) -> tuple[str, ...]:
        """The wishes behind a key (``key_goal``, ``key_goal2``) if `words` holds any, without those that say its label.

        No text of `words` does; but a file or person that is filled in may bear the label as its name.

        Args:
            key: The key.
            unsaid: Name of the element, if that is not the key's text.
            **parts: What the texts have places for.
        """
        known = words.entries()
        label = unsaid or (self.say(key, **parts) if key in known else "")
        found = (self.say(one, **parts) for one in (f"{key}_goal", f"{key}_goal2") if one in known)
        return tuple(goal for goal in found if not label or label.casefold() not in goal.casefold())

    def choices(self, key: str) -> list[str]:
        """The words of a key that lists several, separated by bars."""
        return self.say(key).split("|")

    def reach(self, text: str) -> float:
        """About how many CSS px a text takes at most, in the largest body font of a screen."""
        return sum(15.0 if ord(letter) > 0x2E00 else 8.5 for letter in text)

    def fake(self, make: Callable[[Faker], str]) -> str:
        """Something from Faker that this screen has not shown yet: ``scene.fake(lambda f: f.company())``."""
        faker = _faker(self.language)
        faker.random = self.rng  # type: ignore[attr-defined]
        for _ in range(20):
            text = make(faker).replace("\n", " ").strip()
            if text and text not in self._used:
                break
        else:
            text = f"{text} {len(self._used)}"
        self._used.add(text)
        return text

    def person(self) -> str:
        """A full name."""
        return self.fake(lambda f: f.name())

    def company(self) -> str:
        """A company."""
        return self.fake(lambda f: f.company())

    def title(self, least: int = 2, most: int = 5) -> str:
        """A heading of some words, without a full stop."""
        count = self.rng.randint(least, most)
        return self.fake(lambda f: f.sentence(count, variable_nb_words=False).rstrip(".。"))

    def sentence(self, count: int = 10) -> str:
        """A sentence of about this many words."""
        return self.fake(lambda f: f.sentence(count))

    def word(self) -> str:
        """One word."""
        return self.fake(lambda f: f.word())

    def file_name(self, *endings: str) -> str:
        """A file's name."""
        ending = self.rng.choice(endings or ("pdf", "docx", "xlsx", "png", "txt", "zip"))
        return self.fake(lambda f: f"{f.word()}_{f.word()}.{ending}")

    def date(self) -> str:
        """A date of the last years, as 2024-05-17."""
        return f"20{self.rng.randint(19, 26)}-{self.rng.randint(1, 12):02d}-{self.rng.randint(1, 28):02d}"

    @property
    def now(self) -> datetime:
        """The moment of the screen: every clock and calendar on it shows the same."""
        if not self._now:
            day = datetime(2019, 1, 1) + timedelta(days=self.rng.randrange(8 * 365))
            self._now.append(day + timedelta(minutes=self.rng.randrange(24 * 60)))
        return self._now[0]

    def clock(self) -> str:
        """A time of day, as 14:05."""
        return f"{self.rng.randint(0, 23)}:{self.rng.randint(0, 59):02d}"

    def number(self, low: float = 1, high: float = 10000, decimals: int = 0) -> str:
        """A number between two ends, as the language writes it."""
        text = f"{self.rng.uniform(low, high):,.{decimals}f}"
        return text.translate(_SEPARATORS.get(self.language, {}))
