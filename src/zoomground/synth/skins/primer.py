"""Primer CSS: the look of a code host, grey buttons with a fine shadow."""

from __future__ import annotations

from zoomground.synth.skins.base import Skin

SKIN = Skin(
    "primer",
    "@primer/css",
    tuple(f"dist/{name}.css" for name in ("primitives", "color-modes", "base", "buttons", "forms", "select-menu")),
    classes={
        "button": "btn",
        "button.primary": "btn btn-primary",
        "button.danger": "btn btn-danger",
        "button.icon": "btn-octicon",
        "textbox": "form-control",
        "searchbox": "form-control",
        "spinbutton": "form-control",
        "combobox": "form-select",
        "option": "SelectMenu-item",
    },
    css="""
html{--zg-bg:var(--bgColor-muted);--zg-panel:var(--bgColor-default);--zg-bar:var(--bgColor-muted);
--zg-line:var(--borderColor-default);--zg-text:var(--fgColor-default);--zg-muted:var(--fgColor-muted);
--zg-sel:var(--bgColor-accent-muted);--zg-field:var(--bgColor-default);--zg-sunk:var(--bgColor-neutral-muted);
--zg-accent:var(--fgColor-accent);--zg-on:#fff;--zg-desk:#24292f;--zg-r:6px}
.btn{padding:4px 14px}
.btn-octicon{color:var(--zg-text);border-radius:6px}
.form-control,.form-select{height:28px;padding:0 10px}
.form-select{padding-right:24px}
.SelectMenu-item{padding:5px 10px}
.SelectMenu-item:not(.zg-selected){background:transparent}
""",
    light="data-color-mode=light data-light-theme=light",
    dark="data-color-mode=dark data-dark-theme=dark",
)
