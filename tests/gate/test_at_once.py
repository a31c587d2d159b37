"""Requests of one account that are in progress at the same time."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from types import SimpleNamespace
from typing import Any, cast

import orjson

from retinue.gate.gate import Gate, GateOptions
from retinue.gate.hosts import AllowedHosts
from retinue.gate.limiter import RateLimitDecision

MOST = 3
Message = dict[str, Any]


class Work:
    """An application whose requests last until `end` is set."""

    def __init__(self) -> None:
        self.end = asyncio.Event()
        self.begun = asyncio.Semaphore(0)

    async def __call__(self, _: Any, __: Any, send: Callable[[Message], Awaitable[None]]) -> None:
        self.begun.release()
        await self.end.wait()
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b""})


async def authenticate(token: str) -> Any:
    """Return the caller whose account is the token."""
    plan = SimpleNamespace(requests=None)
    return SimpleNamespace(
        account_id=int(token),
        networks=None,
        origins=None,
        credential=token,
        rate_window=token,
        plan=plan,
        sandbox=True,
        resource=None,
        is_public=False,
    )


async def nothing(*_: Any, **__: Any) -> RateLimitDecision:
    """Admit a request."""
    return RateLimitDecision(True, 9, 8, 0, 0, "")


def gate_before(work: Work) -> Gate:
    """Return a gate that admits `MOST` requests of an account at the same time, and counts nothing else."""
    quotas = SimpleNamespace(meter=None, check_calls=nothing)
    options = GateOptions(
        refuse=True, trusted_proxies=(), per_account=MOST, public_url=None, hosts=AllowedHosts((), None, "")
    )
    credentials: Any = SimpleNamespace(authenticate=authenticate)
    limiter: Any = SimpleNamespace(hit=nothing)
    log: Any = SimpleNamespace(add=lambda _: None)
    return Gate(cast(Any, work), credentials, limiter, cast(Any, quotas), log, options)


async def ask(gate: Gate, account: int) -> list[Message]:
    """Send a request of an account. Returns the messages of the answer."""
    headers = [(b"host", b"127.0.0.1"), (b"authorization", b"Bearer %d" % account)]
    scope = {"type": "http", "method": "GET", "path": "/api/v1/agents", "query_string": b"", "headers": headers}
    sent: list[Message] = []

    async def send(message: Any) -> None:
        sent.append(message)

    async def receive() -> Message:
        return {"type": "http.request", "body": b"", "more_body": False}

    await gate({**scope, "client": ("192.0.2.1", 1)}, receive, send)
    return sent


@asynccontextmanager
async def in_progress(gate: Gate, work: Work, account: int, count: int) -> AsyncIterator[None]:
    """While an account has so many requests in progress."""
    work.end.clear()
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(ask(gate, account)) for _ in range(count)]
        for _ in tasks:
            await work.begun.acquire()
        yield
        work.end.set()
    assert {task.result()[0]["status"] for task in tasks} == {200}


async def test_an_account_has_so_many_and_the_next_is_told_to_wait() -> None:
    work = Work()
    gate = gate_before(work)
    for _ in range(2):
        async with in_progress(gate, work, 7, MOST):
            start, body = await ask(gate, 7)
            assert (start["status"], dict(start["headers"])[b"retry-after"]) == (429, b"1")
            assert "You have 3 requests in progress" in orjson.loads(body["body"])["error"]["message"]
            async with asyncio.timeout(60):
                other = asyncio.create_task(ask(gate, 8))
                await work.begun.acquire()
        assert (await other)[0]["status"] == 200
