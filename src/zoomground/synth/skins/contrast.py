"""Own CSS: black on white (or white on black), thick borders, for eyes that need contrast."""

from __future__ import annotations

from zoomground.synth.skins.base import Skin, palette

SKIN = Skin(
    "contrast",
    css=palette(
        "#fff #fff #fff #000 #000 #333 #ffe600 #fff #eee #0000c8 #fff #444",
        "#000 #000 #000 #fff #fff #ddd #1a4f8a #000 #111 #ffe600 #000 #000",
    )
    + """
:root{--zg-r:0}
.zg-button:not(.zg-only),.zg-textbox,.zg-searchbox,.zg-combobox,.zg-spinbutton,.zg-field{border-width:2px}
.zg-button{font-weight:bold}
.zg-tab.zg-selected{border-bottom-width:4px;font-weight:bold}
.zg-e.zg-selected{color:var(--zg-text);outline:2px solid var(--zg-text);outline-offset:-2px}
.zg-link{text-decoration:underline}
""",
    dark="data-dark",
    fonts=('"DejaVu Sans", Verdana, sans-serif', '"Liberation Sans", Arial, sans-serif'),
)
