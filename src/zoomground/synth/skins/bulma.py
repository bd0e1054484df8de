"""Bulma: airy, round, flat colours."""

from __future__ import annotations

from zoomground.synth.skins.base import Skin

SKIN = Skin(
    "bulma",
    "bulma",
    ("css/versions/bulma-no-helpers.css",),
    classes={
        "button": "button",
        "button.primary": "button is-link",
        "button.danger": "button is-danger",
        "button.icon": "button is-ghost",
        "textbox": "input",
        "searchbox": "input",
        "spinbutton": "input",
        "menuitem": "dropdown-item",
        "card": "box",
        "panel": "box",
        "dialog": "box",
    },
    css="""
html{--zg-bg:var(--bulma-scheme-main-bis);--zg-panel:var(--bulma-scheme-main);--zg-bar:var(--bulma-scheme-main-ter);
--zg-line:var(--bulma-border);--zg-text:var(--bulma-text);--zg-muted:var(--bulma-text-weak);--zg-sel:var(--bulma-link-soft);
--zg-field:var(--bulma-scheme-main);--zg-sunk:var(--bulma-background);--zg-accent:var(--bulma-link-on-scheme);--zg-on:#fff;
--zg-desk:#3c4258;--zg-r:.4rem}
[data-theme=dark]{color-scheme:dark}
.button{height:28px;padding:0 .9em;justify-content:center}
.button.is-ghost{color:var(--zg-text);text-decoration:none}
.button.is-ghost.zg-selected{color:var(--zg-accent)}
.input{height:28px;padding:0 .7em}
.dropdown-item{padding:.25rem .7rem;color:var(--zg-text)}
.zg-q-card,.zg-q-panel{box-shadow:0 1px 4px rgba(10,20,40,.16)}
""",
    light="data-theme=light",
    dark="data-theme=dark",
)
