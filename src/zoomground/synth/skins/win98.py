"""98.css: bevelled grey, a blue title bar. It has no dark form."""

from __future__ import annotations

from zoomground.synth.skins.base import Skin

_OUT = "inset -1px -1px #0a0a0a,inset 1px 1px #fff,inset -2px -2px grey,inset 2px 2px #dfdfdf"
_IN = "inset -1px -1px #fff,inset 1px 1px grey,inset -2px -2px #dfdfdf,inset 2px 2px #0a0a0a"

SKIN = Skin(
    "win98",
    "98.css",
    ("dist/98.css",),
    classes={
        "window": "window",
        "titlebar": "title-bar",
        "dialog": "window",
        "button": "",
        "button.primary": "default",
        "button.icon": "zg-flat",
        "combobox": "",
    },
    css=f"""
html{{--zg-bg:silver;--zg-panel:silver;--zg-bar:silver;--zg-line:grey;--zg-text:#111;--zg-muted:#444;--zg-sel:#000080;
--zg-field:#fff;--zg-sunk:#fff;--zg-accent:#000080;--zg-on:#fff;--zg-desk:#008080;--zg-r:0;color-scheme:light}}
.zg-e-button{{color:#111;text-shadow:none;min-width:0;min-height:0;height:24px}}
.zg-e-button.zg-danger{{color:#a00000;font-weight:bold}}
.zg-flat{{box-shadow:none;background:transparent}}
.zg-flat.zg-selected{{box-shadow:{_IN};background:#dfdfdf;color:#111}}
.zg-e-button.zg-selected{{box-shadow:{_IN};background:#dfdfdf;color:#111}}
.zg-e.zg-selected:not(.zg-e-button,.zg-e-tab){{background:#000080;color:#fff}}
.zg-selected .zg-t{{color:inherit}}
.zg-e.zg-selected:not(.zg-e-button,.zg-e-tab) .zg-flat{{color:#fff}}
.title-bar{{padding:0 3px;color:#fff}}
.title-bar .zg-flat{{background:silver;box-shadow:{_OUT};color:#111}}
.zg-checkbox,.zg-radio{{appearance:none;opacity:1;position:relative;width:13px;height:13px;background:#fff;box-shadow:{_IN}}}
.zg-radio{{border-radius:50%}}
.zg-checkbox:checked::after,.zg-radio:checked::after{{content:"";position:absolute;inset:28%;background:#111}}
.zg-checkbox:checked::after{{inset:20%;clip-path:polygon(0 45%,18% 30%,38% 55%,82% 8%,100% 24%,38% 90%)}}
.zg-radio:checked::after{{border-radius:50%}}
.zg-switch{{opacity:1;border-radius:0;box-shadow:{_IN}}}
.zg-switch::after{{border-radius:0;background:silver;box-shadow:{_OUT}}}
.zg-textbox,.zg-searchbox,.zg-spinbutton,.zg-field{{border:0;box-shadow:{_IN};background-color:#fff;height:22px}}
.zg-e-combobox{{height:22px;padding:0 22px 0 6px;color:#111}}
.zg-columnheader,.zg-rowheader{{color:#111;font-weight:normal;box-shadow:{_OUT};border:0}}
.zg-p-panel,.zg-p-card,.zg-p-menu{{border:0;box-shadow:{_OUT};padding:3px}}
.zg-p-table,.zg-p-list,.zg-p-tree{{background:#fff;box-shadow:{_IN};padding:2px}}
.zg-p-taskbar{{border:0;box-shadow:inset 0 1px #fff}}
.zg-tab{{box-shadow:{_OUT};border:0;height:24px;color:#111;border-radius:3px 3px 0 0}}
.zg-tab.zg-selected{{color:#111;font-weight:bold}}
""",
    dark=None,
    fonts=('"Liberation Sans", Arial, sans-serif',),
)
