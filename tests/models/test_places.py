"""The queue before the local model."""

import asyncio

import pytest

from retinue.core.errors import Unavailable
from retinue.models.places import Places


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
