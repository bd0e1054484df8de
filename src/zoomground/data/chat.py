"""Saved episodes as the requests that they were: plain chat messages with every image as a data URI.

Nothing but the record and the screenshot's file is needed; crops are cut again and held against their recorded hash.
So a trajectory of training can be put before any endpoint, turn by turn, byte for byte.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PIL import __version__ as pillow_version

from zoomground.crops import travelling_cut, travels_small
from zoomground.data.shown import sent
from zoomground.errors import ImageError
from zoomground.images import EncodedImage, ImageFormat, Screenshot, cut, encode
from zoomground.protocol.messages import to_openai

if TYPE_CHECKING:
    from zoomground.protocol.observation import CropView
    from zoomground.trajectory import Trajectory

_FORMATS: dict[str, ImageFormat] = {"image/png": "png", "image/jpeg": "jpeg"}


def chat_messages(
    trajectory: Trajectory, screenshot: Screenshot, *, before_turn: int | None = None
) -> list[dict[str, Any]]:
    """The conversation of a saved episode with its images inlined.

    Args:
        trajectory: The episode.
        screenshot: Its screenshot, see `zoomground.data.trajectories.open_screenshot`.
        before_turn: Only what stood before this turn, counted from 1: the messages of the request for that turn.

    Raises:
        ImageError: If a crop does not come out as it was.
    """
    urls = {}
    for view in trajectory.crops:
        try:
            urls[view.name] = rebuilt_crop(view, screenshot).data_uri()
        except ImageError as error:
            raise ImageError(f"task '{trajectory.task.id}', {view.name}: {error}") from error
    urls[trajectory.image_name] = sent(screenshot, trajectory.settings.limits).data_uri()
    messages = to_openai(trajectory.messages(), urls.__getitem__)
    if before_turn is None:
        return messages
    turns = [number for number, message in enumerate(messages) if message["role"] == "assistant"]
    return messages[: turns[before_turn - 1]] if before_turn <= len(turns) else messages


def rebuilt_crop(view: CropView, screenshot: Screenshot) -> EncodedImage:
    """A crop cut again from the original's pixels.

    Raises:
        ImageError: If its bytes are not the recorded ones.
    """
    encoded = encode(cut(screenshot, view.region, view.shown), _FORMATS.get(view.mime, "png"))
    # Of a crop that was enlarged where it arrived, the record knows what travelled.
    small = travels_small(view.mime)
    travelled = travelling_cut(screenshot, view.region, view.shown) if small else encoded
    if travelled.sha256 != view.sha256:
        raise ImageError(
            f"its bytes differ from the recorded ones "
            f"(Pillow {pillow_version}; another version may compress differently)"
        )
    return encoded
