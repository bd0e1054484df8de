"""Fomantic UI: grey buttons, framed segments, tabular tabs. It has no dark form of the whole page."""

from __future__ import annotations

from zoomground.synth.skins.base import Skin

SKIN = Skin(
    "fomantic",
    "fomantic-ui-css",
    tuple(f"components/{name}.css" for name in ("reset", "site", "button", "menu", "segment", "label", "list")),
    classes={
        "button": "ui button",
        "button.primary": "ui primary button",
        "button.danger": "ui negative button",
        "button.icon": "ui basic icon button",
        "tablist": "ui tabular menu",
        "tab": "item",
        "tab.selected": "active",
        "menu": "ui vertical menu",
        "menuitem": "item",
        "card": "ui segment",
        "panel": "ui segment",
        "dialog": "ui raised segment",
    },
    css="""
html{--zg-bg:#f7f7f8;--zg-panel:#fff;--zg-bar:#f3f4f5;--zg-line:rgba(34,36,38,.16);--zg-text:rgba(0,0,0,.87);
--zg-muted:rgba(0,0,0,.55);--zg-sel:rgba(33,133,208,.14);--zg-field:#fff;--zg-sunk:#e4e5e7;--zg-accent:#1e70bf;--zg-on:#fff;
--zg-desk:#1b1c1d;--zg-r:.28571429rem;color-scheme:light}
.ui.button{padding:.5em 1.1em}
.ui.basic.icon.button{box-shadow:none;background:transparent;color:var(--zg-text)}
.ui.basic.icon.button.zg-selected{background:var(--zg-sel);color:var(--zg-accent)}
.ui.tabular.menu{align-items:flex-end;min-height:0}
.ui.tabular.menu .item{padding:0 1em;height:28px;margin:0}
.ui.vertical.menu{border:1px solid var(--zg-line);background:#fff}
.zg-menuitem,.zg-e-menuitem.item{padding:.35em .8em}
.zg-q-dialog{box-shadow:0 4px 24px rgba(34,36,38,.35)}
""",
    dark=None,
)
