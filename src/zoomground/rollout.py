"""Plays episodes to their end: the loop that evaluation, demonstrations and tests share.

`ask` is the shortest way in: one instruction on one picture, answered by an endpoint.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from zoomground.environment import GroundingEnv
from zoomground.errors import ZoomgroundError
from zoomground.geometry import Point
from zoomground.images import DEFAULT_NAME, EncodedImage, Screenshot, is_data_uri, load_screenshot
from zoomground.policies.base import AsyncPolicy, BatchPolicy, Policy, Reply, Trouble, Usage, one_by_one
from zoomground.policies.endpoint import Endpoint, EndpointPolicy
from zoomground.protocol.settings import EpisodeSettings
from zoomground.task import Task
from zoomground.trajectory import Trajectory

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path


def play(env: GroundingEnv, policy: Policy) -> Trajectory:
    """Play one episode."""
    return play_all([env], one_by_one(policy))[0]


async def play_async(
    env: GroundingEnv, policy: AsyncPolicy, *, on_reply: Callable[[Reply], None] | None = None
) -> Trajectory:
    """Play one episode while others run in the same event loop.

    Crops are cut and encoded in a thread: Pillow lets go of the interpreter there, so other episodes go on.

    Args:
        env: A fresh environment.
        policy: Who answers.
        on_reply: Gets each reply before it is carried out, for counting what it cost.
    """
    while not env.done:
        reply = await policy.reply(env)
        if on_reply is not None:
            on_reply(reply)
        if reply.failure:
            env.fail(reply.stop_reason, reply.failure)
        else:
            await asyncio.to_thread(env.step, reply.text, finish_reason=reply.finish_reason)
    return env.trajectory()


def play_all(
    envs: Sequence[GroundingEnv],
    policy: BatchPolicy,
    *,
    on_turn: Callable[[int, int], None] | None = None,
) -> list[Trajectory]:
    """Play many episodes side by side; all running ones are asked together, turn by turn.

    Args:
        envs: Fresh environments.
        policy: Who answers.
        on_turn: Called after each round with the number of finished episodes and of all, for progress.

    Returns:
        One trajectory for each environment, in order. A reply that could not be had fails its own episode only.
    """
    running = [env for env in envs if not env.done]
    while running:
        for env, reply in zip(running, policy.replies(running), strict=True):
            if reply.failure:
                env.fail(reply.stop_reason, reply.failure)
            else:
                env.step(reply.text, finish_reason=reply.finish_reason)
        running = [env for env in running if not env.done]
        if on_turn is not None:
            on_turn(len(envs) - len(running), len(envs))
    return [env.trajectory() for env in envs]


@dataclass(frozen=True, slots=True)
class Asked:
    """What came of asking once.

    Attributes:
        trajectory: The episode.
        screenshot: The picture that was asked about.
        crops: The crops that ran, as the policy saw them, by name.
        replies: What the endpoint gave, in order; the last one may be a failure.
    """

    trajectory: Trajectory
    screenshot: Screenshot
    crops: Mapping[str, EncodedImage]
    replies: tuple[Reply, ...]

    @property
    def point_norm(self) -> Point | None:
        """The answer in [0, 1000] over the screenshot; None if there is none."""
        answer = self.trajectory.answer
        return None if answer is None else Point(answer.x, answer.y)

    @property
    def point_px(self) -> Point | None:
        """The answer in px of the screenshot; None if there is none."""
        point = self.point_norm
        return None if point is None else point.to_px(self.trajectory.task.size)

    @property
    def usage(self) -> Usage:
        """What all turns cost together."""
        return sum((reply.usage for reply in self.replies), Usage())

    @property
    def troubles(self) -> tuple[Trouble, ...]:
        """What was the matter with replies, in order."""
        return tuple(reply.trouble for reply in self.replies if reply.trouble is not None)

    def figures(self) -> dict[str, Any]:
        """What came of it as plain values, ready for JSON: the point in both units, the crops, how it ended."""
        trajectory, norm, px = self.trajectory, self.point_norm, self.point_px
        regions = [(crop.name, crop.region) for crop in trajectory.crops]
        return {
            "stop_reason": trajectory.stop_reason,
            "failure": trajectory.failure,
            "point": None if norm is None else [norm.x, norm.y],
            "point_px": None if px is None else [px.x, px.y],
            "declined": trajectory.declined,
            "turns": len(trajectory.turns),
            "crops": [
                {"name": name, "region_px": [region.x1, region.y1, region.x2, region.y2]} for name, region in regions
            ],
            "troubles": list(self.troubles),
            "usage": asdict(self.usage),
        }


async def ask_policy(
    screenshot: Screenshot,
    instruction: str,
    policy: AsyncPolicy,
    *,
    reference: str = DEFAULT_NAME,
    settings: EpisodeSettings | None = None,
) -> Asked:
    """Play one episode on an opened screenshot.

    Args:
        screenshot: The picture.
        instruction: What is to be found.
        policy: Who answers.
        reference: What the record calls the picture; its base name is what the policy calls it.
        settings: Arm, budgets, limits of the model's image processor.

    Raises:
        RegionError: If the limits refuse the screenshot.
    """
    task = Task("ask", instruction, reference, screenshot.size, None)
    env = GroundingEnv(task, screenshot, settings or EpisodeSettings())
    replies: list[Reply] = []
    trajectory = await play_async(env, policy, on_reply=replies.append)
    crops = {view.name: env.views.encoded(view.name) for view in trajectory.crops}
    return Asked(trajectory, screenshot, crops, tuple(replies))


async def aask(
    image: str | Path | bytes,
    instruction: str,
    *,
    endpoint: Endpoint,
    settings: EpisodeSettings | None = None,
    on_request: Callable[[Mapping[str, Any]], None] | None = None,
) -> Asked:
    """Play one episode on one picture against an endpoint.

    Args:
        image: Path, bytes or data URI of the screenshot.
        instruction: What is to be found.
        endpoint: Where and how to ask.
        settings: Arm, budgets, limits of the model's image processor.
        on_request: Gets the body of each request before it is sent.

    Returns:
        The episode. Whatever the endpoint does wrong is in it: ``trajectory.failed``, ``trajectory.failure``.

    Raises:
        ImageError: If the screenshot does not open.
        ZoomgroundError: If the instruction is empty, or the SDK is not installed.
    """
    if not instruction.strip():
        raise ZoomgroundError("the instruction is empty; say what is to be found on the screenshot")
    screenshot = await asyncio.to_thread(load_screenshot, image)
    # Records name their picture and never hold it.
    reference = DEFAULT_NAME if isinstance(image, bytes) or is_data_uri(image) else str(image)
    async with EndpointPolicy(endpoint, on_request=on_request) as policy:
        return await ask_policy(screenshot, instruction, policy, reference=reference, settings=settings)


def ask(
    image: str | Path | bytes,
    instruction: str,
    *,
    endpoint: Endpoint,
    settings: EpisodeSettings | None = None,
    on_request: Callable[[Mapping[str, Any]], None] | None = None,
) -> Asked:
    """`aask` for programs without an event loop.

    Raises:
        ImageError: If the screenshot does not open.
        ZoomgroundError: If the instruction is empty, the SDK is not installed, or an event loop is running already.
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(aask(image, instruction, endpoint=endpoint, settings=settings, on_request=on_request))
    raise ZoomgroundError("an event loop is running: use `await zoomground.aask(...)` in place of zoomground.ask(...)")
