"""The examples of `langchain-openai`, `langchain-anthropic` and `langchain-mcp-adapters`."""

import asyncio

from common import AGENT, KEY, MODEL, PIXEL, URL, call, report
from langchain_anthropic import ChatAnthropic
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.tools import tool
from langchain_mcp_adapters.client import MultiServerMCPClient
from langchain_openai import ChatOpenAI, OpenAIEmbeddings
from pydantic import BaseModel


class City(BaseModel):
    """A city."""

    name: str
    people: int


@tool
def get_weather(city: str) -> str:
    """Get the weather of a city."""
    return f"It rains in {city}."


def openai(model: str = MODEL, **options: object) -> ChatOpenAI:
    return ChatOpenAI(base_url=f"{URL}/v1", api_key=KEY, model=model, **options)


def anthropic(model: str = MODEL) -> ChatAnthropic:
    return ChatAnthropic(base_url=URL, api_key=KEY, model=model, max_tokens=500)


models = {
    "Chat Completions": openai(),
    "Responses": openai(use_responses_api=True),
    "Messages": anthropic(),
    "an agent": openai(AGENT),
}


def cases_of(name, model):
    async def text():
        said = [SystemMessage("Be brief."), HumanMessage("Hello")]
        answer = await model.ainvoke(said)
        assert answer.text.endswith("You said: Hello"), answer
        assert answer.usage_metadata["total_tokens"] > 0

    async def stream():
        chunks = [chunk async for chunk in model.astream("Hello there")]
        assert "".join(chunk.text for chunk in chunks).endswith("You said: Hello there"), chunks

    async def tools():
        with_tools = model.bind_tools([get_weather])
        asked = HumanMessage(call("get_weather", '{"city": "Oslo"}'))
        answer = await with_tools.ainvoke([asked])
        assert [one["args"] for one in answer.tool_calls] == [{"city": "Oslo"}], answer
        result = ToolMessage("It rains.", tool_call_id=answer.tool_calls[0]["id"])
        last = await with_tools.ainvoke([asked, answer, result])
        assert "It rains." in last.text, last

    async def structured():
        city = await model.with_structured_output(City, method="json_schema").ainvoke("Which city?")
        assert city == City(name="Oslo", people=1), city

    async def by_function():
        wanted = call("City", '{"name": "Oslo", "people": 1}')
        city = await model.with_structured_output(City, method="function_calling").ainvoke(wanted)
        assert city == City(name="Oslo", people=1), city

    return {
        f"{name}: text": text,
        f"{name}: stream": stream,
        f"{name}: tools": tools,
        f"{name}: structured output": structured,
        f"{name}: structured output by a function": by_function,
    }


async def vision():
    for model in (openai(MODEL), openai(MODEL, use_responses_api=True), anthropic(MODEL)):
        image = {"type": "image", "base64": PIXEL.partition(",")[2], "mime_type": "image/png"}
        answer = await model.ainvoke([HumanMessage([{"type": "text", "text": "What is it?"}, image])])
        assert answer.text == "You sent: image_url", answer


async def json_mode():
    answer = await openai().bind(response_format={"type": "json_object"}, stop=["END"], n=1).ainvoke("Some JSON")
    assert isinstance(answer, AIMessage)


async def embeddings():
    embed = OpenAIEmbeddings(
        base_url=f"{URL}/v1", api_key=KEY, model="alfred-embedding", check_embedding_ctx_length=False
    )
    first, second = await embed.aembed_documents(["A dog.", "A hound."])
    assert len(first) == len(second) > 100


async def batch():
    answers = await openai().abatch(["One", "Two", "Three"])
    assert [answer.text for answer in answers] == ["You said: One", "You said: Two", "You said: Three"]


async def mcp():
    headers = {"Authorization": f"Bearer {KEY}"}
    server = {"transport": "streamable_http", "url": f"{URL}/mcp?tools=text_convert_case", "headers": headers}
    tools = await MultiServerMCPClient({"retinue": server}).get_tools()
    convert = next(one for one in tools if one.name == "text_convert_case")
    answer = await openai().bind_tools(tools).ainvoke(call(convert.name, '{"text": "hello world", "style": "title"}'))
    result = await convert.ainvoke(answer.tool_calls[0])
    assert "Hello World" in str(result.content), result


cases = {name: case for model in models.items() for name, case in cases_of(*model).items()}
asyncio.run(
    report(
        "langchain-openai",
        "langchain-anthropic",
        "langchain-mcp-adapters",
        **cases,
        vision=vision,
        JSON_mode=json_mode,
        batch=batch,
        embeddings=embeddings,
        MCP=mcp,
    )
)
