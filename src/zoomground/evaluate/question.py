"""One question to a model of another family: its profile's messages, one reply, read as the profile says.

It is a `GroundingEnv` of a single turn, so every policy that plays our episodes can be asked, over the same wire and
with the same pixels; only the words are the profile's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from zoomground.environment import GroundingEnv
from zoomground.evaluate.dialects.base import DECLINE, Said, Spoken
from zoomground.evaluate.profiles.conventions import Frame
from zoomground.evaluate.verdicts import Declined
from zoomground.geometry import Point
from zoomground.images import display_name
from zoomground.protocol.actions import Action, Answer, Decline
from zoomground.protocol.render import render
from zoomground.trajectory import StopReason, Turn

if TYPE_CHECKING:
    from zoomground.evaluate.profiles.base import Profile
    from zoomground.geometry import Size
    from zoomground.images import Screenshot
    from zoomground.protocol.messages import Message
    from zoomground.protocol.settings import EpisodeSettings
    from zoomground.task import Task

_FAR = 1e9


class Question(GroundingEnv):
    """A single turn in another model's words.

    Args:
        task: In px of the screenshot.
        screenshot: The opened original.
        settings: Pixel limits, and whether declining is offered; there are no crops.
        profile: Whose words.
    """

    def __init__(self, task: Task, screenshot: Screenshot, settings: EpisodeSettings, profile: Profile) -> None:
        super().__init__(task, screenshot, settings)
        self._profile = profile
        self._frame = Frame(task.size, task.size, self.view)
        self._opening = question(task, settings, profile)

    def spoken(self, action: Answer | Decline) -> str:
        """A reply that means this, in the profile's dialect and convention, for scripted players."""
        text = written(self._profile, action, self._frame)
        return f"</think>{text}" if self.settings.prompt_ends_in_think else text

    def step(self, text: str, *, finish_reason: str | None = None) -> Message | None:
        """Read the reply; whatever it holds, the question is answered or is not."""
        said = self._profile.read(
            text, finish_reason=finish_reason, prompt_ends_in_think=self.settings.prompt_ends_in_think
        )
        turn, reason = turn_of(text, finish_reason, said, self._profile, self._frame)
        return self._end(turn, reason)


def question(task: Task, settings: EpisodeSettings, profile: Profile) -> tuple[Message, Message]:
    """The system and the user message; the task is in px of the screenshot's file."""
    frame = Frame(task.size, task.size, settings.limits.view_size(task.size))
    system, user = profile.messages(
        task.instruction, display_name(task.image), frame, allow_decline=settings.allow_decline
    )
    return system, user


def written(profile: Profile, action: Answer | Decline, frame: Frame) -> str:
    """A reply that means this, in the profile's dialect and convention."""
    if profile.episode:
        return render((action,))
    if isinstance(action, Decline):
        return DECLINE
    numbers = profile.convention.from_px(Point(action.x, action.y).to_px(frame.annotated), frame)
    return profile.dialect.write(numbers.x, numbers.y)


def turn_of(
    text: str, finish_reason: str | None, said: Said, profile: Profile, frame: Frame
) -> tuple[Turn, StopReason]:
    """A reply as the only turn of an episode, and how that ended; a point is brought to [0, 1000]."""
    text = text.encode("utf-8", "replace").decode("utf-8")
    action: Action
    if isinstance(said, Spoken):
        at = profile.convention.to_px(said.x, said.y, frame).to_norm(frame.annotated)
        action, reason = Answer(_tame(at.x), _tame(at.y)), StopReason.ANSWERED
    elif isinstance(said, Declined):
        action, reason = Decline(), StopReason.DECLINED
    else:
        return Turn(text, finish_reason), StopReason.LENGTH if finish_reason == "length" else StopReason.TURNS_SPENT
    return Turn(text, finish_reason, (action,)), reason


def _tame(number: float) -> float:
    """A number that any file can hold: what lies this far outside the image is outside in any case."""
    return max(-_FAR, min(_FAR, number))


def sent_size(size: Size, settings: EpisodeSettings) -> Size:
    """Size in px of the image that is sent: the file's own, or the policy's view of it where the limits shrink it."""
    limits = settings.limits
    return limits.view_size(size) if size.area > limits.max_pixels else size
