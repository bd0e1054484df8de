"""The data card: its figures are right, its pictures are there, and it says what the splits share."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from zoomground.errors import ZoomgroundError
from zoomground.synth.card.figures import quantiles, read_set
from zoomground.synth.card.text import markdown, tables
from zoomground.synth.card.write import write_card


def row(number: int, box: str | None, **meta: Any) -> dict[str, Any]:
    fields: dict[str, Any] = {"problem": f"<image>Press {' '.join(['it'] * number)}", "images": ["a.png"]}
    if box is None:
        fields["refusal"] = True
    else:
        fields["solution"] = box
    return {**fields, "id": str(number), "meta": {"kind": "mail", "skin": "own", **meta}}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    Image.new("RGB", (3840, 2160), "white").save(tmp_path / "a.png")
    train = [
        row(1, "[10,10,30,20]", template="t1", seed="0/1"),
        row(2, "[100,100,1100,1100]", template="t2", seed="0/1"),
        row(3, None, template="t3", seed="0/1", how="name"),
    ]
    heldout = [row(4, "[3800,2100,3830,2140]", kind="shop", template="t2", seed="0/2", language="zh")]
    for name, rows in (("train.jsonl", train), ("heldout.jsonl", heldout)):
        (tmp_path / name).write_text("".join(json.dumps(one) + "\n" for one in rows), encoding="utf-8")
    return tmp_path


def test_figures(folder: Path) -> None:
    figures = read_set(folder)
    assert list(figures.files) == ["train.jsonl", "heldout.jsonl"]
    assert (len(figures.samples), figures.screens, figures.refusals) == (4, 1, 1)
    assert figures.values("short_px") == [10, 1000, 30]
    assert figures.values("words") == [2, 3, 4]  # a language without spaces has no words to count
    assert figures.count("kind") == {"mail": 3, "shop": 1}
    shrunk = (2_000_000 / (3840 * 2160)) ** 0.5
    assert figures.values("shown_px") == pytest.approx([10 * shrunk, 1000 * shrunk, 30 * shrunk])
    assert figures.blurred_percent == pytest.approx(100 / 3)
    # 200 and 1,200 px of 8,294,400 are under 0.02 %, which are 1,659 px
    assert figures.tiny_4k_percent == pytest.approx(200 / 3)


def test_what_the_splits_share_is_named(folder: Path) -> None:
    common = read_set(folder).in_common
    assert common == {"kind": [], "skin": ["own"], "icon_set": [], "template": ["t2"], "seed": []}


def test_the_card_is_written_and_reads(folder: Path) -> None:
    manifest = {
        "made_with": {
            "arguments": {"seed": 7},
            "versions": {"zoomground": "0.1"},
            "licences": [{"package": "bulma", "version": "1.0.4", "licence": "MIT"}],
        },
        "figures": {
            "screens": 3, "elements": 90, "visible": 50, "rejected": {"covered": 4}, "screens_drawn_twice": 1,
            "screens_drawn_unequally": 0, "screens_like_another_split": 0, "screens_without_rows": 1,
        },
    }  # fmt: skip
    (folder / "manifest.json").write_text(json.dumps(manifest))
    card = write_card(folder)
    text = (card.folder / "CARD.md").read_text(encoding="utf-8")
    for said in (
        "| template | 1 | t2 |",
        "| bulma | 1.0.4 | MIT |",
        "| covered | 4 |",
        "1 rows (25.0 %)",
        "![Histograms]",
    ):
        assert said in text
    page = (card.folder / "index.html").read_text(encoding="utf-8")
    assert "<td>Press it</td>" in page
    for name in ("histograms.png", "sheet.webp"):
        with Image.open(card.folder / name) as picture:
            picture.load()
            assert min(picture.size) > 200


def test_a_card_of_the_same_files_is_the_same(folder: Path) -> None:
    first = {file.name: file.read_bytes() for file in write_card(folder).folder.iterdir()}
    assert {file.name: file.read_bytes() for file in write_card(folder).folder.iterdir()} == first


def test_the_target_is_drawn_on_the_sheet(folder: Path) -> None:
    with Image.open(write_card(folder, screens=1).folder / "sheet.webp") as sheet:
        # 10,10 to 30,20 on a screen of 3840 px, on a tile of 640 px with a margin of 12 px
        red, green, blue = sheet.convert("RGB").getpixel((12 + 100, 12 + 17))
        assert min(red, green, blue) > 200, "far from the target nothing is drawn"
        inset = sheet.convert("RGB").getpixel((12 + 639, 12 + 355))
        assert inset[0] - inset[1] > 50, "the enlargement stands in the other corner, framed in red"


def test_text_of_rows_cannot_break_out_of_the_page(folder: Path) -> None:
    evil = row(9, "[1,1,9,9]", kind="<script>alert(1)</script>|x")
    evil["problem"] = "<image><b>|Press"
    (folder / "train.jsonl").write_text(json.dumps(evil) + "\n")
    card = write_card(folder)
    assert "<script>" not in (card.folder / "index.html").read_text(encoding="utf-8")
    assert "\\|Press" in (card.folder / "CARD.md").read_text(encoding="utf-8")


def test_a_folder_without_rows_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ZoomgroundError, match="holds no rows file"):
        read_set(tmp_path)
    (tmp_path / "train.jsonl").write_text("")
    with pytest.raises(ZoomgroundError, match="hold no row"):
        read_set(tmp_path)


def test_a_single_rows_file_has_no_table_of_splits(folder: Path) -> None:
    (folder / "heldout.jsonl").unlink()
    assert "What the splits share" not in markdown("Card", tables(read_set(folder)))


def test_quantiles_interpolate() -> None:
    assert quantiles([5.0]) == (5.0, 5.0, 5.0)
    assert quantiles([]) == ()
    assert quantiles([0.0, 10.0], [0.25]) == (2.5,)
