"""Own CSS: warm paper, serif faces, hairlines."""

from __future__ import annotations

from zoomground.synth.skins.base import Skin, palette

SKIN = Skin(
    "paper",
    css=palette(
        "#f6f1e7 #fffdf8 #efe7d8 #d8cbb4 #3a2f24 #85755f #f1e2c0 #fffdf8 #e8dec9 #9a4a1f #fff #7d6b52",
        "#211c17 #2a241e #332c24 #4d4236 #ece2d3 #a8987f #4a3a22 #1b1713 #17130f #e0a060 #221608 #120e0a",
    )
    + """
:root{--zg-r:3px}
.zg-button{border-width:0 0 1px;background:var(--zg-bar)}
.zg-button.zg-only{background:transparent;border-color:transparent}
.zg-textbox,.zg-combobox,.zg-spinbutton{border-width:0 0 1px;border-radius:0}
.zg-p-card{box-shadow:0 1px 3px rgba(60,40,10,.2)}
.zg-p-titlebar{border-bottom:3px double var(--zg-line)}
.zg-columnheader,.zg-rowheader{background:transparent;font-style:italic;font-weight:normal}
.zg-gridcell{border-right-color:transparent}
""",
    dark="data-dark",
    fonts=('"Liberation Serif", "DejaVu Serif", serif', '"DejaVu Serif", "Liberation Serif", serif'),
)
