"""How fast the parts without pictures are: ``python benchmarks/core_speed.py [--quick]``."""

from __future__ import annotations

import json
import re
from functools import partial
from typing import TYPE_CHECKING

from bench.episodes import THOUGHT, a_task, blank_screenshot, unseen
from bench.result import Better, Comparison, Result, Table, arguments, finish
from bench.timing import rates

from zoomground.environment import GroundingEnv
from zoomground.evaluate.items import Item
from zoomground.evaluate.verdicts import judge, outcome_of
from zoomground.geometry import Size
from zoomground.protocol.actions import Dialect, Malformed, ParserMode
from zoomground.protocol.parser import parse
from zoomground.protocol.settings import EpisodeSettings
from zoomground.rewards import Rubric
from zoomground.trajectory import Trajectory

if TYPE_CHECKING:
    from collections.abc import Callable

METHOD = """\
Pieces a CPU second of one thread, best of the rounds. Replies of each dialect hold thinking of a sentence; garbage is
text full of brackets that hold no point. The straightforward way of reading a reply is one regular expression for the
last point, of reading or writing a record json.loads or json.dumps of the same fields, which checks nothing: these
lines show what the checks cost, they have no goal. Scored episodes end in different ways, with none to three crops."""

CROP = '<action>crop_image(image_path="s.png", x1=100.00, y1=100.00, x2=600.00, y2=600.00)</action>'
REPLIES = {
    Dialect.CANONICAL: (THOUGHT + "[475.00,50.00]", THOUGHT + CROP, THOUGHT + CROP + "\n" + CROP),
    Dialect.LOOSE_POINT: (THOUGHT + "(475, 50)", THOUGHT + "It is at **[475, 50]**."),
    Dialect.JSON: (
        THOUGHT + '{"point_2d": [475, 50]}',
        THOUGHT + '<tool_call>{"name": "crop_image", "arguments": '
        '{"image_path": "s.png", "x1": 1, "y1": 2, "x2": 300, "y2": 400}}</tool_call>',
    ),
    Dialect.XML: (
        THOUGHT + "<function=crop_image><parameter=image_path>s.png</parameter><parameter=x1>1</parameter>"
        "<parameter=y1>2</parameter><parameter=x2>300</parameter><parameter=y2>400</parameter></function>",
    ),
    Dialect.BARE: (THOUGHT + 'crop_image(image_path="s.png", x1=1, y1=2, x2=300, y2=400)',),
    Dialect.FALLBACK: (THOUGHT + "Either [475, 50] or [20, 30].",),
}
"""Replies by the dialect that reads them."""

GARBAGE = "look at (12, 40 [3, x1=5 {77.5 } the ** word ` of ]] 9e "
GARBAGE_KB = (1, 100)

_LAST_POINT = re.compile(r"[\[(]\s*(\d+(?:\.\d+)?)\s*,\s*(\d+(?:\.\d+)?)\s*[\])]")
_SIZE = Size(1920, 1080)

SCRIPTS = (
    (THOUGHT + "[500.00,500.00]",),
    ("[1.00,1.00]",),
    (CROP, "[500.00,500.00]"),
    (CROP, CROP.replace("s.png", "crop_1.png"), "[500.00,500.00]"),
    (CROP + "\n" + CROP.replace("100.00", "300.00"), "(500, 500)"),
    ("no idea", CROP, "[20.00,30.00]"),
    ("a", "b", "c"),
    (CROP, CROP, CROP, CROP, "[2.00,2.00]"),
)
"""Episodes that end in different ways: hits, misses, nested crops, repeats, corrections, no answer."""


def check_dialects() -> None:
    """Make sure that every reply is read by the dialect under which it stands."""
    for dialect, texts in REPLIES.items():
        for text in texts:
            parsed = parse(text, mode=ParserMode.FALLBACK)
            if isinstance(parsed, Malformed) or parsed.dialect is not dialect:
                raise SystemExit(f"{dialect.value}: {text!r} is read as {parsed}")


def last_point(text: str) -> tuple[str, str] | None:
    """The straightforward way to read a reply."""
    found = _LAST_POINT.findall(text)
    return found[-1] if found else None


def trajectories() -> list[Trajectory]:
    """One record of each script."""
    screenshot, found = blank_screenshot(_SIZE), []
    for number, script in enumerate(SCRIPTS):
        env = GroundingEnv(a_task("s.png", _SIZE, number), screenshot, EpisodeSettings())
        unseen(env)
        for text in script:
            if not env.done:
                env.step(text)
        found.append(env.trajectory())
    return found


class Meter:
    """Rates, with the same rounds for all of them.

    Args:
        quick: Shorter rounds, and fewer.
    """

    def __init__(self, *, quick: bool) -> None:
        self._rounds, self._least_s = (2, 0.05) if quick else (5, 0.2)

    def rate(self, work: Callable[[], object], pieces: int) -> float:
        """Pieces a second."""
        return rates([work], pieces, rounds=self._rounds, least_s=self._least_s)[0]

    def compare(self, what: str, ours: Callable[[], object], other: Callable[[], object], pieces: int) -> Comparison:
        """Two ways, in turns."""
        both = rates([ours, other], pieces, rounds=self._rounds, least_s=self._least_s)
        return Comparison(what, "1/s a core", *both, Better.MORE)


def each(function: Callable[..., object], pieces: list[tuple[object, ...]]) -> None:
    """Call a function on all pieces."""
    for piece in pieces:
        function(*piece)


def parsing(meter: Meter) -> list[Comparison]:
    """Replies, by dialect, and long garbage."""
    check_dialects()
    read = partial(parse, mode=ParserMode.FALLBACK)
    found = []
    texts = {f"replies, {dialect.value}": some for dialect, some in REPLIES.items()}
    for kb in GARBAGE_KB:
        texts[f"replies, garbage of {kb} kB"] = ((GARBAGE * (kb * 1000 // len(GARBAGE) + 1))[: kb * 1000],)
    for what, some in texts.items():
        pieces = [(text,) for text in some]
        found.append(meter.compare(what, partial(each, read, pieces), partial(each, last_point, pieces), len(pieces)))
    return found


def records(meter: Meter, episodes: list[Trajectory]) -> list[Comparison]:
    """Trajectories as JSON, both ways."""
    lines = [one.to_json() for one in episodes]
    fields = [json.loads(line) for line in lines]
    count = len(episodes)
    return [
        meter.compare(
            "trajectories written", partial(each, Trajectory.to_json, [(one,) for one in episodes]),
            partial(each, json.dumps, [(one,) for one in fields]), count,
        ),
        meter.compare(
            "trajectories read", partial(each, Trajectory.from_json, [(one,) for one in lines]),
            partial(each, json.loads, [(one,) for one in lines]), count,
        ),
    ]  # fmt: skip


def scoring(meter: Meter, episodes: list[Trajectory]) -> Table:
    """Rewards and verdicts."""
    rubric = Rubric()
    items = [(Item(one.task, None), one) for one in episodes]

    def verdicts() -> None:
        for item, one in items:
            judge(item, outcome_of(one, item))

    rewards = meter.rate(partial(each, rubric.score, [(one,) for one in episodes]), len(episodes))
    rows: list[tuple[str | float | int, ...]] = [
        ("Rubric().score", rewards, 1e6 / rewards),
        ("verdict of an item", made := meter.rate(verdicts, len(items)), 1e6 / made),
    ]
    return Table("Scoring", ("", "trajectories/s a core", "CPU microseconds each"), rows)


def main() -> None:
    """Measure."""
    chosen = arguments(__doc__).parse_args()
    meter, episodes = Meter(quick=chosen.quick), trajectories()
    comparisons = [*parsing(meter), *records(meter, episodes)]
    finish(Result("core_speed", METHOD, chosen.quick, comparisons, tables=[scoring(meter, episodes)]), chosen.json)


if __name__ == "__main__":
    main()
