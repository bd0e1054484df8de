"""The command ``zoomground``: its verbs, and what becomes of errors.

Exit codes: 0 good, 1 problems found, 2 wrong use (of options, or of environment variables). An error that zoomground
raises on purpose is one line on stderr, never a traceback.
"""

from __future__ import annotations

import errno
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from zoomground import __version__
from zoomground.cli import (
    ask,
    audit_rewards,
    collect,
    compare,
    crop,
    data_card,
    demonstrate,
    evaluate,
    families,
    pack,
    parse,
    play,
    rebuild_crops,
    report,
    score,
    serve,
    settings,
    show,
    synth,
    train,
    validate,
    verify_data,
)
from zoomground.cli.output import PROBLEMS, WRONG_USE, complain, say
from zoomground.errors import UnknownVariableError, ZoomgroundError


class Verbs(TyperGroup):
    """The group of verbs; it turns errors into messages."""

    def invoke(self, ctx: Any) -> Any:
        """Run the verb that was asked for."""
        try:
            return super().invoke(ctx)
        except UnknownVariableError as error:
            complain(error)
            raise typer.Exit(WRONG_USE) from error
        except ZoomgroundError as error:
            complain(error)
        except OSError as error:
            if error.errno == errno.EPIPE:  # the reader of a pipe has gone; Typer ends quietly
                raise
            complain(f"{error.filename or 'file'}: {error.strerror or error}")
        raise typer.Exit(PROBLEMS)


app = typer.Typer(
    name="zoomground",
    cls=Verbs,
    help="Train, evaluate and inspect GUI grounding policies that zoom.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def _version(wanted: bool) -> None:
    if wanted:
        say(__version__)
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Train, evaluate and inspect GUI grounding policies that zoom."""


app.command("parse")(parse.parse_file)
app.command("crop")(crop.crop)
app.command("ask")(ask.ask)
app.command("play")(play.play)
app.command("serve")(serve.serve)
app.command("score")(score.score)
app.command("validate")(validate.validate)
app.command("collect")(collect.collect)
app.command("audit-rewards")(audit_rewards.audit)
app.command("rebuild-crops")(rebuild_crops.rebuild_crops)
app.command("show")(show.show)
app.command("report")(report.report)
app.command("list")(families.list_families)
app.command("settings")(settings.settings)
app.command("train")(train.train)
app.command("synth")(synth.synth)
app.command("demonstrate")(demonstrate.demonstrate)
app.command("data-card")(data_card.data_card)
app.command("pack")(pack.pack)
app.command("verify-data")(verify_data.verify_data)
app.command("eval")(evaluate.evaluate)
app.command("compare")(compare.compare_runs)


def main() -> None:
    """Entry point of the command."""
    app()
