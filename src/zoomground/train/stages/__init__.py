"""Our own stages of a run: one file each, one process each, so that a stage's memory is given back when it ends.

A stage reads the recipe from the environment that the launcher gave it, writes into the run folder, tells how far it
is, and ends with a message and exit code 1 on an error that a person can mend.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from zoomground.errors import ZoomgroundError
from zoomground.recipe import LoadedRecipe, active_settings
from zoomground.train.folder import RunFolder

if TYPE_CHECKING:
    from collections.abc import Callable


def carry_out(stage: Callable[[LoadedRecipe, RunFolder], None]) -> None:
    """Run a stage with the recipe in force, as the body of its process."""
    try:
        loaded = active_settings().loaded
        stage(loaded, RunFolder.of(loaded))
    except ZoomgroundError as error:
        sys.exit(f"error: {error}")
