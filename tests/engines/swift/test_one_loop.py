"""What evaluation and client play over HTTP is what training plays."""

from __future__ import annotations

import asyncio
from pathlib import Path

from swift_loops import LOOPS, SCRIPTS, Said, a_request, a_task, trajectory

from scripted_endpoint import MODEL, says, scripted
from zoomground.environment import GroundingEnv
from zoomground.images import load_screenshot
from zoomground.policies.endpoint import Endpoint, EndpointPolicy
from zoomground.protocol.settings import EpisodeSettings
from zoomground.rollout import play_async
from zoomground.trajectory import Trajectory


async def over_http(screen: Path, script: list[Said]) -> Trajectory:
    answers = [says(said.text, said.finish_reason) for said in script]
    with scripted(answers) as server:
        async with EndpointPolicy(Endpoint(server.base_url, MODEL)) as policy:
            env = GroundingEnv(a_task(screen), load_screenshot(screen), EpisodeSettings())
            return await play_async(env, policy)


def test_the_loop_over_an_endpoint_gives_the_trajectory_of_training(screen: Path) -> None:
    """The same turns, and crops of the same pixels: a crop's hash is part of the trajectory."""
    loop = next(iter(LOOPS.values()))
    trained, _, _ = loop({key: a_request(screen, uuid=key) for key in SCRIPTS}, SCRIPTS)
    for key, script in SCRIPTS.items():
        found = asyncio.run(over_http(screen, script))
        assert found == trajectory(trained[key]), key
    hashes = {crop.sha256 for key in SCRIPTS for crop in trajectory(trained[key]).crops}
    assert len(hashes) > 3
