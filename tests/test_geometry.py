"""Boxes, regions, maps and pixel limits; the IMG cases about frames and windows carry their number."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from zoomground.errors import RegionError
from zoomground.geometry import MAX_ASPECT, NORM_FRAME, Box, PixelLimits, Point, Polygon, Region, Size

QWEN2_5 = PixelLimits(28, 4 * 28 * 28, 16384 * 28 * 28)
QWEN3 = PixelLimits(32, 4 * 32 * 32, 16384 * 32 * 32)


@st.composite
def sizes(draw: st.DrawFn, largest: int = 6000) -> Size:
    """Any size up to 200:1."""
    short = draw(st.integers(1, largest))
    long = draw(st.integers(short, min(largest, short * int(MAX_ASPECT))))
    return Size(short, long) if draw(st.booleans()) else Size(long, short)


@st.composite
def boxes_in(draw: st.DrawFn, frame: Size) -> Box:
    x1, x2 = sorted(draw(st.tuples(*[st.floats(0, frame.width)] * 2)))
    y1, y2 = sorted(draw(st.tuples(*[st.floats(0, frame.height)] * 2)))
    assume(x2 - x1 > 1e-3)
    assume(y2 - y1 > 1e-3)
    return Box(x1, y1, x2, y2)


@st.composite
def nestings(draw: st.DrawFn) -> list[Region]:
    """The whole screenshot, then crops of crops."""
    regions = [Region.whole(draw(sizes()))]
    for _ in range(draw(st.integers(1, 4))):
        regions.append(regions[-1].subregion(draw(boxes_in(NORM_FRAME)), NORM_FRAME))
    return regions


@st.composite
def limits(draw: st.DrawFn) -> PixelLimits:
    factor = draw(st.sampled_from([14, 28, 32]))
    least = draw(st.integers(1, 300_000))
    most = least + draw(st.integers(factor**2 * 40, 20_000_000))
    return PixelLimits(factor, least, most)


# --- sizes, points, boxes, polygons


@pytest.mark.parametrize(("width", "height"), [(0, 5), (5, 0), (-1, 5)])
def test_a_size_has_at_least_one_pixel(width: int, height: int) -> None:
    with pytest.raises(RegionError, match="at least 1x1"):
        Size(width, height)


@pytest.mark.parametrize("corners", [(2, 0, 1, 1), (0, 2, 1, 1), (math.nan, 0, 1, 1), (0, 0, 1, math.nan)])
def test_a_box_out_of_order_or_without_numbers_is_refused(corners: tuple[float, float, float, float]) -> None:
    with pytest.raises(RegionError, match="out of order"):
        Box(*corners)


def test_a_box_is_closed_and_nothing_is_rounded() -> None:
    box = Box(100, 100, 200, 200)
    assert box.contains(Point(100, 100))
    assert box.contains(Point(200, 200))
    assert box.contains(Point(100, 200))
    assert not box.contains(Point(200.01, 150))
    assert not box.contains(Point(150, 99.99))


def test_iou_and_distance() -> None:
    box = Box(0, 0, 10, 10)
    assert box.iou(box) == 1
    assert box.iou(Box(5, 0, 15, 10)) == pytest.approx(1 / 3)
    assert box.iou(Box(10, 0, 20, 10)) == 0
    assert Box(1, 1, 1, 1).iou(Box(1, 1, 1, 1)) == 0
    assert box.distance(Point(5, 5)) == 0
    assert box.distance(Point(13, 14)) == 5
    assert box.distance(Point(-2, 5)) == 2


def test_growing_stops_at_the_image() -> None:
    assert Box(5, 5, 10, 10).grown(20, Size(100, 12)) == Box(0, 0, 30, 12)


def test_a_polygon_owns_its_edges_and_not_its_notch() -> None:
    ell = Polygon(tuple(Point(x, y) for x, y in ((0, 0), (10, 0), (10, 4), (4, 4), (4, 10), (0, 10))))
    for x, y in ((0, 0), (5, 0), (10, 4), (7, 4), (4, 7), (2, 2), (9, 1), (0, 10)):
        assert ell.contains(Point(x, y)), (x, y)
    for x, y in ((7, 7), (4.01, 4.01), (-0.01, 5), (10.01, 2), (5, 10)):
        assert not ell.contains(Point(x, y)), (x, y)
    assert ell.box == Box(0, 0, 10, 10)
    with pytest.raises(RegionError, match="at least 3 corners"):
        Polygon((Point(0, 0), Point(1, 1)))


@given(boxes_in(Size(500, 500)), st.floats(-10, 510), st.floats(-10, 510))
def test_a_rectangle_as_a_polygon_holds_the_same_points(box: Box, x: float, y: float) -> None:
    assume(min(abs(x - box.x1), abs(x - box.x2), abs(y - box.y1), abs(y - box.y2)) > 1e-3)
    corners = ((box.x1, box.y1), (box.x2, box.y1), (box.x2, box.y2), (box.x1, box.y2))
    polygon = Polygon(tuple(Point(*corner) for corner in corners))
    assert polygon.contains(Point(x, y)) == box.contains(Point(x, y))


# --- windows on the original


def test_img_13_a_window_without_area_is_an_error_not_an_empty_crop() -> None:
    whole = Region.whole(Size(100, 80))
    with pytest.raises(RegionError, match="empty"):
        whole.subregion(Box(10, 10, 10, 20), Size(100, 80))
    with pytest.raises(RegionError, match="empty or outside"):
        Region(10, 10, 10, 20, Size(100, 80))


def test_img_13_a_window_thinner_than_a_pixel_is_the_pixel_it_lies_in() -> None:
    region = Region.whole(Size(100, 80)).subregion(Box(10.2, 10.3, 10.4, 10.5), Size(100, 80))
    assert (region.x1, region.y1, region.x2, region.y2) == (10, 10, 11, 11)


def test_img_15_partly_outside_is_clipped_and_wholly_outside_is_an_error() -> None:
    whole, frame = Region.whole(Size(100, 80)), Size(100, 80)
    region = whole.subregion(Box(90, 70, 150, 120), frame)
    assert region.box_px == Box(90, 70, 100, 80)
    for outside in (Box(200, 200, 220, 220), Box(100, 0, 120, 20), Box(-30, 0, 0, 20), Box(0, 80, 10, 90)):
        with pytest.raises(RegionError, match="wholly outside"):
            whole.subregion(outside, frame)
    with pytest.raises(RegionError, match="outside the 100x80 image"):
        Region(90, 70, 101, 80, Size(100, 80))


@settings(max_examples=150)
@given(nestings(), st.floats(0, 1000), st.floats(0, 1000))
def test_img_17_a_point_of_a_crop_maps_to_the_original_and_back(regions: list[Region], x: float, y: float) -> None:
    region, size = regions[-1], regions[-1].original
    original = region.to_original(Point(x, y))
    back = region.to_crop(original)
    assert back.x == pytest.approx(x, abs=1e-6)
    assert back.y == pytest.approx(y, abs=1e-6)
    assert region.box_px.grown(1e-6, size).contains(original.to_px(size))
    # What the policy reads: a mapping of six decimals, a crop point of two. It must find the same pixel.
    m = region.mapping
    read = Point(
        round(m.x_offset, 6) + round(x, 2) * round(m.x_scale, 6),
        round(m.y_offset, 6) + round(y, 2) * round(m.y_scale, 6),
    )
    assert abs(read.to_px(size).x - original.to_px(size).x) < 0.5
    assert abs(read.to_px(size).y - original.to_px(size).y) < 0.5


@settings(max_examples=150)
@given(nestings(), st.floats(0, 1000), st.floats(0, 1000))
def test_img_17_one_map_equals_the_chain_through_every_parent(regions: list[Region], x: float, y: float) -> None:
    point = Point(x, y)
    for parent, child in reversed(list(pairwise(regions))):
        box = child.box_in(parent, NORM_FRAME)
        point = Point(box.x1 + point.x / 1000 * box.width, box.y1 + point.y / 1000 * box.height)
    direct = regions[-1].to_original(Point(x, y))
    assert point.x == pytest.approx(direct.x, abs=1e-6)
    assert point.y == pytest.approx(direct.y, abs=1e-6)


@settings(max_examples=150)
@given(nestings())
def test_img_17_the_window_that_is_reported_is_the_one_that_was_cut(regions: list[Region]) -> None:
    for parent, child in pairwise(regions):
        for frame in (NORM_FRAME, parent.size):
            assert parent.subregion(child.box_in(parent, frame), frame) == child


def test_img_17_ten_pixels_asked_for_are_ten_pixels_shown_larger() -> None:
    region = Region.whole(Size(1000, 800)).subregion(Box(500, 400, 510, 410), Size(1000, 800))
    assert region.box_px == Box(500, 400, 510, 410)
    assert QWEN2_5.shown_size(region.size, 4, 4_000_000) == Size(56, 56)
    middle = region.to_original(Point(500, 500)).to_px(Size(1000, 800))
    assert (middle.x, middle.y) == pytest.approx((505, 405))


@settings(max_examples=200)
@given(sizes(), st.data())
def test_img_21_a_window_holds_what_was_asked_for_inside_the_image_and_never_thinner_than_200_to_1(
    size: Size, data: st.DataObject
) -> None:
    frame = data.draw(st.sampled_from([NORM_FRAME, size, Size(1366, 768)]))
    box = data.draw(boxes_in(frame))
    region = Region.whole(size).subregion(box, frame)
    assert region.size.aspect <= MAX_ASPECT
    asked = Box(
        *(
            value / side * pixels
            for value, side, pixels in zip(
                (box.x1, box.y1, box.x2, box.y2),
                (frame.width, frame.height) * 2,
                (size.width, size.height) * 2,
                strict=True,
            )
        )
    )
    cut = region.box_px
    slack = 1e-5
    assert cut.x1 <= asked.x1 + slack
    assert cut.y1 <= asked.y1 + slack
    assert cut.x2 >= asked.x2 - slack
    assert cut.y2 >= asked.y2 - slack
    if asked.width > 1 + asked.height / 100 and asked.height > 1 + asked.width / 100:
        assert asked.x1 - cut.x1 < 1, "grown further than to the next whole pixel"
        assert cut.x2 - asked.x2 < 1
        assert asked.y1 - cut.y1 < 1
        assert cut.y2 - asked.y2 < 1


def test_img_21_a_thin_window_is_grown_to_200_to_1() -> None:
    size = Size(1000, 1000)
    whole = Region.whole(size)
    assert whole.subregion(Box(100, 0, 101, 1000), size).box_px == Box(98, 0, 103, 1000)
    assert whole.subregion(Box(100, 0, 104, 900), size).box_px == Box(100, 0, 105, 900)
    assert whole.subregion(Box(999, 0, 1000, 1000), size).box_px == Box(995, 0, 1000, 1000)
    assert whole.subregion(Box(0, 0, 1, 1000), size).box_px == Box(0, 0, 5, 1000)
    assert whole.subregion(Box(100, 0, 105, 1000), size).box_px == Box(100, 0, 105, 1000)
    with pytest.raises(RegionError, match=r"225\.0:1"):
        QWEN3.view_size(Size(4, 900))
    assert QWEN3.view_size(Size(5, 1000)) == Size(32, 992)


def test_a_crop_of_a_crop_is_a_window_on_the_original() -> None:
    first = Region.whole(Size(3840, 2160)).subregion(Box(500, 0, 1000, 500), NORM_FRAME)
    second = first.subregion(Box(500, 500, 1000, 1000), NORM_FRAME)
    assert second == Region(2880, 540, 3840, 1080, Size(3840, 2160))
    assert second.box_norm == Box(750, 250, 1000, 500)
    assert second.zoom == pytest.approx(4)
    assert second.box_in(first, NORM_FRAME) == Box(500, 500, 1000, 1000)


def test_img_19_the_factor_belongs_to_the_model() -> None:
    screen = Size(1080, 1920)
    assert PixelLimits(28, 3136, 1_000_000).view_size(screen) == Size(728, 1316)
    assert PixelLimits(32, 4096, 1_000_000).view_size(screen) == Size(736, 1312)


def test_img_23_normalised_coordinates_do_not_depend_on_the_resized_picture() -> None:
    screen, view = Size(1920, 1080), PixelLimits(28, 3136, 1_000_000).view_size(Size(1920, 1080))
    point = Point(1900, 1000)
    assert view == Size(1316, 728)
    assert (round(point.to_norm(screen).to_px(view).x), round(point.to_norm(screen).to_px(view).y)) == (1302, 674)
    back = point.to_norm(screen).to_px(screen)
    assert (back.x, back.y) == pytest.approx((1900, 1000))


def test_img_25_the_same_numbers_in_crop_frame_are_another_place() -> None:
    region = Region(560, 150, 844, 240, Size(1000, 1000))
    middle = region.to_original(Point(500, 500))
    assert (middle.x, middle.y) == pytest.approx((702, 195))
    assert not region.box_norm.contains(Point(500, 500))


def test_img_31_a_box_is_checked_in_the_frame_its_numbers_came_from() -> None:
    whole, box = Region.whole(Size(1920, 1080)), Box(1800, 100, 1900, 200)
    assert whole.subregion(box, Size(1920, 1080)).box_px == box
    with pytest.raises(RegionError, match="wholly outside"):
        whole.subregion(box, Size(1366, 768))


def test_img_33_coordinates_are_continuous_and_1000_is_the_right_edge() -> None:
    edge = Point(1000, 0).to_px(Size(100, 50))
    assert edge == Point(100, 0)
    assert Box(90, 0, 100, 10).contains(edge)
    assert Region.whole(Size(100, 50)).subregion(Box(900, 0, 1000, 1000), NORM_FRAME).box_px == Box(90, 0, 100, 50)


# --- what the processor does


@settings(max_examples=200)
@given(sizes(), limits(), st.sampled_from([1.0, 2.0, 4.0, 8.0]), st.sampled_from([4_000_000, 1_000_000, 50_000, 1]))
@example(Size(1, 200), QWEN3, 4.0, 4_000_000)
@example(Size(200, 1), QWEN2_5, 1.0, 4_000_000)
@example(Size(27, 5400), QWEN3, 4.0, 4_000_000)
@example(Size(6000, 6000), QWEN3, 4.0, 4_000_000)
def test_a_shown_size_is_kept_by_the_processor_and_within_every_limit(
    region: Size, limit: PixelLimits, upscale: float, crop_max_pixels: int
) -> None:
    shown = limit.shown_size(region, upscale, crop_max_pixels)
    assert limit.view_size(shown) == shown
    assert shown.aspect <= MAX_ASPECT
    assert min(shown.width, shown.height) >= limit.factor
    assert limit.min_pixels <= shown.area <= limit.max_pixels
    if crop_max_pixels >= limit.min_pixels + 40 * limit.factor**2:
        assert shown.area <= crop_max_pixels


@settings(max_examples=60, deadline=None)
@given(sizes(2000), st.sampled_from([1.0, 4.0]), st.integers(4, 120))
def test_no_other_kept_size_is_nearer_to_the_wish(region: Size, upscale: float, most: int) -> None:
    f = 32
    shown = PixelLimits(f, 4 * f * f, 16384 * f * f).shown_size(region, upscale, most * f * f)
    scale = max(min(upscale, math.sqrt(most * f * f / region.area)), math.sqrt(4 * f * f / region.area))
    kept = [
        Size(w * f, h * f)
        for w in range(1, most + 1)
        for h in range(1, most // w + 1)
        if w * h >= 4 and max(w, h) <= 200 * min(w, h)
    ]

    def off(size: Size) -> float:
        return math.hypot(size.width - region.width * scale, size.height - region.height * scale)

    assert off(shown) <= min(off(size) for size in kept) + 1e-6


def test_a_shown_size_is_four_times_the_window_where_there_is_room() -> None:
    assert QWEN3.shown_size(Size(160, 80), 4, 4_000_000) == Size(640, 320)
    assert QWEN2_5.shown_size(Size(140, 70), 4, 4_000_000) == Size(560, 280)
    large = QWEN3.shown_size(Size(2560, 1440), 4, 4_000_000)
    assert large == Size(2656, 1504)
    assert QWEN3.shown_size(Size(1, 1), 4, 4_000_000) == Size(64, 64)


def test_image_tokens_count_the_view() -> None:
    assert QWEN3.image_tokens(Size(640, 320)) == 20 * 10
    uhd = Size(3840, 2160)
    assert PixelLimits(28, 3136, 1_000_000).image_tokens(uhd) < 1280
    assert PixelLimits(28, 3136, 12_845_056).image_tokens(uhd) == 137 * 77


@pytest.mark.parametrize(("factor", "least", "most"), [(0, 1, 100), (28, 1, 783), (28, 5000, 4000), (28, 800, 1000)])
def test_limits_between_which_no_size_fits_are_refused(factor: int, least: int, most: int) -> None:
    with pytest.raises(RegionError, match="raise max_pixels or lower min_pixels"):
        PixelLimits(factor, least, most)


@pytest.mark.engine
@settings(max_examples=300, deadline=None)
@given(sizes(), limits())
@example(Size(1080, 1920), QWEN2_5)
@example(Size(7680, 4320), PixelLimits(32, 4096, 1_000_000))
def test_the_view_is_what_the_processors_of_the_engine_make(size: Size, limit: PixelLimits) -> None:
    hf = pytest.importorskip("transformers.models.qwen2_vl.image_processing_pil_qwen2_vl").smart_resize
    loader = pytest.importorskip("qwen_vl_utils.vision_process").smart_resize
    view = limit.view_size(size)
    bounds = {"factor": limit.factor, "min_pixels": limit.min_pixels, "max_pixels": limit.max_pixels}
    height, width = loader(size.height, size.width, **bounds)
    if 0 not in (width, height):  # the loader's own fault on a thin image: a side of no pixels
        assert view == Size(width, height)
    if 2 * min(size.width, size.height) > limit.factor:  # below, the loader has made it one unit before
        height, width = hf(size.height, size.width, **bounds)
        assert view == Size(width, height)


@pytest.mark.engine
@settings(max_examples=200, deadline=None)
@given(sizes(), limits())
def test_the_engine_resizes_no_crop_a_second_time(size: Size, limit: PixelLimits) -> None:
    hf = pytest.importorskip("transformers.models.qwen2_vl.image_processing_pil_qwen2_vl").smart_resize
    loader = pytest.importorskip("qwen_vl_utils.vision_process").smart_resize
    shown = limit.shown_size(size, 4, 4_000_000)
    for rule in (hf, loader):
        kept = rule(
            shown.height, shown.width, factor=limit.factor, min_pixels=limit.min_pixels, max_pixels=limit.max_pixels
        )
        assert kept == (shown.height, shown.width)
