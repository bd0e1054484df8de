"""``zoomground play IMAGE INSTRUCTION``: a person is the policy.

The conversation stands on stderr, turns are read from stdin, one a line. Crops are written to a folder, where the log
looks for them, and a page there shows the episode so far; it is written again after every turn.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from zoomground.cli.output import AsJson, complain, emit, finish, keep_clear, needs_extra, note, say, standard_input
from zoomground.cli.scoring import recipe_in_force
from zoomground.data.files import write_bytes
from zoomground.data.trajectories import SavedRecord, crop_path, write_records
from zoomground.environment import GroundingEnv
from zoomground.errors import RegionError
from zoomground.geometry import Box, Size
from zoomground.images import load_screenshot
from zoomground.policies.base import Reply
from zoomground.protocol.observation import crop_name
from zoomground.protocol.settings import Arm
from zoomground.report.words import ending
from zoomground.rollout import play as play_episode
from zoomground.task import Target, Task

if TYPE_CHECKING:
    from zoomground.protocol.messages import Message
    from zoomground.rewards import Rubric

PAGE_FILE, LOG_FILE = "index.html", "trajectories.jsonl"
_UUID = "play"


def play(
    image: Annotated[Path, typer.Argument(exists=True, dir_okay=False, help="The screenshot.")],
    instruction: Annotated[str, typer.Argument(help="What is to be found.")],
    *,
    target: Annotated[
        str | None, typer.Option(help="x1,y1,x2,y2 in px of the screenshot: the episode is scored at its end.")
    ] = None,
    out: Annotated[Path, typer.Option(file_okay=False, help="Folder for crops, page and log.")] = Path("play"),
    arm: Annotated[Arm, typer.Option(help="Whether zooming is allowed, or asked for.")] = Arm.ON,
    decline: Annotated[bool, typer.Option("--decline", help="Offer decline().")] = False,
    recipe: Annotated[
        Path | None, typer.Option(exists=True, dir_okay=False, help="Recipe whose rules and rewards are in force.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Play one episode: read what the policy reads, answer in its place.

    A turn is one line, such as  crop_image(image_path="NAME", x1=0, y1=0, x2=500, y2=500)  or  [512.30,407.10] .
    A line that ends in a backslash goes on in the next one.
    """
    loaded = recipe_in_force(recipe).recipe
    settings = loaded.episode_settings(arm)
    settings = replace(settings, allow_decline=decline or settings.allow_decline)
    crops = (crop_path(_UUID, crop_name(number)) for number in range(1, settings.crop_budget + 1))
    keep_clear(image, out, (PAGE_FILE, LOG_FILE, *crops))
    screenshot = load_screenshot(image)
    task = Task(image.name, instruction, str(image.resolve()), screenshot.size, _target(target, screenshot.size))
    env = GroundingEnv(task, screenshot, settings)
    for message in env.messages:
        _show(message)
    trajectory = play_episode(env, _Person(out))
    _keep_crops(env, out)
    record = SavedRecord.of(trajectory, uuid=_UUID)
    if task.target is not None:
        record = _scored(record, loaded.rubric())
    write_records(out / LOG_FILE, [record])
    _write_page(env, record, out)
    _conclude(record, out, as_json=as_json)


def _target(text: str | None, size: Size) -> Target | None:
    """The box of --target; without one nobody says what is right."""
    if text is None:
        return None
    try:
        x1, y1, x2, y2 = (float(number) for number in text.split(","))
        box = Box(x1, y1, x2, y2)
    except (ValueError, RegionError) as error:
        raise typer.BadParameter(
            f"'{text}' is not x1,y1,x2,y2 with x1 <= x2 and y1 <= y2", param_hint="--target"
        ) from error
    if box.x1 < 0 or box.y1 < 0 or box.x2 > size.width or box.y2 > size.height:
        raise typer.BadParameter(
            f"'{text}' reaches outside the {size.width}x{size.height} screenshot", param_hint="--target"
        )
    return box


@dataclass(frozen=True, slots=True)
class _Person:
    """A policy that reads its turns from stdin."""

    out: Path

    def reply(self, env: GroundingEnv) -> Reply:
        """Show where the episode stands, then read a turn."""
        turns = env.trajectory().turns
        if turns and turns[-1].reply is not None:
            _show(turns[-1].reply)
        _keep_crops(env, self.out)
        _write_page(env, SavedRecord.of(env.trajectory(), uuid=_UUID), self.out)
        left = f"turn {len(turns) + 1} of {env.settings.max_turns}, {env.remaining_crops} crops left"
        note(f"\n{left}; see {self.out / PAGE_FILE}")
        text = _read_turn()
        return Reply("", failure="the input ended before the episode did") if text is None else Reply(text, "stop")


def _keep_crops(env: GroundingEnv, out: Path) -> None:
    for view in env.trajectory().crops:
        write_bytes(out / crop_path(_UUID, view.name), env.views.encoded(view.name).data)


def _write_page(env: GroundingEnv, record: SavedRecord, out: Path) -> None:
    with needs_extra("report"):
        from zoomground.report.page import write_page  # noqa: PLC0415 -- an optional part
    write_page([record], out / PAGE_FILE, lambda _: env.screenshot, title=env.task.instruction)


def _read_turn() -> str | None:
    """The next turn, blank lines in front left out; None at the end of the input."""
    text = ""
    for line in iter(standard_input().readline, ""):
        part: str = line.rstrip("\n")
        if part.endswith("\\"):
            text += part[:-1] + "\n"
        elif (text + part).strip():
            return text + part
    return text or None


def _show(message: Message) -> None:
    note(f"\n[{message.role}]")
    note("".join(f"<{part.name}>\n" if part.type == "image" else part.text for part in message.parts))


def _scored(record: SavedRecord, rubric: Rubric) -> SavedRecord:
    breakdown = rubric.score(record.trajectory)
    return replace(record, rewards=dict(breakdown.values), weights=dict(breakdown.weights), total=breakdown.total)


def _conclude(record: SavedRecord, out: Path, *, as_json: bool) -> None:
    trajectory = record.trajectory
    answer = trajectory.answer
    if as_json:
        emit(
            {
                "stop_reason": trajectory.stop_reason,
                "point": None if answer is None else [answer.x, answer.y],
                "crops": [str(out / crop_path(_UUID, crop.name)) for crop in trajectory.crops],
                "rewards": record.rewards,
                "total": record.total,
                "page": str(out / PAGE_FILE),
                "log": str(out / LOG_FILE),
            }
        )
    else:
        say(f"the episode is over: {ending(trajectory)}")
        if answer is not None:
            say(f"answer [{answer.x:.2f},{answer.y:.2f}]")
        for name, value in record.rewards.items():
            say(f"{name:<28}{'-' if value is None else f'{value:.4f}'}")
        if record.total is None:
            say("no target, not scored")
        else:
            say(f"{'total':<28}{record.total:.4f}")
        say(f"page {out / PAGE_FILE}")
    if trajectory.failed:
        complain(trajectory.failure)
    finish(problems=trajectory.failed)
