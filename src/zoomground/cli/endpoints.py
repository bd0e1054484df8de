"""Which endpoint is asked, and how: the options that several verbs share.

Base URL, key and model come from the options, else from the environment, else from a ``.env`` file; the first that says
something wins. The core never reads any of these: it is given an `Endpoint`.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from zoomground.cli.output import needs_extra
from zoomground.cli.scoring import recipe_in_force
from zoomground.errors import ZoomgroundError
from zoomground.policies.completions import Thinking
from zoomground.policies.endpoint import Endpoint
from zoomground.protocol.settings import Arm, EpisodeSettings

ENV_FILE = Path("evaluation/.env.run")
"""Where the endpoint stands if nobody says otherwise; need not be there."""

BASE_URL_VARIABLE, KEY_VARIABLE, MODEL_VARIABLE = "OPENAI_BASE_URL", "OPENAI_API_KEY", "MODEL"

CLIENT_KEY_VARIABLE = "ZOOMGROUND_API_KEY"
"""What clients of our own server must send."""

BaseUrlOption = Annotated[
    str | None, typer.Option("--base-url", help="What stands before /chat/completions; else OPENAI_BASE_URL.")
]
ModelOption = Annotated[str | None, typer.Option("--model", help="The model's name there; else MODEL.")]
KeyOption = Annotated[
    str | None, typer.Option("--api-key", help="Bearer key; else OPENAI_API_KEY. Empty: the placeholder EMPTY.")
]
EnvFileOption = Annotated[
    Path | None,
    typer.Option("--env-file", exists=True, dir_okay=False, help=f"File of these variables; default: {ENV_FILE}."),
]
ArmOption = Annotated[Arm, typer.Option("--arm", help="Whether zooming is allowed, or asked for.")]
AllowDeclineOption = Annotated[bool, typer.Option("--allow-decline", help="Offer decline().")]
MaxCropsOption = Annotated[int | None, typer.Option("--max-crops", min=0, help="Crops in all; default: the recipe's.")]
RulesOption = Annotated[
    Path | None,
    typer.Option("--recipe", exists=True, dir_okay=False, help="Recipe whose rules and pixel limits are in force."),
]
SeedOption = Annotated[int | None, typer.Option("--seed", help="Seed of sampling, where the endpoint has one.")]
TopPOption = Annotated[float | None, typer.Option("--top-p", min=0, max=1, help="Nucleus; default: the endpoint's.")]
MaxTokensOption = Annotated[int, typer.Option("--max-tokens", min=1, help="Longest reply in tokens.")]
TimeoutOption = Annotated[float, typer.Option("--timeout", min=0.1, help="Longest wait for one answer, in s.")]
RetriesOption = Annotated[int, typer.Option("--retries", min=0, help="Further tries after a fault that may pass.")]
ExtraBodyOption = Annotated[
    str | None,
    typer.Option("--extra-body", help='Further keys of the request, as JSON: {"chat_template_kwargs": {...}}.'),
]
ThinkingOption = Annotated[Thinking, typer.Option("--thinking", help="What becomes of thinking in a field of its own.")]


def find_endpoint(
    base_url: str | None,
    model: str | None,
    api_key: str | None,
    env_file: Path | None,
    *,
    environ: Mapping[str, str] | None = None,
    default_model: str = "",
    **parameters: Any,
) -> Endpoint:
    """The endpoint that options, environment and file say.

    Args:
        base_url: The option; None: not given. Likewise ``model`` and ``api_key``.
        model: The model's name.
        api_key: The key.
        env_file: A file that was named; None: the default one, if it is there.
        environ: The environment variables; default: the process's own.
        default_model: The model where none is named.
        parameters: Further fields of `Endpoint`.

    Raises:
        ZoomgroundError: If URL or model stand nowhere, or make no sense.
    """
    find = _finder(env_file, environ)
    found_url, found_model = find(base_url, BASE_URL_VARIABLE), find(model, MODEL_VARIABLE) or default_model
    for value, option, name in (
        (found_url, "--base-url", BASE_URL_VARIABLE),
        (found_model, "--model", MODEL_VARIABLE),
    ):
        if not value:
            raise ZoomgroundError(f"no endpoint: give {option}, or set {name} in the environment or in {ENV_FILE}")
    return Endpoint(found_url, found_model, find(api_key, KEY_VARIABLE), **parameters)


def rules(recipe: Path | None, arm: Arm, *, allow_decline: bool, max_crops: int | None) -> EpisodeSettings:
    """The rules of an episode: the recipe's, but for what the options say."""
    settings = recipe_in_force(recipe).recipe.episode_settings(arm)
    return replace(
        settings,
        allow_decline=allow_decline or settings.allow_decline,
        max_tool_calls=settings.max_tool_calls if max_crops is None else max_crops,
    )


def find_client_key(given: str | None, env_file: Path | None) -> str:
    """The key that clients of our own server must send, from where keys of endpoints come from; empty for none."""
    return _finder(env_file, None)(given, CLIENT_KEY_VARIABLE)


def _finder(env_file: Path | None, environ: Mapping[str, str] | None) -> Callable[[str | None, str], str]:
    """What looks a value up: the option, the variable, the file, in this order; empty if it stands nowhere."""
    variables = os.environ if environ is None else environ
    file = env_file or (ENV_FILE if ENV_FILE.is_file() else None)
    filed = {} if file is None else _read(file)
    return lambda given, name: (
        (given or "").strip() or variables.get(name, "").strip() or (filed.get(name) or "").strip()
    )


def extra_body(text: str | None) -> dict[str, Any]:
    """The keys of --extra-body.

    Raises:
        typer.BadParameter: If the text is no JSON object.
    """
    if text is None:
        return {}
    try:
        value = json.loads(text)
    except ValueError as error:
        raise typer.BadParameter(f"'{text[:80]}' is not JSON: {error}", param_hint="--extra-body") from error
    if not isinstance(value, dict):
        raise typer.BadParameter(f"'{text[:80]}' is not a JSON object", param_hint="--extra-body")
    return value


def _read(file: Path) -> dict[str, str | None]:
    with needs_extra("client"):
        from dotenv import dotenv_values  # noqa: PLC0415 -- an optional part
    values: dict[str, str | None] = dotenv_values(file, interpolate=False)
    return values
