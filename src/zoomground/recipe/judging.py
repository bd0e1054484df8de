"""The section of a recipe that says who judges reasoning, and what of it decides how a run comes out."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003 -- pydantic reads it
from typing import Annotated, Any

from pydantic import Field, SecretStr

from zoomground.errors import RecipeError
from zoomground.judge.settings import KEY_VARIABLE, PROMPT_VERSION, JudgeSettings, Language
from zoomground.policies.completions import Thinking
from zoomground.policies.endpoint import Endpoint
from zoomground.recipe.section import Env, Section

SEED = 0
"""Seed of the judge's sampling, where its endpoint has one: one record has one verdict."""


class Judge(Section):
    """Who judges the reasoning (docs/JUDGE_PROTOCOL.md). Without an address nobody does."""

    api_base: Annotated[tuple[str, ...], Env("ZOOMIN_COT_RM_API_BASE")] = Field(
        default=(),
        description="Base address of each endpoint, in the environment space-separated; none: no judge, no request",
    )
    model: Annotated[str, Env("ZOOMIN_COT_RM_MODEL")] = Field(
        default="", description="The judge's name at its endpoints; all serve the same model"
    )
    api_key: Annotated[tuple[SecretStr, ...], Env(KEY_VARIABLE)] = Field(
        default=(), description="Bearer key, one for all endpoints or one for each; only in the environment"
    )
    language: Annotated[Language, Env("ZOOMIN_COT_RM_LANGUAGE")] = Field(
        default=Language.EN, description="Language of the judge's instructions"
    )
    prompt_version: str = Field(default=PROMPT_VERSION, description="Version of the judge's instructions")
    concurrency: Annotated[int, Env("ZOOMIN_COT_RM_CONCURRENCY")] = Field(
        default=64, ge=1, description="Requests that the whole run may have out at the same time"
    )
    timeout_s: Annotated[float, Env("ZOOMIN_COT_RM_TIMEOUT")] = Field(
        default=60.0, gt=0, description="Longest wait for one reply, s"
    )
    deadline_s: Annotated[float, Env("ZOOMIN_COT_RM_DEADLINE")] = Field(
        default=300.0, gt=0, le=540, description="Longest time for all verdicts of a step, s; then the neutral score"
    )
    cache: Annotated[Path | None, Env("ZOOMIN_COT_RM_CACHE")] = Field(
        default=None, description="Folder of verdicts, may be shared by runs; unset: judge/ of the trainer's folder"
    )
    max_tokens: int = Field(default=1024, ge=1, description="Longest reply of the judge, its thinking included")
    extra_body: dict[str, Any] = Field(
        default_factory=dict,
        description='Further keys of each request; in the environment: JSON, {"chat_template_kwargs": {...}}',
    )

    @property
    def on(self) -> bool:
        """Whether there is a judge."""
        return bool(self.api_base)

    def settings(self, cache_dir: Path | None = None) -> JudgeSettings | None:
        """The judge that these values make; None if there is none.

        Args:
            cache_dir: Where verdicts are kept, as this process can open it.

        Raises:
            RecipeError: If the values make no judge.
        """
        if not self.on:
            return None
        if not self.model:
            raise RecipeError(
                "judge.api_base is set and judge.model (ZOOMIN_COT_RM_MODEL) is not; name the judge's model"
            )
        keys = [key.get_secret_value() for key in self.api_key] or [""]
        if len(keys) not in {1, len(self.api_base)}:
            raise RecipeError(
                f"judge.api_key ({KEY_VARIABLE}) holds {len(keys)} keys for {len(self.api_base)} addresses: "
                "give one for all, or one for each"
            )
        keys *= len(self.api_base) // len(keys)
        return JudgeSettings(
            endpoints=tuple(self._endpoint(base, key) for base, key in zip(self.api_base, keys, strict=True)),
            language=self.language,
            prompt_version=self.prompt_version,
            concurrency=self.concurrency,
            deadline_s=self.deadline_s,
            cache_dir=cache_dir,
        )

    def _endpoint(self, base_url: str, api_key: str) -> Endpoint:
        return Endpoint(
            base_url,
            self.model,
            api_key,
            temperature=0.0,
            seed=SEED,
            max_tokens=self.max_tokens,
            timeout_s=self.timeout_s,
            extra_body=self.extra_body,
            # Reasoning in a field of its own is none of the verdict's business.
            thinking=Thinking.DROP,
        )
