"""Own CSS: a plain blue desktop."""

from __future__ import annotations

from zoomground.synth.skins.base import Skin, palette

SKIN = Skin(
    "default",
    css=palette(
        "#f3f5f8 #fff #e8ebf0 #c9d0d9 #1d2530 #5f6b7a #dbe8fb #fff #dfe3ea #1f6feb #fff #31506e",
        "#16191f #1e232b #262c36 #3d4654 #e4e8ee #98a3b3 #243a5c #12151a #0f1216 #58a6ff #0b1320 #0d1a2b",
    )
    + ":root{--zg-r:4px}",
    dark="data-dark",
)
