"""The card as tables, and as Markdown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from zoomground.synth.card.figures import COUNTED, QUANTILES, SCREENSPOT_PRO, SetFigures, quantiles, read_set

if TYPE_CHECKING:
    from pathlib import Path

TITLE = "Data card"
_LONGEST_LIST = 40
_TITLES = {
    "kind": "Kinds of program", "skin": "Skins", "icon_set": "Icon sets", "language": "Languages",
    "how": "Ways of asking", "explicit": "Explicit", "role": "Roles",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Table:
    """A table of the card; the first column is text, the others are numbers.

    Attributes:
        title: What it is about.
        head: Titles of the columns.
        rows: The cells.
        remark: What a reader should know about it.
    """

    title: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    remark: str = ""


def tables(figures: SetFigures) -> list[Table]:
    """All tables of a card, in order; what a set does not say of itself is left out."""
    found = [_overview(figures), _sizes(figures), *_splits(figures)] if figures.samples else []
    found += [_counts(figures, name) for name in COUNTED if figures.count(name)]
    manifest = figures.manifest
    if gates := manifest.get("figures", {}).get("rejected"):
        found.append(_gates(manifest["figures"], gates))
    if made_with := manifest.get("made_with"):
        found += _origin(made_with)
    return found


def markdown(
    title: str, parts: Sequence[Table], pictures: Sequence[tuple[str, str]] = (), last: Table | None = None
) -> str:
    """The card as Markdown.

    Args:
        title: Its heading.
        parts: Its tables.
        pictures: Caption and file of each picture.
        last: A table that goes below the pictures.
    """
    blocks = [f"# {title}", *(_block(part) for part in parts)]
    blocks += [f"## {caption}\n\n![{caption}]({file})" for caption, file in pictures]
    if last is not None:
        blocks.append(_block(last))
    return "\n\n".join(blocks) + "\n"


def short_card(folder: Path) -> str:
    """The card of a folder without pictures: nothing but this package is needed for it."""
    return markdown(TITLE, tables(read_set(folder, may_lack_rows=True)))


def _block(part: Table) -> str:
    head = [_cell(text) for text in part.head]
    lines = [_line(head), _line(["---", *("---:" for _ in head[1:])])]
    lines += [_line([_cell(text) for text in row]) for row in part.rows]
    return "\n\n".join(filter(None, [f"## {part.title}", part.remark, "\n".join(lines)]))


def _overview(figures: SetFigures) -> Table:
    rows = [
        [name, str(len(samples)), str(len({one.row.image_source for one in samples}))]
        for name, samples in figures.files.items()
    ]
    rows.append(["together", str(len(figures.samples)), str(figures.screens)])
    share = 100 * figures.refusals / len(figures.samples)
    remark = f"{figures.refusals} rows ({share:.1f} %) ask for something that is not there and want it declined."
    return Table("Rows and screens", ("file", "rows", "screens"), rows, remark)


def _sizes(figures: SetFigures) -> Table:
    pro = SCREENSPOT_PRO
    rows = [
        _quantiles("short side of the target, px", figures.values("short_px"), pro.short_px),
        _quantiles("words of the instruction", figures.values("words"), pro.words),
        _quantiles(
            "share of the screen's area, %", [100 * value for value in figures.values("area_share")],
            (None, pro.area_percent, None),
        ),
    ]  # fmt: skip
    blurred = f"{figures.blurred_percent:.0f} % of the targets are under 14 px on their short side when the screenshot "
    blurred += f"is shrunk to 2 Mpx ({pro.name}: {pro.blurred_percent:.0f} %)."
    if (tiny := figures.tiny_4k_percent) is not None:
        blurred += f" On screens of 3840x2160 {tiny:.0f} % of the targets are under 0.02 % of the area."
    head = (
        "figure",
        *(f"{100 * share:.0f} %" for share in QUANTILES),
        *(f"{pro.name} {100 * q:.0f} %" for q in QUANTILES),
    )
    return Table("Sizes and lengths", head, rows, blurred)


def _quantiles(name: str, values: Sequence[float], reference: Sequence[float | None]) -> list[str]:
    own = [f"{value:.3g}" for value in quantiles(values)] or ["-"] * len(QUANTILES)
    return [name, *own, *("-" if value is None else f"{value:g}" for value in reference)]


def _splits(figures: SetFigures) -> list[Table]:
    common = figures.in_common
    if not common:
        return []
    rows = [[name, str(len(values)), _listed(values) or "none"] for name, values in common.items()]
    names = " and ".join(figures.files)
    return [Table("What the splits share", ("figure", "shared", "which"), rows, f"Between {names}.")]


def _counts(figures: SetFigures, name: str) -> Table:
    counts = figures.count(name)
    total = len(figures.samples)
    names = list(figures.files)
    by_file = {file: figures_of.count(name) for file, figures_of in
               ((file, SetFigures({file: figures.files[file]})) for file in names)}  # fmt: skip
    rows = [
        [value, str(count), f"{100 * count / total:.1f} %", *(str(by_file[file][value]) for file in names)]
        for value, count in sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    ]
    remark = "" if len(rows) <= _LONGEST_LIST else f"The {_LONGEST_LIST} most frequent of {len(rows)}."
    return Table(_TITLES[name], (name.replace("_", " "), "rows", "share", *names), rows[:_LONGEST_LIST], remark)


def _gates(figures: Mapping[str, Any], gates: Mapping[str, int]) -> Table:
    rows = [[gate, str(count)] for gate, count in sorted(gates.items(), key=lambda item: (-item[1], item[0]))]
    remark = (
        f"{figures['screens']} screens with {figures['elements']} elements, {figures['visible']} of them visible; "
        f"{figures['screens_drawn_twice']} screens were drawn twice, {figures['screens_drawn_unequally']} of them "
        f"unequally; {figures['screens_like_another_split']} were left out because the other split holds one like it, "
        f"{figures['screens_without_rows']} because they gave no row."
    )
    return Table("What the gates turned away", ("gate", "elements or instructions"), rows, remark)


def _origin(made_with: Mapping[str, Any]) -> list[Table]:
    arguments = [[name, _listed(value)] for name, value in made_with.get("arguments", {}).items()]
    versions = [[name, str(value)] for name, value in made_with.get("versions", {}).items()]
    licences = [[one["package"], one["version"], one["licence"]] for one in made_with.get("licences", [])]
    found = [
        Table("Arguments", ("argument", "value"), arguments), Table("Made with", ("program", "version"), versions),
    ]  # fmt: skip
    if licences:
        remark = "The screens show looks and drawings of these packages; nothing of them is part of zoomground."
        found.append(Table("Licences of the assets", ("package", "version", "licence"), licences, remark))
    return found


def _listed(value: object) -> str:
    if isinstance(value, list):
        return ", ".join(str(one) for one in value)
    return "-" if value is None else str(value)


def _cell(text: str) -> str:
    return " ".join(text.replace("|", "\\|").split())


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
