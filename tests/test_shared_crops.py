"""The rollouts of a prompt share what was cut from their screenshot."""

from __future__ import annotations

import pytest
from PIL import Image

from zoomground.crops import encoded_cut
from zoomground.geometry import Region, Size
from zoomground.images import cut, encode, load_screenshot

SHOWN = Size(64, 64)


def test_who_shares_a_screenshot_shares_its_crops(monkeypatch: pytest.MonkeyPatch) -> None:
    noise = Image.merge("RGB", [Image.effect_noise((64, 64), 90) for _ in range(3)])
    shot = load_screenshot(encode(noise).data)
    region = Region(0, 0, 32, 32, shot.size)
    first = encoded_cut(shot, region, SHOWN)
    assert first == encode(cut(shot, region, SHOWN))
    assert encoded_cut(shot, Region(0, 0, 32, 32, shot.size), SHOWN) is first
    others = [encoded_cut(shot, Region(0, y, 32, y + 32, shot.size), SHOWN) for y in range(1, 4)]
    others.append(encoded_cut(shot, region, Size(32, 32)))
    assert len({crop.sha256 for crop in (first, *others)}) == 5
    # The oldest go; one that is too large by itself is kept alone.
    monkeypatch.setattr("zoomground.crops.CROPS_KEPT_BYTES", len(first.data) + len(others[0].data) + 50)
    encoded_cut(shot, Region(9, 9, 41, 41, shot.size), SHOWN)
    assert len(shot.crops) <= 2
    assert encoded_cut(shot, region, SHOWN) == first
    monkeypatch.setattr("zoomground.crops.CROPS_KEPT_BYTES", 1)
    encoded_cut(shot, Region(8, 8, 40, 40, shot.size), SHOWN)
    assert len(shot.crops) == 1
