"""Rows files through ms-swift's own dataset code to what the scheduler is handed."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from PIL import Image, ImageOps
from qwen_vl_utils import fetch_image
from swift.dataset import load_dataset
from swift.infer_engine.protocol import RolloutInferRequest
from swift.rl_core.data import GRPOSample
from swift.template import load_image
from swift_loops import Said, serve

from zoomground.data.chat import rebuilt_crop
from zoomground.engines.swift.active import EngineSettings
from zoomground.engines.swift.dataset import write_dataset
from zoomground.engines.swift.pictures import UNREADABLE, seen_alike
from zoomground.engines.swift.references import Glances
from zoomground.engines.swift.scheduler import TRAJECTORY_KEY
from zoomground.engines.swift.session import TASK_COLUMN, Assignment, is_off_arm
from zoomground.errors import ImageError, RowError, ZoomgroundError
from zoomground.geometry import Box, PixelLimits, Polygon, Size
from zoomground.images import EncodedImage, cut, encode, load_screenshot
from zoomground.protocol.settings import Arm, EpisodeSettings
from zoomground.task import Difficulty, Refusal
from zoomground.trajectory import StopReason, Trajectory

pytestmark = [pytest.mark.engine, pytest.mark.filterwarnings("ignore")]

RULES = EpisodeSettings()


def save(path: Path, size: tuple[int, int] = (200, 100), **options: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.linear_gradient("L").resize(size).convert("RGB").save(path, **options)
    return path


def rows_file(folder: Path, *rows: dict[str, object], name: str = "rows.jsonl") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    save(folder / "shots" / "a.png")
    file = folder / name
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return file


def row(**changes: object) -> dict[str, object]:
    return {"problem": "<image>Open File", "solution": "[4,2,36,18]", "images": ["shots/a.png"], **changes}


def through_swift(file: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[RolloutInferRequest]:
    """What the scheduler gets of a dataset file: ms-swift's loader, its sample, its request."""
    monkeypatch.setenv("MODELSCOPE_CACHE", str(tmp_path / "cache"))
    dataset, _ = load_dataset(str(file), remove_unused_columns=False, load_from_cache_file=False, num_proc=1)
    samples = [GRPOSample.from_row(line) for line in dataset]
    for number, sample in enumerate(samples):
        sample.request_id = f"request-{number}"
        if sample.messages[-1]["role"] == "assistant":
            sample.messages.pop()
    return [sample.to_infer_request(include_extra=True) for sample in samples]


def played(request: RolloutInferRequest) -> Trajectory:
    settings = EngineSettings(off_share=0.0)
    outputs, _, _ = serve({"k": request}, {"k": [Said("[100.00,100.00]")]}, settings=settings)
    return Trajectory.from_json(outputs["k"].rollout_infos[TRAJECTORY_KEY])


def test_a_written_dataset_reaches_the_scheduler_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = rows_file(
        tmp_path / "data",
        row(id="one", difficulty="hard", meta={"kind": "menu"}),
        row(id="two", solution=None, polygon=[4, 2, 36, 2, 36, 18]),
    )
    out = tmp_path / "engine" / "prompts.jsonl"
    assert write_dataset([file], out, settings=RULES, off_share=0.0).rows == 2
    for line in out.read_text(encoding="utf-8").splitlines():
        assert set(json.loads(line)) == {"messages", "images", "solution", TASK_COLUMN}, "DAT-13: no box field"
    one, two = (played(request) for request in through_swift(out, monkeypatch, tmp_path))
    assert one.task.id == "one"
    assert one.task.instruction == "Open File"
    assert one.task.target == Box(4, 2, 36, 18)
    assert one.task.difficulty is Difficulty.HARD
    assert one.task.meta == {"kind": "menu"}
    assert one.image_name == "a.png"
    assert one.stop_reason is StopReason.ANSWERED
    assert isinstance(two.task.target, Polygon)
    assert Path(one.task.image).is_absolute()


def test_classic_rows_reach_the_scheduler_as_they_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    image = str(save(tmp_path / "shots" / "a.png"))
    file = rows_file(tmp_path, row(images=[image]), row(images=[image], solution="[1,1,50,50]"))
    one, two = (played(request) for request in through_swift(file, monkeypatch, tmp_path))
    assert one.task.instruction == "Open File"
    assert one.task.target == Box(4, 2, 36, 18)
    assert two.task.target == Box(1, 1, 50, 50)
    assert one.task.id != two.task.id
    assert one.task.image == image
    assert one.stop_reason is StopReason.ANSWERED


def test_classic_rows_with_all_their_fields(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    image = str(save(tmp_path / "shots" / "a.png"))
    file = rows_file(
        tmp_path,
        row(images=[image], id="mine", difficulty="easy", meta={"kind": "menu"}),
        row(images=[image], solution=None, refusal=True),
        row(images=[image], solution=None, polygon=[4, 2, 36, 2, 36, 18]),
    )
    one, two, three = (played(request) for request in through_swift(file, monkeypatch, tmp_path))
    assert (one.task.id, one.task.difficulty, one.task.meta) == ("mine", Difficulty.EASY, {"kind": "menu"})
    assert isinstance(two.task.target, Refusal)
    assert isinstance(three.task.target, Polygon)


def test_the_share_without_zoom_is_chosen_by_id(tmp_path: Path) -> None:
    file = rows_file(tmp_path / "data", *(row(id=f"t{number}") for number in range(400)))
    out = tmp_path / "prompts.jsonl"
    written = write_dataset([file], out, settings=RULES, off_share=0.15)
    lines = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    given = [Assignment.from_json(line[TASK_COLUMN]) for line in lines]
    off = {assignment.task.id for assignment in given if assignment.arm is Arm.OFF}
    assert len(off) == written.off
    assert 40 <= written.off <= 80
    assert off == {f"t{number}" for number in range(400) if is_off_arm(f"t{number}", 0.15)}
    for line, assignment in zip(lines, given, strict=True):
        assert ("crop_image" in line["messages"][0]["content"]) is (assignment.arm is Arm.ON)
    everyone = write_dataset([file], out, settings=RULES, off_share=1.0)
    assert everyone.off == everyone.rows == 400


def test_ids_of_two_files_do_not_meet(tmp_path: Path) -> None:
    files = [rows_file(tmp_path / name, row(), row()) for name in ("a", "b")]
    out = tmp_path / "prompts.jsonl"
    write_dataset(files, out, settings=RULES, off_share=0.0)
    lines = out.read_text(encoding="utf-8").splitlines()
    ids = [Assignment.from_json(json.loads(line)[TASK_COLUMN]).task.id for line in lines]
    assert len(set(ids)) == 4


def test_refusals_need_a_decline(tmp_path: Path) -> None:
    file = rows_file(tmp_path / "data", row(), row(solution=None, refusal=True))
    out = tmp_path / "prompts.jsonl"
    written = write_dataset([file], out, settings=RULES, off_share=0.0)
    assert (written.rows, written.left_out) == (1, 1)
    written = write_dataset([file], out, settings=EpisodeSettings(allow_decline=True), off_share=0.0)
    assert (written.rows, written.left_out) == (2, 0)


def test_a_bad_row_leaves_the_old_file(tmp_path: Path) -> None:
    out = tmp_path / "prompts.jsonl"
    out.write_text("old\n", encoding="utf-8")
    for bad, error in ((row(solution="[1,2]"), RowError), (row(images=["gone.png"]), RowError)):
        with pytest.raises(error):
            write_dataset([rows_file(tmp_path / "data", row(), bad)], out, settings=RULES, off_share=0.0)
    only = rows_file(tmp_path / "data", row(solution=None, refusal=True))
    with pytest.raises(ZoomgroundError, match="allow_decline"):
        write_dataset([only], out, settings=RULES, off_share=0.0)
    assert out.read_text(encoding="utf-8") == "old\n"


def test_a_data_uri_becomes_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = save(tmp_path / "a.png").read_bytes()
    uri = EncodedImage(data, "image/png", "").data_uri()
    out = tmp_path / "engine" / "prompts.jsonl"
    written = write_dataset([rows_file(tmp_path, row(images=[uri]))], out, settings=RULES, off_share=0.0)
    assert written.inlined == 1
    [request] = through_swift(out, monkeypatch, tmp_path)
    original = Assignment.from_json(request.data_dict[TASK_COLUMN]).original
    assert load_screenshot(Path(original)).pixels.tobytes() == load_screenshot(data).pixels.tobytes()
    assert played(request).stop_reason is StopReason.ANSWERED


def turned(path: Path) -> Path:
    image = Image.linear_gradient("L").resize((120, 60)).convert("RGB")
    exif = image.getexif()
    exif[0x0112] = 6
    image.save(path, exif=exif)
    return path


def with_mode(path: Path, mode: str, **options: object) -> Path:
    grey = Image.linear_gradient("L").resize((120, 60))
    if mode == "I;16":
        Image.frombytes("I;16", (120, 60), b"".join(bytes([0, value]) for value in grey.tobytes())).save(path)
    elif mode in {"RGBA", "LA"}:
        base = grey.convert("RGB" if mode == "RGBA" else "L")
        base.putalpha(ImageOps.invert(grey))
        base.save(path)
    else:
        grey.convert(mode).save(path, **options)
    return path


PICTURES = {
    "rgb.png": lambda path: with_mode(path, "RGB"),
    "grey.png": lambda path: with_mode(path, "L"),
    "bits.png": lambda path: with_mode(path, "1"),
    "palette.png": lambda path: with_mode(path, "P"),
    "cmyk.jpg": lambda path: with_mode(path, "CMYK"),
    "rgba.png": lambda path: with_mode(path, "RGBA"),
    "la.png": lambda path: with_mode(path, "LA"),
    "key.png": lambda path: with_mode(path, "L", transparency=7),
    "deep.png": lambda path: with_mode(path, "I;16"),
    "turned.jpg": turned,
    "turned.png": turned,
}


@pytest.mark.parametrize("name", PICTURES)
def test_ms_swift_and_the_environment_see_the_same_pixels(tmp_path: Path, name: str) -> None:
    """IMG-01, IMG-05, IMG-07: rollout and trainer agree."""
    path = PICTURES[name](tmp_path / name)
    ours = load_screenshot(path).pixels
    alike = seen_alike(path, name)
    assert alike is (name in {"rgb.png", "grey.png", "bits.png", "palette.png", "cmyk.jpg"})
    glances = Glances()
    for _ in range(2):
        seen = glances.as_seen(str(path))
        assert (seen == str(path)) is alike
        assert load_image(seen).tobytes() == ours.tobytes()


@pytest.mark.parametrize("name", ["half.jpg", "half.png", "half.webp"])
def test_half_a_picture_with_a_good_header_is_found_before_the_engine_reads_it(tmp_path: Path, name: str) -> None:
    dice = random.Random(0)
    noise = Image.frombytes("RGB", (64, 64), dice.randbytes(64 * 64 * 3))
    path = tmp_path / name
    noise.save(path)
    glances = Glances()
    assert glances.as_seen(str(path)) == str(path)
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    with pytest.raises(ImageError, match=name):
        glances.as_seen(str(path))


@pytest.mark.parametrize("size", [(200, 100), (1280, 800), (64, 64), (333, 1000)])
def test_the_prompt_shows_what_ms_swift_makes_of_the_original(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: tuple[int, int]
) -> None:
    limits = PixelLimits(factor=32, min_pixels=4096, max_pixels=40960)
    original = save(tmp_path / "shots" / "a.png", size)
    file = rows_file(tmp_path / "data", row(images=["big.png"]))
    save(tmp_path / "data" / "big.png", size)
    out = tmp_path / "prompts.jsonl"
    write_dataset([file], out, settings=EpisodeSettings(limits=limits), off_share=0.0)
    [image] = json.loads(out.read_text(encoding="utf-8"))["images"]
    bounds = {"image_patch_size": 16, "min_pixels": limits.min_pixels, "max_pixels": limits.max_pixels}
    patch = bounds.pop("image_patch_size")
    ours, theirs = (fetch_image({"image": str(path), **bounds}, image_patch_size=patch) for path in (image, original))
    assert ours.size == theirs.size
    assert ours.tobytes() == theirs.tobytes()
    assert load_image(image).size == ours.size


def test_a_prompt_whose_shown_picture_broke_fails_although_its_original_opens(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "prompts.jsonl"
    write_dataset([rows_file(tmp_path / "data", row())], out, settings=EpisodeSettings(), off_share=0.0)
    [request] = through_swift(out, monkeypatch, tmp_path)
    request.images = [UNREADABLE]
    outputs, _, _ = serve({"k": request}, {"k": [Said("[100.00,100.00]")]}, settings=EngineSettings())
    record = Trajectory.from_json(outputs["k"].rollout_infos[TRAJECTORY_KEY])
    assert record.stop_reason is StopReason.ERROR
    assert "does not open" in record.failure


def test_crops_come_from_the_original_although_the_prompt_shows_less(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = EngineSettings(episode=EpisodeSettings(limits=PixelLimits(32, 4096, 40960)), off_share=0.0)
    file = rows_file(tmp_path / "data", row(images=["big.png"]))
    original = save(tmp_path / "data" / "big.png", (1280, 800))
    out = tmp_path / "prompts.jsonl"
    write_dataset([file], out, settings=settings.episode, off_share=0.0)
    [request] = through_swift(out, monkeypatch, tmp_path)
    call = '<action>crop_image(image_path="big.png", x1=0, y1=0, x2=100, y2=100)</action>'
    outputs, _, _ = serve({"k": request}, {"k": [Said(call), Said("[100.00,100.00]")]}, settings=settings)
    record = Trajectory.from_json(outputs["k"].rollout_infos[TRAJECTORY_KEY])
    assert record.task.size == Size(1280, 800)
    assert record.task.image == str(original)
    assert record.crops[0].region.size == Size(128, 80)
    cropped = cut(load_screenshot(original), record.crops[0].region, record.crops[0].shown)
    assert rebuilt_crop(record.crops[0], load_screenshot(original)) == encode(cropped)


def test_a_picture_with_an_orientation_tag_is_shown_upright(tmp_path: Path) -> None:
    turned(tmp_path / "phone.jpg")
    file = rows_file(tmp_path, row(images=["phone.jpg"], solution="[1,1,50,100]"))
    out = tmp_path / "engine" / "prompts.jsonl"
    limits = PixelLimits(factor=2, min_pixels=4, max_pixels=16384)
    write_dataset([file], out, settings=EpisodeSettings(limits=limits), off_share=0.0)
    line = json.loads(out.read_text(encoding="utf-8"))
    assert "phone.jpg" in line["messages"][1]["content"]
    upright = load_screenshot(tmp_path / "phone.jpg").pixels
    assert upright.size == (60, 120)
    assert load_image(line["images"][0]).tobytes() == upright.tobytes()
