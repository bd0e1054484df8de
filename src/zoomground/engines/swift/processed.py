"""Pictures for the trainer's batch: each one opened and processed once a step, some of them ahead, in threads.

ms-swift encodes the samples of a step one after the other, and for each of them opens every image, resizes it and takes
it apart into patches: most of the time of preparing a batch. But the rollouts of a prompt share their screenshot, and
none of that work needs Python's lock. So while a batch is prepared, the template gets pictures that are ready, made by
the very functions that it would call itself.
"""

from __future__ import annotations

import logging
import os
from collections import Counter
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import torch
from PIL import Image
from swift.template.templates.qwen import Qwen2VLTemplate
from swift.utils import get_dist_setting

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

AHEAD = 32
"""Pictures that are ready, or on their way, before they are wanted: 6 MB each at 256 tokens, 100 MB at 4,096."""

_MOST_THREADS = 16

STAND_IN = Image.new("RGB", (64, 64))
"""What the template's own code opens in place of a picture that is ready."""

_PATCH_EMBEDDING = "patch_embed.proj.weight"

_logger = logging.getLogger(__name__)

T = TypeVar("T")


class Ahead(Generic[T]):
    """Results by key, worked out in threads before they are wanted, kept until they were wanted for the last time.

    Args:
        work: Makes the result of a key; what it raises is logged, and whoever wants that key gets None.
        order: Keys in the order in which they will be wanted, as often as they will be.
        pool: Where the work is done.
        ahead: Different keys that may be under way before they are wanted.
    """

    def __init__(self, work: Callable[[str], T], order: Sequence[str], pool: ThreadPoolExecutor, ahead: int) -> None:
        self._work, self._pool, self._ahead = work, pool, ahead
        self._left = Counter(order)
        self._waiting = list(reversed(dict.fromkeys(order)))
        self._made: dict[str, Future[T]] = {}
        self._begin()

    @property
    def held(self) -> int:
        """Results that are held or under way."""
        return len(self._made)

    def take(self, key: str) -> T | None:
        """The result of a key; None if it was not announced, was wanted more often than announced, or failed."""
        if key not in self._left:
            return None
        while key not in self._made and self._waiting:
            # Somebody takes another order than was announced: what is skipped is made now, too.
            self._begin(1)
        made = self._made[key]
        self._left[key] -= 1
        if not self._left[key]:
            del self._left[key], self._made[key]
            self._begin()
        try:
            return made.result()
        except Exception as error:  # noqa: BLE001 -- the template's own path meets the fault again, and says it
            _logger.warning("a picture could not be processed ahead: %s: %s", type(error).__name__, error)
            return None

    def _begin(self, more: int = 0) -> None:
        while self._waiting and (more > 0 or len(self._made) < self._ahead):
            key = self._waiting.pop()
            self._made[key] = self._pool.submit(self._work, key)
            more -= 1


@dataclass(frozen=True, slots=True)
class Processed:
    """What the image processor made of one picture.

    Attributes:
        values: What it gives by name, ``pixel_values`` of shape (patches, features) and ``image_grid_thw`` of (1, 3).
    """

    values: dict[str, torch.Tensor]


def key_of(image: Any) -> str | None:
    """One key for all forms in which ms-swift holds a picture: path, padded path, data URI, ``{"bytes", "path"}``."""
    if isinstance(image, dict):
        image = image.get("bytes") or image.get("path")
    return image.strip() if isinstance(image, str) else None


class _Processor:
    """The image processor, which need not process what it has processed."""

    def __init__(self, processor: Any, dtype: torch.dtype | None) -> None:
        self._processor = processor
        self._dtype = dtype

    def processed(self, picture: Any, **kwargs: Any) -> dict[str, torch.Tensor]:
        """One picture, in the format of the vision tower."""
        values = dict(self._processor(images=[picture], **kwargs))
        if self._dtype is None:
            return values
        return {name: one.to(self._dtype) if one.is_floating_point() else one for name, one in values.items()}

    def __getattr__(self, name: str) -> Any:
        return getattr(self._processor, name)

    def __call__(self, images: Sequence[Any], **kwargs: Any) -> Any:
        if self._dtype is None and not any(isinstance(image, Processed) for image in images):
            return self._processor(images=images, **kwargs)
        # One of them may have failed ahead, and been opened after all.
        values = [image.values if isinstance(image, Processed) else self.processed(image, **kwargs) for image in images]
        if len(values) == 1:
            return dict(values[0])
        return {name: torch.cat([one[name] for one in values]) for name in values[0]}


def fetched(template: Any, load: Callable[..., Any], reference: str) -> Image.Image:
    """A picture opened and resized as the template does it."""
    from qwen_vl_utils import fetch_image  # noqa: PLC0415 -- an extra of the engine, as in ms-swift

    patch = {"image_patch_size": template.processor.image_processor.patch_size} if template.version == "v3" else {}
    picture: Image.Image = fetch_image({"image": load(reference, load_images=True)}, **patch)
    return picture


def put_between(template: Any, load: Callable[..., Any], tag: Callable[..., Any]) -> Callable[[], None]:
    """Put something in the place of a template's two seams; what is given back puts them as they were."""
    seams = {"_load_image": load, "replace_tag": tag}
    own = vars(template)
    before = {name: own[name] for name in seams if name in own}

    def restore() -> None:
        for name in seams:
            own.pop(name, None)
        own.update(before)

    own.update(seams)
    return restore


def tagged(replace_tag: Callable[..., Any], index: int, inputs: Any, ready: Any) -> list[Any]:
    """The template's tags for an image that is ready: its own code opens and resizes a stand-in."""
    inputs.images[index] = STAND_IN
    tags = list(replace_tag("image", index, inputs))
    inputs.images[index] = ready
    return tags


def vision_dtype(model: Any) -> torch.dtype | None:
    """Format of the patch embedding's weights, to which its input is converted; None if there is no such layer."""
    return next((one.dtype for name, one in model.named_parameters() if name.endswith(_PATCH_EMBEDDING)), None)


def threads() -> int:
    """Pictures that this process works on at the same time: its share of the processors that it may use."""
    own = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    *_, processes = get_dist_setting()
    return max(1, min(_MOST_THREADS, own // processes))


@contextmanager
def processed_ahead(
    template: Any, samples: Sequence[Sequence[Any]], dtype: torch.dtype | None = None
) -> Iterator[None]:
    """While this is open, the template gets the pictures of samples ready.

    Other templates than the Qwen-VL family's, and a template that rescales what it loads, are left alone. Samples with
    arguments of their own for the chat template, which may change an image's size, are not for this.

    Args:
        template: The trainer's template.
        samples: The image references of each sample, in the order in which they will be encoded.
        dtype: Format of the vision tower, which converts its input to it first of all: half of float32 is half of what
            is copied from batch to batch and to the device. None: as the processor makes them.
    """
    if not isinstance(template, Qwen2VLTemplate) or template.max_pixels is not None:
        yield
        return
    load, replace_tag = template._load_image, template.replace_tag  # noqa: SLF001 -- the template's two seams
    processor = template.processor.image_processor
    wrapped = _Processor(processor, dtype)

    def work(reference: str) -> Processed:
        picture = fetched(template, load, reference)
        return Processed(wrapped.processed(picture, return_tensors="pt", do_resize=False))

    def ready(image: Any, load_images: bool) -> Any:
        key = key_of(image)
        known = None if key is None else ahead.take(key)
        return load(image, load_images) if known is None else known

    def tag(media_type: Any, index: int, inputs: Any) -> list[Any]:
        known = inputs.images[index] if media_type == "image" else None
        if not isinstance(known, Processed):
            return list(replace_tag(media_type, index, inputs))
        return tagged(replace_tag, index, inputs, known)

    order = [key for images in samples for image in images if (key := key_of(image)) is not None]
    with ThreadPoolExecutor(threads(), "pictures") as pool:
        ahead = Ahead(work, order, pool, AHEAD)
        restore = put_between(template, ready, tag)
        template.processor.image_processor = wrapped
        try:
            yield
        finally:
            template.processor.image_processor = processor
            restore()
            pool.shutdown(wait=True, cancel_futures=True)
