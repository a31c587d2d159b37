"""Names of models for each configuration."""

import asyncio
from contextlib import suppress
from pathlib import Path

import pytest
from aiohttp import web

from retinue.core.errors import Unavailable
from retinue.models.base import Delta, Message, ModelRequest, Text, ToolOffer
from retinue.models.registry import DEFAULT, LOCAL, Models
from tests.models.lent import Lent
from tests.models.provider import serving

HELLO = ModelRequest([Message("user", "Hello")])


async def test_an_endpoint() -> None:
    async with serving() as provider:
        models = Models(Path("unused"), url=provider.url, key="sk-hidden", model_name="wire-1", context_tokens=9000)
        await models.start()
        try:
            assert models.names() == [DEFAULT, "wire-1"]
            model = models.get(DEFAULT)
            assert model
            assert model is models.get("wire-1")
            assert model.context_tokens == 9000
            assert await anext(model.stream(HELLO)) == Text("Hello ")
            assert models.get("other") is None
            assert "sk-hidden" not in str(models.status())
            assert models.status()["kind"] == "remote"
        finally:
            await models.stop()


ADD = ToolOffer("add", "Adds.", {"type": "object"})


async def test_an_endpoint_that_is_routed() -> None:
    question = ModelRequest([Message("user", "Hello")], [ADD], resources=Lent(ADD))
    async with serving() as provider:
        models = Models(Path("unused"), url=provider.url, tools="routed")
        await models.start()
        try:
            assert models.names() == [DEFAULT]
            with suppress(Unavailable):
                await anext((await models.pick(1, DEFAULT)).stream(question))
            assert "response_format" in provider.bodies[0]
        finally:
            await models.stop()


async def test_an_endpoint_gets_so_many_requests_at_once() -> None:
    running, most, pairs = 0, 0, asyncio.Barrier(2)

    async with serving() as provider:
        answer = provider.answer

        async def count(request: web.Request) -> web.StreamResponse:
            nonlocal running, most
            running += 1
            most = max(most, running)
            await pairs.wait()
            response = await answer(request)
            running -= 1
            return response

        provider.answer = count
        models = Models(Path("unused"), url=provider.url, at_once=2)
        await models.start()
        model = await models.pick(1, DEFAULT)

        async def ask() -> list[Delta]:
            return [delta async for delta in model.stream(HELLO)]

        try:
            replies = await asyncio.gather(*(ask() for _ in range(8)))
            assert [reply[0] for reply in replies] == [Text("Hello ")] * 8
            assert most == 2
        finally:
            await models.stop()


async def test_no_model_says_how_to_have_one() -> None:
    models = Models(Path("unused"), local="off")
    await models.start()
    model = models.get(DEFAULT)
    assert model
    with pytest.raises(Unavailable, match="retinue models pull"):
        await anext(model.stream(HELLO))
    assert models.status() == {"kind": "none", "state": "missing"}
    await models.stop()


async def test_the_local_model_has_a_name(tmp_path: Path) -> None:
    models = Models(tmp_path, local="0.5b")
    assert models.names() == []
    assert models.status()["kind"] == "local"
    assert LOCAL not in models.names()


async def test_the_test_model_is_always_there() -> None:
    deltas = [delta async for delta in Models(Path("unused"), local="off").test.stream(HELLO)]
    assert deltas[0] == Text("You ")
