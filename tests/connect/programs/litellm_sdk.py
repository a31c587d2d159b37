"""The examples of `litellm` with a base URL: OpenAI's and Anthropic's protocols, sync and streamed."""

import asyncio
import json

import litellm
from common import AGENT, KEY, MODEL, PIXEL, URL, call, report
from pydantic import BaseModel

OPENAI = {"api_base": f"{URL}/v1", "api_key": KEY}
ANTHROPIC = {"api_base": URL, "api_key": KEY, "max_tokens": 500}
WEATHER = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "description": "Get the weather of a city.",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
    },
}
ASK = call("get_weather", '{"city": "Oslo"}')


class City(BaseModel):
    """A city."""

    name: str
    people: int


def user(text: object) -> list[dict[str, object]]:
    return [{"role": "user", "content": text}]


async def ask(model, **options):
    return await litellm.acompletion(model, **options)


def cases_of(name, model, settings):
    async def text():
        answer = await ask(model, messages=user("Hello"), **settings)
        assert answer.choices[0].message.content == "You said: Hello", answer
        assert answer.usage.total_tokens > 0

    async def stream():
        options = {"stream": True, "stream_options": {"include_usage": True}}
        chunks = [chunk async for chunk in await ask(model, messages=user("Hello there"), **options, **settings)]
        text = "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)
        assert text == "You said: Hello there", text

    async def tools():
        answer = await ask(model, messages=user(ASK), tools=[WEATHER], tool_choice="auto", **settings)
        (wanted,) = answer.choices[0].message.tool_calls
        assert json.loads(wanted.function.arguments) == {"city": "Oslo"}
        result = {"role": "tool", "tool_call_id": wanted.id, "name": "get_weather", "content": "It rains."}
        messages = [*user(ASK), answer.choices[0].message.model_dump(), result]
        last = await ask(model, messages=messages, tools=[WEATHER], **settings)
        assert "It rains." in last.choices[0].message.content

    async def structured():
        answer = await ask(model, messages=user("Which city?"), response_format=City, **settings)
        assert City.model_validate_json(answer.choices[0].message.content) == City(name="Oslo", people=1)

    return {
        f"{name}: text": text,
        f"{name}: stream": stream,
        f"{name}: tools": tools,
        f"{name}: structured output": structured,
    }


async def vision():
    parts = [{"type": "text", "text": "What is it?"}, {"type": "image_url", "image_url": {"url": PIXEL}}]
    for model, settings in ((f"openai/{MODEL}", OPENAI), (f"anthropic/{MODEL}", ANTHROPIC)):
        answer = await ask(model, messages=user(parts), **settings)
        assert answer.choices[0].message.content == "You sent: image_url", answer


async def responses():
    answer = await litellm.aresponses(model=f"openai/{MODEL}", input="Hello", **OPENAI)
    assert answer.output_text == "You said: Hello", answer


async def embeddings():
    answer = await litellm.aembedding("openai/alfred-embedding", input=["A dog."], **OPENAI)
    assert len(answer.data[0]["embedding"]) > 100


async def messages():
    asked = {"messages": user("Hello"), "max_tokens": 100}
    answer = await litellm.anthropic_messages(model=f"anthropic/{MODEL}", api_base=URL, api_key=KEY, **asked)
    assert answer["content"][0]["text"] == "You said: Hello", answer


asyncio.run(
    report(
        "litellm",
        **cases_of("Chat Completions", f"openai/{MODEL}", OPENAI),
        **cases_of("Messages", f"anthropic/{MODEL}", ANTHROPIC),
        **cases_of("an agent", f"openai/{AGENT}", OPENAI),
        vision=vision,
        Responses=responses,
        embeddings=embeddings,
        Messages_API=messages,
    )
)
