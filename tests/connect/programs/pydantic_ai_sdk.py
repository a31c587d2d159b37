"""The examples of `pydantic-ai`: text, a stream, tools, output types, images and MCP, over three protocols."""

import asyncio

from common import AGENT, KEY, MODEL, PIXEL, URL, call, report
from pydantic import BaseModel
from pydantic_ai import Agent, BinaryContent, NativeOutput
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
from pydantic_ai.providers.anthropic import AnthropicProvider
from pydantic_ai.providers.openai import OpenAIProvider

OPENAI = OpenAIProvider(base_url=f"{URL}/v1", api_key=KEY)
ANTHROPIC = AnthropicProvider(base_url=URL, api_key=KEY)


class City(BaseModel):
    """A city."""

    name: str
    people: int


def get_weather(city: str) -> str:
    """Get the weather of a city."""
    return f"It rains in {city}."


OSLO = City(name="Oslo", people=1)


def cases_of(name, model):
    async def text():
        result = await Agent(model, instructions="Be brief.").run("Hello")
        assert result.output.endswith("You said: Hello"), result.output

    async def stream():
        async with Agent(model).run_stream("Hello there") as result:
            parts = [part async for part in result.stream_text(delta=True)]
        assert "".join(parts).endswith("You said: Hello there"), parts

    async def tools():
        result = await Agent(model, tools=[get_weather]).run(call("get_weather", '{"city": "Oslo"}'))
        assert "It rains in Oslo." in result.output, result.output

    async def output_tool():
        agent = Agent(model, output_type=City)
        result = await agent.run(call("final_result", '{"name": "Oslo", "people": 1}'))
        assert result.output == OSLO, result.output

    async def history():
        agent = Agent(model)
        first = await agent.run("My name is Ada.")
        result = await agent.run("Who am I?", message_history=first.all_messages())
        assert result.output.endswith("You said: Who am I?"), result.output

    return {
        f"{name}: text": text,
        f"{name}: stream": stream,
        f"{name}: tools": tools,
        f"{name}: output by a tool": output_tool,
        f"{name}: history": history,
    }


async def native_output():
    for model in (OpenAIChatModel(MODEL, provider=OPENAI), OpenAIResponsesModel(MODEL, provider=OPENAI)):
        result = await Agent(model, output_type=NativeOutput(City)).run("Which city?")
        assert result.output == OSLO, result.output


async def vision():
    image = BinaryContent.from_data_uri(PIXEL)
    for model in (
        OpenAIChatModel(MODEL, provider=OPENAI),
        OpenAIResponsesModel(MODEL, provider=OPENAI),
        AnthropicModel(MODEL, provider=ANTHROPIC),
    ):
        result = await Agent(model).run(["What is it?", image])
        assert result.output == "You sent: image_url", result.output


asyncio.run(
    report(
        "pydantic-ai-slim",
        **cases_of("Chat Completions", OpenAIChatModel(MODEL, provider=OPENAI)),
        **cases_of("Responses", OpenAIResponsesModel(MODEL, provider=OPENAI)),
        **cases_of("Messages", AnthropicModel(MODEL, provider=ANTHROPIC)),
        **cases_of("an agent", OpenAIChatModel(AGENT, provider=OPENAI)),
        native_output=native_output,
        vision=vision,
    )
)
