"""One episode between ms-swift's hooks: the environment, what `step` will hand over, and what was counted.

Nothing here imports ms-swift, so the whole life of an episode can be tested without it.
"""

from __future__ import annotations

import hashlib
import json
import logging
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from pydantic import TypeAdapter, ValidationError

from zoomground.data.fields import IMAGE_TAG, read_fields
from zoomground.data.targets import read_target
from zoomground.engines.swift.pictures import UNREADABLE
from zoomground.environment import GroundingEnv
from zoomground.errors import ImageError, ZoomgroundError
from zoomground.geometry import Size
from zoomground.images import display_name
from zoomground.protocol.messages import to_tagged
from zoomground.protocol.settings import Arm, EpisodeSettings
from zoomground.protocol.views import TravellingViews
from zoomground.task import Difficulty, Refusal, Task
from zoomground.trajectory import StopReason, Trajectory

if TYPE_CHECKING:
    from collections.abc import Callable

    from zoomground.images import Screenshot

TASK_COLUMN = "zoomin_task"
"""Dataset column of an engine row that holds an `Assignment` as JSON."""

ROW_COLUMNS = ("solution", "polygon", "refusal", "difficulty", "id", "meta")
"""Columns of a training row that ms-swift leaves as they are."""

_logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Assignment:
    """What a dataset row asks for.

    Attributes:
        task: The task.
        arm: The arm that it is trained in.
        original: Reference of the original screenshot, where the row's image is the smaller one that the policy sees;
            empty: the row's image is the original.
    """

    task: Task
    arm: Arm = Arm.ON
    original: str = ""

    def to_json(self) -> str:
        """One line, for `TASK_COLUMN`."""
        return _ASSIGNMENT.dump_json(self).decode("utf-8")

    @classmethod
    def from_json(cls, text: str) -> Assignment:
        """Read the column.

        Raises:
            ZoomgroundError: If it is no assignment.
        """
        try:
            return _ASSIGNMENT.validate_json(text)
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(str(part) for part in first["loc"]) or TASK_COLUMN
            raise ZoomgroundError(
                f"column '{TASK_COLUMN}' is no task: field '{where}': {first['msg']}; write the dataset file again"
            ) from error


_ASSIGNMENT = TypeAdapter(Assignment)


def is_off_arm(task_id: str, share: float) -> bool:
    """Whether a prompt is trained without zoom: the same for a task in every process and every epoch."""
    digest = hashlib.sha256(f"off-arm:{task_id}".encode()).digest()
    return int.from_bytes(digest[:8], "big") < share * 2.0**64


class Session:
    """The state of one episode.

    Args:
        env: The environment; None if it could not be built.
        unopened: The failed record that stands in for an episode whose environment could not be built.
        started_s: The clock when it began.

    Attributes:
        reply: The user message that `step` appends, None when the episode is over.
        new_images: Data URIs of the images of ``reply``, in order.
        mask: Loss mask of the last turn's sampled ids.
        counts: What was neutralised so far, see `sanitize.Cleaned`.
        turn_tokens: Tokens that were sampled in each turn.
        text_tokens: Tokens of the conversation's text so far.
        touched_s: The clock at the last hook.
        cpu_s: CPU seconds that the environment took so far: opening, cutting, resampling, encoding.
        wait_s: Seconds that the episode has waited for it so far, for a free thread included; not for an event loop
            that is busy with something else.
    """

    def __init__(self, env: GroundingEnv | None, unopened: Trajectory | None, *, started_s: float) -> None:
        self.env = env
        self._unopened = unopened
        self.started_s = started_s
        self.touched_s = started_s
        self.reply: dict[str, str] | None = None
        self.new_images: list[str] = []
        self.mask: list[int] = []
        self.counts: Counter[str] = Counter()
        self.turn_tokens: list[int] = []
        self.text_tokens = 0
        self.cpu_s = 0.0
        self.wait_s = 0.0

    @property
    def done(self) -> bool:
        """Whether the episode is over."""
        return self.env is None or self.env.done

    @property
    def image_tokens(self) -> int:
        """Image tokens of the conversation so far."""
        return 0 if self.env is None else self.env.views.image_tokens

    def trajectory(self) -> Trajectory:
        """The record so far."""
        if self.env is not None:
            return self.env.trajectory()
        assert self._unopened is not None  # noqa: S101 -- one of the two is always given
        return self._unopened

    def advance(self, text: str, finish_reason: str | None) -> None:
        """Carry out one turn and encode what it shows: the heavy part, made for a thread. Never raises."""
        self.reply, self.new_images = None, []
        if self.env is None or self.env.done:
            return
        begun_s = time.thread_time()
        try:
            reply = self.env.step(text, finish_reason=finish_reason)
            if reply is None:
                return
            tagged = to_tagged(reply)
            images = [self.env.views.encoded(name).data_uri() for name in reply.image_names]
            if tagged["content"].count(IMAGE_TAG) != len(images):
                self.fail(StopReason.ERROR, f"{len(images)} images for another number of {IMAGE_TAG} tags")
                return
            self.reply, self.new_images = tagged, images
        except Exception as error:  # noqa: BLE001 -- the boundary: whatever breaks ends this episode only
            self.fail(StopReason.ERROR, f"{type(error).__name__}: {error}")
        finally:
            self.cpu_s += time.thread_time() - begun_s

    def fail(self, stop_reason: StopReason, failure: str) -> None:
        """End the episode by a fault that is not the policy's."""
        self.reply, self.new_images = None, []
        if self.env is not None and not self.env.done:
            self.env.fail(stop_reason, failure)
            _logger.warning("task '%s' failed: %s: %s", self.env.task.id, stop_reason, failure)


def open_session(
    request: Request,
    settings: EpisodeSettings,
    *,
    off_share: float,
    load: Callable[[object], Screenshot],
    now_s: float,
) -> Session:
    """Build the environment for a request. Never raises: what cannot be built is a session that has failed.

    Args:
        request: The rollout request.
        settings: The rules.
        off_share: Share of the prompts that are trained without zoom, where the row does not say.
        load: Opens an image reference.
        now_s: The clock.
    """
    begun_s = time.thread_time()
    try:
        session = Session(_environment(request, settings, off_share, load), None, started_s=now_s)
    except Exception as error:  # noqa: BLE001 -- the boundary: whatever breaks ends this episode only
        failure = f"{type(error).__name__}: {error}"
        _logger.warning("an episode could not be opened: %s", failure)
        session = Session(None, _unopened(request, settings, failure), started_s=now_s)
    session.cpu_s = time.thread_time() - begun_s
    return session


def _environment(
    request: Request, settings: EpisodeSettings, off_share: float, load: Callable[[object], Screenshot]
) -> GroundingEnv:
    reference = request.only_image()
    if reference == UNREADABLE:
        # The original, from which crops are cut, may still open: the policy would play on a grey square.
        raise ImageError("the screenshot does not open; the log of the trainer names the file")
    if (column := request.columns.get(TASK_COLUMN)) is None:
        screenshot = load(reference)
        assignment = _classic_assignment(request, screenshot, settings, off_share)
    else:
        assignment = Assignment.from_json(column)
        screenshot = load(assignment.original or reference)
    env = GroundingEnv(assignment.task, screenshot, replace(settings, arm=assignment.arm))
    env.views = TravellingViews(screenshot, env.image_name, env.settings)
    return env


@dataclass(frozen=True, slots=True)
class Request:
    """What of a rollout request names the episode.

    Attributes:
        messages: The dataset's messages; the first user message holds the instruction.
        images: References as ms-swift holds them.
        columns: The dataset row's other columns.
    """

    messages: Sequence[Mapping[str, Any]]
    images: Sequence[Any]
    columns: Mapping[str, Any]

    def only_image(self) -> object:
        """The reference of the screenshot.

        Raises:
            ZoomgroundError: If there is none, or more than one.
        """
        if len(self.images) != 1:
            raise ZoomgroundError(f"a prompt has exactly one image, this one has {len(self.images)}")
        return self.images[0]

    @property
    def instruction(self) -> str:
        """The first user message without the tag of its image."""
        for message in self.messages:
            if message.get("role") == "user" and isinstance(message.get("content"), str):
                return str(message["content"]).replace(IMAGE_TAG, "", 1).strip()
        return ""

    @property
    def image_name(self) -> str:
        """The image's reference if it is a path; a data URI or bare base64 has no name."""
        first = self.images[0] if self.images else ""
        if isinstance(first, dict):
            first = first.get("path") or ""
        text = str(first)
        return text if len(text) <= _LONGEST_PATH and not text.startswith("data:") else ""


_LONGEST_PATH = 4096


def _classic_assignment(
    request: Request, screenshot: Screenshot, settings: EpisodeSettings, off_share: float
) -> Assignment:
    task = _classic_task(request, screenshot)
    off = settings.arm is Arm.ON and is_off_arm(task.id, off_share)
    return Assignment(task, Arm.OFF if off else settings.arm)


def _classic_task(request: Request, screenshot: Screenshot) -> Task:
    """The task of a row that was handed to ms-swift as it stands, which keeps its columns and maps ``problem`` away."""
    columns = request.columns
    raw = {name: columns[name] for name in ROW_COLUMNS if columns.get(name) is not None}
    fields = read_fields({**raw, "problem": IMAGE_TAG + request.instruction, "images": [request.image_name]})
    target = read_target(fields, screenshot.size).target
    return Task(
        id=_hashed_id(request) if fields.id is None else str(fields.id),
        instruction=fields.instruction,
        image=request.image_name or f"sha256:{screenshot.sha256}",
        size=screenshot.size,
        target=target,
        difficulty=Difficulty(fields.difficulty) if fields.difficulty else None,
        meta=fields.meta,
    )


def _unopened(request: Request, settings: EpisodeSettings, failure: str) -> Trajectory:
    """The record of an episode that never began. Its size and target are unknown: 1x1 and a refusal stand in."""
    image = request.image_name
    unknown = Size(1, 1)
    task = Task(id=_hashed_id(request), instruction=request.instruction, image=image, size=unknown, target=Refusal())
    return Trajectory(
        task=task,
        settings=settings,
        image_name=display_name(image),
        image_sha256="",
        view=unknown,
        stop_reason=StopReason.ERROR,
        failure=failure,
    )


def _hashed_id(request: Request) -> str:
    """An id for rows without one: equal rows have equal ids, so that the generations of a prompt share it."""
    parts = [request.instruction, request.image_name, request.columns.get("solution")]
    return hashlib.sha256(json.dumps(parts, default=str).encode("utf-8")).hexdigest()[:16]
