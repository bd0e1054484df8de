"""``zoomground collect ROWS``: several episodes of every row.

The hits become SFT data; the pass rates say whether RL can work on these rows.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from zoomground.cli import endpoints
from zoomground.cli.output import AsJson, complain, emit, finish, needs_extra, note, paced, resumable, say, table
from zoomground.cli.scoring import RecipeOption, recipe_in_force
from zoomground.collect.kept import HITS_NAME, ROWS_NAME, write_hits, write_kept_rows, write_rates
from zoomground.collect.pass_rates import PassRates, by_row
from zoomground.collect.sampling import Sampling, sample_async, sample_batches
from zoomground.data.files import held
from zoomground.data.rows import Row, read_rows
from zoomground.policies.completions import Thinking
from zoomground.policies.endpoint import AHEAD, Endpoint, EndpointPolicy
from zoomground.protocol.settings import Arm, EpisodeSettings
from zoomground.task import Refusal

if TYPE_CHECKING:
    from zoomground.recipe import Recipe


def collect(
    rows: Annotated[Path, typer.Argument(exists=True, dir_okay=False, help="Training rows.")],
    *,
    out: Annotated[Path, typer.Option(file_okay=False, help="Folder of the episodes and of what is made of them.")],
    n: Annotated[int, typer.Option("--n", min=1, help="Episodes of each row.")] = 8,
    base_url: endpoints.BaseUrlOption = None,
    model: endpoints.ModelOption = None,
    api_key: endpoints.KeyOption = None,
    env_file: endpoints.EnvFileOption = None,
    checkpoint: Annotated[
        Path | None, typer.Option(exists=True, file_okay=False, help="In place of an endpoint: a checkpoint's folder.")
    ] = None,
    device: Annotated[str, typer.Option(help="Where the checkpoint runs.")] = "cpu",
    arm: Annotated[Arm, typer.Option(help="Whether zooming is allowed, or asked for.")] = Arm.ON,
    recipe: RecipeOption = None,
    temperature: Annotated[float, typer.Option(min=0, help="0 decodes greedily.")] = 1.0,
    top_p: endpoints.TopPOption = None,
    max_tokens: Annotated[int | None, typer.Option(min=1, help="Longest reply; default: the recipe's.")] = None,
    seed: Annotated[int | None, typer.Option(help="Generation i takes seed + i; default: an endpoint's own.")] = None,
    timeout: endpoints.TimeoutOption = 300.0,
    retries: endpoints.RetriesOption = 4,
    extra: endpoints.ExtraBodyOption = None,
    thinking: endpoints.ThinkingOption = Thinking.KEEP,
    concurrency: Annotated[int, typer.Option(min=1, help="Most requests at once, or episodes in a batch.")] = 16,
    keep_rate: Annotated[
        str | None, typer.Option(help="LOW..HIGH: write the rows whose pass rate lies inside, with their images.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Play every row several times; keep what hits as SFT messages, and tell the pass rates.

    A stopped run goes on where it was when the same command is given again; failed episodes are played again. Failed
    episodes are left out of every rate, and are exit code 1.
    """
    limits = _rates(keep_rate)
    loaded = recipe_in_force(recipe).recipe
    settings = loaded.episode_settings(arm)
    tokens = max_tokens or loaded.grpo.max_completion_length
    sampling = Sampling(_answerable(rows, settings), n, out, settings, loaded.rubric(), loaded.hash)
    terms: dict[str, Any] = {"rows": hashlib.sha256(rows.read_bytes()).hexdigest(), "rewards": _rewards(loaded)}
    # What is wrong with the endpoint is said before a folder is made.
    endpoint = None if checkpoint else endpoints.find_endpoint(
        base_url, model, api_key, env_file, temperature=temperature, top_p=top_p, max_tokens=tokens,
        timeout_s=timeout, retries=retries, extra_body=endpoints.extra_body(extra), thinking=thinking,
    )  # fmt: skip
    with held(out):
        with resumable(), paced("episodes") as pace:
            sampling = replace(sampling, on_progress=pace)
            if endpoint is not None:
                terms |= {"parameters": endpoint.parameters(), "thinking": thinking.value, "seed": seed}
                sampling.begin(terms)
                asyncio.run(_ask(sampling, endpoint, seed, concurrency))
            elif checkpoint is not None:
                nucleus = 1.0 if top_p is None else top_p
                drawing = {"temperature": temperature, "top_p": nucleus, "max_new_tokens": tokens}
                sampling.begin(terms | {"checkpoint": str(checkpoint.resolve()), "parameters": drawing})
                _play(sampling, checkpoint, batch_size=concurrency, seed=seed or 0, device=device, **drawing)
        _conclude(sampling, limits, as_json=as_json)


def _rates(text: str | None) -> tuple[float, float] | None:
    if text is None:
        return None
    low, dots, high = text.partition("..")
    try:
        limits = (float(low), float(high))
    except ValueError:
        limits = (1.0, 0.0)
    if not dots or not 0 <= limits[0] <= limits[1] <= 1:
        raise typer.BadParameter(f"'{text}' is not LOW..HIGH with 0 <= LOW <= HIGH <= 1", param_hint="--keep-rate")
    return limits


def _rewards(recipe: Recipe) -> dict[str, Any]:
    return recipe.model_dump(mode="json")["rewards"]  # type: ignore[no-any-return]


def _answerable(file: Path, settings: EpisodeSettings) -> list[Row]:
    """The rows that can be hit under these rules."""
    every = list(read_rows(file))
    chosen = [row for row in every if settings.allow_decline or not isinstance(row.task.target, Refusal)]
    if len(chosen) < len(every):
        note(f"{len(every) - len(chosen)} refusals left out: declining is not allowed (episode.allow_decline)")
    return chosen


async def _ask(sampling: Sampling, endpoint: Endpoint, seed: int | None, concurrency: int) -> None:
    async with EndpointPolicy(endpoint, in_flight=concurrency) as policy:
        await sample_async(
            sampling,
            lambda generation: policy if seed is None else policy.varied(seed=seed + generation),
            concurrency=concurrency + AHEAD,
        )


def _play(sampling: Sampling, checkpoint: Path, *, batch_size: int, seed: int, **options: Any) -> None:
    with needs_extra("train"):
        from zoomground.engines.local import LocalPolicy  # noqa: PLC0415 -- an optional part
    # What an earlier run drew is not drawn again.
    policy = LocalPolicy(checkpoint, batch_size=batch_size, seed=seed + len(sampling.records()), **options)
    sample_batches(sampling, policy, batch_size=batch_size)


def _conclude(sampling: Sampling, limits: tuple[float, float] | None, *, as_json: bool) -> None:
    row_keys = {sample.uuid: sample.row.key for sample in sampling.samples()}
    records = by_row(sampling.records().values(), row_keys)
    rates = PassRates.of((row.key for row in sampling.rows), records, sampling.n)
    figures = rates.to_dict()
    figures["hits_kept"] = write_hits(sampling.rows, records, sampling.out)
    if limits is not None:
        figures["rows_kept"] = write_kept_rows(sampling.rows, rates.inside(*limits), sampling.out)
    by_key = {row.key: row.task.id for row in sampling.rows}
    per_row = [
        {"id": by_key[key], "hits": tries.hits, "played": tries.played, "failed": tries.failed}
        for key, tries in rates.by_key.items()
    ]
    file = write_rates(sampling.out, {**figures, "by_row": per_row})
    if as_json:
        emit({**figures, "file": str(file)})
    else:
        _tell(figures, sampling.out)
    failures = sorted({one.trajectory.failure for found in records.values() for one in found if one.trajectory.failed})
    for failure in failures[:3]:
        complain(failure)
    finish(problems=bool(figures["failed"]))


def _tell(figures: Mapping[str, Any], out: Path) -> None:
    table(("pass rate", "share"), [(f"pass@{k}", value) for k, value in figures["pass_at"].items()])
    say(f"all wrong {_percent(figures['all_wrong'])}, all right {_percent(figures['all_right'])} of the rows")
    say(f"{figures['episodes']} episodes of {figures['rows']} rows, {figures['hits']} hits, {figures['failed']} failed")
    say(f"{figures['hits_kept']} hits with words of their own: {out / HITS_NAME}")
    if "rows_kept" in figures:
        say(f"{figures['rows_kept']} rows inside the rates: {out / ROWS_NAME}")


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.1f} %"
