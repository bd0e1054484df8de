"""Figures by step, the chart, the choice of episodes, the report of a run folder."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from PIL import Image

from saved import DIRECT_HIT, MISS, ZOOM_HIT, episode, picture, run_folder, scored
from zoomground.data.health_log import HealthLine, append_health
from zoomground.data.trajectories import read_records, write_records
from zoomground.errors import RowError, ZoomgroundError
from zoomground.report.curves import running_mean, write_curves
from zoomground.report.figures import EpisodeFigures, step_figures
from zoomground.report.run import choose, write_report
from zoomground.trajectory import StopReason


def test_figures_of_a_step(tmp_path: Path) -> None:
    image = picture(tmp_path / "screen.png")
    failed = replace(episode(image, MISS), stop_reason=StopReason.ERROR, failure="gone")
    records = [
        scored(episode(image, ZOOM_HIT), "a", step=2, prompt_group=0),
        scored(episode(image, DIRECT_HIT), "b", step=2, prompt_group=0),
        scored(episode(image, DIRECT_HIT), "c", step=2, prompt_group=1),
        scored(episode(image, MISS), "d", step=2, prompt_group=1),
        scored(failed, "e", step=2, prompt_group=1),
        scored(episode(image, MISS), "f", step=1, prompt_group=0),
        scored(episode(image, MISS), "g"),
    ]
    one, two = step_figures(EpisodeFigures.of(record) for record in records)
    assert (one.step, one.episodes, one.hit_rate, one.zoom_rate, one.mixed_groups) == (1, 1, 0.0, 0.0, 0.0)
    assert (two.step, two.episodes, two.failed) == (2, 4, 1)
    assert two.reward == pytest.approx(sum(record.total or 0 for record in records[:4]) / 4)
    assert (two.hit_rate, two.zoom_rate, two.crops, two.mixed_groups) == (0.75, 0.25, 0.25, 0.5)
    # Turns: 2 + 1 + 1 + 2, one of them unreadable.
    assert two.canonical_share == pytest.approx(5 / 6)


def test_a_step_in_which_all_failed_has_figures(tmp_path: Path) -> None:
    image = picture(tmp_path / "screen.png")
    failed = replace(episode(image, MISS), stop_reason=StopReason.ERROR, failure="gone")
    (step,) = step_figures([EpisodeFigures.of(scored(failed, "a", step=1))])
    assert (step.episodes, step.failed, step.reward, step.hit_rate, step.canonical_share) == (0, 1, None, 0.0, 0.0)
    write_curves([step], tmp_path / "curves.png")


def test_curves_are_a_readable_png(tmp_path: Path) -> None:
    image = picture(tmp_path / "screen.png")
    base = EpisodeFigures.of(scored(episode(image), "a", step=1))
    steps = step_figures([replace(base, step=step) for step in range(1, 30)])
    write_curves(steps, tmp_path / "new" / "curves.png")
    with Image.open(tmp_path / "new" / "curves.png") as chart:
        assert chart.size == (1200, 768)
        colors = chart.convert("RGB").getcolors(maxcolors=1 << 20)
    assert colors is not None
    drawn = {color for _, color in colors}
    for curve in ((17, 24, 39), (21, 128, 61), (37, 99, 235), (217, 119, 6)):
        assert curve in drawn
    assert [file.name for file in (tmp_path / "new").iterdir()] == ["curves.png"]


def test_the_health_of_a_run_has_curves_of_its_own(tmp_path: Path) -> None:
    image = picture(tmp_path / "screen.png")
    base = EpisodeFigures.of(scored(episode(image), "a", step=1))
    steps = step_figures([replace(base, step=step) for step in range(1, 9)])
    health = [
        HealthLine(step, {"groups_alike": 0.5, "crop_gain": 0.1 * step}, {"wasted": "half"} if step > 4 else {})
        for step in range(1, 9)
    ]
    write_curves(steps, tmp_path / "none.png")
    write_curves(steps, tmp_path / "off.png", [replace(line, alarms={}) for line in health])
    write_curves(steps, tmp_path / "on.png", health)
    sizes, reds = {}, {}
    for name in ("none", "off", "on"):
        with Image.open(tmp_path / f"{name}.png") as chart:
            sizes[name] = chart.size
            colors = chart.convert("RGB").getcolors(maxcolors=1 << 20) or []
            reds[name] = sum(count for count, color in colors if color == (185, 28, 28))
    assert sizes == {"none": (1200, 768), "off": (1200, 1920), "on": (1200, 1920)}
    # Half of the steps, in a panel of about a third of a megapixel.
    assert reds["on"] - reds["off"] > 50_000
    assert reds["none"] == 0


def test_the_report_reads_the_health_beside_the_trainer_s_log(tmp_path: Path) -> None:
    run = run_folder(tmp_path)
    append_health(run / "grpo" / "health.jsonl", HealthLine(1, {"failed": 0.5}, {"failed": "half"}))
    with Image.open(write_report(run, folders=[run]).curves) as chart:
        assert chart.size == (1200, 1920)
    with (run / "grpo" / "health.jsonl").open("ab") as stream:
        stream.write(b"[]\n")
    with pytest.raises(RowError, match=r"health.jsonl:2"):
        write_report(run, folders=[run])
    errors: list[RowError] = []
    with Image.open(write_report(run, folders=[run], on_error=errors.append).curves) as chart:
        assert chart.size == (1200, 768)
    assert len(errors) == 1


def test_running_mean_is_over_what_is_known() -> None:
    nan = float("nan")
    assert running_mean([nan, 2.0, nan, 4.0], window=3)[1:] == [2.0, 2.0, 3.0]


def test_groups_are_chosen_from_both_ends() -> None:
    keys = [(step, group) for step in (1, 2, 3) for group in (0, 1) for _ in range(4)]
    assert choose(keys, 4) == {(3, 1)}
    assert choose(keys, 8) == {(3, 1), (1, 0)}
    assert choose(keys, 9) == {(3, 1), (1, 0), (3, 0)}
    assert choose(keys, 1000) == set(keys)


def test_the_report_of_a_run(tmp_path: Path) -> None:
    run = run_folder(tmp_path / "run-7")
    report = write_report(run, folders=[run], count=8)
    assert (report.episodes, report.shown) == (16, 8)
    html = report.page.read_text("utf-8")
    assert "zoomground: run-7" in html
    assert "record s2g1n3" in html
    assert "record s1g0n0" in html
    assert "record s1g1n0" not in html
    assert html.index("record s1g0n0") < html.index("record s2g1n3")
    assert html.count("data:image/png;base64,") == 2
    assert "no picture" not in html
    assert len(report.metrics.read_text("utf-8").splitlines()) == 2
    assert json.loads(report.metrics.read_text("utf-8").splitlines()[0])["step"] == 1


def test_a_log_outside_training_has_a_page_without_curves(tmp_path: Path) -> None:
    image = picture(tmp_path / "screen.png")
    write_records(tmp_path / "log.jsonl", [scored(episode(image), f"r{n}") for n in range(3)])
    report = write_report(tmp_path, folders=[tmp_path], count=2)
    assert (report.shown, list(report.steps)) == (2, [])
    assert not report.curves.exists()


def test_bad_lines_are_told_once_and_left_out(tmp_path: Path) -> None:
    run = run_folder(tmp_path)
    file = run / "trajectories" / "rank_0.jsonl"
    file.write_text("{}\n" + file.read_text("utf-8"), "utf-8")
    with pytest.raises(RowError):
        write_report(run)
    errors: list[RowError] = []
    report = write_report(run, folders=[run], on_error=errors.append, count=100)
    assert (report.episodes, report.shown) == (16, 16)
    assert [error.line for error in errors] == [1]
    assert len(list(read_records(run, on_error=errors.append))) == 16


def test_an_empty_log_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "log.jsonl").write_text("", "utf-8")
    with pytest.raises(ZoomgroundError, match="holds no episode"):
        write_report(tmp_path)
