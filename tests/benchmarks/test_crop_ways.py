"""Both sides of the crop benchmark do the same work on the same inputs, and ours stays the faster one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from PIL import Image, ImageChops

from zoomground.geometry import Region, Size
from zoomground.images import cut, load_screenshot

SMALL = Size(640, 400)


@pytest.fixture(scope="module")
def group(tmp_path_factory: pytest.TempPathFactory) -> list[Any]:
    from bench import episodes, screens

    file = screens.write(tmp_path_factory.mktemp("screens"), SMALL, 1)[0]
    return episodes.group(file, SMALL, 3, seed=0)


def equal(a: Image.Image, b: Image.Image) -> bool:
    return a.size == b.size and ImageChops.difference(a, b).getbbox() is None


def flat(shipped: list[list[str]], episodes: list[Any]) -> list[tuple[str, Path, Region]]:
    """Every crop that was shipped, with the region that it should show."""
    assert [len(uris) for uris in shipped] == [len(one.regions) for one in episodes] == [3] * len(episodes)
    return [
        (uri, one.file, region)
        for uris, one in zip(shipped, episodes, strict=True)
        for uri, region in zip(uris, one.regions, strict=True)
    ]


@pytest.mark.parametrize("setup", ["demo", "mini", "reported"])
def test_our_side_ships_every_crop_as_it_is_cut_and_the_processor_keeps_its_size(setup: str, group: list[Any]) -> None:
    from bench import paths
    from bench.setups import settings_of

    settings = settings_of(setup)
    trip = paths.ours(group, settings)
    screenshot = load_screenshot(group[0].file)
    for uri, _, region in flat(trip.shipped, group):
        shown = settings.limits.shown_size(region.size, settings.crop_upscale_factor, settings.crop_max_pixels)
        image = paths.arrived(uri)
        assert image.size == (shown.width, shown.height)
        assert paths.processed(image, settings.limits) is image
        assert equal(image, cut(screenshot, region, shown))
    assert trip.crops == 9
    assert trip.chars_a_trajectory * 3 == sum(len(uri) for uris in trip.shipped for uri in uris)


def test_the_straightforward_side_ships_the_same_regions(group: list[Any]) -> None:
    from bench import paths
    from bench.setups import settings_of

    limits = {name: settings_of(name).limits for name in ("mini", "reported")}
    trip = paths.straightforward(group, limits)
    for uri, file, region in flat(trip.shipped, group):
        window = load_screenshot(file).pixels.crop((region.x1, region.y1, region.x2, region.y2))
        enlarged = window.resize((4 * window.width, 4 * window.height), Image.Resampling.LANCZOS)
        assert equal(paths.received(uri), enlarged)
    assert {name for name in trip.laps.seconds if name.startswith("processor")} == {
        "processor mini",
        "processor reported",
    }


def test_where_four_times_is_a_size_that_is_kept_both_sides_give_the_same_pixels(group: list[Any]) -> None:
    from bench import episodes, paths
    from bench.setups import settings_of

    region = Region(160, 80, 320, 160, SMALL)
    script = (
        f'<action>crop_image(image_path="{group[0].file.name}", x1=250.00, y1=200.00, x2=500.00, y2=400.00)</action>',
        "[1.00,2.00]",
    )
    one = episodes.Episode(group[0].file, SMALL, script, (region,))
    settings = settings_of("reported")
    pictures = [
        paths.processed(paths.arrived(trip.shipped[0][0]), settings.limits)
        for trip in (paths.ours([one], settings), paths.straightforward([one], {"reported": settings.limits}))
    ]
    assert pictures[0].size == pictures[1].size == (640, 320)
    assert equal(*pictures)


def test_a_picture_over_the_limit_is_capped_at_four_million_pixels() -> None:
    from bench import paths

    width, height = paths.straightforward_size(Size(1920, 1080))
    assert 3_990_000 < width * height <= 4_000_000
    assert width / height == pytest.approx(16 / 9, rel=1e-2)


def test_ours_is_at_least_twice_as_fast_as_the_straightforward_way_at_4k(tmp_path: Path) -> None:
    """The guard against regressions: a ratio of CPU times of one process, with room for noise."""
    import crop_path
    from bench import episodes, paths, screens
    from bench.setups import settings_of

    file = screens.write(tmp_path, screens.UHD, 1)[0]
    two = episodes.group(file, screens.UHD, 2, seed=0)
    settings = {name: settings_of(name) for name in ("mini", "reported")}
    other = paths.straightforward(two, {name: one.limits for name, one in settings.items()})
    for name, one in settings.items():
        trip = paths.ours(two, one)
        assert 2 * trip.laps.total_s() < crop_path.whole_s(other.laps, name), name
        assert trip.crops == other.crops
        assert trip.chars_a_trajectory * 3 < other.chars_a_trajectory, name
