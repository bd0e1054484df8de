"""The page: everything on it, nothing in it that acts."""

from __future__ import annotations

import re
from functools import partial
from html.parser import HTMLParser
from pathlib import Path

import pytest

from saved import DIRECT_HIT, MISS, NESTED_HIT, ZOOM_HIT, episode, picture, scored
from zoomground.data.trajectories import SavedRecord, open_screenshot
from zoomground.geometry import Size
from zoomground.images import load_screenshot
from zoomground.policies.scripted import Scripted
from zoomground.report.page import Table, write_page
from zoomground.task import Refusal
from zoomground.trajectory import Trajectory

HOSTILE = "\"'><script>alert(1)</script><img src=x onerror=alert(2)></pre></svg>&lt;b&gt; javascript:alert(3)"


class Elements(HTMLParser):
    """Collects what a browser would act on."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.links: list[str] = []
        self.handlers: list[str] = []
        self.text = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.links += [value or "" for name, value in attrs if name in {"href", "src", "action", "xlink:href"}]
        self.handlers += [name for name, _ in attrs if name.startswith("on")]

    def handle_data(self, data: str) -> None:
        self.text += data


def page(tmp_path: Path, records: list[SavedRecord], **options: object) -> str:
    out = tmp_path / "pages" / "page.html"
    write_page(records, out, partial(open_screenshot, folders=[tmp_path]), **options)
    assert [file.name for file in out.parent.iterdir()] == ["page.html"]
    return out.read_text("utf-8")


@pytest.fixture
def image(tmp_path: Path) -> Path:
    return picture(tmp_path / "screen.png")


def test_what_happened_is_on_the_page(tmp_path: Path, image: Path) -> None:
    record = scored(episode(image, NESTED_HIT), "rec-1", step=3, prompt_group=2, generation=5, advantage=-0.25)
    miss = scored(episode(image, MISS), "rec-2")
    html = page(tmp_path, [record, miss], title="Run 7", tables=[Table("Held-out", ("arm", "hit"), [("on", "0.75")])])
    seen = Elements(html)
    assert seen.tags.count("article") == 2
    assert seen.tags.count("figure") == 1 + 2 + 1
    for words in (
        "Run 7", "Held-out", "0.75", "Open the File menu", "crop_2.png", "step 3", "group 2", "generation 5",
        "zoomin_crop_process_gated", "[504.50,507.50]", "no idea", "no action", "loose_point", "canonical", "-0.250",
        '<action>crop_image(image_path="crop_1.png", x1=200.00', "crop_image action result:", "rec-1",
    ):  # fmt: skip
        assert words in seen.text or words == "loose_point", words
    assert seen.text.count("hit") >= 2


def test_what_training_did_to_a_turn_stands_on_it(tmp_path: Path, image: Path) -> None:
    told = {"turn_credit": [0.125, -0.0625, 0.0], "turns_out": [None, "idle", None]}
    seen = Elements(page(tmp_path, [scored(episode(image, NESTED_HIT), "rec-1", **told)]))
    assert "credit +0.125" in seen.text
    assert re.search(r"credit -0\.06[23]\s*left the loss: idle", seen.text)
    assert seen.text.count("credit") == 2
    assert "credit" not in Elements(page(tmp_path, [scored(episode(image, NESTED_HIT), "rec-1")])).text


def test_each_screenshot_stands_in_it_once(tmp_path: Path, image: Path) -> None:
    records = [scored(episode(image, texts), f"r{n}") for n, texts in enumerate((ZOOM_HIT, DIRECT_HIT, MISS))]
    html = page(tmp_path, records)
    assert html.count("data:image/png;base64,") == 1


def test_a_large_screenshot_is_made_smaller(tmp_path: Path) -> None:
    import random

    from PIL import Image

    noise = Image.frombytes("RGB", (1000, 800), random.Random(0).randbytes(1000 * 800 * 3))
    noise.save(tmp_path / "screen.png")
    html = page(tmp_path, [scored(episode(tmp_path / "screen.png", MISS), "r")])
    assert "data:image/jpeg;base64," in html
    assert "data:image/png;base64," not in html


def hostile_image_name(folder: Path) -> Path:
    return picture(folder / "a'b.png", Size(640, 400))


def test_text_of_a_policy_or_a_row_stays_text(tmp_path: Path) -> None:
    image = hostile_image_name(tmp_path)
    texts = (f"<think>{HOSTILE}</think>\n{HOSTILE}", f"{HOSTILE} ]]> --> {{{{ 7*7 }}}} {{% raw %}}", HOSTILE)
    record = scored(episode(image, texts, instruction=HOSTILE), "r", rewards={HOSTILE: 1.0}, total=1.0)
    clean = Elements(page(tmp_path, [scored(episode(image, texts=("a", "b", "c")), "r")]))
    html = page(tmp_path, [record, record], title=HOSTILE, tables=[Table(HOSTILE, [HOSTILE], [[HOSTILE]])])
    seen = Elements(html)
    assert set(seen.tags) <= set(clean.tags) | {"table", "tr", "th", "td", "div", "a"}
    assert "script" not in seen.tags
    assert seen.handlers == []
    assert "<script" not in html.lower()
    assert all(link.startswith(("#", "data:image/")) for link in seen.links)
    assert seen.text.count("<script>alert(1)</script>") >= 10
    assert "{{ 7*7 }}" in seen.text


def test_the_page_forbids_scripts_and_requests(tmp_path: Path, image: Path) -> None:
    html = page(tmp_path, [scored(episode(image), "r")])
    assert "default-src 'none'; img-src data:; style-src 'unsafe-inline'" in html
    assert all(link.startswith(("#", "data:image/")) for link in Elements(html).links)


def test_a_missing_screenshot_is_a_note(tmp_path: Path, image: Path) -> None:
    record = scored(episode(image), "r")
    image.unlink()
    seen = Elements(page(tmp_path, [record]))
    assert "no picture" in seen.text
    assert "'screen.png' is in none of" in seen.text
    assert "figure" not in seen.tags
    assert "zoomin_accuracy" in seen.text


def test_a_failed_episode_says_what_broke(tmp_path: Path, image: Path) -> None:
    from zoomground.environment import GroundingEnv
    from zoomground.protocol.settings import EpisodeSettings
    from zoomground.rollout import play

    played = episode(image)
    broken: Trajectory = play(GroundingEnv(played.task, load_screenshot(image), EpisodeSettings()), Scripted(()))
    assert "the script has no text" in page(tmp_path, [scored(broken, "r")])


def test_a_refusal_says_that_declining_is_right(tmp_path: Path, image: Path) -> None:
    text = page(tmp_path, [scored(episode(image, DIRECT_HIT, target=Refusal()), "r")])
    assert "declining is right" in text
    assert ">miss<" in text


def test_without_a_target_nothing_is_called_right_or_wrong(tmp_path: Path, image: Path) -> None:
    unknown = SavedRecord.of(episode(image, DIRECT_HIT, target=None), uuid="u")
    text = page(tmp_path, [unknown])
    assert ">no target<" in text
    for words in ("declining is right", ">miss<", ">hit<", "&#9633; target"):
        assert words not in text
    both = page(tmp_path, [unknown, scored(episode(image, DIRECT_HIT), "k")])
    assert ">no target<" in both
    assert ">hit<" in both
    assert "&#9633; target" in both


@pytest.mark.parametrize("text", ["\ud800 lone", "\x00\x1b\u2028"])
def test_odd_text_can_be_written(tmp_path: Path, image: Path, text: str) -> None:
    assert "no action" in page(tmp_path, [scored(episode(image, (text, *MISS)), "r")])


def test_no_episodes_is_a_page_too(tmp_path: Path) -> None:
    assert "0 episodes" in page(tmp_path, [])
