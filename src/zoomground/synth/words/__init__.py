"""The words of user interfaces in five languages: labels of concepts, and the sentences of each program.

Each ``*.toml`` beside this file holds tables ``[key]`` with one entry a language. A concept may also say what it does
(``does``: instructions in English that never use its name) and what its icon looks like (``looks``).
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from types import MappingProxyType

from zoomground.errors import ZoomgroundError

LANGUAGES: Mapping[str, str] = MappingProxyType(
    {"en": "en_US", "de": "de_DE", "fr": "fr_FR", "es": "es_ES", "zh": "zh_CN"}
)
"""Languages of screens, with the locale of their names and texts."""

LETTERS: Mapping[str, str] = MappingProxyType(
    {"en": "AaZz", "de": "ÄÖÜäöüß", "fr": "ÀÇÉÈÊàçéèêœ", "es": "ÁÉÍÑáéíñ¿", "zh": "保存文件打开删除"}
)
"""Letters that a font must have for a language to be drawn."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One key: its text by language, and for concepts what it does and looks like (English)."""

    texts: Mapping[str, str]
    does: tuple[str, ...] = ()
    looks: tuple[str, ...] = ()


@lru_cache(1)
def entries() -> Mapping[str, Entry]:
    """All keys of all files.

    Raises:
        ZoomgroundError: If a key stands in two files, or lacks a language.
    """
    found: dict[str, Entry] = {}
    for file in sorted(files(__name__).iterdir(), key=lambda one: one.name):
        if not file.name.endswith(".toml"):
            continue
        for key, table in tomllib.loads(file.read_text(encoding="utf-8")).items():
            if key in found:
                raise ZoomgroundError(f"words/{file.name}: '{key}' stands in another file too")
            missing = [language for language in LANGUAGES if language not in table]
            if missing:
                raise ZoomgroundError(f"words/{file.name}: '{key}' has no text for {', '.join(missing)}")
            texts = {language: str(table[language]) for language in LANGUAGES}
            found[key] = Entry(texts, tuple(table.get("does", ())), tuple(table.get("looks", ())))
    return MappingProxyType(found)


def say(key: str, language: str, **parts: object) -> str:
    """The text of a key in a language, with its places filled in.

    Raises:
        ZoomgroundError: If no file holds the key.
    """
    entry = entries().get(key)
    if entry is None:
        raise ZoomgroundError(f"words: no key '{key}'; add it to a file of synth/words")
    return entry.texts[language].format(**parts) if parts else entry.texts[language]
