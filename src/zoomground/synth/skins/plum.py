"""Own CSS: coloured bars over light panels, tabs like index cards."""

from __future__ import annotations

from zoomground.synth.skins.base import Skin, palette

SKIN = Skin(
    "plum",
    css=palette(
        "#f5f3f8 #fff #ece7f3 #cfc6dc #2a2135 #6d6280 #e5dbf5 #fff #e3dcec #6b3fa0 #fff #3d2a5c",
        "#19151f #221d2b #2b2436 #443a54 #e9e3f2 #a598b8 #43306a #15111b #110e16 #b892f0 #1a0f2b #0f0a18",
    )
    + """
:root{--zg-r:5px}
.zg-p-titlebar,.zg-p-taskbar{--zg-text:#fff;--zg-muted:#cdc1e0;--zg-accent:#dcc8f7;--zg-sel:#5f4788;--zg-field:#4e3a72;
--zg-line:#715d95;background:var(--zg-desk);color:#fff;border-color:transparent}
.zg-p-tablist{background:var(--zg-bar);align-items:flex-end}
.zg-tab{border:1px solid transparent;border-bottom:0;border-radius:var(--zg-r) var(--zg-r) 0 0}
.zg-tab.zg-selected{background:var(--zg-panel);border-color:var(--zg-line);color:var(--zg-accent)}
.zg-button:not(.zg-only,.zg-primary,.zg-danger){background:transparent;border-color:var(--zg-accent);color:var(--zg-accent)}
.zg-gridcell{border-right-color:transparent}
.zg-columnheader{border-bottom:2px solid var(--zg-accent)}
""",
    dark="data-dark",
)
