"""The recipe argument that several verbs take."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

RecipeFile = Annotated[
    Path | None,
    typer.Argument(
        envvar="ZOOMIN_RECIPE",
        exists=True,
        dir_okay=False,
        help="Recipe (TOML); without one: environment and defaults.",
    ),
]
