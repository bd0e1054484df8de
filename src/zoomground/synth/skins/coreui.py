"""CoreUI: the look of admin consoles, filled buttons, underlined tabs."""

from __future__ import annotations

from zoomground.synth.skins.base import Skin
from zoomground.synth.skins.bootstrap import FIELD_CLASSES, FIELD_RULES, FIELD_WRAPS

SKIN = Skin(
    "coreui",
    "@coreui/coreui",
    ("dist/css/coreui.css",),
    classes={
        "button": "btn btn-secondary",
        "button.primary": "btn btn-primary",
        "button.danger": "btn btn-danger",
        "button.icon": "btn btn-ghost-secondary",
        **FIELD_CLASSES,
        "tablist": "nav nav-underline-border",
        "tab": "nav-link",
        "tab.selected": "active",
        "treeitem": "nav-link",
        "menuitem": "dropdown-item",
        "card": "card",
        "panel": "card",
        "menu": "dropdown-menu",
        "sidebar": "sidebar",
    },
    wraps=FIELD_WRAPS,
    css="""
html{--zg-bg:var(--cui-tertiary-bg);--zg-panel:var(--cui-body-bg);--zg-bar:var(--cui-body-bg);--zg-line:var(--cui-border-color);
--zg-text:var(--cui-body-color);--zg-muted:var(--cui-secondary-color);--zg-sel:var(--cui-primary-bg-subtle);
--zg-field:var(--cui-body-bg);--zg-sunk:var(--cui-secondary-bg);--zg-accent:var(--cui-link-color);--zg-on:#fff;
--zg-desk:#212631;--zg-r:var(--cui-border-radius)}
[data-coreui-theme=dark]{--zg-sel:#3a3667;--zg-accent:#aaa4f7;--zg-on:#16142b}
.btn-ghost-secondary:not(.zg-selected){color:var(--zg-text)}
.btn{padding:.3rem .75rem}
"""
    + FIELD_RULES
    + """.nav-link{padding:.35rem .6rem}
.nav-link.active{color:var(--zg-accent)}
.dropdown-item{padding:.3rem .8rem}
.zg-q-menubar .dropdown-item{padding:.2rem .6rem}
.dropdown-menu{padding:.3rem 0}
.zg-q-sidebar{color:var(--zg-text);background:var(--zg-panel);border-right:1px solid var(--zg-line);flex-basis:auto}
""",
    light="data-coreui-theme=light",
    dark="data-coreui-theme=dark",
)
