"""``zoomground serve --upstream URL``: the zoom loop behind an OpenAI-compatible endpoint of our own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from zoomground.cli import endpoints
from zoomground.cli.output import INTERRUPTED, AsJson, emit, needs_extra, note
from zoomground.policies.completions import Thinking
from zoomground.policies.endpoint import Endpoint, EndpointPolicy
from zoomground.protocol.settings import Arm, EpisodeSettings
from zoomground.serve.limits import Limits
from zoomground.serve.service import ANY_MODEL

if TYPE_CHECKING:
    from zoomground.serve.access import Access


def serve(
    *,
    upstream: Annotated[
        str | None,
        typer.Option("--upstream", "--base-url", help="The model's endpoint, as for ask; else OPENAI_BASE_URL."),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option("--model", help="The one model that is served; else MODEL, else the one that a request names."),
    ] = None,
    upstream_key: Annotated[
        str | None, typer.Option("--upstream-key", help="Key for the upstream; else OPENAI_API_KEY.")
    ] = None,
    api_key: Annotated[
        str | None,
        typer.Option("--api-key", help="Key that clients must send; else ZOOMGROUND_API_KEY. Default: none is asked."),
    ] = None,
    env_file: endpoints.EnvFileOption = None,
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port to listen on; 0: a free one.")] = 8100,
    arm: endpoints.ArmOption = Arm.ON,
    allow_decline: endpoints.AllowDeclineOption = False,
    max_crops: endpoints.MaxCropsOption = None,
    recipe: endpoints.RulesOption = None,
    temperature: Annotated[float, typer.Option(min=0, help="Where a request says none; 0 decodes greedily.")] = 0.0,
    top_p: endpoints.TopPOption = None,
    max_tokens: endpoints.MaxTokensOption = 2560,
    seed: endpoints.SeedOption = None,
    timeout: endpoints.TimeoutOption = 300.0,
    retries: endpoints.RetriesOption = 4,
    extra: endpoints.ExtraBodyOption = None,
    thinking: endpoints.ThinkingOption = Thinking.KEEP,
    max_body: Annotated[float, typer.Option(min=0.001, help="Largest body of a request, in MiB.")] = 32.0,
    max_image_pixels: Annotated[int, typer.Option(min=1, help="Largest screenshot, in px.")] = 36_000_000,
    concurrency: Annotated[int, typer.Option(min=1, help="Most episodes at once.")] = 8,
    queue: Annotated[int, typer.Option(min=0, help="Most requests that wait; further ones get 429.")] = 16,
    time_limit: Annotated[float, typer.Option(min=0.1, help="Longest time for a request, in s.")] = 600.0,
    grace: Annotated[int, typer.Option(min=0, help="How long SIGTERM waits for running requests, in s.")] = 30,
    as_json: AsJson = False,
) -> None:
    """Serve chat completions: a screenshot and an instruction in, the crop loop inside, one point out.

    One short line for each request goes to stderr; with --json each is a JSON document on stdout.
    """
    endpoint = endpoints.find_endpoint(
        upstream, model, upstream_key, env_file, default_model=ANY_MODEL, temperature=temperature, top_p=top_p,
        max_tokens=max_tokens, seed=seed, timeout_s=timeout, retries=retries, extra_body=endpoints.extra_body(extra),
        thinking=thinking,
    )  # fmt: skip
    settings = endpoints.rules(recipe, arm, allow_decline=allow_decline, max_crops=max_crops)
    limits = Limits(int(max_body * 2**20), max_image_pixels, concurrency, queue, time_limit)
    key = endpoints.find_client_key(api_key, env_file)
    _serve(endpoint, settings, limits, key=key, host=host, port=port, grace=grace, as_json=as_json)


def _serve(
    endpoint: Endpoint, settings: EpisodeSettings, limits: Limits,
    *, key: str, host: str, port: int, grace: int, as_json: bool,
) -> None:  # fmt: skip
    with needs_extra("serve"):
        from zoomground.serve.app import create_app  # noqa: PLC0415 -- an optional part
        from zoomground.serve.server import is_loopback, listen, run  # noqa: PLC0415
    local = is_loopback(host)
    app = create_app(
        EndpointPolicy(endpoint), settings, limits=limits, api_key=key, local_names_only=local and not key,
        on_access=_teller(as_json=as_json),
    )  # fmt: skip
    listener = listen(host, port)
    if not local and not key:
        note(f"warning: {host} is reached from other machines, and no key is asked for; set ZOOMGROUND_API_KEY")
    url = f"http://{f'[{host}]' if ':' in host else host}:{listener.getsockname()[1]}/v1"
    try:
        run(app, listener, grace_s=grace, announce=lambda: _announce(url, endpoint, as_json=as_json))
    except KeyboardInterrupt:
        raise typer.Exit(INTERRUPTED) from None


def _announce(url: str, endpoint: Endpoint, *, as_json: bool) -> None:
    if as_json:
        emit({"event": "listening", "url": url, "upstream": endpoint.base_url, "model": endpoint.model})
    else:
        note(f"serving {url}, upstream {endpoint.base_url}")


def _teller(*, as_json: bool) -> Callable[[Access], None]:
    """What tells of a request that is over."""
    if as_json:
        return lambda access: emit({"event": "request", **asdict(access)})
    return lambda access: note(access.line())
