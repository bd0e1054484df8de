"""The local policy reads what the trainer reads, whatever the batch, and a fault costs episodes, not the run."""

from __future__ import annotations

import io
import warnings
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from PIL import Image

from episodes import crop_text, env, point_text, task
from zoomground.errors import ZoomgroundError
from zoomground.geometry import PixelLimits, Size
from zoomground.protocol.messages import to_tagged
from zoomground.protocol.settings import EpisodeSettings

if TYPE_CHECKING:
    from pathlib import Path

    from zoomground.environment import GroundingEnv

pytest.importorskip("torch")
pytestmark = pytest.mark.engine

# Small enough that ms-swift's own default limits, and any that another test sets, change nothing.
LIMITS = PixelLimits(factor=32, min_pixels=4 * 32**2, max_pixels=16 * 32**2)
SETTINGS = EpisodeSettings(limits=LIMITS)
SCREEN = Size(128, 96)
THINKING = {"enable_thinking": True, "preserve_thinking": True}
ARCHS = {"qwen3_vl": {}, "qwen3_5": THINKING}


@pytest.fixture(scope="module")
def checkpoints(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from zoomground.engines.tiny import build_checkpoint
    from zoomground.engines.tiny_shape import TinyShape

    folder = tmp_path_factory.mktemp("checkpoints")
    words = [message.text for episode in (_asked(), _zoomed()) for message in episode.messages]
    for arch in ARCHS:
        # Large random weights: untrained, with the shipped range every prompt would get the same reply.
        shape = TinyShape(initializer_range=0.15)
        build_checkpoint(folder / arch, arch=arch, limits=LIMITS, seed=1, corpus=words, shape=shape)  # type: ignore[arg-type]
    return folder


def _asked(instruction: str = "Open the File menu") -> GroundingEnv:
    return env(task(SCREEN, instruction=instruction), SETTINGS)


def _zoomed() -> GroundingEnv:
    episode = _asked("Close <image> the dialog, then wait")
    episode.step(crop_text(100, 100, 600, 700, think="\nsmall target\n"))
    assert not episode.done
    return episode


def _policy(checkpoints: Path, arch: str = "qwen3_vl", **options: Any) -> Any:
    from zoomground.engines.local import LocalPolicy

    options.setdefault("max_new_tokens", 12)
    return LocalPolicy(checkpoints / arch, chat_template_kwargs=ARCHS[arch], **options)


@pytest.mark.parametrize("arch", ARCHS)
def test_reads_the_same_ids_and_pixels_as_the_trainer(checkpoints: Path, arch: str) -> None:
    episode = _zoomed()
    inputs = _policy(checkpoints, arch).encode([episode])
    encoded = _by_ms_swift(checkpoints / arch, arch, episode)
    assert inputs["input_ids"][0].tolist() == list(encoded["input_ids"])
    assert inputs["image_grid_thw"].tolist() == encoded["image_grid_thw"].tolist()
    assert len(inputs["image_grid_thw"]) == 2
    assert bool((inputs["pixel_values"] == encoded["pixel_values"]).all())


def _by_ms_swift(checkpoint: Path, arch: str, episode: GroundingEnv) -> dict[str, Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from swift.model import get_processor
        from swift.template import get_template

        processor = get_processor(str(checkpoint), model_type=arch)
        template = get_template(processor, template_type=arch, **ARCHS[arch])
        template.image_token_id = processor.image_token_id
        crop = Image.open(io.BytesIO(episode.views.encoded("crop_1.png").data))
        row = {
            "messages": [to_tagged(message) for message in episode.messages],
            "images": [episode.screenshot.pixels, crop],
        }
        encoded: dict[str, Any] = template.encode(row)
    return encoded


def test_a_reply_does_not_depend_on_its_batch(checkpoints: Path) -> None:
    episodes = [_asked(), _zoomed(), _asked("Save")]
    together = _policy(checkpoints, batch_size=3).replies(episodes)
    alone = _policy(checkpoints, batch_size=1).replies(episodes)
    assert together == alone
    assert together[0] != together[1]


def test_a_cut_reply_says_length_and_an_ended_one_loses_its_end_token(checkpoints: Path) -> None:
    policy = _policy(checkpoints, max_new_tokens=4)
    reply = policy.replies([_asked()])[0]
    assert reply.finish_reason == "length"
    assert reply.text

    tokenizer = policy._processor.tokenizer
    ids = tokenizer(point_text(500, 250))["input_ids"]
    ended = policy._reply([*ids, tokenizer.eos_token_id, tokenizer.pad_token_id])
    assert ended.text == point_text(500, 250)
    assert ended.finish_reason == "stop"


def test_sampling_follows_the_seed(checkpoints: Path) -> None:
    def texts(seed: int) -> list[str]:
        policy = _policy(checkpoints, temperature=1.0, seed=seed)
        return [policy.replies([_asked()])[0].text for _ in range(2)]

    first = texts(5)
    assert texts(5) == first
    assert texts(6) != first
    assert first[0] != first[1]


def test_knows_whether_the_template_opens_the_thinking(checkpoints: Path) -> None:
    assert not _policy(checkpoints, "qwen3_vl").prompt_ends_in_think
    assert _policy(checkpoints, "qwen3_5").prompt_ends_in_think


def test_a_fault_fails_the_batch_it_happens_in(checkpoints: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    policy = _policy(checkpoints, batch_size=1)
    generate = policy._model.generate

    def faulty(**inputs: Any) -> Any:
        if len(inputs["image_grid_thw"]) == 2:
            raise RuntimeError("out of memory")
        return generate(**inputs)

    monkeypatch.setattr(policy._model, "generate", faulty)
    good, bad = policy.replies([_asked(), _zoomed()])
    assert not good.failure
    assert bad.failure == "RuntimeError: out of memory"


def test_refuses_another_patch_multiple_and_a_folder_without_checkpoint(checkpoints: Path, tmp_path: Path) -> None:
    """IMG-19: the factor is the processor's own."""
    from zoomground.engines.local import LocalPolicy

    other = env(task(SCREEN), replace(SETTINGS, limits=PixelLimits(28, 28**2, 16 * 28**2)))
    with pytest.raises(ZoomgroundError, match="multiples of 32 px"):
        _policy(checkpoints).replies([other])
    with pytest.raises(ZoomgroundError, match=r"config\.json is missing"):
        LocalPolicy(tmp_path)
