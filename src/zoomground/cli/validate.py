"""``zoomground validate ROWS``: rows parse, images open, targets lie inside, and a player that knows them scores 1."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any

import typer

from zoomground.cli.output import AsJson, complain, emit, finish, note, progress, say
from zoomground.cli.scoring import RecipeOption, recipe_in_force
from zoomground.data.rows import Row, RowsReport, check_rows
from zoomground.environment import GroundingEnv
from zoomground.errors import ImageError, RegionError, RowError
from zoomground.images import Screenshot, load_screenshot
from zoomground.policies.oracle import Oracle
from zoomground.protocol.settings import EpisodeSettings
from zoomground.rewards import RewardSettings, hit
from zoomground.rollout import play
from zoomground.task import Refusal


def validate(
    rows: Annotated[
        list[Path], typer.Argument(exists=True, dir_okay=False, help="Rows files (JSONL); images are relative to each.")
    ],
    *,
    quick: Annotated[
        bool, typer.Option("--quick", help="Read image headers only, and do not play the oracle.")
    ] = False,
    recipe: RecipeOption = None,
    as_json: AsJson = False,
) -> None:
    """Check rows for training: every fault names file, line and field."""
    loaded = recipe_in_force(recipe).recipe
    reports: list[tuple[RowsReport, _Referee]] = []
    with progress() as bar:
        for file in rows:
            task = bar.add_task(file.name, total=None)
            referee = _Referee(loaded.episode_settings(), loaded.reward_settings)

            def check(row: Row, referee: _Referee = referee, task: Any = task) -> RowError | None:
                bar.advance(task)
                return None if quick else referee.judge(row)

            reports.append((check_rows(file, open_images=not quick, on_row=check), referee))
    if as_json:
        emit({"ok": all(report.ok for report, _ in reports), "files": [_plain(*found) for found in reports]})
    for report, referee in reports:
        for error in report.errors:
            complain(error)
        for warning in report.warnings:
            note(f"warning: {warning}")
        if not as_json:
            say(report.summary())
            if not quick:
                say(f"  the oracle scores 1 on {referee.hits} rows, with a crop on {referee.zoomed}")
        if report.rows + len(report.errors) == 0:
            complain(f"{report.file}: holds no row")
    finish(problems=not all(report.ok for report, _ in reports))


@dataclass(slots=True)
class _Referee:
    """Plays every row with a policy that knows the target; a row on which even that misses cannot be trained on."""

    settings: EpisodeSettings
    rewards: RewardSettings
    hits: int = 0
    zoomed: int = 0
    _last: tuple[Path | str, Screenshot] | None = field(default=None, repr=False)

    def judge(self, row: Row) -> RowError | None:
        """Play a row; what is wrong with it, if anything."""
        settings = replace(self.settings, allow_decline=isinstance(row.task.target, Refusal))
        try:
            env = GroundingEnv(row.task, self._open(row), settings)
        except (ImageError, RegionError) as error:
            return RowError(str(row.file), row.line, "images", str(error))
        trajectory = play(env, Oracle(self.rewards))
        if not hit(trajectory):
            problem = (
                f"a player that knows the target misses it ({trajectory.stop_reason}): "
                "an answer has two decimals in [0,1000], and the target lies between two of them"
            )
            return RowError(str(row.file), row.line, "solution", problem)
        self.hits += 1
        self.zoomed += bool(trajectory.crops)
        return None

    def _open(self, row: Row) -> Screenshot:
        """The screenshot; rows of one picture usually follow each other, so the last one is kept."""
        if self._last is None or self._last[0] != row.image_source:
            self._last = (row.image_source, load_screenshot(row.image_source, name=row.task.image[:120]))
        return self._last[1]


def _plain(report: RowsReport, referee: _Referee) -> dict[str, Any]:
    return {
        "file": str(report.file),
        "ok": report.ok,
        "rows": report.rows,
        "blank": report.blank,
        "errors": [_problem(error) for error in report.errors],
        "warnings": [_problem(warning) for warning in report.warnings],
        "missing": list(report.missing),
        "refusals": report.refusals,
        "polygons": report.polygons,
        "difficulties": {kind.value: count for kind, count in report.difficulties.items()},
        "oracle_hits": referee.hits,
        "oracle_zoomed": referee.zoomed,
    }


def _problem(error: RowError) -> dict[str, Any]:
    return {"file": error.file, "line": error.line, "field": error.field, "problem": error.problem}
