"""The limiter for several nodes: a Redis script decides for all of them, by the clock of Redis."""

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.resources import files

import structlog
from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError

from retinue.auth.plans import RequestLimits
from retinue.gate.limiter import RateLimitDecision
from retinue.gate.memory_limiter import MemoryLimiter

_PREFIX = "retinue:limits:"
_PROBE = _PREFIX + "probe"
_WINDOWS = ("", "minute", "hour", "day")
_TIMEOUT_S = 0.25
_RETRY_S = 1.0
_BATCH = 64
_MICROSECONDS = 1_000_000
_AWAY = (RedisError, OSError, TimeoutError)
_SCRIPT = files("retinue.gate").joinpath("limits.lua").read_text()
_log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class _Question:
    """One request to the script."""

    keys: list[str]
    arguments: list[int]
    answer: asyncio.Future[list[int] | None]


class RedisLimiter:
    """See `Limiter`. While Redis is unavailable, this node counts alone and retries Redis every second."""

    def __init__(self, url: str, clock: Callable[[], float] | None = None) -> None:
        """`clock` replaces the clock of Redis, in Unix seconds."""
        self._client = Redis.from_url(
            url,
            socket_timeout=None,
            socket_connect_timeout=_TIMEOUT_S,
            retry=Retry(NoBackoff(), 0),
        )
        self._script = self._client.register_script(_SCRIPT)
        self._clock = clock
        self._alone = MemoryLimiter(clock=clock or time.time)
        self._questions: list[_Question] = []
        self._asking: asyncio.Task[None] | None = None
        self._recovery: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Connect to Redis if it is available."""
        await self._ask([_PROBE], [1], refuse=False)

    async def stop(self) -> None:
        """Close the connection."""
        if self._asking:
            await self._asking
        if self._recovery:
            self._recovery.cancel()
            await asyncio.wait([self._recovery])
        await self._client.aclose()

    async def hit(
        self, credential: str, account: str, limits: RequestLimits, *, refuse: bool = True
    ) -> RateLimitDecision:
        """See `Limiter`."""
        keys = [f"{_PREFIX}minute:{credential}", f"{_PREFIX}hour:{account}", f"{_PREFIX}day:{account}"]
        answer = await self._ask(keys, [limits.minute, limits.hour, limits.day], refuse)
        return _decision(limits.minute, answer) if answer else self._alone.count(credential, account, limits, refuse)

    async def hit_address(self, address: str, per_minute: int) -> RateLimitDecision:
        """See `Limiter`."""
        answer = await self._ask([f"{_PREFIX}address:{address}"], [per_minute], refuse=True)
        return _decision(per_minute, answer) if answer else self._alone.count_address(address, per_minute)

    async def _ask(self, keys: list[str], limits: list[int], refuse: bool) -> list[int] | None:
        """Return the script's answer, or None while Redis is unavailable."""
        if self._recovery:
            return None
        question = _question(keys, limits, refuse)
        self._questions.append(question)
        if self._asking is None:
            self._asking = asyncio.create_task(self._ask_all())
        return await question.answer

    async def _ask_all(self) -> None:
        """Send queued questions in batches until the queue is empty."""
        try:
            while self._questions:
                batch, self._questions = self._questions[:_BATCH], self._questions[_BATCH:]
                await self._settle(batch)
        finally:
            self._asking = None

    async def _settle(self, batch: list[_Question]) -> None:
        answers: Sequence[list[int] | None] = [None] * len(batch)
        try:
            if self._recovery is None:
                answers = await self._run(batch)
        except _AWAY as error:
            if self._recovery is None:
                _log.warning("limiter.redis_away", error=type(error).__name__)
                self._recovery = asyncio.create_task(self._recover())
        finally:
            for question, answer in zip(batch, answers, strict=True):
                if not question.answer.done():
                    question.answer.set_result(answer)

    async def _run(self, batch: list[_Question]) -> list[list[int]]:
        now = round(self._clock() * _MICROSECONDS) if self._clock else ""
        keys = [key for question in batch for key in question.keys]
        arguments = [argument for question in batch for argument in question.arguments]
        # One deadline covers connecting, loading the script if necessary, and the answer.
        async with asyncio.timeout(_TIMEOUT_S):
            answers: list[list[int]] = await self._script(keys, [now, *arguments])
        return answers

    async def _recover(self) -> None:
        reached = False
        while not reached:
            await asyncio.sleep(_RETRY_S)
            reached = await self._answers()
        self._recovery = None
        _log.info("limiter.redis_back")

    async def _answers(self) -> bool:
        # Run the whole script: a server that answers but refuses writes does not help.
        try:
            await self._run([_question([_PROBE], [1], refuse=False)])
        except _AWAY:
            return False
        return True


def _question(keys: list[str], limits: list[int], refuse: bool) -> _Question:
    return _Question(keys, [int(refuse), len(keys), *limits], asyncio.get_running_loop().create_future())


def _decision(limit: int, answer: list[int]) -> RateLimitDecision:
    refused, in_minute, until, now = answer
    reset = _whole_seconds(until)
    if refused:
        return RateLimitDecision(False, limit, 0, reset, max(1, _whole_seconds(until - now)), _WINDOWS[refused])
    return RateLimitDecision(True, limit, limit - in_minute, reset, 0, "")


def _whole_seconds(microseconds: int) -> int:
    """Convert microseconds to seconds, rounded up."""
    return -(-microseconds // _MICROSECONDS)
