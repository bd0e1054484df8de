"""CoreUI: the look of admin consoles, filled buttons, underlined tabs."""

from __future__ import annotations

from zoomground.synth.skins.base import Skin

SKIN = Skin(
    "coreui",
    "@coreui/coreui",
    ("dist/css/coreui.css",),
    classes={
        "button": "btn btn-secondary",
        "button.primary": "btn btn-primary",
        "button.danger": "btn btn-danger",
        "button.icon": "btn btn-ghost-secondary",
        "textbox": "form-control",
        "searchbox": "form-control",
        "spinbutton": "form-control",
        "combobox": "form-select",
        "checkbox": "form-check-input",
        "radio": "form-check-input",
        "switch": "form-check-input",
        "slider": "form-range",
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
    wraps={"switch": "form-check form-switch"},
    css="""
html{--zg-bg:var(--cui-tertiary-bg);--zg-panel:var(--cui-body-bg);--zg-bar:var(--cui-body-bg);--zg-line:var(--cui-border-color);
--zg-text:var(--cui-body-color);--zg-muted:var(--cui-secondary-color);--zg-sel:var(--cui-primary-bg-subtle);
--zg-field:var(--cui-body-bg);--zg-sunk:var(--cui-secondary-bg);--zg-accent:var(--cui-link-color);--zg-on:#fff;
--zg-desk:#212631;--zg-r:var(--cui-border-radius)}
[data-coreui-theme=dark]{--zg-sel:#3a3667;--zg-accent:#aaa4f7}
.btn-ghost-secondary:not(.zg-selected){color:var(--zg-text)}
.btn{padding:.3rem .75rem}
.form-control,.form-select{height:28px;padding:0 .7rem}
.form-select{padding-right:2rem}
.form-range{padding:0;height:1.5rem}
.form-check-input{width:1.15em;height:1.15em}
.form-check-input:not(:checked){border-color:var(--zg-muted)}
.form-switch .form-check-input{width:2.1em}
.nav-link{padding:.35rem .6rem}
.nav-link.active{color:var(--zg-accent)}
.dropdown-item{padding:.3rem .8rem}
.zg-q-menubar .dropdown-item{padding:.2rem .6rem}
.dropdown-menu{padding:.3rem 0}
.zg-q-sidebar{color:var(--zg-text);background:var(--zg-panel);border-right:1px solid var(--zg-line);flex-basis:auto}
""",
    light="data-coreui-theme=light",
    dark="data-coreui-theme=dark",
)
