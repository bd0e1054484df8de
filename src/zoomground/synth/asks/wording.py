"""Templates: how statements are put into words, by family, key, language and half (train or held out)."""

from __future__ import annotations

import re
import tomllib
from dataclasses import replace
from functools import lru_cache
from importlib.resources import files
from types import MappingProxyType
from typing import TYPE_CHECKING

from zoomground.errors import ZoomgroundError
from zoomground.synth.asks.base import Ask, Way

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from zoomground.synth.query import Query

_ICONS_ALONE = frozenset({"looks", "looks_in"})
"""Keys of statements about icons, which need not say that word."""
_FIRST_IDEOGRAPH = "\u4e00"
_QUOTED_NAME = re.compile(r"[“„«\"]\s?\{name\}")
SPLITS = ("train", "heldout")


@lru_cache(1)
def templates() -> Mapping[str, Mapping[str, str]]:
    """Texts by id, by "family.key.language/split".

    Raises:
        ZoomgroundError: If a list lacks one of the splits.
    """
    found: dict[str, Mapping[str, str]] = {}
    for file in sorted(files(__package__).joinpath("templates").iterdir(), key=lambda one: one.name):
        family = file.name.removesuffix(".toml")
        if family == file.name or family.startswith("_"):
            continue
        for key, languages in tomllib.loads(file.read_text(encoding="utf-8")).items():
            for language, halves in languages.items():
                for split in SPLITS:
                    if not halves.get(split):
                        raise ZoomgroundError(f"asks/templates/{file.name}: {key}.{language} has no {split} templates")
                    where = f"{family}.{key}.{language}"
                    texts = {f"{where}.{split}.{number}": text for number, text in enumerate(halves[split])}
                    found[f"{where}/{split}"] = MappingProxyType(texts)
    return MappingProxyType(found)


@lru_cache(1)
def _roles() -> Mapping[str, Mapping[str, list[str]]]:
    text = files(__package__).joinpath("templates").joinpath("_roles.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def role_fields(word: str, language: str) -> dict[str, str]:
    """The places that a word for a kind of element fills: ``{role}`` and, with its article, ``{the_role}``."""
    bare, with_article = _roles()[word][language]
    return {"role": bare, "the_role": with_article}


@lru_cache(1)
def _tints() -> Mapping[str, Mapping[str, str]]:
    text = files(__package__).joinpath("templates").joinpath("_tints.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def tint_fields(tint: str, language: str) -> dict[str, str]:
    """The place that a colour fills."""
    return {"tint": _tints()[tint][language]}


def word_way(way: Way, language: str, split: str, fits: Callable[[Query], bool]) -> Iterator[Ask]:
    """The instructions that a statement becomes.

    A template that leaves out the word for the kind of element says less than the statement, and so asks for less.

    Args:
        way: The statement.
        language: The screen's language; no instruction comes if the templates lack it or the statement's own.
        split: Half of the templates.
        fits: Whether a query may be asked; called once for the statement with the word, and once without.
    """
    language = way.language or language
    found = templates().get(f"{way.family}.{way.key}.{language}/{split}", {})
    queries = (replace(way.query, word=""), way.query)
    known: dict[bool, bool] = {}
    for name, text in found.items():
        if _says_twice(text, way.fields) or (not way.quoted and _QUOTED_NAME.search(text)):
            continue
        says_word = "{role}" in text or "{the_role}" in text or way.key in _ICONS_ALONE
        if says_word not in known:
            known[says_word] = fits(queries[says_word])
        if known[says_word]:
            words = text.format(**way.fields)
            yield Ask(words, way.family, way.explicit, name, language, queries[says_word])


def _says_twice(text: str, fields: Mapping[str, str]) -> bool:
    """Whether the word for the kind would stand beside a name that ends or begins with it: "the search box search box".

    Chinese puts no spaces between words; there a name that holds the word anywhere counts.
    """
    if "{name}" not in text or ("{role}" not in text and "{the_role}" not in text):
        return False
    role, name = fields["role"].casefold(), fields["name"].casefold()
    edge = "" if role[0] >= _FIRST_IDEOGRAPH else r"\b"
    return re.search(f"{edge}{re.escape(role)}{edge}", name) is not None
