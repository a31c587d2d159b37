"""The examples of `openai-agents`: an agent with tools, a stream, structured output, handoffs, a session and MCP."""

import asyncio

from agents import (
    Agent,
    ModelSettings,
    OpenAIChatCompletionsModel,
    OpenAIResponsesModel,
    Runner,
    SQLiteSession,
    function_tool,
    set_tracing_disabled,
)
from agents.mcp import MCPServerStreamableHttp
from common import AGENT, KEY, MODEL, PIXEL, URL, call, report
from openai import AsyncOpenAI
from openai.types.responses import ResponseTextDeltaEvent
from pydantic import BaseModel

set_tracing_disabled(True)
client = AsyncOpenAI(base_url=f"{URL}/v1", api_key=KEY)
responses = OpenAIResponsesModel(model=MODEL, openai_client=client)


class City(BaseModel):
    """A city."""

    name: str
    people: int


@function_tool
def get_weather(city: str) -> str:
    """Get the weather of a city."""
    return f"It rains in {city}."


async def text():
    result = await Runner.run(Agent(name="Haiku", instructions="Be brief.", model=responses), "Hello")
    assert result.final_output == "You said: Hello", result.final_output


async def stream():
    result = Runner.run_streamed(Agent(name="Haiku", model=responses), "Hello there")
    parts = [
        event.data.delta
        async for event in result.stream_events()
        if event.type == "raw_response_event" and isinstance(event.data, ResponseTextDeltaEvent)
    ]
    assert "".join(parts) == "You said: Hello there", parts


async def tools():
    agent = Agent(name="Weather", tools=[get_weather], model=responses)
    result = await Runner.run(agent, call("get_weather", '{"city": "Oslo"}'))
    assert "It rains in Oslo." in result.final_output, result.final_output


async def streamed_tools():
    agent = Agent(name="Weather", tools=[get_weather], model=responses)
    result = Runner.run_streamed(agent, call("get_weather", '{"city": "Oslo"}'))
    kinds = [event.item.type async for event in result.stream_events() if event.type == "run_item_stream_event"]
    assert kinds == ["tool_call_item", "tool_call_output_item", "message_output_item"], kinds


async def required_tool():
    settings = ModelSettings(tool_choice="required", parallel_tool_calls=False, store=False)
    agent = Agent(name="Weather", tools=[get_weather], model=responses, model_settings=settings)
    result = await Runner.run(agent, call("get_weather", '{"city": "Oslo"}'))
    assert "It rains in Oslo." in result.final_output, result.final_output


async def structured_output():
    result = await Runner.run(Agent(name="Cities", output_type=City, model=responses), "Which city?")
    assert result.final_output == City(name="Oslo", people=1), result.final_output


async def handoff():
    other = Agent(name="Spanish", instructions="Speak Spanish.", model=responses)
    triage = Agent(name="Triage", handoffs=[other], model=responses)
    result = await Runner.run(triage, call("transfer_to_spanish", "{}"))
    assert result.last_agent is other


async def session():
    agent, memory = Agent(name="Memory", model=responses), SQLiteSession("1")
    await Runner.run(agent, "My name is Ada.", session=memory)
    result = await Runner.run(agent, "Who am I?", session=memory)
    assert result.final_output == "You said: Who am I?"
    assert len(await memory.get_items()) == 4


async def previous_response():
    agent = Agent(name="Memory", model=responses)
    first = await Runner.run(agent, "My name is Ada.")
    result = await Runner.run(agent, "Who am I?", previous_response_id=first.last_response_id)
    assert result.final_output == "You said: Who am I?"


async def vision():
    parts = [{"type": "input_image", "image_url": PIXEL, "detail": "auto"}]
    message = [{"role": "user", "content": [*parts, {"type": "input_text", "text": "What is it?"}]}]
    result = await Runner.run(Agent(name="Eyes", model=responses), message)
    assert result.final_output == "You sent: image_url", result.final_output


async def mcp():
    headers = {"Authorization": f"Bearer {KEY}"}
    async with MCPServerStreamableHttp(params={"url": f"{URL}/mcp", "headers": headers}, name="Retinue") as server:
        agent = Agent(name="Tools", mcp_servers=[server], model=responses)
        result = await Runner.run(agent, call("tools_search", '{"query": "convert text to upper case"}'))
    assert "text_convert_case" in result.final_output, result.final_output


async def chat_completions():
    model = OpenAIChatCompletionsModel(model=MODEL, openai_client=client)
    agent = Agent(name="Weather", tools=[get_weather], model=model)
    result = Runner.run_streamed(agent, call("get_weather", '{"city": "Oslo"}'))
    async for _ in result.stream_events():
        pass
    assert "It rains in Oslo." in result.final_output, result.final_output


async def agent_of_retinue():
    model = OpenAIResponsesModel(model=AGENT, openai_client=client)
    agent = Agent(name="Weather", tools=[get_weather], model=model)
    result = await Runner.run(agent, call("get_weather", '{"city": "Oslo"}'))
    assert "It rains in Oslo." in result.final_output, result.final_output


asyncio.run(
    report(
        "openai-agents",
        text=text,
        stream=stream,
        tools=tools,
        streamed_tools=streamed_tools,
        required_tool=required_tool,
        structured_output=structured_output,
        handoff=handoff,
        session=session,
        previous_response=previous_response,
        vision=vision,
        mcp=mcp,
        chat_completions=chat_completions,
        agent_of_Retinue=agent_of_retinue,
    )
)
