"""Names of models for each configuration."""

import asyncio
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest
from aiohttp import web

from retinue.core.errors import Unavailable, ValidationFailed
from retinue.models.base import AnsweringModel, Delta, Message, ModelRequest, TextDelta, ToolOffer
from retinue.models.registry import DEFAULT, LOCAL, EndpointOptions, Models
from tests.models.fixed_tools import FixedTools
from tests.models.provider import serving

HELLO = ModelRequest([Message("user", "Hello")])


async def names(models: Models) -> list[str]:
    """Return the names of the models that account 1 sees."""
    return [entry["name"] for entry in await models.listing(1)]


async def test_an_endpoint_serves_its_model() -> None:
    async with serving() as provider:
        options = EndpointOptions(provider.url, "sk-hidden", "wire-1", context_tokens=9000)
        models = Models(Path("unused"), endpoint=options)
        await models.start()
        try:
            assert await names(models) == [DEFAULT, "default/wire-1"]
            for name in (DEFAULT, "default/wire-1", "wire-1"):
                model = await models.pick(1, name)
                assert model.context_tokens == 9000
                deltas = [delta async for delta in model.stream(HELLO)]
                assert deltas[:2] == [AnsweringModel("default/wire-1"), TextDelta("Hello ")]
                await models.check(1, name)
            with pytest.raises(ValidationFailed, match=r"no model 'default/wire'\. Use one of: default/wire-1"):
                await models.check(1, "default/wire")
            with pytest.raises(Unavailable, match="no longer configured"):
                await models.pick(1, "other")
            assert "sk-hidden" not in str(models.status())
            assert models.status()["kind"] == "remote"
        finally:
            await models.stop()


ADD = ToolOffer("add", "Adds.", {"type": "object"})


async def test_an_endpoint_that_is_routed() -> None:
    question = ModelRequest([Message("user", "Hello")], [ADD], resources=FixedTools(ADD))
    async with serving() as provider:
        models = Models(Path("unused"), endpoint=EndpointOptions(provider.url, tools="routed"))
        await models.start()
        try:
            assert await names(models) == [DEFAULT]
            with suppress(Unavailable):
                _ = [delta async for delta in (await models.pick(1, DEFAULT)).stream(question)]
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
        models = Models(Path("unused"), endpoint=EndpointOptions(provider.url, at_once=2))
        await models.start()
        model = await models.pick(1, DEFAULT)

        async def ask(account: int) -> list[Delta]:
            return [delta async for delta in model.stream(replace(HELLO, account=account))]

        try:
            replies = await asyncio.gather(*(ask(number % 2) for number in range(8)))
            assert [reply[1] for reply in replies] == [TextDelta("Hello ")] * 8
            assert most == 2
        finally:
            await models.stop()


async def test_no_model_says_how_to_have_one() -> None:
    models = Models(Path("unused"), local="off")
    await models.start()
    model = await models.pick(1, DEFAULT)
    with pytest.raises(Unavailable, match="retinue models pull"):
        _ = [delta async for delta in model.stream(HELLO)]
    assert models.status() == {"kind": "none", "state": "missing"}
    await models.stop()


async def test_the_local_model_has_a_name(tmp_path: Path) -> None:
    models = Models(tmp_path, local="0.5b")
    assert models.status()["kind"] == "local"
    await models.start()
    try:
        assert await names(models) == [DEFAULT, LOCAL]
        for name in (DEFAULT, LOCAL):
            assert (await models.pick(1, name)).uses_resources
    finally:
        await models.stop()


async def test_the_test_model_is_always_there() -> None:
    deltas = [delta async for delta in Models(Path("unused"), local="off").test.stream(HELLO)]
    assert deltas[0] == TextDelta("You ")
