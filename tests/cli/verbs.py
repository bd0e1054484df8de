"""Runs a verb as the command line does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typer.testing import CliRunner

from zoomground.cli.app import app

if TYPE_CHECKING:
    from click.testing import Result

RUNNER = CliRunner()


def run(*arguments: object, text: str | bytes | None = None) -> Result:
    """Run ``zoomground ARGUMENTS`` with ``text`` on stdin; what is no deliberate exit fails the test."""
    return RUNNER.invoke(app, [str(argument) for argument in arguments], input=text, catch_exceptions=False)
