"""``zoomground eval BENCH --data DIR --out DIR``: a model on a benchmark, in arms on the same items."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import typer

from zoomground import __version__
from zoomground.cli import answerers, endpoints
from zoomground.cli.answerers import Answerer
from zoomground.cli.eval_page import PAGE_NAME, write_eval_page
from zoomground.cli.output import AsJson, complain, emit, finish, note, paced, resumable, say, table
from zoomground.cli.scoring import recipe_in_force
from zoomground.data.files import write_bytes
from zoomground.evaluate.benchmarks import benchmark, benchmarks
from zoomground.evaluate.items import Scoring
from zoomground.evaluate.jobs import Evaluation
from zoomground.evaluate.plan import choose, plan, request
from zoomground.evaluate.replay import Replay, read_answers
from zoomground.evaluate.run import RECORDED, card, recorded_run, run
from zoomground.evaluate.scripted import SCRIPTED
from zoomground.evaluate.selfcheck import self_check
from zoomground.evaluate.summary import RESULTS_NAME, Summary
from zoomground.policies.completions import Thinking
from zoomground.recipe import Recipe

LEADERBOARD_NAME = "leaderboard.json"
_SHOWN = 5


@dataclass(frozen=True, slots=True)
class _Asked:
    """Which items, in which words, against which targets."""

    bench: str
    data: Path
    limit: int | None
    seed: int
    wording: str | None
    profile: str
    arms: str | None
    scoring: Scoring

    def evaluation(self, recipe: Recipe, answerer: Answerer | None, replay: Path | None) -> Evaluation:
        one = benchmark(self.bench)
        items, selection = choose(
            one.load(self.data, images=replay is None), limit=self.limit, seed=self.seed, wording=self.wording
        )
        settings = recipe.episode_settings()
        if answerer is not None and answerer.ends_in_think is not None:
            settings = replace(settings, prompt_ends_in_think=answerer.ends_in_think)
        return plan(
            one,
            items,
            profile_name=self.profile,
            arms=(RECORDED,) if replay is not None else tuple(self.arms.split(",")) if self.arms else (),
            settings=settings,
            model=answerers.replayed(replay) if answerer is None and replay else answerer.identity if answerer else {},
            scoring=self.scoring,
            rubric=recipe.rubric(),
            recipe_hash=recipe.hash,
            selection=selection,
        )


def evaluate(
    bench: Annotated[str, typer.Argument(metavar="BENCH", help=f"One of: {', '.join(benchmarks())}.")],
    *,
    data: Annotated[Path, typer.Option("--data", help="Where it was downloaded to.", exists=True)],
    out: Annotated[Path, typer.Option("--out", file_okay=False, help="Folder of the run; it goes on where it was.")],
    arms: Annotated[
        str | None, typer.Option(help="Of on, off, forced, with commas; default: on,off, or off for other profiles.")
    ] = None,
    profile: Annotated[str | None, typer.Option(help="Words and convention of the model; default: zoomground.")] = None,
    recipe: Annotated[
        Path | None, typer.Option(exists=True, dir_okay=False, help="Recipe whose rules and pixel limits are in force.")
    ] = None,
    replay: Annotated[Path | None, typer.Option(exists=True, dir_okay=False, help="Recorded answers.")] = None,
    policy: Annotated[str | None, typer.Option(help=f"A scripted player: {', '.join(SCRIPTED)}.")] = None,
    checkpoint: Annotated[Path | None, typer.Option(file_okay=False, help="A checkpoint on this machine.")] = None,
    device: Annotated[str, typer.Option(help="Where the checkpoint runs.")] = "cpu",
    base_url: endpoints.BaseUrlOption = None,
    model: endpoints.ModelOption = None,
    api_key: endpoints.KeyOption = None,
    env_file: endpoints.EnvFileOption = None,
    temperature: Annotated[float, typer.Option(min=0, help="0 decodes greedily, as tables want it.")] = 0.0,
    top_p: endpoints.TopPOption = None,
    max_tokens: endpoints.MaxTokensOption = 2560,
    timeout: endpoints.TimeoutOption = 300.0,
    retries: endpoints.RetriesOption = 4,
    extra: endpoints.ExtraBodyOption = None,
    thinking: endpoints.ThinkingOption = Thinking.KEEP,
    limit: Annotated[int | None, typer.Option(min=1, help="Ask so many items, drawn by the seed.")] = None,
    seed: Annotated[int, typer.Option(help="Seed of that choice, and of sampling.")] = 0,
    wording: Annotated[str | None, typer.Option(help="Other wording of the instructions, such as cn.")] = None,
    scoring: Annotated[Scoring, typer.Option(help="Targets that were meant, or as published.")] = Scoring.TRUE,
    concurrency: Annotated[int, typer.Option(min=1, help="Requests at the same time, or episodes in a batch.")] = 8,
    max_errors: Annotated[float, typer.Option(min=0, max=1, help="Share of errors above which to exit 1.")] = 0.01,
    export: Annotated[Path | None, typer.Option(dir_okay=False, help="Leaderboard document, also here.")] = None,
    page: Annotated[int, typer.Option(min=0, help=f"Draw so many items into {PAGE_NAME}, gains and losses first.")] = 0,
    show_request: Annotated[bool, typer.Option("--show-request", help="Print one request and ask nothing.")] = False,
    as_json: AsJson = False,
) -> None:
    """Evaluate a model; a run that was stopped goes on, errors are asked again. Exit 1 if too many errors are left."""
    _one_of(profile, replay=replay, policy=policy, checkpoint=checkpoint, base_url=base_url)
    drawn: dict[str, Any] = {"max_tokens": max_tokens, "temperature": temperature, "top_p": top_p}
    answerer, further = None, endpoints.extra_body(extra)
    if policy is not None:
        answerer = answerers.scripted(policy, concurrency)
    elif checkpoint is not None:
        answerer = answerers.local(checkpoint, size=concurrency, seed=seed, device=device, extra=further, **drawn)
    elif replay is None:
        endpoint = endpoints.find_endpoint(
            base_url, model, api_key, env_file, seed=seed if temperature else None, timeout_s=timeout, retries=retries,
            extra_body=further, thinking=thinking, **drawn,
        )  # fmt: skip
        answerer = answerers.served(endpoint, concurrency)
    asked = _Asked(bench, data, limit, seed, wording, profile or "zoomground", arms, scoring)
    evaluation = asked.evaluation(recipe_in_force(recipe).recipe, answerer, replay)
    if show_request:
        say(json.dumps(request(evaluation), indent=2, ensure_ascii=False))
    else:
        _carry_out(evaluation, answerer, replay, out, export, page=page, max_errors=max_errors, as_json=as_json)


def _one_of(profile: str | None, **given: object) -> None:
    """One who answers; recorded answers need their profile."""
    named = [f"--{name.replace('_', '-')}" for name, value in given.items() if value is not None]
    if len(named) > 1:
        raise typer.BadParameter(f"{' and '.join(named)}: name one who answers")
    if given["replay"] is not None and profile is None:
        raise typer.BadParameter("say how the recorded answers are written", param_hint="--profile")


def _carry_out(
    evaluation: Evaluation,
    answerer: Answerer | None,
    replay: Path | None,
    out: Path,
    export: Path | None,
    *,
    page: int,
    max_errors: float,
    as_json: bool,
) -> None:
    checked = self_check(evaluation, play=replay is None)
    note(f"self-check: oracle 100 %, anti-oracle 0 % of {checked['scored']} items, {checked['played']} episodes")
    if answerer is None:
        assert replay is not None  # noqa: S101 -- one of the two answers
        results, replayed = recorded_run(evaluation, read_answers(replay), out, version=__version__)
        _tell_replay(replayed, evaluation.scoring)
    else:
        with resumable(), paced("episodes") as shown:
            results = run(evaluation, answerer.player, out, version=__version__, on_progress=shown)
    summary = Summary.of(evaluation, results)
    about = dict(answerer.about) if answerer else {"file": str(replay)}
    made_with = card(evaluation, version=__version__)
    document = summary.write(out / RESULTS_NAME, made_with, about=about, self_check=checked)
    _export(summary, out, export)
    if page:
        write_eval_page(summary, results, out / PAGE_NAME, page)
    if as_json:
        emit({name: value for name, value in document.items() if name != "items"})
    else:
        _tell(summary)
        if page:
            say(f"\n{out / PAGE_NAME}")
    too_many = summary.error_share > max_errors
    if too_many:
        complain(
            f"{summary.errors} results are errors, more than {100 * max_errors:g} % of the items; they count as "
            "misses; the same command asks them again"
        )
    finish(problems=too_many)


def _tell(summary: Summary) -> None:
    for one in summary.tables():
        if one.rows:
            say(f"\n{one.title}")
            table(one.head, one.rows)
    for arm, figures in summary.arms.items():
        if figures.warning:
            note(f"warning: arm {arm}: {figures.warning}")
        for failure, count in list(figures.failures.items())[:_SHOWN]:
            note(f"arm {arm}: {count} errors: {failure}")


def _tell_replay(replayed: Replay, scoring: Scoring) -> None:
    for kind, found in (
        ("does not fit", replayed.mismatches),
        ("was recorded with another verdict", replayed.disagreements(scoring)),
    ):
        for one in found[:_SHOWN]:
            note(f"'{one.id}' {kind}: {one.why}")
        if found[_SHOWN:]:
            note(f"... and {len(found) - _SHOWN} more of these")


def _export(summary: Summary, out: Path, export: Path | None) -> None:
    """The leaderboard's document of each arm, where the benchmark has one and nothing is left to ask."""
    evaluation = summary.evaluation
    make = evaluation.benchmark.export
    if make is None:
        if export is not None:
            raise typer.BadParameter(f"{evaluation.benchmark.title} has no leaderboard document", param_hint="--export")
        return
    if summary.errors:
        note(f"{summary.errors} errors are left, so no leaderboard document is written")
        return
    for number, (arm, figures) in enumerate(summary.arms.items()):
        document = make(evaluation.items, figures.given)
        _write(out / (LEADERBOARD_NAME if len(summary.arms) == 1 else f"leaderboard-{arm}.json"), document)
        if export is not None:
            _write(export if number == 0 else export.with_stem(f"{export.stem}-{arm}"), document)


def _write(path: Path, document: Mapping[str, Any]) -> None:
    write_bytes(path, (json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False) + "\n").encode("utf-8"))
