"""The semaphore in front of models, tool workers and threads."""

import ast
import asyncio
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import retinue
from retinue.core.errors import Unavailable
from retinue.core.runtime.fair_semaphore import FairSemaphore


async def order_of(slots: FairSemaphore, visits: list[tuple[int, bool]]) -> list[int]:
    """Return the order in which waiters acquire the only slot. All of them arrive while it is taken."""
    order: list[int] = []

    async def visit(number: int, account: int, waited_for: bool) -> None:
        async with slots.slot(account, waited_for=waited_for):
            order.append(number)

    async with slots.slot():
        tasks = [asyncio.create_task(visit(number, *one)) for number, one in enumerate(visits)]
        await asyncio.sleep(0)
    await asyncio.gather(*tasks)
    return order


async def test_order_and_bound() -> None:
    slots, order, go = FairSemaphore(1, "the model", queue=2), [], asyncio.Event()

    async def visit(number: int) -> None:
        async with slots.slot():
            order.append(number)
            await go.wait()

    visits = [asyncio.create_task(visit(number)) for number in range(3)]
    await asyncio.sleep(0)
    assert (order, slots.waiting) == ([0], 2)
    with pytest.raises(Unavailable, match="2 requests are already waiting for the model"):
        await visit(3)
    go.set()
    await asyncio.gather(*visits)
    assert (order, slots.waiting) == ([0, 1, 2], 0)


async def test_waiting_clients_go_first() -> None:
    visits = [(1, False), (1, False), (2, True), (1, True)]
    assert await order_of(FairSemaphore(1, "it", queue=9), visits) == [2, 3, 0, 1]


async def test_the_background_gets_its_turn_after_a_row_of_clients() -> None:
    visits = [(1, False), (1, False), *[(2, True)] * 5]
    assert await order_of(FairSemaphore(1, "it", clients_in_a_row=2), visits) == [2, 3, 0, 4, 5, 1, 6]


async def test_accounts_take_turns() -> None:
    visits = [(1, True), (1, True), (1, True), (2, True), (3, True), (2, True)]
    assert await order_of(FairSemaphore(1, "it", queue=9), visits) == [0, 3, 4, 1, 5, 2]


async def test_the_background_is_never_told_to_come_again() -> None:
    visits = [(1, False)] * 20
    assert await order_of(FairSemaphore(1, "it", queue=1, queue_each=1), visits) == list(range(20))


async def test_an_account_holds_no_more_than_its_share() -> None:
    slots = FairSemaphore(3, "it", share=2)
    await slots.acquire(1)
    await slots.acquire(1)
    third = asyncio.create_task(slots.acquire(1))
    await asyncio.sleep(0)
    assert (third.done(), slots.free, slots.waiting) == (False, 1, 1)
    await slots.acquire(2)  # Returns at once: the free slot is for other accounts.
    slots.release(2)
    await asyncio.sleep(0)
    assert not third.done()
    slots.release(1)
    await third
    assert (slots.free, slots.waiting) == (1, 0)


async def test_an_account_that_waits_too_often_is_refused_and_others_are_not() -> None:
    slots = FairSemaphore(1, "the model", queue=9, queue_each=2)
    await slots.acquire(1)
    waiting = [asyncio.create_task(slots.acquire(1)) for _ in range(2)]
    await asyncio.sleep(0)
    with pytest.raises(
        Unavailable, match=r"2 of your requests are already waiting for the model\. Wait for their responses"
    ):
        await slots.acquire(1)
    other = asyncio.create_task(slots.acquire(2))
    await asyncio.sleep(0)
    assert slots.waiting == 3
    for task in (*waiting, other):
        task.cancel()


async def test_a_wait_ends_with_advice() -> None:
    slots = FairSemaphore(1, "the model", patience_s=0.01)
    await slots.acquire(1)
    with pytest.raises(Unavailable, match=r"waited 0\.01 s for the model without success\. Try again in"):
        await slots.acquire(2)
    assert (slots.free, slots.waiting) == (0, 0)
    slots.release(1)
    await slots.acquire(2)


async def test_who_gives_up_leaves_the_queue() -> None:
    slots = FairSemaphore(1, "it", queue=1)
    async with slots.slot():
        waiting = asyncio.create_task(slots.acquire())
        await asyncio.sleep(0)
        waiting.cancel()
        await asyncio.wait({waiting})
        assert slots.waiting == 0
    async with slots.slot():
        assert slots.waiting == 0


VISITS = st.lists(st.tuples(st.integers(1, 3), st.booleans(), st.booleans()), max_size=12)


@given(size=st.integers(1, 3), share=st.integers(1, 3), visits=VISITS, data=st.data())
async def test_no_slot_is_lost_whoever_gives_up_and_when(
    size: int, share: int, visits: list[tuple[int, bool, bool]], data: st.DataObject
) -> None:
    slots, inside, go = FairSemaphore(size, "it", share=share), Counter[int](), asyncio.Event()

    async def visit(account: int, waited_for: bool) -> None:
        async with slots.slot(account, waited_for=waited_for):
            inside[account] += 1
            assert inside.total() <= size
            assert inside[account] <= share
            try:
                await go.wait()
            finally:
                inside[account] -= 1

    tasks = []
    for account, waited_for, gives_up in visits:
        tasks.append(asyncio.create_task(visit(account, waited_for)))
        await asyncio.sleep(0)
        if gives_up:
            data.draw(st.sampled_from(tasks)).cancel()
    go.set()
    outcomes = await asyncio.gather(*tasks, return_exceptions=True)
    assert {type(outcome) for outcome in outcomes} <= {type(None), asyncio.CancelledError}
    assert (slots.waiting, slots.free) == (0, size)


def test_a_bounded_queue_bounds_each_account() -> None:
    """Otherwise one account could fill the queue, and everybody else would be refused."""
    calls = [
        call
        for path in Path(retinue.__file__).parent.rglob("*.py")
        for call in ast.walk(ast.parse(path.read_text()))
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "FairSemaphore"
    ]
    named = [{keyword.arg for keyword in call.keywords} for call in calls]
    assert len(named) >= 6
    assert not [names for names in named if "queue" in names and "queue_each" not in names]
