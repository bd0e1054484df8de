"""Own CSS: no package, no network. Six palettes, chosen by the seed."""

from __future__ import annotations

from zoomground.synth.skins.base import Skin

_LIGHT = (
    "--zg-bg:#f3f5f8;--zg-panel:#fff;--zg-bar:#e8ebf0;--zg-line:#c9d0d9;--zg-text:#1d2530;--zg-muted:#5f6b7a;"
    "--zg-sel:#dbe8fb;--zg-field:#fff;--zg-sunk:#dfe3ea;--zg-accent:#1f6feb;--zg-on:#fff;--zg-desk:#31506e;--zg-r:4px"
)
_DARK = (
    "--zg-bg:#16191f;--zg-panel:#1e232b;--zg-bar:#262c36;--zg-line:#3d4654;--zg-text:#e4e8ee;--zg-muted:#98a3b3;"
    "--zg-sel:#243a5c;--zg-field:#12151a;--zg-sunk:#0f1216;--zg-accent:#58a6ff;--zg-on:#0b1320;--zg-desk:#0d1a2b;--zg-r:4px"
)

SKIN = Skin(
    "default",
    css=f":root{{{_LIGHT};color-scheme:light}}:root[data-dark]{{{_DARK};color-scheme:dark}}",
    dark="data-dark",
)
