"""The document that ScreenSpot-Pro's leaderboard takes: metrics by group and program, and every answer in detail.

Its score function knows three verdicts: correct, wrong, wrong_format. A decline has no point and so is wrong_format; an
error is no answer at all, and a run that holds one is not finished.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from zoomground.errors import ZoomgroundError
from zoomground.evaluate.items import Scoring
from zoomground.evaluate.verdicts import Failed, Pointed, Verdict, judge
from zoomground.geometry import Box

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from zoomground.evaluate.items import Item, ItemSet
    from zoomground.evaluate.verdicts import Given, Outcome

_CORRECTNESS = {
    Verdict.CORRECT: "correct",
    Verdict.WRONG: "wrong",
    Verdict.WRONG_FORMAT: "wrong_format",
    Verdict.REFUSED: "wrong_format",
}
_STYLE = {"instruction_style": "instruction", "gt_type": "positive"}
"""What the leaderboard calls instructions as published, each with a target."""

_METRICS: Mapping[str, Callable[[Mapping[str, Any]], str]] = {
    "fine_grained": lambda one: f"plat:{one['platform']} app:{one['application']} {_asked(one)}",
    "seeclick_style": lambda one: f"plat:{one['platform']} {_asked(one)}",
    "leaderboard_simple_style": lambda one: f"group:{one['group']}",
    "leaderboard_detailed_style": lambda one: f"app:{one['application']}",
}


def leaderboard(items: ItemSet, given: Mapping[str, Given]) -> dict[str, Any]:
    """The document, ready for JSON.

    Args:
        items: The whole set.
        given: What was given for each item, by id.

    Raises:
        ZoomgroundError: If an item has no answer, or one that failed.
    """
    open_ids = [item.id for item in items.items if isinstance(_outcome(item, given), Failed)]
    if open_ids:
        raise ZoomgroundError(
            f"{items.name}: {len(open_ids)} items have no answer, first '{open_ids[0]}'; the leaderboard has no word "
            "for that, so let the run finish before it is exported"
        )
    _, _, language = items.name.partition(":")
    details = [_detail(item, given[item.id], language or "en") for item in items.items]
    metrics: dict[str, Any] = {name: _grouped(details, key) for name, key in _METRICS.items()}
    return {"metrics": metrics | {"overall": _metric(details)}, "details": details}


def _asked(one: Mapping[str, Any]) -> str:
    return f"inst_style:{one['instruction_style']} gt_type:{one['gt_type']}"


def _outcome(item: Item, given: Mapping[str, Given]) -> Outcome:
    return given[item.id].outcome if item.id in given else Failed("no answer")


def _detail(item: Item, given: Given, language: str) -> dict[str, Any]:
    target, outcome = item.target(Scoring.PUBLISHED), given.outcome
    point = outcome.point if isinstance(outcome, Pointed) else None
    return {
        "id": item.id,
        "img_path": item.task.image,
        "group": item.groups.get("group"),
        "platform": item.groups.get("platform"),
        "application": item.groups.get("application"),
        "lang": language,
        **_STYLE,
        "prompt_to_evaluate": item.task.instruction,
        "ui_type": item.groups.get("ui_type"),
        "task_filename": item.file.stem,
        "pred": None if point is None else [point.x, point.y],
        "raw_response": given.text,
        "bbox": [target.x1, target.y1, target.x2, target.y2] if isinstance(target, Box) else None,
        "correctness": _CORRECTNESS[judge(item, outcome, Scoring.PUBLISHED)],
    }


def _grouped(details: Sequence[dict[str, Any]], key: Callable[[Mapping[str, Any]], str]) -> dict[str, Any]:
    cells: dict[str, list[dict[str, Any]]] = {}
    for one in details:
        cells.setdefault(key(one), []).append(one)
    return {name: _metric(cell) for name, cell in cells.items()}


def _metric(details: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    return {
        "num_correct_action": sum(one["correctness"] == "correct" for one in details),
        "num_total": len(details),
        "wrong_format_num": sum(one["correctness"] == "wrong_format" for one in details),
        "action_acc": _rate(details),
        "text_acc": _rate([one for one in details if one["ui_type"] == "text"]),
        "icon_acc": _rate([one for one in details if one["ui_type"] == "icon"]),
    }


def _rate(details: Sequence[Mapping[str, Any]]) -> float:
    return sum(one["correctness"] == "correct" for one in details) / len(details) if details else 0.0
