"""UIkit: thin frames, capital letters left as they are, square corners."""

from __future__ import annotations

from zoomground.synth.skins.base import Skin

SKIN = Skin(
    "uikit",
    "uikit",
    ("dist/css/uikit.css",),
    classes={
        "button": "uk-button uk-button-default",
        "button.primary": "uk-button uk-button-primary",
        "button.danger": "uk-button uk-button-danger",
        "button.icon": "uk-button uk-button-link",
        "textbox": "uk-input",
        "searchbox": "uk-input",
        "spinbutton": "uk-input",
        "combobox": "uk-select",
        "checkbox": "uk-checkbox",
        "radio": "uk-radio",
        "slider": "uk-range",
        "card": "uk-card uk-card-default",
        "dialog": "uk-modal-dialog",
        "menu": "uk-card uk-card-default",
    },
    css="""
html{--zg-bg:#f8f8f8;--zg-panel:#fff;--zg-bar:#fff;--zg-line:#e5e5e5;--zg-text:#444;--zg-muted:#777;--zg-sel:#e3f0fd;
--zg-field:#fff;--zg-sunk:#ededed;--zg-accent:#1e87f0;--zg-on:#fff;--zg-desk:#3b4552;--zg-r:0;color-scheme:light}
.uk-button{padding:.25rem 1.2rem;font-size:inherit}
.uk-button-link{color:var(--zg-text);padding:0}
.uk-button-link.zg-selected{color:var(--zg-accent)}
.uk-input,.uk-select{height:28px;padding:0 .7em}
.uk-select{padding-right:1.8em}
.uk-range{height:1.3em}
.zg-q-menu{padding:6px}
.zg-q-dialog{box-shadow:0 10px 40px rgba(0,0,0,.3)}
""",
    dark=None,
)
