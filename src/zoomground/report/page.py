"""One HTML page of episodes: the screenshot with target, crops and answer on it, every turn, every reward.

The page is one file without scripts or outside parts, so it opens from a disk, an archive or a mail. Each screenshot
stands in it once; all views of it, crops included, are SVG windows onto those pixels. What a policy wrote is untrusted:
the template escapes everything, and the page's own policy forbids scripts and requests.
"""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from jinja2 import Environment, PackageLoader, StrictUndefined, Template

from zoomground.data.files import write_bytes
from zoomground.data.trajectories import SavedRecord
from zoomground.errors import ImageError
from zoomground.geometry import Box, Point, Polygon, Region, Size
from zoomground.images import encode
from zoomground.report.words import ANSWER_COLOR, TARGET_COLOR, crop_color, ending, loss_words, verdict
from zoomground.task import Refusal

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from zoomground.images import Screenshot
    from zoomground.protocol.observation import CropView
    from zoomground.trajectory import Trajectory

_PNG_LIMIT = 1_500_000
"""A screenshot whose PNG is larger, in bytes, goes into the page as JPEG."""

_PANE_WIDTH = Size(760, 640)
_CROP_WIDTH = Size(372, 300)
_SMALL = 1.5
"""A target smaller than this, in units of its view, gets a ring."""


@dataclass(frozen=True, slots=True)
class Table:
    """A small table for the top of the page."""

    title: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]]


@dataclass(frozen=True, slots=True)
class _Shot:
    key: str
    uri: str
    size: Size


@dataclass(frozen=True, slots=True)
class _Mark:
    """A numbered window, in px of the original."""

    number: int
    color: str
    region: Region


@dataclass(frozen=True, slots=True)
class _Pane:
    """A view of a region of the screenshot."""

    title: str
    caption: str
    color: str
    region: Region
    css: Size
    marks: Sequence[_Mark]

    @property
    def unit(self) -> float:
        """Eight px of the page, in px of the original: the measure of what is drawn on top."""
        return 8 * self.region.size.width / self.css.width


@dataclass(frozen=True, slots=True)
class _Reward:
    name: str
    value: float | None
    weight: float | None


@dataclass(frozen=True, slots=True)
class _Episode:
    record: SavedRecord
    shot: _Shot | None
    problem: str
    panes: Sequence[_Pane]

    @property
    def trajectory(self) -> Trajectory:
        return self.record.trajectory

    @property
    def verdict(self) -> str:
        return verdict(self.trajectory)

    @property
    def is_refusal(self) -> bool:
        return isinstance(self.trajectory.task.target, Refusal)

    @property
    def ending(self) -> str:
        return ending(self.trajectory)

    @property
    def answer_px(self) -> Point | None:
        answer = self.trajectory.answer
        return None if answer is None else Point(answer.x, answer.y).to_px(self.trajectory.task.size)

    @property
    def target(self) -> str | None:
        """Corners of the target for an SVG polygon, None where there is no place."""
        place = self.trajectory.task.place
        if place is None:
            return None
        corners = place.corners if isinstance(place, Polygon) else _corners(place)
        return " ".join(f"{corner.x:g},{corner.y:g}" for corner in corners)

    @property
    def target_center(self) -> Point | None:
        place = self.trajectory.task.place
        return None if place is None else place.box.center

    def needs_ring(self, pane: _Pane) -> bool:
        place = self.trajectory.task.place
        return place is not None and max(place.box.width, place.box.height) < _SMALL * pane.unit

    @property
    def rewards(self) -> list[_Reward]:
        return [_Reward(name, value, self.record.weights.get(name)) for name, value in self.record.rewards.items()]


def write_page(
    records: Sequence[SavedRecord],
    out: Path,
    open_image: Callable[[Trajectory], Screenshot],
    *,
    title: str = "zoomground: trajectories",
    tables: Sequence[Table] = (),
    picture: Path | None = None,
    labels: Mapping[str, str] | None = None,
) -> None:
    """Write the page.

    Args:
        records: Episodes, in the order in which they are shown.
        out: The HTML file; written beside its place and renamed.
        open_image: Opens the screenshot of an episode; an `ImageError` becomes a note on the page.
        title: Title of the page.
        tables: Shown above the episodes.
        picture: A PNG that is shown above the episodes.
        labels: A word on episodes, by their uuid.
    """
    shots: dict[tuple[str, str], _Shot | str] = {}
    episodes = [_episode(record, shots, open_image) for record in records]
    html = _template().render(
        title=title,
        tables=tables,
        picture=None if picture is None else _uri("image/png", picture.read_bytes()),
        shots=[shot for shot in shots.values() if isinstance(shot, _Shot)],
        episodes=episodes,
        labels=labels or {},
        has_target=any(episode.target is not None for episode in episodes),
        target_color=TARGET_COLOR,
        answer_color=ANSWER_COLOR,
    )
    # Lone surrogates cannot be written; they can only come from a log that was made by hand.
    write_bytes(out, html.encode("utf-8", "replace"))


def _template() -> Template:
    environment = Environment(
        loader=PackageLoader("zoomground.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals.update(number=_number, dash=_dash, loss_words=loss_words)
    return environment.get_template("page.html")


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def _dash(value: float | None) -> str:
    return "–" if value is None else f"{value:g}"


def _episode(
    record: SavedRecord, shots: dict[tuple[str, str], _Shot | str], open_image: Callable[[Trajectory], Screenshot]
) -> _Episode:
    trajectory = record.trajectory
    key = (trajectory.task.image, trajectory.image_sha256)
    if key not in shots:
        try:
            shots[key] = _shot(f"shot-{len(shots) + 1}", open_image(trajectory))
        except ImageError as error:
            shots[key] = str(error)
    shot = shots[key]
    if isinstance(shot, str):
        return _Episode(record, None, shot, ())
    return _Episode(record, shot, "", _panes(trajectory))


def _shot(key: str, screenshot: Screenshot) -> _Shot:
    encoded = encode(screenshot.pixels)
    if len(encoded.data) > _PNG_LIMIT:
        encoded = encode(screenshot.pixels, "jpeg")
    return _Shot(key, encoded.data_uri(), screenshot.size)


def _uri(mime: str, data: bytes) -> str:
    return f"data:{mime};base64,{base64.b64encode(data).decode('ascii')}"


def _panes(trajectory: Trajectory) -> list[_Pane]:
    whole = Region.whole(trajectory.task.size)
    numbered = list(enumerate(trajectory.crops, start=1))
    size = trajectory.task.size
    panes = [
        _Pane(
            trajectory.image_name,
            f"{size.width}x{size.height} px, seen at {trajectory.view.width}x{trajectory.view.height}",
            "#9ca3af",
            whole,
            _fit(whole, _PANE_WIDTH),
            [_mark(number, crop) for number, crop in numbered],
        )
    ]
    for number, crop in numbered:
        window = crop.region.size
        caption = (
            f"of {crop.parent}: {window.width}x{window.height} px, zoom {crop.region.zoom:.1f}, "
            f"shown at {crop.shown.width}x{crop.shown.height}"
        )
        children = [_mark(other, child) for other, child in numbered if child.parent == crop.name]
        panes.append(
            _Pane(crop.name, caption, crop_color(number), crop.region, _fit(crop.region, _CROP_WIDTH), children)
        )
    return panes


def _mark(number: int, crop: CropView) -> _Mark:
    return _Mark(number, crop_color(number), crop.region)


def _fit(region: Region, room: Size) -> Size:
    scale = min(room.width / region.size.width, room.height / region.size.height)
    return Size(max(1, round(region.size.width * scale)), max(1, round(region.size.height * scale)))


def _corners(box: Box) -> tuple[Point, ...]:
    return Point(box.x1, box.y1), Point(box.x2, box.y1), Point(box.x2, box.y2), Point(box.x1, box.y2)
