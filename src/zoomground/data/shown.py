"""Screenshots as the policy sees them, as files: decoded and resized once, not at every turn of every rollout.

The resize is the one that the trainer's own loader makes (bicubic, to `PixelLimits.view_size`), which leaves an image
of that size as it is. So training on these files and on the originals puts the same pixels before the model, but a 4K
screenshot is not decoded some hundred times a step.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PIL import Image

from zoomground.data.files import write_bytes
from zoomground.images import EncodedImage, Screenshot, encode

if TYPE_CHECKING:
    from pathlib import Path

    from zoomground.geometry import PixelLimits, Size


def resized(screenshot: Screenshot, view: Size) -> Image.Image:
    """The screenshot at the size at which the policy sees it, resized as the trainer's loader does it."""
    return screenshot.pixels.resize((view.width, view.height), Image.Resampling.BICUBIC)


def sent(screenshot: Screenshot, limits: PixelLimits) -> EncodedImage:
    """The screenshot as it travels to an endpoint: as it is, or at the policy's view of it if the limits shrink it.

    The file itself is sent where it can be, so nothing is encoded. The endpoint's own processor does the rest; it makes
    of either what it made in training if its pixel limits are at least these.
    """
    if screenshot.size.area > limits.max_pixels:
        return encode(resized(screenshot, limits.view_size(screenshot.size)))
    return screenshot.file or encode(screenshot.pixels)


def write_shown(screenshot: Screenshot, limits: PixelLimits, folder: Path) -> Path:
    """Write the screenshot as the policy sees it; a file that is there already is kept.

    Args:
        screenshot: The opened original.
        limits: The model's image processor.
        folder: Where such files are kept.

    Returns:
        Absolute path of the PNG, upright and RGB.
    """
    view = limits.view_size(screenshot.size)
    file = folder.resolve() / f"{screenshot.sha256[:16]}-{view.width}x{view.height}.png"
    if not file.exists():
        write_bytes(file, encode(resized(screenshot, view)).data)
    return file
