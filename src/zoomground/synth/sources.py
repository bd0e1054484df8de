"""Source code that looks written: lines from templates in three languages, coloured by what their words are."""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from zoomground.synth.scene import Scene


def _listed(text: str) -> tuple[str, ...]:
    """The words of a text."""
    return tuple(text.split())


FOLDERS = _listed("src tests docs core models views utils assets config scripts server client shared types hooks")
NOUNS = _listed(
    "account address amount batch buffer cache cell channel client column config cursor device entry event field "
    "filter folder frame graph handle header image index item key label layer layout limit line list loader lock "
    "logger margin member menu message meter model module node number offset option order owner page panel parser "
    "path player point pool price queue range ratio reader record region reply report request result route row "
    "rule sample schema screen segment session shape signal size slot source span stage state store stream style "
    "symbol table tag target task theme ticket timer token total track tree unit update user value vector version "
    "view widget width window worker"
)
VERBS = _listed(
    "add apply build cancel check clear close collect compare convert copy count create decode draw emit encode "
    "expand fetch fill find flush format group handle insert invert join limit load map mark match measure merge "
    "move notify open pack parse pick place plan poll pop print push read reduce refresh release remove render "
    "replace reset resize resolve restore retry rotate run save scale scan select send shift show sort split "
    "start stop store swap sync take test toggle trace train trim unpack update validate verify visit wait walk "
    "wrap write"
)
ENDINGS = {"py": "Python", "ts": "TypeScript", "rs": "Rust"}

_HEADS = {
    "py": ("def {verb}_{noun}({noun}, {noun2}):", "def {verb}_{noun2}(self, {noun}):", "class {Noun}{Noun2}:"),
    "ts": ("export function {verb}{Noun}({noun}: {Noun}) {{", "private {verb}{Noun2}({noun}: number) {{",
           "export class {Noun}{Noun2} {{"),
    "rs": ("pub fn {verb}_{noun}({noun}: &{Noun}) -> usize {{", "fn {verb}_{noun2}(&self) -> bool {{",
           "impl {Noun}{Noun2} {{"),
}  # fmt: skip
_OPENERS = {
    "py": ("if {noun}.{noun2} > {number}:", "for {noun} in {noun2}.{verb}():", "with {verb}_{noun}({text}) as {noun}:"),
    "ts": (
        "if ({noun}.{noun2} > {number}) {{",
        "for (const {noun} of {noun2}.{verb}()) {{",
        "while ({noun}.{verb}()) {{",
    ),
    "rs": ("if {noun}.{noun2} > {number} {{", "for {noun} in {noun2}.{verb}() {{", "match {noun}.{verb}() {{"),
}
_LINES = {
    "py": (
        "{noun} = {verb}_{noun2}({noun}, {number})",
        "self.{noun} = {noun2}.{verb}({text})",
        "return {noun}.{noun2}",
        "{noun}.{verb}({noun2}={number})",
        "raise {Noun}Error({text})",
        "{noun}[{text}] = {noun2} + {number}",
    ),
    "ts": (
        "const {noun} = {verb}{Noun2}({noun}, {number});",
        "this.{noun} = {noun2}.{verb}({text});",
        "return {noun}.{noun2};",
        "{noun}.{verb}({{ {noun2}: {number} }});",
        "throw new {Noun}Error({text});",
    ),
    "rs": (
        "let {noun} = {verb}_{noun2}(&{noun}, {number});",
        "self.{noun}.{verb}({text});",
        "return Ok({noun}.{noun2});",
        "{noun}.{verb}({number});",
        "let mut {noun}: {Noun} = {noun2}.{verb}()?;",
    ),
}
_WORDS = re.compile(r"\"[^\"]*\"|(?:#|//) .*|\w+|\s+|[^\w\s\"]+|\"")
_CALLS = re.compile(r"(?<=\w\.)[a-z]\w+(?=\()|\b[a-z]+[A-Z_]\w+(?=\()")
_KEYWORDS = frozenset(
    _listed(
        "def class if for in with as return raise self export function private const of while new this throw pub "
        "fn impl let mut match import from use"
    )
)
_LIGHT = {
    "word": "#0033b3",
    "call": "#7a3e9d",
    "type": "#00627a",
    "text": "#067d17",
    "number": "#b3400d",
    "note": "#717171",
}
_DARK = {
    "word": "#c792ea",
    "call": "#82aaff",
    "type": "#ffcb6b",
    "text": "#c3e88d",
    "number": "#f78c6c",
    "note": "#8a93a6",
}


@dataclass(frozen=True, slots=True)
class Line:
    """One line of code.

    Attributes:
        text: It, with its indentation.
        head: Name of the function or class that it starts, if it does.
        opens: Whether a block starts here.
    """

    text: str
    head: str = ""
    opens: bool = False


def palette(scene: Scene) -> dict[str, str]:
    """Colours by kind of word."""
    return _DARK if scene.dark else _LIGHT


def source(scene: Scene, ending: str, count: int) -> list[Line]:
    """This many lines of a language, which its file's ending names."""
    lines: list[Line] = []
    while len(lines) < count:
        lines += _function(scene, ending)
    return lines[:count]


def _function(scene: Scene, ending: str) -> list[Line]:
    rng, closes = scene.rng, ending != "py"
    step = "    " if ending != "ts" else "  "
    text = _filled(scene, rng.choice(_HEADS[ending]))
    head = next(word for word in re.findall(r"\w+", text) if word.casefold() not in _KEYWORDS)
    lines = [Line(text, head, opens=True)]
    if rng.random() < 0.5:
        lines.append(Line(f"{step}{'#' if ending == 'py' else '//'} {scene.title(3, 7)}"))
    depth = 1
    for _ in range(rng.randint(3, 9)):
        if depth < 4 and rng.random() < 0.28:
            lines.append(Line(step * depth + _filled(scene, rng.choice(_OPENERS[ending])), opens=True))
            depth += 1
            lines.append(Line(step * depth + _filled(scene, rng.choice(_LINES[ending]))))
        else:
            lines.append(Line(step * depth + _filled(scene, rng.choice(_LINES[ending]))))
            if depth > 1 and rng.random() < 0.5:
                depth -= 1
                lines += [Line(step * depth + "}")] if closes else []
    if closes:
        lines += [Line(step * one + "}") for one in range(depth - 1, -1, -1)]
    return [*lines, Line("")]


def _filled(scene: Scene, template: str) -> str:
    rng = scene.rng
    noun, noun2 = rng.choice(NOUNS), rng.choice(NOUNS)
    return template.format(
        noun=noun, noun2=noun2, Noun=noun.title(), Noun2=noun2.title(), verb=rng.choice(VERBS),
        number=rng.randint(0, 512), text=f'"{rng.choice(NOUNS)}"',
    )  # fmt: skip


def calls(text: str) -> list[tuple[int, int]]:
    """Where the functions stand that a line calls: spans of letters."""
    return [found.span() for found in _CALLS.finditer(text)]


def spans(text: str, colours: dict[str, str]) -> str:
    """A piece of a line as coloured HTML."""
    found = []
    words = _WORDS.findall(text)
    for at, word in enumerate(words):
        kind = _kind(word, words[at + 1] if at + 1 < len(words) else "")
        safe = escape(word)
        found.append(f'<span style="color:{colours[kind]}">{safe}</span>' if kind else safe)
    return "".join(found)


def _kind(word: str, after: str) -> str:
    if word[0] == '"':
        return "text"
    if word.startswith(("# ", "// ")):
        return "note"
    if word in _KEYWORDS:
        return "word"
    if word[0].isdigit():
        return "number"
    if after.startswith("("):
        return "call"
    return "type" if word[0].isupper() else ""


def minimap(lines: list[Line], colours: dict[str, str], width: float, height: float) -> str:
    """Code seen from far away."""
    paths: dict[str, list[str]] = {}
    for number in range(int(height // 3)):
        text = lines[(number * 7) % len(lines)].text
        indent = len(text) - len(text.lstrip())
        if len(text) > indent:
            kind = list(colours)[len(text) % len(colours)]
            paths.setdefault(kind, []).append(f"M{3 + indent} {number * 3 + 2}h{min(width - 8, len(text) - indent)}")
    drawn = "".join(f'<path d="{"".join(parts)}" stroke="{colours[kind]}"/>' for kind, parts in paths.items())
    return (
        f'<svg width="{width:g}" height="{height:g}"><g opacity=".7" stroke-width="1.500">{drawn}</g>'
        f'<rect y="{height * 0.1:.0f}" width="{width:g}" height="{height * 0.2:.0f}" fill="currentColor" '
        'opacity=".08"/></svg>'
    )
