"""The encoder's client: whatever its server does, the caller learns that there is no place, and nothing else."""

from collections.abc import AsyncIterator

import aiohttp
import orjson
import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from retinue.core.errors import Unavailable
from retinue.models.encoder import Encoder


@pytest.fixture
async def session() -> AsyncIterator[aiohttp.ClientSession]:
    async with aiohttp.ClientSession() as session:
        yield session


async def place(session: aiohttp.ClientSession, text: str, answer: web.Response) -> tuple[list[float], web.Request]:
    asked: list[web.Request] = []

    async def embed(request: web.Request) -> web.Response:
        await request.read()
        asked.append(request)
        return answer

    app = web.Application()
    app.router.add_post("/v1/embeddings", embed)
    async with TestServer(app) as server:
        return await Encoder(f"http://127.0.0.1:{server.port}", "key", session).place(text), asked[0]


async def test_a_long_text_is_placed_by_its_beginning(session: aiohttp.ClientSession) -> None:
    found, asked = await place(session, "é" * 2000, web.json_response({"data": [{"embedding": [0.5, -1.0]}]}))
    assert found == [0.5, -1.0]
    assert orjson.loads(await asked.read()) == {"input": "é" * 700}
    assert asked.headers["Authorization"] == "Bearer key"


@pytest.mark.parametrize(
    "answer",
    [
        web.Response(status=500),
        web.Response(text="rubbish"),
        web.json_response([]),
        web.json_response({"data": []}),
        web.json_response({"data": [{}]}),
    ],
)
async def test_what_is_no_place(session: aiohttp.ClientSession, answer: web.Response) -> None:
    with pytest.raises(Unavailable, match="did not place"):
        await place(session, "Hello", answer)


async def test_a_server_that_is_gone(session: aiohttp.ClientSession) -> None:
    with pytest.raises(Unavailable, match="did not place"):
        await Encoder("http://127.0.0.1:9", "key", session).place("Hello")
