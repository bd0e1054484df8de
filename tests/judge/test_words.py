"""What the judge is sent, to the word: the instructions of every version, and a record; and what the canaries are."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path
from typing import Any

import pytest

from judge.injections import INJECTIONS
from judging import judge_of, played, scores, zoomed
from scripted_endpoint import Answer, fails, scripted
from zoomground.judge import Language, NoVerdict
from zoomground.judge.canaries import EMPTY, CanaryReport, canaries, canary_report, sound_record
from zoomground.judge.check import judge_problems
from zoomground.judge.judge import FEWEST_LETTERS
from zoomground.judge.prompts import words
from zoomground.judge.transcript import transcript
from zoomground.policies.base import Trouble
from zoomground.protocol.actions import CropUnits
from zoomground.protocol.settings import EpisodeSettings
from zoomground.protocol.thinking import thought
from zoomground.recipe.keys import all_keys

GOLDEN = Path(__file__).parents[1] / "golden" / "judge"


def rendered() -> dict[str, str]:
    texts = {
        f"v1-{language}": "\n=====\n".join((told.system, told.closing, told.strict)) + "\n"
        for language in Language
        if (told := words("v1", language))
    }
    return texts | {"record": transcript(zoomed()).text + "\n", "record-canary": sound_record() + "\n"}


@pytest.mark.parametrize("name", sorted(rendered()))
def test_text_is_the_golden_one(name: str) -> None:
    """A changed word is a new version: verdicts of both are not of one scale, and the cache must not mix them."""
    assert rendered()[name] == (GOLDEN / f"{name}.txt").read_text(encoding="utf-8")


def test_the_page_shows_the_record_and_the_defaults_as_they_are() -> None:
    page = (Path(__file__).parents[2] / "docs" / "JUDGE_PROTOCOL.md").read_text(encoding="utf-8")
    assert f"```text\n{rendered()['record']}```" in page
    keys = {key.variable: key for key in all_keys()}
    rows = re.findall(r"^\| (ZOOMIN_\w+) \| `?([^`|]+?)`? \| (.*?) \|", page, re.MULTILINE)
    judges = {variable for variable, key in keys.items() if key.path[0] == "judge"}
    assert {variable for variable, _, _ in rows} == judges | {"ZOOMIN_COT_RM_NEUTRAL_SCORE"}
    for variable, name, default in rows:
        assert name in {keys[variable].name, "(environment only)"}
        if default.isdecimal():
            assert float(default) == keys[variable].default
    assert f"{len(INJECTIONS)} attempts" in page
    for kind in (*Trouble, *NoVerdict):
        assert f"`{kind}`" in page, kind


def test_no_golden_file_is_left_over() -> None:
    assert {path.stem for path in GOLDEN.glob("*.txt")} == set(rendered())


@pytest.mark.parametrize("language", Language)
def test_the_words_name_what_the_record_and_the_reply_hold(language: Language) -> None:
    told = words("v1", language)
    for named in (
        '"| "' if language is Language.EN else "“| ”",
        "crop of A",
        "shown as B",
        "not carried out",
        "answer:",
    ):
        assert named in told.system
    for text in (told.system, told.closing, told.strict):
        assert '{"score": S}' in text


def test_crops_in_pixels_and_declines_are_told() -> None:
    settings = EpisodeSettings(crop_units=CropUnits.PIXELS, allow_decline=True)
    texts = (
        '<action>crop_image(image_path="screen.png", x1=100, y1=100, x2=400, y2=300)</action>',
        "<think>It is not here.</think><action>decline()</action>",
    )
    text = transcript(played(*texts, settings=settings)).text
    assert "thinking: none\ncrop of screenshot: (100.00, 100.00, 400.00, 300.00) px\nshown as crop_1.png: (" in text
    assert "decline: what the task names is not on the screenshot" in text
    assert text.endswith("end: declined")


def test_letters_of_every_script_are_counted_in_the_thinking_of_readable_turns_alone() -> None:
    told = played("many letters in a bad turn", "<think>1: 看左上角, ok?</think>[508.00,508.00]")
    assert transcript(told).letters == 6


@pytest.mark.parametrize(
    ("text", "opened", "expected"),
    [
        ("<think> small </think>[1.00,1.00]", False, "small"),
        ("prose <think>small</think>[1.00,1.00]", False, "small"),
        ("small</think>[1.00,1.00]", True, "small"),
        ("[1.00,1.00]", False, ""),
        ("<think>small[1.00,1.00]", False, ""),
        ("<think>a</think><think>b</think>[1.00,1.00]", False, ""),
        ("[1.00,1.00]", True, ""),
    ],
)
def test_thought(text: str, opened: bool, expected: str) -> None:
    assert thought(text, prompt_ends_in_think=opened) == expected


def test_jdg_13_a_judge_that_praises_empty_words_is_an_alarm() -> None:
    """JDG-13: empty openers in two languages beside a sound episode; a judge that likes them all is said to be none."""
    report, server = reported(lambda number, body: scores(0.9))
    assert len(server.bodies) == 2 * (1 + len(EMPTY))
    assert (report.empty, report.sound, report.noise) == (0.9, 0.9, 0.0)
    praised, alike = report.alarms()
    assert "0.90 to empty words" in praised
    assert "does not tell sound reasoning (0.90) from empty words (0.90)" in alike


def test_jdg_15_a_judge_that_wavers_is_an_alarm() -> None:
    """JDG-15: the noise of the judge is measured by asking about the same record twice."""
    report, _ = reported(lambda number, body: scores(0.0 if number < 1 + len(EMPTY) else 0.3))
    assert report.noise == 0.3
    assert any("differ by 0.30" in alarm for alarm in report.alarms())


def test_a_good_judge_raises_no_alarm() -> None:
    def judge(_: int, body: dict[str, Any]) -> Answer:
        return scores(0.9 if "Save As" in body["messages"][1]["content"] else 0.1)

    report, _ = reported(judge)
    assert report == CanaryReport(empty=0.1, sound=0.9, noise=0.0)
    assert report.alarms() == []
    assert report.figures() == {"canary_empty": 0.1, "canary_sound": 0.9, "canary_noise": 0.0}


def test_canaries_of_a_judge_that_is_not_there_say_nothing() -> None:
    report, _ = reported(lambda number, body: fails(400))
    assert report == CanaryReport(None, None, None)
    assert (report.alarms(), report.figures()) == ([], {})


def test_canaries_are_kept_like_other_verdicts(tmp_path: Path) -> None:
    with scripted([scores(0.5)]) as server:
        for _ in range(2):
            asyncio.run(judge_of(server, cache_dir=tmp_path, concurrency=4).verdicts(canaries()))
        assert len(server.bodies) == 2 * (1 + len(EMPTY))


def test_some_canaries_get_past_the_count_of_letters() -> None:
    assert sum(sum(letter.isalpha() for letter in text) >= FEWEST_LETTERS for text in EMPTY) >= 3


def test_a_check_asks_each_endpoint_once_and_names_what_is_wrong(tmp_path: Path) -> None:
    with scripted([scores(0.9)]) as good, scripted([fails(401, "no")]) as bad:
        settings = judge_of(good, bad, cache_dir=tmp_path).settings
        problems = judge_problems(settings)
    assert list(problems) == [bad.base_url]
    assert problems[bad.base_url].startswith("unauthorized: ")
    assert "set ZOOMIN_COT_RM_API_KEY" in problems[bad.base_url]
    assert (len(good.bodies), len(bad.bodies)) == (1, 1)
    assert list(tmp_path.iterdir()) == [], "an old verdict would say nothing of today's endpoint"


def reported(script: Any) -> tuple[CanaryReport, Any]:
    with scripted(script) as server:
        return canary_report(asyncio.run(judge_of(server, concurrency=1).verdicts(canaries()))), server


if __name__ == "__main__":
    GOLDEN.mkdir(parents=True, exist_ok=True)
    for golden_name, golden_text in rendered().items():
        (GOLDEN / f"{golden_name}.txt").write_text(golden_text, encoding="utf-8")
