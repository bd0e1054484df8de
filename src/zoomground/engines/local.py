"""A checkpoint on this machine as a policy, played through transformers: no server, no vLLM.

The conversation is rendered by the checkpoint's own chat template, images are resized as the trainer resizes them, and
so the policy reads the same token ids here as in training.
"""

from __future__ import annotations

import io
import logging
from typing import TYPE_CHECKING, Any

import torch
from PIL import Image
from transformers import AutoModelForImageTextToText, AutoProcessor

from zoomground.engines.patch_embedding import use_matrix_product
from zoomground.errors import ZoomgroundError
from zoomground.geometry import Size
from zoomground.policies.base import Reply
from zoomground.protocol.messages import ImagePart, Message

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from zoomground.environment import GroundingEnv

_LOG = logging.getLogger(__name__)


class LocalPolicy:
    """Writes replies with a local checkpoint of a Qwen-VL family; a `zoomground.policies.base.BatchPolicy`.

    Args:
        checkpoint: Folder of the checkpoint.
        batch_size: Episodes in one forward pass; memory grows with it, not with the number of episodes.
        max_new_tokens: Longest reply in tokens.
        temperature: 0 decodes greedily.
        top_p: Nucleus of sampling.
        seed: Seed of sampling; the same calls in the same order give the same replies.
        device: Where the model runs.
        dtype: Type of its weights; default: as saved.
        chat_template_kwargs: Arguments of the chat template, such as ``enable_thinking`` and ``preserve_thinking``.

    Raises:
        ZoomgroundError: If the folder holds no checkpoint.
    """

    def __init__(
        self,
        checkpoint: Path,
        *,
        batch_size: int = 16,
        max_new_tokens: int = 512,
        temperature: float = 0.0,
        top_p: float = 1.0,
        seed: int = 0,
        device: str = "cpu",
        dtype: torch.dtype | None = None,
        chat_template_kwargs: Mapping[str, Any] | None = None,
    ) -> None:
        if not (checkpoint / "config.json").is_file():
            raise ZoomgroundError(f"{checkpoint}: no checkpoint (config.json is missing); name a checkpoint's folder")
        if device == "cpu":
            use_matrix_product()
        self._processor = AutoProcessor.from_pretrained(checkpoint, padding_side="left")
        self._model = AutoModelForImageTextToText.from_pretrained(checkpoint, dtype=dtype or "auto").to(device).eval()
        self._checkpoint = checkpoint
        self._batch_size = batch_size
        self._device = device
        self._template_kwargs = dict(chat_template_kwargs or {})
        self._sampling: dict[str, Any] = {"max_new_tokens": max_new_tokens, "do_sample": temperature > 0}
        if temperature > 0:
            self._sampling |= {"temperature": temperature, "top_p": top_p, "top_k": 0}
        else:
            # The checkpoint's own sampling settings would be reported as unused.
            self._model.generation_config.update(temperature=None, top_p=None, top_k=None)
        self._seed = seed
        self._calls = 0
        end = self._model.generation_config.eos_token_id
        self._end_ids = set(end if isinstance(end, list) else [end])
        images = self._processor.image_processor
        self.factor: int = images.patch_size * images.merge_size

    @property
    def prompt_ends_in_think(self) -> bool:
        """Whether the chat template opens the thinking, so that replies hold only its end."""
        probe = [{"role": "user", "content": "?"}]
        return self._render(probe).rstrip().endswith("<think>")

    def replies(self, envs: Sequence[GroundingEnv]) -> list[Reply]:
        """Write the next turn of each running episode, in chunks of the batch size.

        Raises:
            ZoomgroundError: If an episode was set up for a processor with another patch multiple.
        """
        for env in envs:
            if env.settings.limits.factor != self.factor:
                raise ZoomgroundError(
                    f"{self._checkpoint}: its image processor works in multiples of {self.factor} px, the episode was "
                    f"set up for {env.settings.limits.factor}; give both the same limits"
                )
        chunks = [envs[start : start + self._batch_size] for start in range(0, len(envs), self._batch_size)]
        return [reply for chunk in chunks for reply in self._chunk(chunk)]

    def _chunk(self, envs: Sequence[GroundingEnv]) -> list[Reply]:
        self._calls += 1
        try:
            return self._generate(self.encode(envs))
        except Exception as error:  # noqa: BLE001 -- the policy's boundary: whatever breaks fails these episodes, not the run
            _LOG.exception("generation failed for %d episodes", len(envs))
            return [Reply("", failure=f"{type(error).__name__}: {error}")] * len(envs)

    def encode(self, envs: Sequence[GroundingEnv]) -> Any:
        """The model's inputs for the next turn of each episode: left-padded ids and the pixels of all images."""
        texts, pictures = [], []
        for env in envs:
            messages = env.messages
            texts.append(self._render([_chat(message) for message in messages]))
            pictures += [_picture(env, name) for message in messages for name in message.image_names]
        # The sizes are already what the trainer's loader makes of them; a second resize would blur.
        return self._processor(text=texts, images=pictures, padding=True, return_tensors="pt", do_resize=False)

    def _render(self, messages: list[dict[str, Any]]) -> str:
        text: str = self._processor.apply_chat_template(
            messages, tokenize=False, add_generation_prompt=True, **self._template_kwargs
        )
        return text

    @torch.inference_mode()
    def _generate(self, inputs: Any) -> list[Reply]:
        inputs = inputs.to(self._device)
        devices = [] if self._device == "cpu" else [torch.device(self._device)]
        with torch.random.fork_rng(devices=devices):
            torch.manual_seed(self._seed + self._calls)
            output = self._model.generate(**inputs, **self._sampling)
        written = output[:, inputs["input_ids"].shape[1] :].tolist()
        return [self._reply(ids) for ids in written]

    def _reply(self, ids: list[int]) -> Reply:
        length = next((i for i, number in enumerate(ids) if number in self._end_ids), None)
        text = self._processor.tokenizer.decode(ids[:length], skip_special_tokens=False)
        return Reply(text, finish_reason="length" if length is None else "stop")


def _chat(message: Message) -> dict[str, Any]:
    if not message.image_names:
        return {"role": message.role, "content": message.text}
    parts = [
        {"type": "image"} if isinstance(part, ImagePart) else {"type": "text", "text": part.text}
        for part in message.parts
    ]
    return {"role": message.role, "content": parts}


def _picture(env: GroundingEnv, name: str) -> Image.Image:
    """An image of the episode at the size that the model sees, resized as the trainer's loader does it."""
    is_original = name == env.image_name
    pixels = env.screenshot.pixels if is_original else Image.open(io.BytesIO(env.views.encoded(name).data))
    view = env.settings.limits.view_size(Size(*pixels.size))
    return pixels.resize((view.width, view.height), Image.Resampling.BICUBIC)
