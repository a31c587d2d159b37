"""The client of OpenAI-compatible endpoints, with a real server."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import orjson
import pytest
from aiohttp import web

from retinue.core.errors import RetinueError, Unavailable, ValidationFailed
from retinue.models.base import Delta, Finish, Message, ModelRequest, TextDelta, ToolCall, ToolOffer, Usage
from retinue.models.providers.endpoint import Timeouts
from retinue.models.providers.openai import OpenAIModel
from tests.models.provider import (
    FINISH,
    USAGE,
    Answer,
    Provider,
    client_of,
    completion,
    delta,
    refusal,
    serving,
    sse,
    stream_of,
)

HELLO = ModelRequest([Message("system", "Be brief."), Message("user", "Hello")], temperature=0.2, max_tokens=64)
QUICK = Timeouts(connect=1, first_byte=0.2, total=1)


@pytest.fixture
async def provider() -> AsyncIterator[Provider]:
    async with serving() as running:
        yield running


@pytest.fixture
async def model(provider: Provider) -> AsyncIterator[OpenAIModel]:
    async with client_of(provider.url, QUICK) as client:
        yield client


async def collect(model: OpenAIModel, request: ModelRequest = HELLO) -> list[Delta]:
    return [part async for part in model.stream(request)]


async def refuse(model: OpenAIModel) -> RetinueError:
    with pytest.raises(RetinueError) as caught:
        await collect(model)
    assert "sk-hidden" not in caught.value.message
    return caught.value


async def test_streams_text_then_usage(provider: Provider, model: OpenAIModel) -> None:
    provider.answer = completion("Good day")
    assert await collect(model) == [TextDelta("Good "), TextDelta("day "), Finish("stop"), Usage(11, 7)]
    body = provider.bodies[0]
    assert body["model"] == "wire-1"
    assert body["messages"][1] == {"role": "user", "content": "Hello"}
    assert (body["stream"], body["stream_options"]) == (True, {"include_usage": True})
    assert (body["temperature"], body["max_tokens"]) == (0.2, 64)
    assert "tools" not in body
    assert provider.headers[0]["Authorization"] == "Bearer sk-hidden"


async def test_sends_tools_and_their_results(provider: Provider, model: OpenAIModel) -> None:
    call = ToolCall("c1", "add", '{"a":1}')
    messages = [
        Message("user", "1+1"),
        Message("assistant", "", tool_calls=(call,)),
        Message("tool", "2", tool_call_id="c1", tool_name="add"),
    ]
    await collect(model, ModelRequest(messages, [ToolOffer("add", "Adds.", {"type": "object"})]))
    body = provider.bodies[0]
    assert body["tools"] == [
        {"type": "function", "function": {"name": "add", "description": "Adds.", "parameters": {"type": "object"}}}
    ]
    assert body["messages"][1]["content"] is None
    assert body["messages"][1]["tool_calls"] == [
        {"id": "c1", "type": "function", "function": {"name": "add", "arguments": '{"a":1}'}}
    ]
    assert body["messages"][2] == {"role": "tool", "content": "2", "tool_call_id": "c1"}


async def test_assembles_tool_calls_by_index(provider: Provider, model: OpenAIModel) -> None:
    def part(index: int, arguments: str, **head: Any) -> dict[str, Any]:
        function = {"arguments": arguments} | ({"name": head.pop("name")} if "name" in head else {})
        return {"index": index, "function": function} | head

    provider.answer = stream_of(
        sse(
            delta(content="Let me see."),
            delta(tool_calls=[part(0, "", id="a", name="first")]),
            delta(tool_calls=[part(0, '{"x"'), part(1, '{"y":2}', id="b", name="second")]),
            delta(tool_calls=[part(0, ":1}")]),
            FINISH,
            USAGE,
            "[DONE]",
        )
    )
    assert await collect(model) == [
        TextDelta("Let me see."),
        ToolCall("a", "first", '{"x":1}'),
        ToolCall("b", "second", '{"y":2}'),
        Finish("stop"),
        Usage(11, 7),
    ]


async def test_takes_whole_calls_that_share_an_index_or_have_none(provider: Provider, model: OpenAIModel) -> None:
    provider.answer = stream_of(
        sse(
            delta(tool_calls=[{"index": 0, "id": "a", "function": {"name": "one", "arguments": "{}"}}]),
            delta(tool_calls=[{"id": "b", "function": {"name": "two"}}]),
            FINISH,
            USAGE,
        )
    )
    assert (await collect(model))[:2] == [ToolCall("a", "one", "{}"), ToolCall("b", "two", "{}")]


async def test_keeps_the_text_of_an_unterminated_last_event(provider: Provider, model: OpenAIModel) -> None:
    last = delta(content="day")
    last["choices"][0]["finish_reason"] = "stop"
    provider.answer = stream_of(sse(delta(content="Good "), last).rstrip(b"\n"))
    assert (await collect(model))[:-2] == [TextDelta("Good "), TextDelta("day")]


async def test_estimates_missing_usage(provider: Provider, model: OpenAIModel) -> None:
    provider.answer = stream_of(sse(delta(content="x" * 400), FINISH, "[DONE]"))
    usage = (await collect(model))[-1]
    assert isinstance(usage, Usage)
    assert 80 <= usage.completion_tokens <= 120
    assert usage.prompt_tokens > 0


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (refusal(429, {"error": {"message": "slow down sk-hidden"}}, Retry_After="17"), "in 17 seconds"),
        (refusal(429), "in 60 seconds"),
        (refusal(500, "oops"), "HTTP 500"),
        (refusal(503, [{"error": {"message": "busy"}}], Retry_After="3"), "in 3 seconds"),
        (refusal(401, {"error": {"message": "Incorrect key sk-hidden"}}), "RETINUE_MODEL_KEY"),
        (refusal(403), "RETINUE_MODEL_KEY"),
        (refusal(404, {"error": "no such model sk-hidden"}), "wire-1"),
        (refusal(302, None, Location="http://127.0.0.1:1/"), "RETINUE_MODEL_URL"),
        (stream_of(b"<html>hello</html>"), "closed the connection"),
        (stream_of(sse("{not json")), "RETINUE_MODEL_URL"),
        (stream_of(sse('"a string"')), "RETINUE_MODEL_URL"),
        (stream_of(sse(delta(content=5))), "RETINUE_MODEL_URL"),
        (stream_of(sse({"choices": 3})), "RETINUE_MODEL_URL"),
        (stream_of(sse(delta(content="Hal"))), "closed the connection"),
        (stream_of(sse(delta(content="Hal"), {"error": {"message": "CUDA error"}})), "failed during its reply"),
        (stream_of(sse(delta(content="Hal")), hang=True), "in time"),
        (stream_of(hang=True), "in time"),
    ],
)
async def test_failures_say_when_and_how_to_try_again(
    provider: Provider, model: OpenAIModel, answer: Answer, words: str
) -> None:
    provider.answer = answer
    error = await refuse(model)
    assert isinstance(error, Unavailable)
    assert words in error.message


async def test_cut_connection(provider: Provider, model: OpenAIModel) -> None:
    async def cut(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse()
        await response.prepare(request)
        await response.write(sse(delta(content="Hal")))
        assert request.transport
        request.transport.abort()
        return response

    provider.answer = cut
    assert "connection to the model provider failed" in (await refuse(model)).message


async def test_nobody_listens(model: OpenAIModel, unused_tcp_port: int) -> None:
    async with client_of(f"http://127.0.0.1:{unused_tcp_port}/v1", QUICK) as lonely:
        assert "cannot be reached" in (await refuse(lonely)).message
    async with client_of("not a web address", QUICK) as lost:
        assert "RETINUE_MODEL_URL" in (await refuse(lost)).message


@pytest.mark.parametrize(
    "error",
    [
        {"message": "This model's maximum context length is 8192 tokens.", "code": "context_length_exceeded"},
        {"message": "the request exceeds the available context size", "type": "exceed_context_size_error"},
        {"message": "prompt is too long: 9000 tokens > 8192 maximum"},
    ],
)
async def test_a_prompt_that_cannot_fit_is_the_callers_error(
    provider: Provider, model: OpenAIModel, error: dict[str, str]
) -> None:
    provider.answer = refusal(400, {"error": error})
    assert isinstance(await refuse(model), ValidationFailed)
    assert len(provider.bodies) == 1


async def test_learns_which_parameters_the_provider_takes(provider: Provider, model: OpenAIModel) -> None:
    async def picky(request: web.Request) -> web.StreamResponse:
        for name in ("max_tokens", "temperature"):
            if name in await request.json():
                return await refusal(400, {"error": {"message": f"Unsupported: {name}", "param": name}})(request)
        return await completion("Fine")(request)

    provider.answer = picky
    assert (await collect(model))[0] == TextDelta("Fine ")
    assert provider.bodies[-1]["max_completion_tokens"] == 64
    await collect(model)
    assert len(provider.bodies) == 4


async def test_closing_the_stream_closes_the_connection(provider: Provider, model: OpenAIModel) -> None:
    provider.answer = stream_of(sse(delta(content="One ")), hang=True)
    stream = model.stream(HELLO)
    assert await anext(stream) == TextDelta("One ")
    await stream.aclose()
    await asyncio.wait_for(provider.hung_up.wait(), 60)


async def test_connection_is_kept_for_the_next_call(provider: Provider, model: OpenAIModel) -> None:
    ports: set[int] = set()

    async def note(request: web.Request) -> web.StreamResponse:
        assert request.transport
        ports.add(request.transport.get_extra_info("peername")[1])
        return await completion("Hi")(request)

    provider.answer = note
    await collect(model)
    await collect(model)
    assert len(ports) == 1


async def test_choose_returns_the_object_and_its_usage(provider: Provider, model: OpenAIModel) -> None:
    answers = [b'{"tool": "add"}', b'{"tool": "ad', b"[1]"]

    async def choice(request: web.Request) -> web.StreamResponse:
        content = answers[len(provider.bodies) - 1].decode()
        body = {"choices": [{"message": {"content": content}}], "usage": {"prompt_tokens": 5, "completion_tokens": 3}}
        return web.Response(body=orjson.dumps(body))

    provider.answer = choice
    schema = {"type": "object"}
    assert await model.generate(HELLO.messages, schema, 32) == ({"tool": "add"}, Usage(5, 3))
    assert await model.generate(HELLO.messages, schema, 32) == ({}, Usage(5, 3))
    assert await model.generate(HELLO.messages, schema, 32) == ({}, Usage(5, 3))
    assert provider.bodies[0]["response_format"]["json_schema"]["schema"] == schema
    provider.answer = refusal(500)
    with pytest.raises(Unavailable):
        await model.generate(HELLO.messages, schema, 32)
