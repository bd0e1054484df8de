"""Pictures that are processed ahead are the same pictures, in the same order, and none stays."""

from __future__ import annotations

import threading
import warnings
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from tiny_checkpoint import checkpoint
from zoomground.engines.swift.processed import Ahead, processed_ahead, threads, vision_dtype
from zoomground.images import encode

ARCHS = ("qwen3_vl", "qwen3_5")


@given(order=st.lists(st.sampled_from("abcdef"), max_size=30), ahead=st.integers(1, 4))
def test_every_result_is_made_once_and_given_as_often_as_it_is_wanted(order: list[str], ahead: int) -> None:
    made: Counter[str] = Counter()
    lock = threading.Lock()

    def work(key: str) -> str:
        with lock:
            made[key] += 1
        return key.upper()

    with ThreadPoolExecutor(2) as pool:
        results = Ahead(work, order, pool, ahead)
        for place, key in enumerate(order):
            # What waits, and what is wanted again later.
            wanted_again = set(order[:place]) & set(order[place:])
            assert results.held <= ahead + len(wanted_again)
            assert results.take(key) == key.upper()
        assert results.held == 0
    assert made == Counter(set(order))


def test_another_order_and_what_nobody_announced() -> None:
    with ThreadPoolExecutor(1) as pool:
        results = Ahead(str.upper, ["a", "b", "c", "c"], pool, 1)
        assert [results.take(key) for key in "cbc"] == ["C", "B", "C"]
        assert [results.take(key) for key in "cx"] == [None, None]
        assert results.take("a") == "A"
        assert results.held == 0


def test_a_failure_is_nobodys_but_that_keys(caplog: pytest.LogCaptureFixture) -> None:
    def work(key: str) -> str:
        if key == "b":
            raise OSError("half a file")
        return key

    with ThreadPoolExecutor(2) as pool:
        results = Ahead(work, ["a", "b", "c"], pool, 2)
        assert [results.take(key) for key in "abc"] == ["a", None, "c"]
    assert "OSError: half a file" in caplog.text


@pytest.fixture(scope="module")
def templates(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    from swift.model import get_processor
    from swift.template import get_template

    made = {}
    for arch in ARCHS:
        folder = checkpoint(tmp_path_factory.mktemp("checkpoints") / arch, arch)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            processor = get_processor(str(folder), model_type=arch)
            made[arch] = get_template(processor, template_type=arch)
        made[arch].image_token_id = processor.image_token_id
        made[arch].set_mode("train")
    return made


@pytest.fixture
def samples(tmp_path: Path) -> list[dict[str, Any]]:
    """Two prompts of two rollouts, one with a crop, their screenshots in the forms that ms-swift holds them in."""
    made = []
    for number in range(2):
        file = tmp_path / f"s{number}.png"
        Image.linear_gradient("L").resize((192, 160 + 32 * number)).convert("RGB").save(file)
        crop = encode(Image.radial_gradient("L").resize((128, 96 + 32 * number))).data_uri()
        for images in ([{"bytes": None, "path": str(file)}], [f" {file}", crop]):
            turns = [{"role": "user", "content": "<image>Look"}, {"role": "assistant", "content": "here"}]
            made.append({"messages": turns * len(images), "images": images})
    return made


def encoded(template: Any, samples: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [template.encode({name: list(value) for name, value in sample.items()}) for sample in samples]


@pytest.mark.engine
@pytest.mark.parametrize("arch", ARCHS)
def test_a_batch_is_the_same_and_each_picture_is_processed_once(
    templates: dict[str, Any], arch: str, samples: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    template = templates[arch]
    plain = encoded(template, samples)
    processor, pictures = template.processor.image_processor, []
    process = type(processor).__call__

    def counted(self: Any, images: Any, **kwargs: Any) -> Any:
        pictures.extend(images)
        return process(self, images, **kwargs)

    monkeypatch.setattr(type(processor), "__call__", counted)
    with processed_ahead(template, [sample["images"] for sample in samples]):
        ahead = encoded(template, samples)
    # Two screenshots and two crops, of six that the samples hold.
    assert len(pictures) == 4
    for one, other in zip(plain, ahead, strict=True):
        assert one.keys() == other.keys()
        for name, value in one.items():
            assert torch.equal(value, other[name]) if torch.is_tensor(value) else value == other[name], name
    assert template.processor.image_processor is processor
    assert not {"_load_image", "replace_tag"} & vars(template).keys()
    assert len(encoded(template, samples[:1])[0]["pixel_values"]) == len(plain[0]["pixel_values"])
    assert len(pictures) == 5


@pytest.mark.engine
def test_a_picture_that_does_not_open_fails_as_it_does_without(
    templates: dict[str, Any], samples: list[dict[str, Any]], tmp_path: Path
) -> None:
    template = templates["qwen3_vl"]
    broken = tmp_path / "broken.png"
    broken.write_bytes((tmp_path / "s0.png").read_bytes()[:60])
    samples[1]["images"][0] = str(broken)
    with pytest.raises(OSError, match="truncated") as without:
        encoded(template, samples)
    with processed_ahead(template, [sample["images"] for sample in samples]):
        with pytest.raises(OSError, match="truncated") as ahead:
            encoded(template, samples)
        assert str(ahead.value) == str(without.value)
        assert encoded(template, samples[2:])
    assert not {"_load_image", "replace_tag"} & vars(template).keys()


@pytest.mark.engine
def test_a_picture_that_fails_ahead_is_opened_after_all(
    templates: dict[str, Any], samples: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    template = templates["qwen3_vl"]
    plain = encoded(template, samples)
    process, failures = type(template.processor.image_processor).__call__, iter([True, False, True])

    def fails_at_times(self: Any, images: Any, **kwargs: Any) -> Any:
        if threading.current_thread() is not threading.main_thread() and next(failures, False):
            raise MemoryError("for a moment")
        return process(self, images, **kwargs)

    monkeypatch.setattr(type(template.processor.image_processor), "__call__", fails_at_times)
    with processed_ahead(template, [sample["images"] for sample in samples]):
        ahead = encoded(template, samples)
        # Once more than was announced.
        ahead.append(encoded(template, samples[1:2])[0])
    for one, other in zip([*plain, plain[1]], ahead, strict=True):
        assert torch.equal(one["pixel_values"], other["pixel_values"])
        assert torch.equal(one["image_grid_thw"], other["image_grid_thw"])
    assert next(failures, None) is None


@pytest.mark.engine
def test_pictures_in_the_format_of_the_vision_tower_are_what_it_makes_of_them(
    templates: dict[str, Any], samples: list[dict[str, Any]]
) -> None:
    template = templates["qwen3_vl"]
    plain = encoded(template, samples)
    with processed_ahead(template, [sample["images"] for sample in samples[1:]], torch.bfloat16):
        # The first sample's picture is ready, too; its last one is opened on the spot.
        narrow = encoded(template, samples)
        narrow.append(encoded(template, samples[1:2])[0])
    for one, other in zip([*plain, plain[1]], narrow, strict=True):
        assert other["pixel_values"].dtype == torch.bfloat16
        assert torch.equal(one["pixel_values"].to(torch.bfloat16), other["pixel_values"])
        assert torch.equal(one["image_grid_thw"], other["image_grid_thw"])


def test_the_format_of_the_vision_tower_is_that_of_its_patch_embedding() -> None:
    model = torch.nn.ModuleDict({"lm_head": torch.nn.Linear(2, 2)})
    assert vision_dtype(model) is None
    model["visual"] = torch.nn.ModuleDict({"patch_embed": torch.nn.ModuleDict({"proj": torch.nn.Linear(2, 2)})})
    assert vision_dtype(model.to(torch.bfloat16)) == torch.bfloat16


def test_the_processes_of_a_machine_share_its_processors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.sched_getaffinity", lambda pid: set(range(24)))
    assert threads() == 16
    monkeypatch.setenv("LOCAL_WORLD_SIZE", "8")
    assert threads() == 3
    monkeypatch.setenv("LOCAL_WORLD_SIZE", "64")
    assert threads() == 1


@pytest.mark.engine
def test_a_template_that_rescales_is_left_alone(
    templates: dict[str, Any], samples: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    template = templates["qwen3_vl"]
    monkeypatch.setattr(template, "max_pixels", 4096)
    processor = template.processor.image_processor
    with processed_ahead(template, [sample["images"] for sample in samples]):
        assert template.processor.image_processor is processor
        assert encoded(template, samples[:1])
