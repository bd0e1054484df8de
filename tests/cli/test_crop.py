"""``crop``: the files and the observations are those of an episode."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest
from PIL import Image
from verbs import run

from episodes import crop_text
from saved import NESTED_HIT, episode, picture
from zoomground.geometry import Size


@pytest.fixture
def shot(tmp_path: Path) -> Path:
    return picture(tmp_path / "screen.png")


def test_nested_crops_are_those_of_an_episode(shot: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    result = run(
        "crop", shot, "--box", "400,400,700,700", "--box", "crop_1.png:200,200,700,700", "--out", out, "--json"
    )
    assert result.exit_code == 0, result.stderr
    made = json.loads(result.stdout)["crops"]
    assert [Path(crop["file"]) for crop in made] == [out / "crop_1.png", out / "crop_2.png"]
    played = episode(shot, NESTED_HIT)
    for crop, view in zip(made, played.crops, strict=True):
        assert hashlib.sha256(Path(crop["file"]).read_bytes()).hexdigest() == view.sha256
        observation = crop["observation"]
        assert observation["image_path"] == view.name
        assert observation["parent"] == view.parent
        with Image.open(crop["file"]) as image:
            assert image.size == (observation["width"], observation["height"]) == (view.shown.width, view.shown.height)
    assert [crop["observation"]["remaining_crops"] for crop in made] == [1, 0]


def test_the_printed_line_is_the_one_that_the_policy_reads(shot: Path, tmp_path: Path) -> None:
    result = run("crop", shot, "--box", "400,400,700,700", "--out", tmp_path / "out")
    reply = episode(shot, (crop_text(400, 400, 700, 700), "[1.00,1.00]")).turns[0].reply
    assert reply is not None
    told = reply.text.splitlines()[1]
    assert result.stdout.strip() == told.replace('"remaining_crops": 2', '"remaining_crops": 0')


def test_pixels(shot: Path, tmp_path: Path) -> None:
    result = run("crop", shot, "--box", "640,400,1280,800", "--crop-units", "pixels", "--out", tmp_path / "out")
    observation = json.loads(result.stdout)
    assert observation["region_in_original_px"] == [640, 400, 1280, 800]


def test_limits_are_kept(shot: Path, tmp_path: Path) -> None:
    result = run(
        "crop", shot, "--box", "0,0,1000,1000", "--max-pixels", 100_000, "--factor", 28, "--out", tmp_path / "out"
    )
    observation = json.loads(result.stdout)
    size = Size(observation["width"], observation["height"])
    assert size.area <= 100_000
    assert (size.width % 28, size.height % 28) == (0, 0)


@pytest.mark.parametrize(
    ("box", "says"),
    [
        ("700,400,400,700", "bad order"),
        ("0,0,1000.5,10", "out of range"),
        ("other.png:0,0,10,10", "unknown image"),
        ("../../etc/passwd:0,0,10,10", "unknown image"),
        ('x", x1=1:0,0,10,10', "--box"),
    ],
)
def test_a_refused_box_is_named_and_what_follows_is_not_cut(shot: Path, tmp_path: Path, box: str, says: str) -> None:
    out = tmp_path / "out"
    result = run("crop", shot, "--box", "0,0,500,500", "--box", box, "--box", "0,0,100,100", "--out", out)
    assert result.exit_code == 1
    assert result.stderr.startswith(f"error: --box {box}: ")
    assert says in result.stderr
    assert [file.name for file in out.iterdir()] == ["crop_1.png"]


@pytest.mark.parametrize("box", ["1,2,3", "1,2,3,4,5", "", "a,b,c,d", "nan,0,10,10", "0,0,50%,10", "0,0,1e2,10"])
def test_a_box_that_is_none_is_wrong_use(shot: Path, box: str) -> None:
    assert run("crop", shot, "--box", box).exit_code == 2


def test_a_box_is_needed(shot: Path) -> None:
    assert run("crop", shot).exit_code == 2


def test_the_screenshot_is_never_overwritten_by_its_own_crop(tmp_path: Path) -> None:
    shot = picture(tmp_path / "crop_2.png")
    before = shot.read_bytes()
    boxes = ("--box", "0,0,500,500", "--box", "0,0,250,250")
    result = run("crop", shot, *boxes, "--out", tmp_path)
    assert result.exit_code == 2
    assert "is the screenshot; name another folder" in result.stderr
    assert shot.read_bytes() == before
    assert run("crop", shot, *boxes[:2], "--out", tmp_path).exit_code == 0, "one crop does not reach crop_2.png"
