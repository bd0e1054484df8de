"""PatternFly 6: the look of consoles for servers, pill buttons, plain icons."""

from __future__ import annotations

from zoomground.synth.skins.base import Skin

SKIN = Skin(
    "patternfly",
    "@patternfly/patternfly",
    (
        "patternfly-base.css",
        *(
            f"components/{name}"
            for name in (
                "Button/button.css",
                "Card/card.css",
                "ModalBox/modal-box.css",
            )
        ),
    ),
    classes={
        "button": "pf-v6-c-button pf-m-secondary",
        "button.primary": "pf-v6-c-button pf-m-primary",
        "button.danger": "pf-v6-c-button pf-m-danger",
        "button.icon": "pf-v6-c-button pf-m-plain",
        "link": "pf-v6-c-button pf-m-link pf-m-inline",
        "card": "pf-v6-c-card",
        "panel": "pf-v6-c-card",
        "dialog": "pf-v6-c-modal-box",
    },
    css="""
html{--zg-bg:var(--pf-t--global--background--color--secondary--default);
--zg-panel:var(--pf-t--global--background--color--primary--default);
--zg-bar:var(--pf-t--global--background--color--secondary--default);--zg-line:var(--pf-t--global--border--color--default);
--zg-text:var(--pf-t--global--text--color--regular);--zg-muted:var(--pf-t--global--text--color--subtle);
--zg-sel:var(--pf-t--global--background--color--action--plain--clicked);
--zg-field:var(--pf-t--global--background--color--control--default);
--zg-sunk:var(--pf-t--global--background--color--secondary--hover);
--zg-accent:var(--pf-t--global--text--color--brand--default);--zg-on:var(--pf-t--global--text--color--on-brand--default);
--zg-desk:#151515;--zg-r:6px}
.pf-v6-c-button{padding:.3rem 1rem;color:var(--pf-v6-c-button--Color)}
.pf-v6-c-button.pf-m-inline{padding:0}
.pf-v6-c-card{border:1px solid var(--zg-line)}
""",
    dark="class=pf-v6-theme-dark",
)
