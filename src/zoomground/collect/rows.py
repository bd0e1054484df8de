"""One episode as a row of an SFT data set in ms-swift's form."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from zoomground.protocol.messages import to_tagged

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from zoomground.protocol.messages import Message
    from zoomground.trajectory import Trajectory


def sft_row(
    trajectory: Trajectory,
    files: Mapping[str, Path],
    trained: Sequence[bool],
    note: Mapping[str, Any],
    root: Path | None,
) -> dict[str, Any]:
    """The conversation with an ``<image>`` tag for each image, and the images' files.

    Args:
        trajectory: The episode.
        files: File of each image by the name that the policy knows it by.
        trained: For each turn, whether it is learnt from.
        note: What else is known about the episode.
        root: Folder that the paths are relative to; None for absolute paths.
    """
    messages = list(trajectory.messages())
    opened = "<think>\n" if trajectory.settings.prompt_ends_in_think else ""
    turns = iter(trained)
    paths = [files[name] for message in messages for name in message.image_names]
    return {
        "messages": [
            _reply(message, opened, trained=next(turns)) if message.role == "assistant" else dict(to_tagged(message))
            for message in messages
        ],
        "images": [str(path.resolve()) if root is None else path.relative_to(root).as_posix() for path in paths],
        # A string: columns of ms-swift that hold objects are given one form for all rows.
        "demonstration": json.dumps(note),
    }


def _reply(message: Message, opened: str, *, trained: bool) -> dict[str, Any]:
    """An assistant message; ``opened`` is what the chat template writes before it: a part of the trained turn."""
    tagged = to_tagged(message)
    # ms-swift's own key: false keeps the turn's labels out of the loss.
    return {**tagged, "content": opened + tagged["content"], "loss": trained}
