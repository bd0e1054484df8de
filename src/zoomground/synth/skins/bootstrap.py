"""Bootstrap 5: outlined buttons, grey bars."""

from __future__ import annotations

from zoomground.synth.skins.base import Skin

FIELD_CLASSES = {
    "textbox": "form-control",
    "searchbox": "form-control",
    "spinbutton": "form-control",
    "combobox": "form-select",
    "checkbox": "form-check-input",
    "radio": "form-check-input",
    "switch": "form-check-input",
    "slider": "form-range",
}
FIELD_WRAPS = {"switch": "form-check form-switch"}
FIELD_RULES = """
.form-control,.form-select{height:28px;padding:0 .7rem}
.form-select{padding-right:2rem}
.form-range{padding:0;height:1.5rem}
.form-check-input{width:1.15em;height:1.15em}
.form-check-input:not(:checked){border-color:var(--zg-muted)}
.form-switch .form-check-input{width:2.1em}
"""
"""Fields and toggles, which CoreUI has from Bootstrap."""

SKIN = Skin(
    "bootstrap",
    "bootstrap",
    ("dist/css/bootstrap.css",),
    classes={
        "button": "btn btn-outline-secondary",
        "button.primary": "btn btn-primary",
        "button.danger": "btn btn-danger",
        "button.icon": "btn",
        **FIELD_CLASSES,
        "tablist": "nav nav-tabs",
        "tab": "nav-link",
        "tab.selected": "active",
        "option": "list-group-item list-group-item-action",
        "menuitem": "dropdown-item",
        "card": "card",
        "menu": "dropdown-menu",
        "list": "list-group list-group-flush",
    },
    wraps=FIELD_WRAPS,
    css="""
html{--zg-bg:var(--bs-body-bg);--zg-panel:var(--bs-body-bg);--zg-bar:var(--bs-tertiary-bg);--zg-line:var(--bs-border-color);
--zg-text:var(--bs-body-color);--zg-muted:var(--bs-secondary-color);--zg-sel:var(--bs-primary-bg-subtle);
--zg-field:var(--bs-body-bg);--zg-sunk:var(--bs-secondary-bg);--zg-accent:var(--bs-link-color);--zg-on:#fff;
--zg-desk:#495057;--zg-r:var(--bs-border-radius)}
[data-bs-theme=dark]{--zg-on:#101418}
.btn{padding:.3rem .75rem}
.btn-outline-secondary{color:var(--zg-text)}
.btn.zg-only{border-color:transparent}
"""
    + FIELD_RULES
    + """.nav-link{padding:.35rem .8rem}
.list-group-item{padding:.35rem .7rem}
.dropdown-item{padding:.3rem .8rem}
.zg-q-menubar .dropdown-item{padding:.2rem .6rem}
.dropdown-menu{padding:.3rem 0}
""",
    light="data-bs-theme=light",
    dark="data-bs-theme=dark",
)
