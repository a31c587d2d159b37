"""The encoder's client: whatever its server responds, the caller gets an encoding or `Unavailable`."""

from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import orjson
import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from retinue.core.errors import Unavailable
from retinue.models.encoder import Encoded, Encoder, read_encoding

STATES = [{"index": 0, "embedding": [[0.5, -1.0], [1.5, 3.0]]}]
TOKENS = {"tokens": [{"piece": "Hel"}, {"piece": [108, 111]}]}


@pytest.fixture
async def session() -> AsyncIterator[aiohttp.ClientSession]:
    async with aiohttp.ClientSession() as session:
        yield session


async def encode(
    session: aiohttp.ClientSession, text: str, states: web.Response, tokens: Any = TOKENS
) -> tuple[Encoded, dict[str, web.Request]]:
    asked: dict[str, web.Request] = {}

    async def answer(request: web.Request) -> web.Response:
        await request.read()
        asked[request.path] = request
        return states if request.path == "/embeddings" else web.json_response(tokens)

    app = web.Application()
    app.router.add_post("/{path}", answer)
    async with TestServer(app) as server:
        return await Encoder(f"http://127.0.0.1:{server.port}", "key", session).encode(text), asked


async def test_a_text_and_its_tokens(session: aiohttp.ClientSession) -> None:
    found, asked = await encode(session, "Hello", web.json_response(STATES))
    assert found == Encoded("Hello", (3, 5), [[0.5, -1.0], [1.5, 3.0]])
    assert found.embedding == [1.0, 1.0]
    assert {request.headers["Authorization"] for request in asked.values()} == {"Bearer key"}


async def test_a_long_text_is_encoded_by_its_beginning(session: aiohttp.ClientSession) -> None:
    found, asked = await encode(session, "é" * 2000, web.json_response(STATES))
    assert found.text == "é" * 700
    assert orjson.loads(await asked["/embeddings"].read()) == {"input": "é" * 700}
    assert orjson.loads(await asked["/tokenize"].read()) == {"content": "é" * 700, "with_pieces": True}


@pytest.mark.parametrize(
    "answer",
    [
        web.Response(status=500),
        web.Response(text="rubbish"),
        web.json_response({}),
        web.json_response([]),
        web.json_response([{}]),
        web.json_response([{"embedding": []}]),
        web.json_response([{"embedding": [[1.0]]}]),
    ],
)
async def test_inputs_that_encode_nothing(session: aiohttp.ClientSession, answer: web.Response) -> None:
    with pytest.raises(Unavailable, match="did not encode"):
        await encode(session, "Hello", answer)


@pytest.mark.parametrize("tokens", [{}, [], {"tokens": [{}]}, {"tokens": [{"piece": 1}, {"piece": 2}]}])
async def test_streams_without_token_counts(session: aiohttp.ClientSession, tokens: Any) -> None:
    with pytest.raises(Unavailable, match="did not encode"):
        await encode(session, "Hello", web.json_response(STATES), tokens)


async def test_a_server_that_is_gone(session: aiohttp.ClientSession) -> None:
    with pytest.raises(Unavailable, match="did not encode"):
        await Encoder("http://127.0.0.1:9", "key", session).encode("Hello")


def test_characters_and_their_tokens() -> None:
    found = read_encoding("für 5 €", [[0.0]] * 5, ["f", "ür", " ", "5", " €"])
    assert found.tokens(4, 5) == (3, 3)
    assert found.tokens(0, 3) == (0, 1)
    assert found.tokens(6, 7) == (4, 4)
    assert found.tokens(7, 7) is None
