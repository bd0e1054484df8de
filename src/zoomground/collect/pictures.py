"""The pictures of a data set of demonstrations, each written once and named by what it shows.

Everything is PNG as the environment makes it. On crops of real screens of about 4 million px, lossless WebP is half as
large (0.17 MB against 0.36 MB) but takes five times as long to write (0.63 s against 0.11 s), and the bytes would no
longer be those whose hash a trajectory records.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from zoomground.data.chat import rebuilt_crop
from zoomground.data.shown import resized
from zoomground.images import encode

if TYPE_CHECKING:
    from collections.abc import Mapping

    from zoomground.environment import GroundingEnv
    from zoomground.geometry import PixelLimits
    from zoomground.images import EncodedImage, Screenshot
    from zoomground.trajectory import Trajectory

_HASH_DIGITS = 24
_UNFINISHED = ".unfinished"


@dataclass(frozen=True, slots=True)
class Pictures:
    """A folder of pictures; several processes may write into it at once.

    Attributes:
        folder: The folder.
    """

    folder: Path

    def of(self, env: GroundingEnv) -> dict[str, Path]:
        """Write the pictures of an episode; gives the file of each by the name that the policy knows it by."""
        crops = {crop.name: env.views.encoded(crop.name) for crop in env.trajectory().crops}
        return {env.image_name: self._screenshot(env.screenshot, env.settings.limits)} | self._crops(crops)

    def of_saved(self, trajectory: Trajectory, screenshot: Screenshot) -> dict[str, Path]:
        """`of` for an episode of a log.

        Raises:
            ImageError: If a crop does not come out as it was.
        """
        crops = {crop.name: rebuilt_crop(crop, screenshot) for crop in trajectory.crops}
        return {trajectory.image_name: self._screenshot(screenshot, trajectory.settings.limits)} | self._crops(crops)

    def _crops(self, crops: Mapping[str, EncodedImage]) -> dict[str, Path]:
        files = {}
        for name, encoded in crops.items():
            digits = encoded.sha256[:_HASH_DIGITS]
            file = self.folder / "crops" / digits[:2] / f"{digits}.png"
            if not file.exists():
                _write(file, encoded.data)
            files[name] = file
        return files

    def drop_unfinished(self) -> None:
        """Remove what a killed process had half written."""
        for file in self.folder.rglob(f"*{_UNFINISHED}"):
            file.unlink()

    def all(self) -> list[Path]:
        """All pictures, in the order of their names."""
        return sorted(self.folder.rglob("*.png"))

    def _screenshot(self, screenshot: Screenshot, limits: PixelLimits) -> Path:
        """The screenshot in the size in which the model is shown it."""
        view = limits.view_size(screenshot.size)
        digits = screenshot.sha256[:_HASH_DIGITS]
        file = self.folder / "screens" / digits[:2] / f"{digits}-{view.width}x{view.height}.png"
        if not file.exists():
            _write(file, encode(resized(screenshot, view)).data)
        return file


def _write(file: Path, data: bytes) -> None:
    """Write a file whole; not with a shared name beside it, because others may be writing the same picture."""
    file.parent.mkdir(parents=True, exist_ok=True)
    beside = file.with_name(f"{file.name}.{os.getpid()}{_UNFINISHED}")
    beside.write_bytes(data)
    beside.replace(file)
