"""Asks each endpoint of a judge once, before anything is built on it."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING

from zoomground.judge.canaries import sound_record
from zoomground.judge.judge import Judge, Question

if TYPE_CHECKING:
    from zoomground.judge.settings import JudgeSettings


def judge_problems(settings: JudgeSettings) -> dict[str, str]:
    """What is wrong with endpoints, by address; those that gave a verdict are left out.

    Raises:
        ZoomgroundError: If the SDK is not installed.
    """
    return asyncio.run(_problems(settings))


async def _problems(settings: JudgeSettings) -> dict[str, str]:
    alone = [replace(settings, endpoints=(endpoint,), cache_dir=None) for endpoint in settings.endpoints]
    found = await asyncio.gather(*(_problem(one) for one in alone))
    pairs = zip(settings.endpoints, found, strict=True)
    return {endpoint.base_url: problem for endpoint, problem in pairs if problem}


async def _problem(settings: JudgeSettings) -> str:
    judge = Judge(settings)
    (opinion,) = await judge.verdicts([Question(sound_record())])
    return "" if opinion.failure is None else f"{opinion.failure}: {judge.last_fault or 'no verdict'}"
