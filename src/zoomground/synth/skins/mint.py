"""Own CSS: round and roomy, pills and soft shadows."""

from __future__ import annotations

from zoomground.synth.skins.base import Skin, palette

SKIN = Skin(
    "mint",
    css=palette(
        "#eef6f3 #fff #f6fbf9 #d5e5df #17352c #5c7a70 #d0f0e2 #f4faf7 #e0efe9 #0a8f68 #fff #2c7a62",
        "#10201b #172b25 #14261f #2c463d #dcefe8 #8fb0a4 #1d4d3d #0f1d18 #0b1613 #4cd6a6 #04251a #08231b",
    )
    + """
:root{--zg-r:9px}
.zg-button:not(.zg-only){border-radius:99px;padding:0 16px;border-color:transparent;background:var(--zg-sel)}
.zg-button.zg-primary{background:var(--zg-accent)}
.zg-button.zg-danger{background:#c92a2a}
.zg-only{border-radius:50%}
.zg-searchbox,.zg-field{border-radius:99px}
.zg-tab{border-bottom:0;border-radius:99px;margin:3px 2px;height:26px}
.zg-tab.zg-selected{background:var(--zg-sel);color:var(--zg-accent)}
.zg-p-card,.zg-p-panel{border-color:transparent;box-shadow:0 1px 4px rgba(0,40,25,.16);border-radius:var(--zg-r)}
.zg-gridcell,.zg-columnheader,.zg-rowheader{border-right-color:transparent}
""",
    dark="data-dark",
    fonts=('"DejaVu Sans", Verdana, sans-serif', '"Liberation Sans", Arial, sans-serif'),
)
