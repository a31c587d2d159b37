"""Programs of one account leave a sandbox for the others."""

import asyncio
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from retinue.core.errors import Unavailable
from retinue.core.runtime.executors import acting_for
from retinue.sandbox.sandboxes import Sandboxes

pytestmark = pytest.mark.needs_program("bwrap")


class Busy:
    """An account whose programs run until they are told to end."""

    def __init__(self, sandboxes: Sandboxes, account: int) -> None:
        self._bubbles, self._account = sandboxes, account
        self.running, self._end = 0, asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []

    def start(self, count: int) -> None:
        """Start this many programs."""
        self._tasks += [asyncio.create_task(self._hold()) for _ in range(count)]

    async def end(self) -> list[BaseException | None]:
        """End them all, and return their errors."""
        self._end.set()
        return await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _hold(self) -> None:
        acting_for.set(self._account)
        async with self._bubbles.sandbox():
            self.running += 1
            await self._end.wait()
            self.running -= 1


@pytest.fixture
async def sandboxes(tmp_path: Path) -> Sandboxes:
    """A manager of two sandboxes."""
    made = Sandboxes(2, tmp_path / "bubbles", lambda: None, patience_s=5.0)
    await made.start()
    return made


async def test_one_account_leaves_a_sandbox_for_the_others(sandboxes: Sandboxes) -> None:
    busy = Busy(sandboxes, 1)
    busy.start(8)
    acting_for.set(2)
    async with sandboxes.sandbox() as sandbox:
        ended = await sandbox.run(["/bin/echo", "hi"])
        assert (ended.stdout.text, busy.running) == ("hi\n", 1)
    assert await busy.end() == [None] * 8


async def test_an_account_with_many_waiting_programs_is_refused_more(sandboxes: Sandboxes) -> None:
    busy = Busy(sandboxes, 1)
    busy.start(12)
    async with AsyncExitStack() as others:
        acting_for.set(2)
        await others.enter_async_context(sandboxes.sandbox())
    errors = [error for error in await busy.end() if error]
    assert [isinstance(error, Unavailable) for error in errors] == [True] * 3
    assert "already waiting" in str(errors[0])
