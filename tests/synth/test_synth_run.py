"""A set: the same files whatever happens on the way, in the order of the numbers, and honest counts."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from synth import studios
from synth.studios import draw, files, make
from zoomground.errors import ZoomgroundError
from zoomground.synth.run import Goal


def rows(folder: Path, name: str = "train.jsonl") -> list[dict]:
    """The rows of a file; a split without rows has none."""
    file = folder / name
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()] if file.exists() else []


def manifest(folder: Path) -> dict:
    return json.loads((folder / "manifest.json").read_text(encoding="utf-8"))


def killed(what: str, out: Path, count: int, at: int) -> bool:
    """Run the program and kill it after so many lines of progress; whether it was killed before its end."""
    command = [sys.executable, studios.__file__, what, str(out), str(count)]
    paths = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=paths) as program:
        assert program.stdout is not None
        for _ in range(at):
            if not program.stdout.readline():
                break
        program.kill()
    return program.returncode == -9


def test_the_number_of_workers_does_not_matter(tmp_path: Path) -> None:
    make(tmp_path / "one", Goal(screens=12), jobs=1)
    make(tmp_path / "three", Goal(screens=12), jobs=3)
    assert files(tmp_path / "one") == files(tmp_path / "three")
    assert len(files(tmp_path / "one")) > 12


def test_rows_stand_in_the_order_of_the_screens_and_splits_apart(tmp_path: Path) -> None:
    make(tmp_path / "set", Goal(screens=12))
    both = [rows(tmp_path / "set", name) for name in ("train.jsonl", "heldout.jsonl")]
    for one in both:
        assert one
        assert [row["id"] for row in one] == sorted(row["id"] for row in one)
    assert {row["meta"]["kind"] for row in both[1]} == {"shop"}
    assert {row["meta"]["skin"] for row in both[0]} == {"default"}


def test_the_manifest_counts_and_hashes_everything(tmp_path: Path) -> None:
    made = make(tmp_path / "set", Goal(screens=12))
    said = manifest(tmp_path / "set")
    total = len(rows(tmp_path / "set")) + len(rows(tmp_path / "set", "heldout.jsonl"))
    assert said["figures"]["rows"] == total == made.figures["rows"]
    assert said["figures"]["elements"] == 12 * 40
    assert said["figures"]["rejected"] == {"geometry": 24, "ink": 12}
    for name, one in said["files"].items():
        data = (tmp_path / "set" / name).read_bytes()
        assert (hashlib.sha256(data).hexdigest(), len(data)) == (one["sha256"], one["bytes"])
    assert {file for file in files(tmp_path / "set") if file.endswith((".webp", ".jsonl"))} == set(said["files"])


def test_as_many_screens_as_give_the_rows(tmp_path: Path) -> None:
    for jobs in (1, 3):
        made = make(tmp_path / str(jobs), Goal(rows=17), jobs=jobs)
        assert made.figures["rows"] == 17
    assert files(tmp_path / "1") == files(tmp_path / "3")


def test_a_set_may_grow_and_begins_as_it_was(tmp_path: Path) -> None:
    make(tmp_path / "set", Goal(screens=5))
    small = rows(tmp_path / "set")
    made = make(tmp_path / "set", Goal(screens=9))
    assert made.resumed == 5
    assert rows(tmp_path / "set")[: len(small)] == small
    make(tmp_path / "once", Goal(screens=9))
    assert files(tmp_path / "set") == files(tmp_path / "once")
    with pytest.raises(ZoomgroundError, match="holds 9 screens already, and 8 are asked for"):
        make(tmp_path / "set", Goal(screens=8))


def test_a_finished_set_is_made_again_without_work(tmp_path: Path) -> None:
    make(tmp_path / "set", Goal(screens=5))
    before = files(tmp_path / "set")
    again = make(tmp_path / "set", Goal(screens=5))
    assert (again.resumed, again.seconds) == (5, {})
    assert files(tmp_path / "set") == before


def test_lost_pictures_are_made_again(tmp_path: Path) -> None:
    make(tmp_path / "set", Goal(screens=5))
    before = files(tmp_path / "set")
    pictures = sorted((tmp_path / "set" / "images").rglob("*.webp"))
    pictures[0].unlink()
    pictures[1].write_bytes(b"cut")
    assert make(tmp_path / "set", Goal(screens=5)).resumed == 3
    assert files(tmp_path / "set") == before


@pytest.mark.parametrize(("what", "count", "times"), [("paper", 40, 10), ("rows", 70, 5)])
def test_killed_at_any_moment_it_ends_the_same(tmp_path: Path, what: str, count: int, times: int) -> None:
    rng = random.Random(what)
    kills = 0
    for _ in range(times):
        # 0: before the first screen is done; near the end: while the rows are written
        kills += killed(what, tmp_path / "killed", count, rng.randint(0, 9))
    assert kills >= 3
    goal = Goal(screens=count) if what == "paper" else Goal(rows=count)
    make(tmp_path / "killed", goal)
    make(tmp_path / "whole", goal)
    assert files(tmp_path / "killed") == files(tmp_path / "whole")


def test_half_written_files_of_a_killed_run_go(tmp_path: Path) -> None:
    make(tmp_path / "set", Goal(screens=3))
    before = files(tmp_path / "set")
    for name in ("images/000001/screen.webp.partial", "train.jsonl.partial", ".synth/parts/000007.json.partial"):
        (tmp_path / "set" / name).write_text("half")
    make(tmp_path / "set", Goal(screens=3))
    assert files(tmp_path / "set") == before


def test_two_runs_do_not_share_a_folder(tmp_path: Path) -> None:
    make(tmp_path / "set", Goal(screens=2))
    with (tmp_path / "set" / ".synth" / "run.lock").open() as stream:
        fcntl.flock(stream, fcntl.LOCK_EX)
        with pytest.raises(ZoomgroundError, match="another run is writing here"):
            make(tmp_path / "set", Goal(screens=3))


def test_other_terms_are_refused_by_name(tmp_path: Path) -> None:
    make(tmp_path / "set", Goal(screens=2), terms={"arguments": {"seed": 1}, "versions": {"Chromium": "1"}})
    with pytest.raises(ZoomgroundError, match='begun with Chromium "1", and is now asked for with "2"'):
        make(tmp_path / "set", Goal(screens=3), terms={"arguments": {"seed": 1}, "versions": {"Chromium": "2"}})


def test_a_folder_of_something_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").touch()
    with pytest.raises(ZoomgroundError, match=r"holds other files \(thesis.tex\)"):
        make(tmp_path, Goal(screens=2))


def test_a_worker_or_browser_that_dies_once_costs_nothing(tmp_path: Path) -> None:
    made = make(tmp_path / "hurt" / "set", Goal(screens=6), troubles={1: "worker", 3: "browser"})
    assert (made.failures, made.restarts) == ((), 1)
    make(tmp_path / "well" / "set", Goal(screens=6))
    assert files(tmp_path / "hurt" / "set") == files(tmp_path / "well" / "set")


def test_a_screen_that_cannot_be_made_is_told_and_the_others_are_there(tmp_path: Path) -> None:
    made = make(tmp_path / "set", Goal(screens=6), troubles={1: "dies", 4: "raises"})
    assert sorted(one.number for one in made.failures) == [1, 4]
    told = {one.number: one.problem for one in made.failures}
    assert "worker died 3 times" in told[1]
    assert told[4] == "KeyError: 'a word that is not there'"
    assert made.figures["screens_failed"] == [1, 4]
    assert {row["id"][:6] for name in ("train.jsonl", "heldout.jsonl") for row in rows(tmp_path / "set", name)} == {
        f"{number:06d}" for number in (0, 2, 3, 5)
    }
    make(tmp_path / "set", Goal(screens=6))
    make(tmp_path / "well", Goal(screens=6))
    assert files(tmp_path / "set") == files(tmp_path / "well")


def test_where_nothing_can_be_made_the_run_ends(tmp_path: Path) -> None:
    with pytest.raises(ZoomgroundError, match="no screen can be made: KeyError"):
        make(tmp_path / "set", Goal(screens=100), troubles=dict.fromkeys(range(100), "raises"))


def test_a_screen_like_one_of_the_other_split_is_left_out(tmp_path: Path) -> None:
    splits = [studios.plan().screen(number).split.value for number in range(12)]
    held_out = splits.index("heldout")
    twin = next(number for number in range(held_out + 1, 12) if splits[number] == "train")
    same = next(number for number in range(held_out + 1, 12) if splits[number] == "train" and number != twin)
    looks = {held_out: 0b0, twin: 0b1111, same: 0b11111}
    made = make(tmp_path / "set", Goal(screens=12), looks=looks)
    assert made.figures["screens_like_another_split"] == 1
    ids = {row["id"][:6] for row in rows(tmp_path / "set")}
    assert f"{twin:06d}" not in ids
    assert f"{same:06d}" in ids
    assert not (tmp_path / "set" / "images" / f"{twin:06d}").exists()


@pytest.mark.browser
def test_real_screens_are_the_same_each_time_and_survive_kills(tmp_path: Path, browser: object) -> None:
    draw(tmp_path / "whole", 6, jobs=1)
    rng = random.Random("real")
    for _ in range(2):
        killed("real", tmp_path / "killed", 6, rng.randint(1, 3))
    made = draw(tmp_path / "killed", 6, jobs=2)
    assert made.figures["screens_drawn_unequally"] == 0
    assert made.failures == ()
    assert made.figures["rows"] >= 12
    assert files(tmp_path / "killed") == files(tmp_path / "whole")
