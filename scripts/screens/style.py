"""The look of the shipped screens: skins (accent, corners, face) times themes (light, dark), as one style sheet."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Theme = Literal["light", "dark"]

SANS = '"Liberation Sans", Arial, sans-serif'
WIDE = '"DejaVu Sans", Verdana, sans-serif'


@dataclass(frozen=True)
class Skin:
    """One look.

    Attributes:
        accent: Colour of primary things, for (light, dark).
        face: CSS font family list.
        font_px: Text size of the body in px.
        radius_px: Corner radius of buttons and cards in px.
        hue: Hue of the greys in degrees.
    """

    accent: tuple[str, str]
    face: str
    font_px: int
    radius_px: int
    hue: int


TRAIN_SKINS = {
    "plain": Skin(("#1f6feb", "#58a6ff"), SANS, 13, 4, 215),
    "soft": Skin(("#7048e8", "#a78bfa"), WIDE, 12, 9, 255),
    "steel": Skin(("#0b7285", "#3bc9db"), SANS, 13, 0, 195),
    "warm": Skin(("#d9480f", "#ff922b"), WIDE, 12, 5, 30),
}
HELDOUT_SKINS = {
    "forest": Skin(("#2b8a3e", "#69db7c"), SANS, 13, 6, 130),
    "rose": Skin(("#c2255c", "#f783ac"), WIDE, 12, 3, 335),
}


def _colours(skin: Skin, theme: Theme) -> str:
    """The custom properties of a skin in a theme."""
    hue = skin.hue
    if theme == "light":
        shades = {"bg": "14%,95%", "panel": "0%,100%", "bar": "14%,91%", "line": "12%,82%", "text": "20%,13%"}
        shades |= {"muted": "8%,42%", "sel": "70%,91%", "field": "0%,100%", "sunk": "12%,88%"}
    else:
        shades = {"bg": "10%,11%", "panel": "10%,15%", "bar": "10%,19%", "line": "8%,28%", "text": "14%,90%"}
        shades |= {"muted": "8%,62%", "sel": "35%,26%", "field": "10%,10%", "sunk": "10%,8%"}
    rules = "".join(f"--{name}:hsl({hue},{value});" for name, value in shades.items())
    return rules + f"--accent:{skin.accent[theme == 'dark']};--on:{'#fff' if theme == 'light' else '#10131a'};"


_RULES = """\
*{box-sizing:border-box;margin:0;padding:0}
html,body{overflow:hidden;height:100%}
body{display:flex;flex-direction:column;background:var(--bg);color:var(--text);line-height:1.35;cursor:default}
button,input,select{font:inherit;color:inherit;background:none;border:0}
svg{display:block;flex:none}
.row{display:flex;align-items:center;min-width:0}.col{display:flex;flex-direction:column;min-width:0;min-height:0}
.grow{flex:1 1 0;min-width:0;min-height:0;overflow:hidden}.none{flex:none}
.g2{gap:2px}.g4{gap:4px}.g8{gap:8px}.g12{gap:12px}.g16{gap:16px}.g24{gap:24px}
.p4{padding:4px}.p8{padding:8px}.p12{padding:12px}.p16{padding:16px}.p24{padding:24px}
.bar{background:var(--bar);border-bottom:1px solid var(--line)}
.panel{background:var(--panel)}.sunk{background:var(--sunk)}
.bl{border-left:1px solid var(--line)}.br{border-right:1px solid var(--line)}
.bt{border-top:1px solid var(--line)}.bb{border-bottom:1px solid var(--line)}
.card{background:var(--panel);border:1px solid var(--line);border-radius:var(--r);text-align:left}
.muted{color:var(--muted)}.b{font-weight:bold}.sm{font-size:11px}.lg{font-size:17px}.xl{font-size:24px}.accent{color:var(--accent)}
.clip{white-space:nowrap;overflow:hidden;text-overflow:ellipsis}
.ib{display:inline-flex;align-items:center;justify-content:center;flex:none;border-radius:min(var(--r),4px)}
.ib.on{background:var(--sel);color:var(--accent)}.ib.box{border:1px solid var(--line);background:var(--panel)}
.btn{display:inline-flex;align-items:center;justify-content:center;gap:6px;padding:0 14px;height:32px;flex:none;
 border:1px solid var(--line);border-radius:var(--r);background:var(--panel);white-space:nowrap}
.btn.pri{background:var(--accent);border-color:var(--accent);color:var(--on);font-weight:bold}
.btn.big{height:64px;font-size:16px;padding:0 28px}
.inp{height:30px;padding:0 9px;border:1px solid var(--line);border-radius:min(var(--r),5px);background:var(--field);min-width:0;width:100%}
.cb,.rb{appearance:none;width:14px;height:14px;flex:none;border:1px solid var(--muted);border-radius:3px;background:var(--field)}
.rb{border-radius:4px}
.cb:checked{background:var(--accent) url("data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 12 12'%3E\
%3Cpath d='M2.5 6.5l2.5 2.5 4.5-6' fill='none' stroke='white' stroke-width='2'/%3E%3C/svg%3E");border-color:var(--accent)}
.fill svg{width:100%}span>.ib,span>.cb{vertical-align:middle}
.tg{width:34px;height:18px;border-radius:5px;background:var(--muted);flex:none;display:flex;align-items:center;padding:2px}
.tg i{width:14px;height:14px;border-radius:4px;background:#fff}.tg.on{background:var(--accent);justify-content:flex-end}
.mi{height:22px;padding:0 9px;display:inline-flex;align-items:center;border-radius:3px}
.nav{height:32px;padding:0 10px;gap:9px;display:flex;align-items:center;border-radius:var(--r);white-space:nowrap;overflow:hidden}
.nav.on{background:var(--sel);color:var(--accent);font-weight:bold}
.sep{width:1px;height:18px;background:var(--line);flex:none;margin:0 4px}
.av{border-radius:50%;display:flex;align-items:center;justify-content:center;color:#fff;font-weight:bold;flex:none}
.chip{height:20px;padding:0 8px;border-radius:5px;display:inline-flex;align-items:center;font-size:11px;white-space:nowrap;
 background:var(--sel);flex:none}
.th{font-weight:bold;color:var(--muted);font-size:11px}
.mono{font-family:"DejaVu Sans Mono","Liberation Mono",monospace}
.serif{font-family:"Liberation Serif","Times New Roman",serif}
"""


def sheet(skin: Skin, theme: Theme) -> str:
    """The style sheet of one page."""
    root = f":root{{{_colours(skin, theme)}--r:{skin.radius_px}px;color-scheme:{theme}}}"
    return f"{root}\n{_RULES}\nbody{{font-family:{skin.face};font-size:{skin.font_px}px}}"
