"""The one place that knows the rules. Trainer, evaluator, client, proxy and a person at the keyboard all drive this.

An environment is single use: one task, one episode. `GroundingEnv.step` takes what the policy wrote and gives the user
message that follows, or None when the episode is over. It never raises for anything that a policy writes, and no text
from a policy ever opens a file: image names are looked up among the images of this episode.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from zoomground.errors import EpisodeOverError, ImageError, RegionError
from zoomground.images import Screenshot, display_name
from zoomground.protocol import prompts
from zoomground.protocol.actions import Answer, Crop, Decline, Malformed, Parsed, Reason
from zoomground.protocol.messages import ImagePart, Message, TextPart
from zoomground.protocol.observation import OBSERVATION_HEAD, CropView
from zoomground.protocol.parser import parse
from zoomground.protocol.render import render
from zoomground.protocol.settings import Arm, EpisodeSettings
from zoomground.protocol.views import Views
from zoomground.trajectory import StopReason, Trajectory, Turn

if TYPE_CHECKING:
    from zoomground.task import Task


class GroundingEnv:
    """One episode of the protocol (DESIGN section 2).

    Args:
        task: The task; its size must be the screenshot's.
        screenshot: The opened original.
        settings: Arm, budgets, units, limits.

    Raises:
        ImageError: If the screenshot's size is not the task's.
        RegionError: If the processor's limits refuse the screenshot (aspect ratio).
    """

    def __init__(self, task: Task, screenshot: Screenshot, settings: EpisodeSettings) -> None:
        if task.size != screenshot.size:
            raise ImageError(
                f"task '{task.id}' is for a {task.size.width}x{task.size.height} screenshot, but {screenshot.source} "
                f"is {screenshot.size.width}x{screenshot.size.height}; its target would lie in the wrong place"
            )
        self.task = task
        self.settings = settings
        self.screenshot = screenshot
        self.image_name = display_name(task.image)
        self.view = settings.limits.view_size(screenshot.size)
        self._opening = prompts.opening(
            instruction=task.instruction, image_name=self.image_name, size=screenshot.size, settings=settings
        )
        self._turns: list[Turn] = []
        self.views = Views(screenshot, self.image_name, settings)
        self._zoom_first_said = False
        self.stop_reason: StopReason | None = None
        self.failure = ""

    @property
    def done(self) -> bool:
        """Whether the episode is over."""
        return self.stop_reason is not None

    @property
    def remaining_crops(self) -> int:
        """Crops that may still run."""
        return self.settings.crop_budget - self.views.crop_count

    @property
    def remaining_corrections(self) -> int:
        """Bad turns that will still be answered with a correction, never below 0."""
        bad = sum(turn.malformed is not None for turn in self._turns)
        return max(0, self.settings.max_corrections - bad)

    @property
    def messages(self) -> tuple[Message, ...]:
        """The conversation so far."""
        return tuple(self.trajectory().messages())

    def trajectory(self) -> Trajectory:
        """The record so far."""
        return Trajectory(
            task=self.task,
            settings=self.settings,
            image_name=self.image_name,
            image_sha256=self.screenshot.sha256,
            view=self.view,
            opening=self._opening,
            turns=tuple(self._turns),
            stop_reason=self.stop_reason,
            failure=self.failure,
        )

    def step(self, text: str, *, finish_reason: str | None = None) -> Message | None:
        """Read one reply of the policy and carry it out.

        Args:
            text: What the policy wrote, without the chat template's end-of-turn token.
            finish_reason: What the engine says; ``length`` marks a cut reply.

        Returns:
            The user message that follows, or None when the episode is over.

        Raises:
            EpisodeOverError: If the episode is already over.
        """
        settings = self.settings
        parsed = parse(
            text,
            finish_reason=finish_reason,
            prompt_ends_in_think=settings.prompt_ends_in_think,
            crop_units=settings.crop_units,
            mode=settings.parser_mode,
        )
        return self.apply(parsed, text=text, finish_reason=finish_reason)

    def apply(
        self, parsed: Parsed | Malformed, *, text: str | None = None, finish_reason: str | None = None
    ) -> Message | None:
        """Carry out a turn that was already read; ``text`` defaults to its canonical form. See `step`."""
        if self.done:
            raise EpisodeOverError(f"the episode of task '{self.task.id}' is over: {self.stop_reason}")
        # A lone surrogate cannot be written to any file; no tokenizer makes one, so nothing real is lost.
        text = text.encode("utf-8", "replace").decode("utf-8") if text is not None else None
        if isinstance(parsed, Malformed):
            turn = Turn(text or "", finish_reason, malformed=parsed.reason)
            if parsed.reason is Reason.LENGTH:
                return self._end(turn, StopReason.LENGTH)
            return self._bad(turn)
        turn = Turn(
            render(parsed.actions) if text is None else text, finish_reason, tuple(parsed.actions), parsed.dialect
        )
        first = parsed.actions[0]
        if isinstance(first, Crop):
            return self._crops(turn, [action for action in parsed.actions if isinstance(action, Crop)])
        return self._final(turn, first)

    def fail(self, stop_reason: StopReason, failure: str) -> None:
        """End the episode by a fault that is not the policy's; a no-op when it is already over."""
        if not self.done:
            self.stop_reason = stop_reason
            self.failure = failure

    def _final(self, turn: Turn, action: Answer | Decline) -> Message | None:
        if isinstance(action, Decline) and not self.settings.allow_decline:
            return self._bad(replace(turn, malformed=Reason.DECLINE_OFF))
        may_zoom = self.settings.crop_budget > 0 and self.views.crop_count == 0
        owes_a_crop = self.settings.arm is Arm.FORCED and may_zoom and not self._zoom_first_said
        if owes_a_crop and self.remaining_corrections and not self.is_last_turn:
            self._zoom_first_said = True
            return self._bad(replace(turn, malformed=Reason.ZOOM_FIRST))
        return self._end(turn, StopReason.ANSWERED if isinstance(action, Answer) else StopReason.DECLINED)

    @property
    def is_last_turn(self) -> bool:
        """Whether the turn that is being carried out is the last that is allowed."""
        return len(self._turns) + 1 >= self.settings.max_turns

    def _crops(self, turn: Turn, calls: list[Crop]) -> Message | None:
        if self.is_last_turn:
            return self._end(turn, StopReason.TURNS_SPENT)
        if len(calls) > self.settings.max_calls_per_turn:
            return self._bad(replace(turn, malformed=Reason.TOO_MANY_CROPS))
        if len(calls) > self.remaining_crops:
            return self._bad(replace(turn, malformed=Reason.OVER_BUDGET))
        if any(call.image_path not in self.views for call in calls):
            return self._bad(replace(turn, malformed=Reason.UNKNOWN_IMAGE))
        try:
            # All regions are composed before the first is cut: a turn runs whole or not at all.
            regions = [self.views.compose(call) for call in calls]
        except RegionError:
            return self._bad(replace(turn, malformed=Reason.OUTSIDE_IMAGE))
        views = tuple(self.views.cut(call.image_path, region) for call, region in zip(calls, regions, strict=True))
        return self._reply(turn, views)

    def _reply(self, turn: Turn, views: tuple[CropView, ...]) -> Message:
        parts: list[TextPart | ImagePart] = []
        for number, view in enumerate(views, start=1):
            line = self.views.observation(view, remaining_crops=self.remaining_crops + len(views) - number)
            head = OBSERVATION_HEAD if number == 1 else "\n" + OBSERVATION_HEAD
            parts += [TextPart(f"{head}\n{line}\n"), ImagePart(view.name)]
        if closing := self._closing(crops_just_ran=True):
            parts.append(TextPart("\n" + closing))
        reply = Message("user", tuple(parts))
        self._turns.append(replace(turn, crops=views, reply=reply))
        return reply

    def _closing(self, *, crops_just_ran: bool) -> str:
        """What the message before the next turn must say about the budgets."""
        if len(self._turns) + 2 >= self.settings.max_turns:
            return prompts.last_turn(self.settings)
        if crops_just_ran and self.remaining_crops == 0:
            return prompts.answer_now(self.settings)
        return ""

    def _bad(self, turn: Turn) -> Message | None:
        if self.remaining_corrections == 0:
            return self._end(turn, StopReason.CORRECTIONS_SPENT)
        if self.is_last_turn:
            return self._end(turn, StopReason.TURNS_SPENT)
        assert turn.malformed is not None  # noqa: S101 -- every caller sets it; tells the type checker
        text = prompts.correction(
            turn.malformed,
            settings=self.settings,
            remaining_crops=self.remaining_crops,
            remaining_corrections=self.remaining_corrections - 1,
        )
        closing = self._closing(crops_just_ran=False)
        reply = Message("user", (TextPart(f"{text}\n{closing}" if closing else text),))
        self._turns.append(replace(turn, reply=reply))
        return reply

    def _end(self, turn: Turn, stop_reason: StopReason) -> Message | None:
        self._turns.append(turn)
        self.stop_reason = stop_reason
        return None
