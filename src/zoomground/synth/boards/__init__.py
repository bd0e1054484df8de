"""Boards: pages of a closed vocabulary, on which a checkpoint of two million weights can learn to read and to point.

A board shows named icons at two scales. Tiles are large enough to be read in the first look; the buttons of a floating
palette are so small there that only a crop tells them apart. A board is a layout of flat parts at whole px, so that the
page that Chromium renders and the one that `zoomground.synth.boards.sheet` lays out of parts that Chromium rendered
before look the same, but for the smoothed edges of strokes: a curriculum sees millions of boards, without a browser.
"""
