"""The words that the policy reads: versioned text files, filled in here.

A prompt is code: a change of any word makes a new folder (``v2``) and a new golden file in the tests; old versions
stay, so that a trajectory of an old run can still be replayed as it was.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from string import Template

from zoomground.errors import RecipeError
from zoomground.geometry import Size
from zoomground.protocol.actions import CropUnits, Reason
from zoomground.protocol.messages import ImagePart, Message, TextPart, harmless
from zoomground.protocol.settings import Arm, EpisodeSettings

_NUMBER_WORDS = {1: "one action", 2: "two actions"}


@cache
def _text(version: str, name: str) -> str:
    try:
        text = files(__package__).joinpath(version, f"{name}.txt").read_text(encoding="utf-8")
    except FileNotFoundError as error:
        raise RecipeError(f"unknown prompt version '{version}': no text '{name}' in it") from error
    return text.strip()


@cache
def _explanations(version: str) -> dict[str, str]:
    return dict(line.split(": ", 1) for line in _text(version, "explanations").splitlines())


def system_text(*, instruction: str, image_name: str, size: Size, settings: EpisodeSettings) -> str:
    """The system message.

    Args:
        instruction: As written in the data; engine tags in it are made harmless.
        image_name: The name that crop calls use for the screenshot.
        size: Upright size of the screenshot in px.
        settings: Arm, budgets, units.
    """
    version = settings.prompt_version
    template = _text(version, "system_on" if settings.crop_budget else "system_off")
    text = Template(template).substitute(
        instruction=harmless(" ".join(instruction.split())),
        image_path=image_name,
        width=size.width,
        height=size.height,
        units="[0,1000]" if settings.crop_units is CropUnits.NORM else "pixels",
        calls_per_turn=_NUMBER_WORDS[min(settings.max_calls_per_turn, settings.crop_budget) or 1],
        crops=settings.crop_budget,
        turns=settings.max_turns,
        corrections=settings.max_corrections,
        decline=f"\n{_text(version, 'decline')}\n" if settings.allow_decline else "",
        closing=_text(version, "closing_forced" if settings.arm is Arm.FORCED else "closing_on"),
    )
    return text.strip()


def build_system_prompt(
    instruction: str, image_path: str, width: int, height: int, max_tool_calls: int = 3, *, arm: str = "on"
) -> str:
    """The system text from plain values, as existing users of the classic layout call it.

    Example:
        >>> "Open the File menu" in build_system_prompt("Open the File menu", "screenshot.png", 1920, 1080)
        True
    """
    settings = EpisodeSettings(arm=Arm(arm), max_tool_calls=max_tool_calls)
    return system_text(instruction=instruction, image_name=image_path, size=Size(width, height), settings=settings)


def opening(*, instruction: str, image_name: str, size: Size, settings: EpisodeSettings) -> tuple[Message, Message]:
    """System and user message of the first turn."""
    system = system_text(instruction=instruction, image_name=image_name, size=size, settings=settings)
    user = Message("user", (TextPart(f"image_path: {image_name}"), ImagePart(image_name)))
    return Message("system", (TextPart(system),)), user


def answer_now(settings: EpisodeSettings) -> str:
    """What the policy is told when its crop budget is spent."""
    return _text(settings.prompt_version, "answer_now")


def last_turn(settings: EpisodeSettings) -> str:
    """What the policy is told before the last turn that it may take."""
    return _text(settings.prompt_version, "last_turn")


def correction(reason: Reason, *, settings: EpisodeSettings, remaining_crops: int, remaining_corrections: int) -> str:
    """The message after a bad turn; it never repeats what the policy wrote."""
    version = settings.prompt_version
    template = _text(version, "correction_on" if remaining_crops else "correction_off")
    return Template(template).substitute(
        explanation=_explanations(version)[reason.value],
        remaining_crops=remaining_crops,
        remaining_corrections=remaining_corrections,
    )
