"""``zoomground crop IMAGE``: crops as an episode cuts them, nested ones too, and what the policy is told of them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from zoomground.cli.output import AsJson, complain, emit, finish, keep_clear
from zoomground.data.files import write_bytes
from zoomground.environment import GroundingEnv
from zoomground.errors import ZoomgroundError
from zoomground.geometry import PixelLimits
from zoomground.images import load_screenshot
from zoomground.protocol.actions import CropUnits, Malformed
from zoomground.protocol.calls import CORNERS
from zoomground.protocol.observation import crop_name
from zoomground.protocol.parser import parse
from zoomground.protocol.settings import EpisodeSettings
from zoomground.protocol.spelling import number
from zoomground.task import Task

_DEFAULT = EpisodeSettings()


@dataclass(frozen=True, slots=True)
class _Call:
    """What a --box asks for; ``name`` is empty for the screenshot."""

    written: str
    name: str
    corners: str

    def text(self, screenshot_name: str) -> str:
        """The call as the protocol spells it."""
        return f'<action>crop_image(image_path="{self.name or screenshot_name}", {self.corners})</action>'


def crop(
    image: Annotated[Path, typer.Argument(exists=True, dir_okay=False, help="The screenshot.")],
    box: Annotated[
        list[str],
        typer.Option(
            help="x1,y1,x2,y2 of the screenshot, or NAME:x1,y1,x2,y2 of an earlier crop (crop_1.png). Repeatable."
        ),
    ],
    *,
    out: Annotated[Path, typer.Option(file_okay=False, help="Folder for the crops.")] = Path("crops"),
    crop_units: Annotated[CropUnits, typer.Option(help="norm: [0,1000] of the named image.")] = CropUnits.NORM,
    upscale: Annotated[float, typer.Option(min=1, help="Enlargement before limits.")] = _DEFAULT.crop_upscale_factor,
    max_pixels: Annotated[int, typer.Option(min=1, help="Largest crop, px.")] = _DEFAULT.crop_max_pixels,
    factor: Annotated[int, typer.Option(min=1, help="Patch multiple of the processor.")] = _DEFAULT.limits.factor,
    as_json: AsJson = False,
) -> None:
    """Cut crops from a screenshot and print the observation of each.

    The rules are those of an episode: the same rounding, the same names, the same enlargement.
    """
    calls = [_call(text) for text in box]
    keep_clear(image, out, (crop_name(number) for number in range(1, len(box) + 1)))
    screenshot = load_screenshot(image)
    settings = EpisodeSettings(
        max_tool_calls=len(box),
        max_turns=len(box) + 1,
        max_corrections=0,
        crop_units=crop_units,
        crop_upscale_factor=upscale,
        crop_max_pixels=max_pixels,
        limits=PixelLimits(factor, min_pixels=min(_DEFAULT.limits.min_pixels, 4 * factor**2)),
    )
    env = GroundingEnv(Task(image.name, "", str(image), screenshot.size, None), screenshot, settings)
    made: list[tuple[Path, str]] = []
    problem = False
    for call in calls:
        try:
            made.append(_run(env, call, out))
        except ZoomgroundError as error:
            # What comes after may be meant for this crop: nothing more is cut.
            complain(error)
            problem = True
            break
    if as_json:
        emit({"crops": [{"file": str(file), "observation": json.loads(line)} for file, line in made]})
    else:
        for _, line in made:
            typer.echo(line)
    finish(problems=problem)


def _call(written: str) -> _Call:
    name, _, corners = written.rpartition(":")
    numbers = [corner.strip() for corner in corners.split(",")]
    if len(numbers) != 4 or None in map(number, numbers):
        raise typer.BadParameter(f"'{written}': four plain decimals x1,y1,x2,y2 are needed", param_hint="--box")
    named = ", ".join(f"{key}={corner}" for key, corner in zip(CORNERS, numbers, strict=True))
    return _Call(written, name, named)


def _run(env: GroundingEnv, call: _Call, out: Path) -> tuple[Path, str]:
    """Run one crop in the episode and write its file; the path and the observation's line are returned."""
    text = call.text(env.image_name)
    parsed = parse(text, crop_units=env.settings.crop_units)
    if isinstance(parsed, Malformed):
        raise ZoomgroundError(f"--box {call.written}: {parsed.reason.value.replace('_', ' ')}: {parsed.detail}")
    env.apply(parsed, text=text)
    turn = env.trajectory().turns[-1]
    if turn.malformed is not None or not turn.crops:
        why = "refused" if turn.malformed is None else turn.malformed.value.replace("_", " ")
        raise ZoomgroundError(f"--box {call.written}: {why}")
    (view,) = turn.crops
    file = out / view.name
    write_bytes(file, env.views.encoded(view.name).data)
    return file, env.views.observation(view, remaining_crops=env.remaining_crops)
