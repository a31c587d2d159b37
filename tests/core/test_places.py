"""The queue before the local model."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retinue.core.errors import Unavailable
from retinue.core.places import Places


async def order_of(places: Places, visits: list[tuple[int, bool]]) -> list[int]:
    """In which order those who wait for an only place get it, by their numbers; all came while it was taken."""
    order: list[int] = []

    async def visit(number: int, account: int, waited_for: bool) -> None:
        async with places.one(account, waited_for):
            order.append(number)

    async with places.one():
        tasks = [asyncio.create_task(visit(number, *one)) for number, one in enumerate(visits)]
        await asyncio.sleep(0)
    await asyncio.gather(*tasks)
    return order


async def test_order_and_bound() -> None:
    places, order, go = Places(1, 2), [], asyncio.Event()

    async def visit(number: int) -> None:
        async with places.one():
            order.append(number)
            await go.wait()

    visits = [asyncio.create_task(visit(number)) for number in range(3)]
    await asyncio.sleep(0)
    assert (order, places.waiting) == ([0], 2)
    with pytest.raises(Unavailable, match="2 requests wait"):
        await visit(3)
    go.set()
    await asyncio.gather(*visits)
    assert (order, places.waiting) == ([0, 1, 2], 0)


async def test_waiting_clients_go_first() -> None:
    visits = [(1, False), (1, False), (2, True), (1, True)]
    assert await order_of(Places(1, 9), visits) == [2, 3, 0, 1]


async def test_accounts_take_turns() -> None:
    visits = [(1, True), (1, True), (1, True), (2, True), (3, True), (2, True)]
    assert await order_of(Places(1, 9), visits) == [0, 3, 4, 1, 5, 2]


async def test_the_background_is_never_told_to_come_again() -> None:
    visits = [(1, False)] * 20
    assert await order_of(Places(1, 1), visits) == list(range(20))


async def test_who_gives_up_leaves_the_queue() -> None:
    places = Places(1, 1)
    async with places.one():
        waiting = asyncio.create_task(places.one().__aenter__())
        await asyncio.sleep(0)
        waiting.cancel()
        await asyncio.wait({waiting})
        assert places.waiting == 0
    async with places.one():
        assert places.waiting == 0


VISITS = st.lists(st.tuples(st.integers(1, 3), st.booleans(), st.booleans()), max_size=12)


@given(total=st.integers(1, 3), visits=VISITS, data=st.data())
async def test_no_place_is_lost_whoever_gives_up_and_when(
    total: int, visits: list[tuple[int, bool, bool]], data: st.DataObject
) -> None:
    places, inside, go = Places(total, 99), 0, asyncio.Event()

    async def visit(account: int, waited_for: bool) -> None:
        nonlocal inside
        async with places.one(account, waited_for):
            inside += 1
            assert inside <= total
            try:
                await go.wait()
            finally:
                inside -= 1

    tasks = []
    for account, waited_for, gives_up in visits:
        tasks.append(asyncio.create_task(visit(account, waited_for)))
        await asyncio.sleep(0)
        if gives_up:
            data.draw(st.sampled_from(tasks)).cancel()
    go.set()
    await asyncio.gather(*tasks, return_exceptions=True)
    assert (places.waiting, inside) == (0, 0)
    held = [places.one() for _ in range(total)]
    async with asyncio.timeout(1):
        for one in held:
            await one.__aenter__()
    for one in held:
        await one.__aexit__(None, None, None)
