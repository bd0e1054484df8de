"""Own CSS: neutral greys and square corners, as tools for pictures and film have them."""

from __future__ import annotations

from zoomground.synth.skins.base import Skin, palette

SKIN = Skin(
    "graphite",
    css=palette(
        "#d6d6d6 #e4e4e4 #cdcdcd #a3a3a3 #1a1a1a #555 #bcd2ee #f4f4f4 #bdbdbd #2a6fc9 #fff #6a6a6a",
        "#2b2b2b #333 #3a3a3a #1c1c1c #dcdcdc #9a9a9a #3a4a5f #222 #1a1a1a #7fb2f0 #101010 #161616",
    )
    + """
:root{--zg-r:2px}
.zg-button:not(.zg-only,.zg-primary,.zg-danger){background:linear-gradient(rgba(255,255,255,.16),rgba(0,0,0,.06)),var(--zg-panel)}
.zg-p-tablist{background:var(--zg-sunk)}
.zg-tab{border-bottom:0;border-right:1px solid var(--zg-line)}
.zg-tab.zg-selected{background:var(--zg-panel)}
.zg-p-panel{border-color:var(--zg-line)}
.zg-only.zg-selected{box-shadow:inset 0 0 0 1px var(--zg-accent)}
""",
    dark="data-dark",
)
