"""Opened screenshots are bounded by the memory that they take, and each is loaded once for a group."""

from __future__ import annotations

import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

from PIL import Image

from zoomground.engines.swift.pictures import Shelf
from zoomground.geometry import Size
from zoomground.images import Screenshot

SIZES = {"small": Size(10, 10), "wide": Size(40, 10), "huge": Size(100, 100)}


class Loader:
    """Makes screenshots, and counts how often."""

    def __init__(self) -> None:
        self.loads: Counter[str] = Counter()

    def __call__(self, reference: object) -> Screenshot:
        name = str(reference)
        self.loads[name] += 1
        size = SIZES[name.rstrip("0123456789")]
        return Screenshot(Image.new("RGB", (size.width, size.height)), size, name, name)


def test_what_was_used_longest_ago_goes_when_the_memory_is_spent() -> None:
    load = Loader()
    # Room for four small ones of 400 bytes, or a wide one.
    shelf = Shelf(load, most_bytes=1600)
    for name in ("small1", "small2", "small3", "small4", "small1", "small5", "small1"):
        shelf.open(name)
    assert load.loads == {"small1": 1, "small2": 1, "small3": 1, "small4": 1, "small5": 1}
    shelf.open("small2")
    assert load.loads["small2"] == 2
    shelf.open("wide1")
    for name in ("wide1", "small1"):
        shelf.open(name)
    assert (load.loads["wide1"], load.loads["small1"]) == (1, 2)


def test_one_that_is_larger_than_the_memory_stays_for_its_group() -> None:
    load = Loader()
    shelf = Shelf(load, most_bytes=1600)
    for _ in range(8):
        assert shelf.open("huge1").size == SIZES["huge"]
    assert load.loads["huge1"] == 1
    shelf.open("small1")
    shelf.open("huge1")
    assert load.loads["huge1"] == 2


def test_a_group_that_begins_at_once_loads_its_screenshot_once() -> None:
    load, at_once = Loader(), threading.Barrier(8)
    shelf = Shelf(load, most_bytes=10**6)

    def begin(_: int) -> Screenshot:
        at_once.wait()
        return shelf.open("huge1")

    with ThreadPoolExecutor(8) as pool:
        opened = list(pool.map(begin, range(8)))
    assert load.loads["huge1"] == 1
    assert all(one is opened[0] for one in opened)
