"""Pictures for the rollout engine: each opened and processed once, for all turns of all rollouts that show it.

Each turn of each rollout is a request of its own, and for each ms-swift opens every picture of the conversation again,
in a thread, and vLLM processes it again, in the event loop that all requests share. With a small model that is most of
what a rollout server does. vLLM has a cache for this, which has handed out wrong pictures (ms-swift #5858, #7307,
#9863) and stays off: it knows pictures by a hash and lives in two processes. Here a picture is known by its reference
and then by being the very same object, in one process.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from concurrent.futures import Future
from dataclasses import dataclass, field
from functools import wraps
from typing import TYPE_CHECKING, Any

import torch
from PIL import Image
from swift.template.templates.qwen import Qwen2VLTemplate
from transformers import BatchFeature

from zoomground.engines.swift.processed import fetched, key_of, put_between, tagged

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_ENGINE = "vllm"
"""The mode of a template that prepares requests for the rollout engine."""

_RESIZING = frozenset({"min_pixels", "max_pixels", "resized_height", "resized_width"})
"""Arguments of a request's own that change a picture's size."""

Values = dict[str, torch.Tensor]


@dataclass(slots=True)
class _Kept:
    """A picture as the engine gets it, and what the image processor made of it, by its arguments."""

    reference: str
    picture: Image.Image
    values: dict[str, Values] = field(default_factory=dict)

    @property
    def nbytes(self) -> int:
        # Pillow holds an RGB pixel in four bytes.
        held = sum(one.nbytes for values in self.values.values() for one in values.values())
        return 4 * self.picture.width * self.picture.height + held


class ServedPictures:
    """Keeps the pictures of a rollout engine, those used last.

    Args:
        template: The engine's template. One that is not of the Qwen-VL family, or rescales what it loads, is let be.
        bytes_kept: How much is kept, opened and processed: one of 256 tokens takes 7 MB, one of 4,096 tokens 120 MB.
    """

    def __init__(self, template: Any, bytes_kept: int) -> None:
        self._bytes_kept = bytes_kept
        self._lock = threading.Lock()
        self._kept: OrderedDict[str, Future[_Kept]] = OrderedDict()
        self._by_picture: dict[int, _Kept] = {}
        self._held = 0
        self._ahead: Callable[[_Kept], object] | None = None
        self._undo: list[Callable[[], None]] = []
        if isinstance(template, Qwen2VLTemplate) and template.max_pixels is None:
            self._serve(template)

    @property
    def held(self) -> int:
        """Bytes that are kept."""
        return self._held

    def close(self) -> None:
        """Let template and processor work as they did."""
        while self._undo:
            self._undo.pop()()

    def _serve(self, template: Any) -> None:
        load, replace_tag = template._load_image, template.replace_tag  # noqa: SLF001 -- the template's two seams

        def loaded(image: Any, load_images: bool) -> Any:
            key = key_of(image) if template.mode == _ENGINE else None
            return load(image, load_images) if key is None else self._open(key, lambda: fetched(template, load, key))

        def tag(media_type: Any, index: int, inputs: Any) -> list[Any]:
            known = inputs.images[index] if media_type == "image" else None
            if not isinstance(known, _Kept):
                return list(replace_tag(media_type, index, inputs))
            if _RESIZING & inputs.chat_template_kwargs.keys():
                inputs.images[index] = load(known.reference, load_images=True)
                return list(replace_tag(media_type, index, inputs))
            return tagged(replace_tag, index, inputs, known.picture)

        self._undo.append(put_between(template, loaded, tag))
        self._process(type(template.processor.image_processor))

    def _open(self, key: str, make: Callable[[], Image.Image]) -> _Kept:
        """A picture that is kept, made now if it is not; who wants it meanwhile waits."""
        with self._lock:
            found = self._kept.get(key)
            if found is not None:
                self._kept.move_to_end(key)
            else:
                mine = self._kept[key] = Future()
        if found is not None:
            return found.result()
        try:
            kept = _Kept(key, make())
            if self._ahead is not None:
                # Here, in the request's thread, it does not hold up the others.
                self._ahead(kept)
        except BaseException as error:
            with self._lock:
                self._kept.pop(key, None)
            mine.set_exception(error)
            raise
        self._keep(kept)
        mine.set_result(kept)
        return kept

    def _keep(self, kept: _Kept) -> None:
        with self._lock:
            self._by_picture[id(kept.picture)] = kept
            self._held += kept.nbytes
            for key in list(self._kept):
                if self._held <= self._bytes_kept:
                    break
                one = self._kept[key]
                if one.done() and one.exception() is None:
                    del self._kept[key]
                    dropped = one.result()
                    self._by_picture.pop(id(dropped.picture), None)
                    self._held -= dropped.nbytes

    def _process(self, processor_class: Any) -> None:
        """Have the image processor take what it made of a kept picture before, with the same arguments."""
        preprocess = processor_class.preprocess

        @wraps(preprocess)
        def known(processor: Any, images: Any, *args: Any, **kwargs: Any) -> Any:
            found = None if args else self._known(images)
            if not found:
                return preprocess(processor, images, *args, **kwargs)
            arguments = repr(sorted(kwargs.items()))

            def made(kept: _Kept) -> Values:
                if arguments not in kept.values:
                    # What is made under inference mode could not be used outside of it.
                    with torch.inference_mode(False), torch.no_grad():
                        values = dict(preprocess(processor, images=[kept.picture], **kwargs))
                    self._note(kept, arguments, values)
                return kept.values[arguments]

            self._ahead = made
            values = [made(kept) for kept in found]
            return BatchFeature({name: torch.cat([one[name] for one in values]) for name in values[0]})

        processor_class.preprocess = known
        self._undo.append(lambda: setattr(processor_class, "preprocess", preprocess))

    def _note(self, kept: _Kept, arguments: str, values: Values) -> None:
        with self._lock:
            if arguments in kept.values:
                return
            before = kept.nbytes
            kept.values[arguments] = values
            if self._by_picture.get(id(kept.picture)) is kept:
                self._held += kept.nbytes - before

    def _known(self, images: Any) -> list[_Kept] | None:
        """What is kept of pictures, in their order; None if one of them is not kept."""
        flat = list(_flat(images)) if isinstance(images, (list, tuple)) else [images]
        found = [self._by_picture.get(id(one)) for one in flat]
        known = [kept for kept, one in zip(found, flat, strict=True) if kept is not None and kept.picture is one]
        return known if len(known) == len(flat) else None


def _flat(images: Sequence[Any]) -> list[Any]:
    return [one for image in images for one in (_flat(image) if isinstance(image, (list, tuple)) else [image])]
