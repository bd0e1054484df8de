"""What evaluation and client play over HTTP is what training plays."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

from swift_loops import LOOPS, SCRIPTS, Said, a_request, a_task, trajectory

from scripted_endpoint import MODEL, says, scripted
from zoomground.data.chat import rebuilt_crop
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
    """The same turns, and crops of the same pixels, which travel to the trainer before they are enlarged."""
    loop = next(iter(LOOPS.values()))
    trained, _, _ = loop({key: a_request(screen, uuid=key) for key in SCRIPTS}, SCRIPTS)
    for key, script in SCRIPTS.items():
        found, record = asyncio.run(over_http(screen, script)), trajectory(trained[key])
        assert as_shown(record, screen) == found, key
    hashes = {crop.sha256 for key in SCRIPTS for crop in trajectory(trained[key]).crops}
    assert len(hashes) > 3


def as_shown(record: Trajectory, screen: Path) -> Trajectory:
    """The record with each crop's hash as it was shown; that of what travelled is checked on the way."""
    shot = load_screenshot(screen)
    turns = []
    for turn in record.turns:
        shown = [(crop, rebuilt_crop(crop, shot)) for crop in turn.crops]
        crops = tuple(replace(crop, sha256=encoded.sha256, mime=encoded.mime) for crop, encoded in shown)
        turns.append(replace(turn, crops=crops))
    return replace(record, turns=tuple(turns))
