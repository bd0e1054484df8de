"""What the tokenizer of a checkpoint for screens is made from: words of screens, of instructions, of the protocol."""

from __future__ import annotations

import random
import re
from typing import TYPE_CHECKING

from faker import Faker

from zoomground.collect.closer import SENTENCES
from zoomground.collect.lattice import WINDOWS, is_at, look_at
from zoomground.curriculum.screens.lessons import QUESTION, blank, listed
from zoomground.environment import GroundingEnv
from zoomground.geometry import Box, Size
from zoomground.protocol.views import UnseenViews
from zoomground.synth import sources
from zoomground.synth.asks.wording import templates
from zoomground.synth.words import entries
from zoomground.task import Task

if TYPE_CHECKING:
    from zoomground.collect.closer import Closer
    from zoomground.protocol.settings import EpisodeSettings

_EPISODES = 200
_NAMES = 2000
_FIELD = re.compile(r"\{\w+\}")
_SIZES = (Size(1280, 800), Size(1440, 900), Size(1920, 1080), Size(2560, 1440), Size(3840, 2160))


def corpus(settings: EpisodeSettings, style: Closer) -> list[str]:
    """Texts, one document each: interface words, templates of instructions, invented names, episodes."""
    fake = Faker("en_US")
    fake.seed_instance(0)
    said = [entry.texts["en"] for entry in entries().values()]
    said += [text for entry in entries().values() for text in (*entry.does, *entry.looks)]
    said += [_FIELD.sub("", text) for key, texts in templates().items() if ".en/" in key for text in texts.values()]
    said += [make() for make in (fake.name, fake.city, fake.company, fake.sentence) for _ in range(_NAMES // 4)]
    said += [*sources.NOUNS, *sources.VERBS, *sources.FOLDERS]
    # As a word stands behind another one, and alone: what is read is one, what is asked for the other.
    return [*(f"x {text}" for text in said), *said, *_episodes(settings, style)]


def phrases() -> list[str]:
    """What is one token whatever the corpus holds."""
    return [QUESTION, "Instruction:", *SENTENCES]


def _episodes(settings: EpisodeSettings, style: Closer) -> list[str]:
    """The words of episodes on blank screens, without names: one word stands for whatever is asked for."""
    texts = []
    for number in range(_EPISODES):
        rng = random.Random(f"words/{number}")
        size = rng.choice(_SIZES)
        x, y = rng.uniform(0, size.width - 60), rng.uniform(0, size.height - 40)
        task = Task("words", "x", "screen.png", size, Box(x, y, x + 60, y + 30))
        task, rules = style.vary(task, settings, rng)
        shot = blank(size)
        env = GroundingEnv(task, shot, rules)
        env.views = UnseenViews(shot, env.image_name, rules)
        for turn in style.script(env, rng).turns():
            env.step(turn.text)
        texts.append("\n".join(message.text for message in env.messages))
    window = WINDOWS[24]
    lines = [is_at("x", 475, 525), is_at("x", 475, 525, in_crop=True), look_at("x", window), listed("x", 10, 20)]
    return [*texts, *lines * 20]
