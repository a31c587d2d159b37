"""The background tasks of a server, with parts that fail."""

import asyncio

import pytest

from retinue.core.database.interface import Priority, priority
from retinue.platform import lifecycle


@pytest.fixture(autouse=True)
def no_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    """Start failed tasks again at once."""
    monkeypatch.setattr(lifecycle, "_RESTART_S", 0)


async def test_a_task_that_failed_is_started_again() -> None:
    seen: list[Priority] = []
    third = asyncio.Event()

    async def fail_twice() -> None:
        seen.append(priority.get())
        if len(seen) < 3:
            raise RuntimeError("broken")
        third.set()
        await asyncio.Event().wait()

    task = lifecycle.start_task(Priority.HIGH, fail_twice)
    async with asyncio.timeout(60):
        await third.wait()
    task.cancel()
    await asyncio.wait([task])
    assert task.cancelled()
    assert seen == [Priority.HIGH] * 3


async def test_a_task_that_fails_while_it_is_cancelled_ends() -> None:
    begun = asyncio.Event()
    starts = 0

    async def fail_at_the_end() -> None:
        nonlocal starts
        starts += 1
        if starts > 1:
            return
        begun.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            raise RuntimeError("broken") from None

    task = lifecycle.start_task(Priority.LOW, fail_at_the_end)
    async with asyncio.timeout(60):
        await begun.wait()
        task.cancel()
        await asyncio.wait([task])
    assert isinstance(task.exception(), RuntimeError)
    assert starts == 1
