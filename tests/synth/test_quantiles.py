"""How near a set's targets and instructions lie to those of ScreenSpot-Pro, over a fixed sample of screens.

The bounds are factors around the benchmark's quantiles (10, 50, 90 %): wide enough for a sample of this size, narrow
enough that targets twice as large or instructions twice as long would fail. `zoomground data-card` prints the same
figures for any set.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from synth.conftest import ASSETS
from zoomground.synth.card.figures import SCREENSPOT_PRO, SetFigures, quantiles, read_set
from zoomground.synth.make import Asking
from zoomground.synth.parts import Workshop
from zoomground.synth.plan import make_plan
from zoomground.synth.run import Goal, make_set
from zoomground.synth.studio import ProgramStudio, supply

SCREENS = 24
pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def figures(tmp_path_factory: pytest.TempPathFactory, browser: object) -> SetFigures:
    folder: Path = tmp_path_factory.mktemp("quantiles") / "set"
    workshop = Workshop(folder)
    plan = make_plan(supply(ASSETS), seed=20, languages=["en", "de", "fr", "es"])
    studio = ProgramStudio(workshop, Asking(8, 0.05), None, ASSETS)
    made = make_set(
        plan, studio, workshop, Goal(screens=SCREENS), jobs=1, terms={}, describe=lambda: "", on_pace=lambda _: None
    )
    assert made.failures == ()
    return read_set(folder)


def test_short_sides_are_as_in_the_benchmark(figures: SetFigures) -> None:
    found = quantiles(figures.values("short_px"))
    factors = (1.4, 1.4, 1.8)  # of so few rows the largest tenth is a handful
    for value, wanted, factor in zip(found, SCREENSPOT_PRO.short_px, factors, strict=True):
        assert wanted / factor <= value <= wanted * factor, f"{value:.1f} px, the benchmark has {wanted}"


def test_instructions_are_as_long_as_in_the_benchmark(figures: SetFigures) -> None:
    found = quantiles(figures.values("words"))
    bounds = ((1, 3), (3, 6), (6, 16))
    for share, value, (low, high) in zip(("10 %", "50 %", "90 %"), found, bounds, strict=True):
        assert low <= value <= high, f"{share}: {value} words"


def test_a_third_of_the_targets_at_4k_is_tiny(figures: SetFigures) -> None:
    assert figures.tiny_4k_percent is not None
    assert figures.tiny_4k_percent >= 100 / 3


def test_many_targets_cannot_be_read_in_one_look(figures: SetFigures) -> None:
    assert figures.blurred_percent >= SCREENSPOT_PRO.blurred_percent / 2


@pytest.mark.parametrize("ways", [("name",), ("function",), ("appearance",), ("relation", "position"), ("goal",)])
def test_every_way_of_asking_has_a_fair_share(figures: SetFigures, ways: tuple[str, ...]) -> None:
    counts = figures.count("how")
    share = sum(counts[way] for way in ways) / counts.total()
    assert share >= 0.06, f"{share:.1%} are asked by {' or '.join(ways)}; of all: {dict(counts)}"


def test_the_manifest_counts_rows_by_way_of_asking(figures: SetFigures) -> None:
    assert figures.manifest["figures"]["by"]["how"] == dict(sorted(figures.count("how").items()))
