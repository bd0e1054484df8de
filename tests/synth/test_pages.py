"""A person's own pages: labelled by the roles that the browser computes, offline, out of one folder."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from PIL import Image

from synth.studios import files
from zoomground.data.rows import read_rows
from zoomground.errors import ZoomgroundError
from zoomground.synth.make import Asking
from zoomground.synth.order import Wish, of_pages
from zoomground.synth.pages import PagePlan, PageStudio, digest, find_pages
from zoomground.synth.parts import Workshop
from zoomground.synth.plan import Split
from zoomground.synth.run import Goal, MadeSet, make_set
from zoomground.synth.sizes import ScreenSize

ORDERS = """<!doctype html><html lang="de"><head><link rel="stylesheet" href="../style/look.css">
<script>document.title = Math.random() + " " + Date.now(); document.addEventListener("DOMContentLoaded", () => {
  document.querySelector("#made").textContent = "Stand " + new Date().toISOString() + " " + Math.random(); });</script>
</head><body><h1>Bestellungen</h1><p id="made"></p><div class="pulse"></div>
<nav aria-label="Hauptmenü"><a href="http://example.com/">Start</a> <a href="#">Rechnungen</a></nav>
<label>Kunde <input type="text"></label> <button>Suchen</button> <button disabled>Gesperrt</button>
<table><tr><th>Ada Novak</th><td><button aria-label="Löschen">x</button></td></tr>
<tr><th>Kim Roe</th><td><button aria-label="Löschen">x</button></td></tr></table>
<div role="button" tabindex="0">Drucken</div><p>Kein Knopf</p>
<div style="position:absolute;left:600px;top:300px"><button>Verdeckt</button></div>
<div style="position:absolute;left:590px;top:290px;width:50px;height:80px;background:#cde"></div>
</body></html>"""
PLAIN = "<!doctype html><html lang='en'><body><button>Only one</button></body></html>"
LOOK = """body{font:16px sans-serif} .pulse{width:30px;height:30px;background:red;animation:p .3s infinite alternate}
@keyframes p{to{margin-left:200px}} button{padding:6px 14px}"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "site"
    for name, text in (("a/orders.html", ORDERS), ("b.html", PLAIN), ("style/look.css", LOOK)):
        (made / name).parent.mkdir(parents=True, exist_ok=True)
        (made / name).write_text(text, encoding="utf-8")
    Image.new("RGB", (40, 40), "red").save(tmp_path / "secret.png")
    return made


def make(folder: Path, out: Path, screens: int, **plan: object) -> MadeSet:
    workshop = Workshop(out)
    pages = PagePlan(find_pages(folder), 1, (ScreenSize(900, 600, 1.0),), **plan)
    studio = PageStudio(workshop, Asking(8, 0.0), folder)
    return make_set(pages, studio, workshop, Goal(screens=screens), jobs=1, terms={}, describe=lambda: "card")


@pytest.mark.browser
def test_pages_are_labelled_by_computed_roles_and_names(folder: Path, tmp_path: Path, browser: object) -> None:
    made = make(folder, tmp_path / "set", 1, heldout_share=0)
    assert made.failures == ()
    assert (made.figures["screens_drawn_twice"], made.figures["screens_drawn_unequally"]) == (1, 0)
    found = list(read_rows(tmp_path / "set" / "train.jsonl", open_images=True))
    names = {row.task.meta["name"] for row in found}
    assert names <= {"Start", "Rechnungen", "Kunde", "Suchen", "Löschen", "Drucken"}
    assert len(found) >= 5
    assert {row.task.meta["language"] for row in found} == {"de"}
    assert {row.task.meta["kind"] for row in found} == {"a/orders.html"}
    assert made.figures["rejected"]["occlusion"] >= 1
    for row in found:
        if row.task.meta["name"] == "Löschen":
            assert (
                "Ada Novak" in row.task.instruction
                or "Kim Roe" in row.task.instruction
                or "Löschen" not in row.task.instruction
            )


@pytest.mark.browser
def test_the_same_pages_give_the_same_files(folder: Path, tmp_path: Path, browser: object) -> None:
    for name in ("one", "two"):
        make(folder, tmp_path / name, 4)
    assert files(tmp_path / "one") == files(tmp_path / "two")


@pytest.mark.browser
def test_nothing_outside_the_folder_is_loaded(folder: Path, tmp_path: Path, browser: object) -> None:
    links = ["../secret.png", "/../secret.png", (tmp_path / "secret.png").as_uri(), "%2e%2e/secret.png", "link.png"]
    (folder / "link.png").symlink_to(tmp_path / "secret.png")
    images = "".join(
        f'<img src="{link}" style="position:absolute;left:{60 * at}px;top:100px">' for at, link in enumerate(links)
    )
    (folder / "b.html").write_text(PLAIN.replace("</body>", images + "</body>"))
    (folder / "a/orders.html").unlink()
    make(folder, tmp_path / "set", 1, heldout_share=0)
    with Image.open(tmp_path / "set" / "images/000000/screen.webp") as picture:
        colours = {colour for _, colour in picture.convert("RGB").getcolors(900 * 600)}
    assert (255, 0, 0) not in colours


@pytest.mark.browser
def test_a_page_that_never_loads_is_named(folder: Path, tmp_path: Path, browser: object, monkeypatch) -> None:
    (folder / "b.html").write_text("<script>while (true) {}</script>")
    (folder / "a/orders.html").unlink()
    from zoomground.synth.make import Stopwatch
    from zoomground.synth.pages import Pages

    monkeypatch.setattr("zoomground.synth.pages._LOAD_MS", 500.0)
    pages = Pages(folder, browser)
    with pytest.raises(ZoomgroundError, match=r"b.html is not loaded after"):
        pages.show(browser, PagePlan(("b.html",), 1).screen(0), Stopwatch())


def test_pages_take_turns_and_are_held_out_as_a_whole() -> None:
    plan = PagePlan(tuple(f"{number}.html" for number in range(20)), 3, heldout_share=0.3)
    specs = [plan.screen(number) for number in range(100)]
    assert [spec.kind for spec in specs[:20]] == list(plan.pages)
    sides = {split: {spec.kind for spec in specs if spec.split is split} for split in Split}
    assert all(sides.values())
    assert not sides[Split.TRAIN] & sides[Split.HELDOUT]
    assert len({spec.size for spec in specs}) > 5


def test_other_files_are_another_set(folder: Path) -> None:
    before = digest(folder)
    (folder / "style/look.css").write_text("body{}")
    assert digest(folder) != before


def test_a_folder_without_pages_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ZoomgroundError, match="holds no page"):
        of_pages(tmp_path / "out", Wish(1, 8, 0.05, 0.1, [], None, "0"), tmp_path)


def test_the_arguments_are_json(folder: Path) -> None:
    assert json.loads(json.dumps(find_pages(folder))) == ["a/orders.html", "b.html"]
