"""``zoomground ask IMAGE INSTRUCTION``: one episode against an OpenAI-compatible endpoint."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from zoomground.cli import endpoints
from zoomground.cli.output import AsJson, complain, emit, finish, keep_clear, needs_extra, note, say
from zoomground.data.files import write_bytes
from zoomground.data.trajectories import RecordWriter, SavedRecord, crop_path, read_records
from zoomground.images import encode, load_screenshot
from zoomground.policies.completions import Thinking
from zoomground.policies.endpoint import Endpoint
from zoomground.protocol.observation import crop_name
from zoomground.protocol.settings import Arm
from zoomground.report.draw import draw as draw_episode
from zoomground.report.words import ending
from zoomground.rollout import Asked
from zoomground.rollout import ask as ask_once

LOG_FILE = "trajectories.jsonl"

_DATA_URI_HEAD = "data:"


def ask(
    image: Annotated[Path, typer.Argument(exists=True, dir_okay=False, help="The screenshot.")],
    instruction: Annotated[str, typer.Argument(help="What is to be found.")],
    *,
    base_url: endpoints.BaseUrlOption = None,
    model: endpoints.ModelOption = None,
    api_key: endpoints.KeyOption = None,
    env_file: endpoints.EnvFileOption = None,
    arm: endpoints.ArmOption = Arm.ON,
    allow_decline: endpoints.AllowDeclineOption = False,
    max_crops: endpoints.MaxCropsOption = None,
    recipe: endpoints.RulesOption = None,
    temperature: Annotated[float, typer.Option(min=0, help="0 decodes greedily.")] = 0.0,
    top_p: endpoints.TopPOption = None,
    max_tokens: endpoints.MaxTokensOption = 2560,
    seed: endpoints.SeedOption = None,
    timeout: endpoints.TimeoutOption = 300.0,
    retries: endpoints.RetriesOption = 4,
    extra: endpoints.ExtraBodyOption = None,
    thinking: endpoints.ThinkingOption = Thinking.KEEP,
    show_request: Annotated[
        bool, typer.Option("--show-request", help="Print each request to stderr, images as size and hash.")
    ] = False,
    show_full_request: Annotated[
        bool, typer.Option("--show-full-request", help="Print each request to stderr, to the last byte of its body.")
    ] = False,
    save: Annotated[
        Path | None, typer.Option(file_okay=False, help="Folder of a log of episodes; this one is added to it.")
    ] = None,
    draw: Annotated[Path | None, typer.Option(dir_okay=False, help="PNG to draw the episode into.")] = None,
    page: Annotated[Path | None, typer.Option(dir_okay=False, help="HTML page of what the policy looked at.")] = None,
    as_json: AsJson = False,
) -> None:
    """Ask an endpoint where something is on a screenshot, with the crop loop of training.

    An episode that fails (no server, no such model, a context that is too short ...) is exit code 1.
    """
    endpoint = endpoints.find_endpoint(
        base_url, model, api_key, env_file, temperature=temperature, top_p=top_p, max_tokens=max_tokens, seed=seed,
        timeout_s=timeout, retries=retries, extra_body=endpoints.extra_body(extra), thinking=thinking,
    )  # fmt: skip
    settings = endpoints.rules(recipe, arm, allow_decline=allow_decline, max_crops=max_crops)
    uuid = "ask-1" if save is None else _next_uuid(save)
    if save is not None:
        crops = (crop_path(uuid, crop_name(number)) for number in range(1, settings.crop_budget + 1))
        keep_clear(image, save, (LOG_FILE, *crops))
    write = None if page is None else _page_writer(page, uuid)
    show = _shower(endpoint, full=show_full_request) if show_request or show_full_request else None
    asked = ask_once(image.resolve(), instruction, endpoint=endpoint, settings=settings, on_request=show)
    # The answer first: a file that cannot be written must not cost it.
    _tell(asked, save, uuid, as_json=as_json)
    if save is not None:
        _save(asked, save, uuid)
    if draw is not None:
        write_bytes(draw, encode(draw_episode(asked.trajectory, asked.screenshot)).data)
    if write is not None:
        write(asked)
    finish(problems=asked.trajectory.failed)


def _next_uuid(folder: Path) -> str:
    log = folder / LOG_FILE
    return f"ask-{1 + sum(1 for _ in read_records(log)) if log.exists() else 1}"


def _save(asked: Asked, folder: Path, uuid: str) -> None:
    for name, crop in asked.crops.items():
        write_bytes(folder / crop_path(uuid, name), crop.data)
    with RecordWriter(folder / LOG_FILE) as writer:
        writer.write(SavedRecord.of(asked.trajectory, uuid=uuid, usage=asdict(asked.usage)))


def _page_writer(page: Path, uuid: str) -> Callable[[Asked], None]:
    """What writes the page; made before anything is asked, so that a missing part costs no episode."""
    with needs_extra("report"):
        from zoomground.report.page import write_page  # noqa: PLC0415 -- an optional part

    def write(asked: Asked) -> None:
        record = SavedRecord.of(asked.trajectory, uuid=uuid, usage=asdict(asked.usage))
        write_page([record], page, lambda _: asked.screenshot, title=asked.trajectory.task.instruction)

    return write


def _tell(asked: Asked, save: Path | None, uuid: str, *, as_json: bool) -> None:
    if as_json:
        saved = {"log": None, "uuid": None} if save is None else {"log": str(save / LOG_FILE), "uuid": uuid}
        emit(asked.figures() | saved)
    else:
        _tell_text(asked)
        if save is not None:
            say(f"log {save / LOG_FILE} ({uuid})")
    if asked.trajectory.failed:
        complain(asked.trajectory.failure)


def _tell_text(asked: Asked) -> None:
    trajectory, usage = asked.trajectory, asked.usage
    norm, px = asked.point_norm, asked.point_px
    if norm is not None and px is not None:
        say(f"point ({px.x:.1f}, {px.y:.1f}) px, [{norm.x:.2f},{norm.y:.2f}] in [0,1000]")
    else:
        say(f"no point: {ending(trajectory)}")
    for number, turn in enumerate(trajectory.turns, start=1):
        say(f"turn {number}: {turn.malformed or turn.dialect}")
        for crop in turn.crops:
            region = crop.region
            say(f"  {crop.name}: [{region.x1}, {region.y1}, {region.x2}, {region.y2}] px of the screenshot")
    if asked.troubles:
        say(f"troubles: {', '.join(asked.troubles)}")
    say(
        f"{usage.prompt_tokens} tokens read, {usage.completion_tokens} written, {usage.requests} requests, "
        f"{usage.seconds:.1f} s"
    )


def _shower(endpoint: Endpoint, *, full: bool) -> Callable[[Mapping[str, Any]], None]:
    def show(body: Mapping[str, Any]) -> None:
        note(f"POST {endpoint.url}")
        # As the SDK writes it: one line, or with every image abbreviated, for people, several.
        note(
            json.dumps(body, ensure_ascii=False, separators=(",", ":"))
            if full
            else json.dumps(_abbreviated(body), ensure_ascii=False, indent=2)
        )

    return show


def _abbreviated(value: Any) -> Any:
    """A request with each image as its size and hash."""
    if isinstance(value, Mapping):
        return {name: _abbreviated(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_abbreviated(item) for item in value]
    if isinstance(value, str) and value.startswith(_DATA_URI_HEAD):
        head, _, _ = value.partition(",")
        shot = load_screenshot(value)
        digest = hashlib.sha256(value.encode("ascii")).hexdigest()
        return (
            f"{head}, {shot.size.width}x{shot.size.height} px, file sha256 {shot.sha256[:16]}, "
            f"{len(value)} characters, sha256 {digest[:16]}"
        )
    return value
