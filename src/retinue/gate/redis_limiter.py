"""The limiter of many nodes: one script on Redis decides for all of them, by the clock of Redis."""

import asyncio
import time
from collections.abc import Callable
from importlib.resources import files

import structlog
from redis.asyncio import BlockingConnectionPool, Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError

from retinue.auth.plans import RequestLimits
from retinue.gate.limiter import Decision
from retinue.gate.memory_limiter import MemoryLimiter

_PREFIX = "retinue:limits:"
_PROBE = _PREFIX + "probe"
_WINDOWS = ("", "minute", "hour", "day")
_TIMEOUT_S = 0.25
_RETRY_S = 1.0
_CONNECTIONS = 32
_MICROSECONDS = 1_000_000
_AWAY = (RedisError, OSError, TimeoutError)
_SCRIPT = files("retinue.gate").joinpath("limits.lua").read_text()
_log = structlog.get_logger()


class RedisLimiter:
    """See `Limiter`. While Redis is away this node counts for itself alone, and looks for Redis every second."""

    def __init__(self, url: str, clock: Callable[[], float] | None = None) -> None:
        """`clock` takes the place of the clock of Redis, in Unix seconds."""
        pool = BlockingConnectionPool.from_url(
            url,
            max_connections=_CONNECTIONS,
            socket_timeout=None,
            socket_connect_timeout=_TIMEOUT_S,
            retry=Retry(NoBackoff(), 0),
        )
        self._client = Redis.from_pool(pool)
        self._script = self._client.register_script(_SCRIPT)
        self._clock = clock
        self._alone = MemoryLimiter(clock=clock or time.time)
        self._recovery: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Connect, if Redis is there."""
        await self._ask([_PROBE], [1], refuse=False)

    async def stop(self) -> None:
        """Close the connections."""
        if self._recovery:
            self._recovery.cancel()
            await asyncio.wait([self._recovery])
        await self._client.aclose()

    async def hit(self, credential: str, account: str, limits: RequestLimits, *, refuse: bool = True) -> Decision:
        """See `Limiter`."""
        keys = [f"{_PREFIX}minute:{credential}", f"{_PREFIX}hour:{account}", f"{_PREFIX}day:{account}"]
        answer = await self._ask(keys, [limits.minute, limits.hour, limits.day], refuse)
        return _decision(limits.minute, answer) if answer else self._alone.count(credential, account, limits, refuse)

    async def hit_address(self, address: str, per_minute: int) -> Decision:
        """See `Limiter`."""
        answer = await self._ask([f"{_PREFIX}address:{address}"], [per_minute], refuse=True)
        return _decision(per_minute, answer) if answer else self._alone.count_address(address, per_minute)

    async def _ask(self, keys: list[str], limits: list[int], refuse: bool) -> list[int] | None:
        """What the script answers; None while Redis is away."""
        if self._recovery:
            return None
        try:
            return await self._run(keys, limits, refuse)
        except _AWAY as error:
            self._go_alone(error)
            return None

    async def _run(self, keys: list[str], limits: list[int], refuse: bool) -> list[int]:
        now = round(self._clock() * _MICROSECONDS) if self._clock else ""
        # One deadline for all of it: the wait for a connection, its handshake and the answer.
        async with asyncio.timeout(_TIMEOUT_S):
            answer: list[int] = await self._script(keys, [int(refuse), now, *limits])
        return answer

    def _go_alone(self, error: Exception) -> None:
        if self._recovery is None:
            _log.warning("limiter.redis_away", error=type(error).__name__)
            self._recovery = asyncio.create_task(self._recover())

    async def _recover(self) -> None:
        reached = False
        while not reached:
            await asyncio.sleep(_RETRY_S)
            reached = await self._answers()
        self._recovery = None
        _log.info("limiter.redis_back")

    async def _answers(self) -> bool:
        # The whole script is tried: a server that answers but does not take writes is of no use.
        try:
            await self._run([_PROBE], [1], refuse=False)
        except _AWAY:
            return False
        return True


def _decision(limit: int, answer: list[int]) -> Decision:
    refused, in_minute, until, now = answer
    reset = _whole_seconds(until)
    if refused:
        return Decision(False, limit, 0, reset, max(1, _whole_seconds(until - now)), _WINDOWS[refused])
    return Decision(True, limit, limit - in_minute, reset, 0, "")


def _whole_seconds(microseconds: int) -> int:
    """Rounded up."""
    return -(-microseconds // _MICROSECONDS)
