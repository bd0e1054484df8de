"""The multi-turn scheduler: ms-swift's hooks on one side, `GroundingEnv` on the other, no rule of its own.

Only hooks and `step` are used, so the same class serves the rollout server (`MultiTurnScheduler.run`), colocated vLLM,
the transformers engine and trainer-driven HTTP (all three through ``run_multi_turn``). What the loops of ms-swift
4.6.0 do around the hooks, and what follows from it here:

- The hooks are the same object's methods for all trajectories, in event loops that come and go: the state of an
  episode is keyed by the request's uuid, and no lock or task outlives a hook.
- An exception in a hook ends the training run: every hook catches what breaks and ends that one episode.
- ``max_turns`` is enforced outside: the environment is told, so that it ends its own last turn.
- After a step the earlier assistant messages are lists of token ids. The record therefore travels in
  ``rollout_infos``, and so do the images: the whole ordered list, one for each ``<image>`` tag.
- Log-probs are read from the choice before or after the ids, depending on the loop: `clean` changes the choice itself,
  as early as a hook sees it.
"""

from __future__ import annotations

import asyncio
import logging
import time
import uuid
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeVar

from swift.rollout import MultiTurnScheduler

from zoomground.engines.swift.active import EngineSettings, engine_settings
from zoomground.engines.swift.pictures import UNREADABLE, Shelf, kept_as_path
from zoomground.engines.swift.processed import threads
from zoomground.engines.swift.references import enlarge_crops, open_reference
from zoomground.engines.swift.sanitize import MediaIds, clean
from zoomground.engines.swift.served import ServedPictures
from zoomground.engines.swift.session import TASK_COLUMN, Assignment, Request, Session, open_session
from zoomground.protocol.messages import to_tagged
from zoomground.trajectory import StopReason

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    from swift.infer_engine.protocol import ChatCompletionResponseChoice, RequestConfig, RolloutInferRequest

    from zoomground.engines.swift.stopwatch import Stopwatch

T = TypeVar("T")

TRAJECTORY_KEY = "zoomin_trajectory"
"""Key of ``rollout_infos`` that holds the record as JSON."""

COUNTS_KEY = "zoomin_counts"
"""Key of ``rollout_infos`` that holds what was neutralised, by kind."""

TOKENS_KEY = "zoomin_turn_tokens"
"""Key of ``rollout_infos`` that holds the number of sampled tokens of each turn."""

CPU_KEY = "zoomin_cpu_s"
"""Key of ``rollout_infos`` that holds the CPU seconds of the environment."""

WAIT_KEY = "zoomin_wait_s"
"""Key of ``rollout_infos`` that holds the seconds that the episode waited for the environment."""

RECIPE_KEY = "zoomin_recipe"
"""Key of ``rollout_infos`` that holds the hash of the recipe that the rollouts were played by."""

_TEMPLATE_TOKENS = 16
"""Tokens that a chat template puts around one message, and around one image; an upper bound for the families here."""

_OPENINGS_KEPT = 64
"""Messages at the beginning of episodes whose number of tokens is kept."""

_BYTES_A_TOKEN = 3
"""Without a tokenizer a token is taken for this many bytes of UTF-8: few enough never to fall short by much."""

_logger = logging.getLogger(__name__)

# Whoever plays these episodes gets crops that are to be enlarged where they are read.
enlarge_crops()


class ZoominGroundingScheduler(MultiTurnScheduler):
    """Drives one `GroundingEnv` for each rollout request.

    Args:
        infer_engine: The rollout server's engine; None when the trainer drives.
        max_turns: ms-swift's ``--max_turns``; the smaller of it and the settings' is in force.
        tokenizer: Given when there is no engine; on the server ms-swift passes the template's.
        template: The trainer's template.
        settings: Default: the active ones.
        kwargs: What ms-swift passes to other schedulers.
    """

    def __init__(
        self,
        infer_engine: Any = None,
        max_turns: int | None = None,
        *,
        tokenizer: Any = None,
        template: Any = None,
        settings: EngineSettings | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(infer_engine, max_turns, tokenizer=tokenizer, template=template, **kwargs)
        self._settings = settings or engine_settings()
        episode = self._settings.episode
        self._episode = replace(
            episode,
            max_turns=min(max_turns or episode.max_turns, episode.max_turns),
            # ms-swift puts the response prefix in front of the text that the hooks see.
            prompt_ends_in_think=False,
        )
        self._reply_tokens = self._settings.reply_tokens
        self._sessions: dict[str, Session] = {}
        kept_bytes = round(self._settings.pictures_gb * 1e9)
        self._shelf = Shelf(open_reference, kept_bytes)
        # Not the event loop's own threads: there the engine prepares its requests.
        self._pool = ThreadPoolExecutor(threads(), "environment")
        # A trainer that drives has its own way with pictures.
        self._served = None if infer_engine is None else ServedPictures(self._chat_template, kept_bytes)
        self._media: MediaIds | None = None
        self._clock = time.monotonic
        self._tokens_in = counter(self.tokenizer)
        # The system message is the same for all prompts of an arm.
        self._count_opening = lru_cache(maxsize=_OPENINGS_KEPT)(self._count_tokens)
        self._stopwatch: Stopwatch | None = None
        limits = self._episode.limits
        _logger.info(
            "rollouts: recipe %s, at most %d turns, images of %d to %d px",
            self._settings.recipe_hash,
            self._episode.max_turns,
            limits.min_pixels,
            limits.max_pixels,
        )

    def expect_reply(self, tokens: int | None) -> None:
        """Say how long a reply may be, in tokens: that much of the context is kept free. None: as the settings say."""
        self._reply_tokens = tokens or self._settings.reply_tokens

    def time_by(self, stopwatch: Stopwatch) -> None:
        """Charge the hooks to a phase: for a trainer that drives them, and does nothing else meanwhile."""
        self._stopwatch = stopwatch

    def _environment(self) -> AbstractContextManager[None]:
        return nullcontext() if self._stopwatch is None else self._stopwatch.together("environment")

    async def async_infer(self, infer_requests: list[Any], request_config: RequestConfig, **kwargs: Any) -> list[Any]:
        """The rollout server's entry; the loop is ms-swift's, only the reply's length is taken note of."""
        self.expect_reply(request_config.max_tokens)
        return list(await super().async_infer(infer_requests, request_config, **kwargs))

    async def on_trajectory_start(self, requests: list[RolloutInferRequest]) -> None:
        """Open an episode for each request and put the protocol's messages in place of the dataset's."""
        self._drop_old()
        with self._environment():
            await asyncio.gather(*(self._start(request) for request in requests), return_exceptions=True)

    async def on_turn_end(
        self, infer_request: RolloutInferRequest, response_choice: ChatCompletionResponseChoice, current_turn: int
    ) -> dict[str, Any]:
        """Carry out the turn that was just generated."""
        with self._environment():
            try:
                session = await self._session(infer_request)
            except Exception as error:  # noqa: BLE001 -- the boundary: ms-swift would end the run
                _logger.warning("request %s has no episode and ends: %s", infer_request.uuid, error)
                return {"done": True}
            try:
                await self._carry_out(session, response_choice)
            except Exception as error:  # noqa: BLE001 -- the boundary: whatever breaks ends this episode only
                session.fail(StopReason.ERROR, f"{type(error).__name__}: {error}")
        infos = {
            TRAJECTORY_KEY: session.trajectory().to_json(),
            COUNTS_KEY: dict(session.counts),
            TOKENS_KEY: list(session.turn_tokens),
            CPU_KEY: session.cpu_s,
            WAIT_KEY: session.wait_s,
            RECIPE_KEY: self._settings.recipe_hash,
        }
        return {"done": session.done, "rollout_infos": infos}

    def check_finished(
        self, infer_request: RolloutInferRequest, response_choice: ChatCompletionResponseChoice, current_turn: int
    ) -> bool:
        """Whether the episode is over; the loops prefer what `on_turn_end` said."""
        session = self._sessions.get(infer_request.uuid or "")
        return session is None or session.done

    def step(
        self, infer_request: RolloutInferRequest, response_choice: ChatCompletionResponseChoice, current_turn: int
    ) -> dict[str, Any]:
        """Hand over what `on_turn_end` prepared: the next user message and its images."""
        session = self._sessions.get(infer_request.uuid or "")
        if session is not None and session.reply is not None:
            infer_request.messages.append(session.reply)
            infer_request.images = [*infer_request.images, *session.new_images]
            session.reply, session.new_images = None, []
        images = [kept_as_path(image) for image in infer_request.images]
        return {"infer_request": infer_request, "rollout_infos": {"images": images}}

    def get_response_token_data(
        self,
        infer_request: RolloutInferRequest,
        response_choice: ChatCompletionResponseChoice,
        is_continuation: bool = False,
        response_token_ids: list[int] | None = None,
        response_loss_mask: list[int] | None = None,
    ) -> tuple[list[int], list[int]]:
        """The turn's ids and loss mask, without media ids, the masked response prefix in front."""
        session = self._sessions.get(infer_request.uuid or "")
        ids = response_choice.token_ids
        if session is None or len(session.mask) != len(ids or []):
            mask = clean(response_choice, self._media_ids()).mask
        else:
            mask = session.mask
        if session is not None and session.done:
            # The loops ask for the ids last: nothing of this episode comes after.
            self._sessions.pop(infer_request.uuid or "", None)
        return super().get_response_token_data(
            infer_request,
            response_choice,
            is_continuation,
            response_token_ids=list(response_choice.token_ids or []),
            response_loss_mask=list(mask),
        )

    @property
    def open_sessions(self) -> int:
        """Number of episodes whose state is held."""
        return len(self._sessions)

    async def _start(self, request: RolloutInferRequest) -> Session:
        """Open the episode of a request, whatever state the request is in."""
        request.uuid = request.uuid or f"zoomground-{uuid.uuid4().hex}"
        columns = request.data_dict or {}
        begun_s = self._clock()
        session, ended_s = await self._in_thread(
            open_session,
            Request(list(request.messages), list(request.images or []), columns),
            self._episode,
            off_share=self._settings.off_share,
            load=self._shelf.open,
            now_s=begun_s,
        )
        resumed_s = self._clock()
        # In this order: a session whose request does not hold its opening must not be found.
        self._open(request, session)
        self._sessions[request.uuid] = session
        session.wait_s = ended_s - begun_s + self._clock() - resumed_s
        return session

    def _open(self, request: RolloutInferRequest, session: Session) -> None:
        """Put an episode's opening into its request."""
        if session.env is None:
            # The turn that is generated now is thrown away; the engine must only get through it.
            request.images = [UNREADABLE for _ in request.images or []]
            return
        opening = [to_tagged(message) for message in session.trajectory().opening]
        request.messages[:] = opening
        # An episode that was dropped can be opened again: its messages no longer hold the bare instruction.
        assignment = Assignment(session.env.task, session.env.settings.arm)
        request.data_dict = {TASK_COLUMN: assignment.to_json(), **(request.data_dict or {})}
        session.text_tokens = sum(self._count_opening(message["content"]) for message in opening)
        self._hold_limits(session)
        if session.done:
            request.images = [UNREADABLE]

    async def _in_thread(self, work: Callable[..., T], *args: Any, **kwargs: Any) -> tuple[T, float]:
        """What came out of work in a thread, and the clock when it was done.

        On a server this loop is the engine's, too: until it comes back here, it may prepare a hundred prompts. That is
        not what the environment takes.
        """

        def timed() -> tuple[T, float]:
            result = work(*args, **kwargs)
            return result, self._clock()

        return await asyncio.get_running_loop().run_in_executor(self._pool, timed)

    async def _session(self, request: RolloutInferRequest) -> Session:
        """The episode of a request; one that is not known is opened and its earlier turns are played again."""
        session = self._sessions.get(request.uuid or "")
        if session is not None:
            return session
        conversation, images = list(request.messages), list(request.images or [])
        said = [str(message["content"]) for message in conversation if message.get("role") == "assistant"]
        request.images = images[:1]
        session = await self._start(request)
        request.messages[:], request.images = conversation, images
        for text in said[:-1]:
            await self._in_thread(session.advance, text, None)
        _logger.warning("request %s was not known: opened again after %d turns", request.uuid, len(said[:-1]))
        return session

    async def _carry_out(self, session: Session, choice: ChatCompletionResponseChoice) -> None:
        """One generated turn: cleaned, carried out in a thread, measured."""
        session.touched_s = self._clock()
        cleaned = clean(choice, self._media_ids())
        session.mask = cleaned.mask
        session.counts.update(cleaned.counts)
        session.turn_tokens.append(len(cleaned.mask))
        tokens, ended_s = await self._in_thread(
            self._advance, session, str(choice.message.content), choice.finish_reason
        )
        resumed_s = self._clock()
        if not session.done:
            session.text_tokens += len(cleaned.mask) + _TEMPLATE_TOKENS + tokens
            self._hold_limits(session)
        session.wait_s += ended_s - session.touched_s + self._clock() - resumed_s

    def _advance(self, session: Session, text: str, finish_reason: str | None) -> int:
        """One turn's heavy part; gives the tokens of the reply."""
        session.advance(text, finish_reason)
        return 0 if session.reply is None else self._count_tokens(session.reply["content"])

    def _hold_limits(self, session: Session) -> None:
        """End an episode that has outlived its deadline or outgrown the context, before the next turn is generated."""
        settings = self._settings
        if self._clock() - session.started_s > settings.deadline_s:
            session.fail(StopReason.ERROR, f"older than the deadline of {settings.deadline_s:.0f} s")
            return
        prompt = session.text_tokens + session.image_tokens
        # The template cuts a prompt that is too long, and may cut images in two; the engine refuses one.
        for limit, needed in (
            (getattr(self._chat_template, "max_length", None), prompt),
            (getattr(self.infer_engine, "max_model_len", None), prompt + self._reply_tokens),
            (settings.context_tokens, prompt + self._reply_tokens),
        ):
            if limit is not None and needed > limit:
                session.fail(StopReason.CONTEXT_BUDGET, f"the next turn needs {needed} tokens, {limit} are there")
                return

    @property
    def _chat_template(self) -> Any:
        return self._template or getattr(self.infer_engine, "template", None)

    def _count_tokens(self, text: str) -> int:
        return self._tokens_in(text) + _TEMPLATE_TOKENS

    def _media_ids(self) -> MediaIds:
        """Read once, when the tokenizer is there."""
        if self._media is None:
            template = self._chat_template
            named = (getattr(template, "image_token_id", None), getattr(template, "video_token_id", None))
            self._media = MediaIds.of(self.tokenizer, [token for token in named if isinstance(token, int)])
        return self._media

    def _drop_old(self) -> None:
        """Forget episodes that nobody came back for: a client that went away, a loop that stopped early."""
        oldest = self._clock() - 2 * self._settings.deadline_s
        for key in [key for key, session in self._sessions.items() if session.touched_s < oldest]:
            del self._sessions[key]


def counter(tokenizer: Any) -> Callable[[str], int]:
    """Counts the tokens of a text, in any thread.

    A fast tokenizer is copied: while one thread encodes, another that changes padding or truncation would be refused.

    Args:
        tokenizer: The engine's; None if there is none.
    """
    if tokenizer is None:
        return lambda text: len(text.encode("utf-8")) // _BYTES_A_TOKEN
    backend = getattr(tokenizer, "backend_tokenizer", None)
    if backend is None:
        return lambda text: len(tokenizer.encode(text, add_special_tokens=False))
    own = type(backend).from_str(backend.to_str())
    own.no_truncation()
    own.no_padding()
    return lambda text: len(own.encode(text, add_special_tokens=False).ids)
