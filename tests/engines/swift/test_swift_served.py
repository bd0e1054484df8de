"""Pictures that the rollout engine gets are the same pictures, and none is opened or processed twice."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import torch
from PIL import Image
from qwen_vl_utils import vision_process

from tiny_checkpoint import checkpoint
from zoomground.crops import encoded_cut, travelling_cut
from zoomground.engines.swift.processed import processed_ahead
from zoomground.engines.swift.references import enlarge_crops
from zoomground.engines.swift.served import ServedPictures
from zoomground.geometry import Region, Size
from zoomground.images import encode, load_screenshot

pytestmark = pytest.mark.engine

ARGUMENTS = {"return_tensors": "pt", "do_resize": False}


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Any:
    from swift.model import get_processor
    from swift.template import get_template

    folder = checkpoint(tmp_path_factory.mktemp("checkpoints") / "qwen3_vl", "qwen3_vl")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = get_template(get_processor(str(folder), model_type="qwen3_vl"), template_type="qwen3_vl")
    made.set_mode("vllm")
    enlarge_crops()
    return made


@pytest.fixture
def served(template: Any) -> Iterator[ServedPictures]:
    one = ServedPictures(template, 10**9)
    yield one
    one.close()


@pytest.fixture
def screen(tmp_path: Path) -> str:
    file = tmp_path / "screen.png"
    Image.linear_gradient("L").resize((192, 160)).convert("RGB").save(file)
    return str(file)


CROP = encode(Image.radial_gradient("L").resize((128, 96))).data_uri()


class Opened:
    """Counts what is opened and what is processed."""

    def __init__(self, template: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        self.pictures, self.processed = 0, 0
        fetch, processor = vision_process.fetch_image, type(template.processor.image_processor)
        process = processor._preprocess

        def counted_fetch(element: dict[str, Any], **kwargs: Any) -> Any:
            # The stand-in of a picture that is ready costs nothing.
            self.pictures += element["image"].size != (64, 64)
            return fetch(element, **kwargs)

        def counted_process(one: Any, images: Any, *args: Any, **kwargs: Any) -> Any:
            self.processed += len(images)
            return process(one, images, *args, **kwargs)

        monkeypatch.setattr("qwen_vl_utils.fetch_image", counted_fetch)
        monkeypatch.setattr(processor, "_preprocess", counted_process)


def turn(template: Any, images: list[Any], **more: Any) -> Any:
    """What ms-swift makes of a request, and then vLLM of its pictures."""
    messages = [{"role": "user", "content": "<image>" * len(images) + "Look"}]
    made = template.encode({"messages": messages, "images": list(images), **more})
    values = dict(template.processor.image_processor(made["images"], **ARGUMENTS))
    return made["input_ids"], made["mm_processor_kwargs"], values


def same(one: Any, other: Any) -> None:
    assert one[:2] == other[:2]
    assert one[2].keys() == other[2].keys()
    for name, value in one[2].items():
        assert torch.equal(value, other[2][name]), name


def test_turns_and_rollouts_get_the_same_pictures_opened_and_processed_once(
    template: Any, screen: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    turns = [[screen], [f" {screen}", CROP], [{"bytes": None, "path": screen}, CROP, CROP]]
    plain = [turn(template, images) for images in turns]
    opened = Opened(template, monkeypatch)
    served = ServedPictures(template, 10**9)
    try:
        for _ in range(2):
            for images, wanted in zip(turns, plain, strict=True):
                same(turn(template, images), wanted)
        assert (opened.pictures, opened.processed) == (2, 2)
    finally:
        served.close()
    same(turn(template, turns[1]), plain[1])
    assert (opened.pictures, opened.processed) == (4, 4)


def test_once_the_arguments_are_known_the_requests_own_thread_does_the_work(
    template: Any, served: ServedPictures, screen: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    turn(template, [screen])
    opened = Opened(template, monkeypatch)
    with ThreadPoolExecutor(1) as pool:
        made = pool.submit(template.encode, {"messages": [{"role": "user", "content": "<image>"}], "images": [CROP]})
        pictures = made.result()["images"]
    assert opened.processed == 1
    template.processor.image_processor(pictures, **ARGUMENTS)
    assert opened.processed == 1
    # Other arguments are another result.
    other = template.processor.image_processor(pictures, **ARGUMENTS | {"do_normalize": False})
    assert opened.processed == 2
    assert not torch.equal(
        other["pixel_values"], template.processor.image_processor(pictures, **ARGUMENTS)["pixel_values"]
    )


def test_eight_rollouts_that_begin_at_once_open_their_screenshot_once(
    template: Any, served: ServedPictures, screen: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened, at_once = Opened(template, monkeypatch), threading.Barrier(8)

    def begin(_: int) -> Any:
        at_once.wait()
        return template.encode({"messages": [{"role": "user", "content": "<image>"}], "images": [screen]})["images"][0]

    with ThreadPoolExecutor(8) as pool:
        pictures = list(pool.map(begin, range(8)))
    assert len({id(one) for one in pictures}) == 1
    assert opened.pictures == 1


def test_pictures_of_other_requests_are_processed_as_ever(
    template: Any, served: ServedPictures, screen: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = template.encode({"messages": [{"role": "user", "content": "<image>"}], "images": [screen]})["images"]
    alike = [kept[0].copy()]
    opened = Opened(template, monkeypatch)
    processor = template.processor.image_processor
    for images in (alike, [*kept, *alike], kept[0].copy()):
        processor(images, **ARGUMENTS)
    assert opened.processed == 4
    # Nested lists are what some callers give.
    assert torch.equal(processor([kept], **ARGUMENTS)["pixel_values"], processor(alike, **ARGUMENTS)["pixel_values"])


def test_only_so_much_is_kept_and_what_was_dropped_is_opened_again(
    template: Any, screen: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = [turn(template, [screen]), turn(template, [CROP])]
    one_screen = 4 * 192 * 160 + sum(value.nbytes for value in wanted[0][2].values())
    served = ServedPictures(template, bytes_kept=one_screen)
    opened = Opened(template, monkeypatch)
    try:
        for _ in range(3):
            same(turn(template, [screen]), wanted[0])
            same(turn(template, [CROP]), wanted[1])
            assert 0 < served.held <= one_screen
        assert opened.pictures == 6
    finally:
        served.close()


def test_a_picture_that_does_not_open_fails_each_time_as_ever(
    template: Any, served: ServedPictures, screen: str, tmp_path: Path
) -> None:
    broken = tmp_path / "broken.png"
    broken.write_bytes(Path(screen).read_bytes()[:60])
    for _ in range(2):
        with pytest.raises(OSError, match="truncated"):
            turn(template, [str(broken)])
    assert served.held == 0
    broken.write_bytes(Path(screen).read_bytes())
    same(turn(template, [str(broken)]), turn(template, [screen]))


def test_a_crop_that_travels_unenlarged_is_shown_as_an_enlarged_one(template: Any, screen: str) -> None:
    shot = load_screenshot(screen)
    region, shown = Region(16, 16, 64, 48, shot.size), Size(192, 128)
    small, large = (made(shot, region, shown).data_uri() for made in (travelling_cut, encoded_cut))
    assert small != large
    plain = turn(template, [screen, large])
    same(turn(template, [screen, small]), plain)
    served = ServedPictures(template, 10**9)
    try:
        for _ in range(2):
            same(turn(template, [screen, small]), plain)
    finally:
        served.close()
    template.set_mode("train")
    try:
        messages = [{"role": "user", "content": "<image><image>"}, {"role": "assistant", "content": "x"}]
        samples = [{"messages": messages, "images": [screen, crop]} for crop in (large, small)]
        one, other = (template.encode(sample) for sample in samples)
        with processed_ahead(template, [[screen, small]]):
            ahead = template.encode({"messages": messages, "images": [screen, small]})
        assert torch.equal(one["pixel_values"], other["pixel_values"])
        assert torch.equal(one["pixel_values"], ahead["pixel_values"])
    finally:
        template.set_mode("vllm")


def test_a_request_that_wants_another_size_gets_it(template: Any, served: ServedPictures, screen: str) -> None:
    turn(template, [screen])
    small = turn(template, [screen], chat_template_kwargs={"max_pixels": 64 * 64})
    assert small[2]["pixel_values"].shape[0] < turn(template, [screen])[2]["pixel_values"].shape[0]
    served.close()
    same(turn(template, [screen], chat_template_kwargs={"max_pixels": 64 * 64}), small)


def test_the_trainers_batch_and_the_engine_do_not_disturb_each_other(
    template: Any, served: ServedPictures, screen: str
) -> None:
    before = dict(vars(template))
    template.set_mode("train")
    try:
        with processed_ahead(template, [[screen]]):
            messages = [{"role": "user", "content": "<image>"}, {"role": "assistant", "content": "x"}]
            template.encode({"messages": messages, "images": [screen]})
    finally:
        template.set_mode("vllm")
    assert {name: before[name] for name in ("_load_image", "replace_tag")}.items() <= vars(template).items()


def test_a_template_that_rescales_is_let_be(template: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(template, "max_pixels", 4096)
    preprocess = type(template.processor.image_processor).preprocess
    ServedPictures(template, 10**9)
    assert type(template.processor.image_processor).preprocess is preprocess
