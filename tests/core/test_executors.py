"""Thread pools in which accounts take turns."""

import asyncio
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

import retinue
from retinue.core.runtime.executors import FairExecutor, acting_for, run_on_compute_thread, run_on_disk_thread


async def as_account(account: int, executor: FairExecutor, function: Callable[[], int]) -> int:
    acting_for.set(account)
    return await executor.run(function)


@pytest.mark.parametrize("run", [run_on_disk_thread, run_on_compute_thread])
async def test_a_function_runs_on_another_thread_with_its_arguments_and_context(
    run: Callable[..., asyncio.Future[tuple[int, str, int]]],
) -> None:
    def function(number: int, *, text: str) -> tuple[int, str, int]:
        assert threading.current_thread() is not threading.main_thread()
        return number, text, acting_for.get()

    acting_for.set(7)
    assert await run(function, 1, text="a") == (1, "a", 7)


async def test_its_exception_is_raised_again() -> None:
    with pytest.raises(ZeroDivisionError):
        await run_on_disk_thread(lambda: 1 // 0)


async def test_an_account_with_slow_work_leaves_a_thread_to_others() -> None:
    executor, go = FairExecutor("test", 3), threading.Event()
    slow = [asyncio.create_task(as_account(1, executor, go.wait)) for _ in range(50)]
    await asyncio.sleep(0)
    try:
        assert [await as_account(2, executor, lambda: 2), await as_account(3, executor, lambda: 3)] == [2, 3]
        assert not any(task.done() for task in slow)
    finally:
        go.set()
    assert await asyncio.gather(*slow) == [True] * 50


async def test_cancelled_work_keeps_its_thread_until_it_ends() -> None:
    executor, began, go = FairExecutor("test", 2), threading.Event(), threading.Event()

    def slow() -> int:
        began.set()
        go.wait()
        return 0

    task = asyncio.create_task(as_account(1, executor, slow))
    await asyncio.to_thread(began.wait)
    task.cancel()
    await asyncio.wait({task})
    second = asyncio.create_task(as_account(1, executor, lambda: 1))
    assert await as_account(2, executor, lambda: 2) == 2
    assert not second.done()  # The account's share is still in use.
    go.set()
    assert await second == 1


def test_every_event_loop_has_turns_of_its_own() -> None:
    executor = FairExecutor("test", 2)
    for account in (1, 1, 1):
        assert asyncio.run(as_account(account, executor, lambda: 1)) == 1


@pytest.mark.parametrize("call", ["asyncio.to_thread(", "run_in_executor(None"])
def test_nothing_uses_the_threads_of_the_event_loop_which_have_no_turns(call: str) -> None:
    sources = Path(retinue.__file__).parent.rglob("*.py")
    assert [source.name for source in sources if call in source.read_text()] == []
