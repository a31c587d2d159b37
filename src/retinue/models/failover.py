"""Chooses the model that answers: retries, fallbacks, and a circuit breaker for each provider.

Nothing is tried again once the reply has begun.
"""

import asyncio
import random
import time
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, aclosing, nullcontext
from dataclasses import dataclass

import structlog

from retinue.core.errors import RetinueError, Unavailable
from retinue.core.runtime.fair_semaphore import FairSemaphore, QueueFull
from retinue.models.base import (
    AnsweringModel,
    ContextExceeded,
    Delta,
    FailedAttempt,
    Model,
    ModelRequest,
    Price,
    ProviderFailed,
)
from retinue.models.key_state import KeyState

log = structlog.get_logger()

MOST_FALLBACKS = 5
"""Maximum number of models to try after the first."""


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How often, and when, a refused request is sent again. Times are in seconds."""

    retries: int = 2
    first_pause: float = 0.5
    most_pause: float = 10.0
    """A provider that asks for a longer pause is not tried again."""

    def pause(self, number: int, retry_after: int | None) -> float | None:
        """Return the pause before retry `number`, from 0, with jitter; None if there is no further retry."""
        if number >= self.retries or (retry_after or 0) > self.most_pause:
            return None
        own = self.first_pause * 2**number * random.uniform(0.5, 1.5)  # noqa: S311 - spreads the load
        return own if retry_after is None else retry_after + (own / 4 if retry_after else 0.0)


class CircuitBreaker:
    """Counts the failures in a row of a provider, and is open for a while after too many."""

    FAILURES = 5
    OPEN_S = 30.0

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._failures = 0
        self._open_until = 0.0

    @property
    def seconds_left(self) -> float:
        """The seconds for which the provider is to be skipped; 0 if it is not."""
        return max(0.0, self._open_until - self._clock())

    def succeed(self) -> None:
        """Note a reply."""
        self._failures = 0
        self._open_until = 0.0

    def fail(self) -> None:
        """Note a failure. From the fifth in a row on, each opens the breaker."""
        self._failures += 1
        if self._failures >= self.FAILURES:
            self._open_until = self._clock() + self.OPEN_S


@dataclass(frozen=True, slots=True)
class ModelTarget:
    """A model that can be tried.

    `origin` is the name of its provider, with the id where names may repeat. Targets of one provider share its `slots`,
    which limit concurrent requests, its `breaker` and its `key`. The local model has none of them, and is not tried
    again.
    """

    name: str
    model: Model
    origin: str = ""
    price: Price | None = None
    slots: FairSemaphore | None = None
    breaker: CircuitBreaker | None = None
    key: KeyState | None = None

    def note(self, error: RetinueError | None) -> None:
        """Count a failure of the provider, or a reply."""
        if self.key:
            self.key.note(error)
        if self.breaker and error is None:
            self.breaker.succeed()
        elif self.breaker and error and _is_outage(error):
            self.breaker.fail()


class RoutedModel:
    """Tries the first target, then the others. See `Model`. `name` is the requested name."""

    def __init__(
        self,
        name: str,
        targets: Sequence[ModelTarget],
        attempts: Sequence[FailedAttempt] = (),
        policy: RetryPolicy | None = None,
    ) -> None:
        """`attempts` have failed already, because their models do not exist any more."""
        first = targets[0].model
        self.name = name
        self.context_tokens = first.context_tokens
        self.max_output_tokens = first.max_output_tokens
        self.input = first.input
        self._targets = targets
        self._attempts = tuple(attempts)
        self._policy = policy or RetryPolicy()

    @property
    def uses_resources(self) -> bool:
        """See `Model`. It may change while the local model loads."""
        return self._targets[0].model.uses_resources

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Delta]:
        """Generate one reply: the failed attempts, `AnsweringModel`, then the deltas of the model that answers."""
        failures = list[RetinueError]()
        targets, skipped = self._in_order()
        for attempt in (*self._attempts, *skipped):
            yield attempt
        for target in targets:
            for number in range(self._policy.retries + 1):
                try:
                    async with aclosing(self._ask(target, request)) as deltas:
                        async for delta in deltas:
                            yield delta
                except _Refused as refused:
                    error = refused.error
                else:
                    return
                yield FailedAttempt(target.name, error.message)
                log.warning("model refused", model=target.name, reason=error.message)
                pause = self._pause(target, error, number)
                if pause is None:
                    break
                await asyncio.sleep(pause)
            failures.append(error)
        raise _combine(self._targets, failures)

    def _in_order(self) -> tuple[Sequence[ModelTarget], Sequence[FailedAttempt]]:
        """Return the targets to try, without those whose breaker is open unless all are, and the skipped ones."""
        closed, skipped = list[ModelTarget](), list[FailedAttempt]()
        for target in self._targets:
            if target.breaker and (seconds := target.breaker.seconds_left):
                reason = f"Skipped for {seconds:.0f} more seconds, because its provider failed repeatedly."
                skipped.append(FailedAttempt(target.name, reason))
            else:
                closed.append(target)
        return (closed, skipped) if closed else (self._targets, ())

    def _pause(self, target: ModelTarget, error: RetinueError, number: int) -> float | None:
        """Return the pause before the target is tried again, or None if it is not."""
        if target.breaker is None or isinstance(error, ContextExceeded | QueueFull):
            return None
        if isinstance(error, ProviderFailed):
            return self._policy.pause(number, error.retry_after) if error.may_retry else None
        return self._policy.pause(number, None)

    async def _ask(self, target: ModelTarget, request: ModelRequest) -> AsyncGenerator[Delta]:
        """Generate a reply with one target. Raises `_Refused` if it fails before the reply has begun."""
        begun = False
        try:
            async with _slot(target, request), aclosing(target.model.stream(request)) as deltas:
                async for delta in deltas:
                    if not begun:
                        begun = True
                        yield AnsweringModel(target.name, target.price)
                    yield delta
        except (Unavailable, ContextExceeded) as error:
            name_provider(error, target.origin)
            target.note(error)
            if begun or (isinstance(error, ContextExceeded) and target is self._targets[0]):
                raise
            raise _Refused(error) from error
        target.note(None)


def name_provider(error: RetinueError, origin: str) -> None:
    """Name the provider without its id in the message of an error."""
    error.message = error.message.replace(repr(origin), repr(origin.partition(":")[0]))
    error.args = (error.message,)


def _slot(target: ModelTarget, request: ModelRequest) -> AbstractAsyncContextManager[None]:
    """Return the context of a request: one of the provider's slots. Accounts take turns, waiting clients go first."""
    return target.slots.slot(request.account, waited_for=request.waited_for) if target.slots else nullcontext()


class _Refused(Exception):
    """A model failed before its reply began."""

    def __init__(self, error: RetinueError) -> None:
        super().__init__(error.message)
        self.error = error


def _is_outage(error: RetinueError) -> bool:
    """Return whether the provider is at fault, and not this request or this server."""
    if isinstance(error, ProviderFailed):
        return error.may_retry
    return not isinstance(error, ContextExceeded | QueueFull)


def _combine(targets: Sequence[ModelTarget], failures: Sequence[RetinueError]) -> RetinueError:
    """Return the error of a request that no model answered. A single failure is raised as it is."""
    if len(failures) == 1:
        return failures[0]
    pauses = [error.retry_after for error in failures if isinstance(error, ProviderFailed) and error.retry_after]
    reasons = " ".join(dict.fromkeys(error.message for error in failures))
    return ProviderFailed(
        f"None of the {len(targets)} models answered. {reasons}",
        may_retry=any(_is_outage(error) for error in failures),
        retry_after=min(pauses, default=None),
    )
