"""The official clients of model providers. Importing them takes seconds, so only tests that need them do."""

from functools import cache
from typing import Any

import anthropic
import openai
from anthropic.types import message_create_params
from google import genai
from google.genai import types as google_types
from openai.types.chat import completion_create_params
from openai.types.responses import response_create_params
from pydantic import TypeAdapter
from pydantic_core import SchemaValidator

PARAMS: dict[str, Any] = {
    "chat": completion_create_params.CompletionCreateParamsStreaming,
    "responses": response_create_params.ResponseCreateParamsStreaming,
    "anthropic": message_create_params.MessageCreateParamsStreaming,
}


@cache
def strict_validator(params: Any) -> SchemaValidator:
    """Return a validator that refuses unknown fields, and validates the members of each `Iterable` at once."""
    return SchemaValidator(_strict(TypeAdapter(params).core_schema))


def _strict(schema: Any) -> Any:
    if isinstance(schema, list):
        return [_strict(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    changed = {name: _strict(part) for name, part in schema.items()}
    if changed.get("type") == "generator":
        return changed | {"type": "list"}
    if changed.get("type") == "typed-dict":
        return {"extra_behavior": "forbid"} | changed
    return changed


def validate(protocol: str, body: dict[str, Any]) -> None:
    """Raise an error if the types of the official client do not accept a request body."""
    if protocol == "gemini":
        check_gemini(body)
    else:
        strict_validator(PARAMS[protocol]).validate_python(body)


def check_gemini(body: dict[str, Any]) -> None:
    assert body.keys() <= {"contents", "systemInstruction", "tools", "toolConfig", "generationConfig"}
    for content in [*body["contents"], *([body["systemInstruction"]] if "systemInstruction" in body else [])]:
        google_types.Content.model_validate(content)
    for tool in body.get("tools", []):
        google_types.Tool.model_validate(tool)
    google_types.ToolConfig.model_validate(body.get("toolConfig", {}))
    google_types.GenerationConfig.model_validate(body.get("generationConfig", {}))


Parsed = tuple[str, list[tuple[str, Any]]]
"""The text of a reply, and the names and arguments of its calls."""


async def read_chat(url: str) -> Parsed:
    async with openai.AsyncOpenAI(base_url=url, api_key="k", max_retries=0) as client:
        messages: Any = [{"role": "user", "content": "Go"}]
        async with client.chat.completions.stream(model="m", messages=messages) as stream:
            message = (await stream.get_final_completion()).choices[0].message
    calls = [(call.function.name, call.function.arguments) for call in message.tool_calls or ()]
    return message.content or "", calls


async def read_responses(url: str) -> Parsed:
    async with openai.AsyncOpenAI(base_url=url, api_key="k", max_retries=0) as client:
        events = [event async for event in await client.responses.create(model="m", input="Go", stream=True)]
    last: Any = events[-1]
    items = last.response.output
    texts = [
        getattr(part, "text", "") or getattr(part, "refusal", "")
        for i in items
        if i.type == "message"
        for part in i.content
    ]
    return "".join(texts), [(item.name, item.arguments) for item in items if item.type == "function_call"]


async def read_anthropic(url: str) -> Parsed:
    async with anthropic.AsyncAnthropic(base_url=url, api_key="k", max_retries=0) as client:
        messages: Any = [{"role": "user", "content": "Go"}]
        async with client.messages.stream(model="m", max_tokens=64, messages=messages) as stream:
            blocks: Any = (await stream.get_final_message()).content
    text = "".join(block.text for block in blocks if block.type == "text")
    return text, [(block.name, block.input) for block in blocks if block.type == "tool_use"]


async def read_gemini(url: str) -> Parsed:
    options = google_types.HttpOptions(base_url=url, api_version="v1beta")
    client = genai.Client(api_key="k", http_options=options, vertexai=False)
    parts: list[Any] = []
    async for chunk in await client.aio.models.generate_content_stream(model="m", contents="Go"):
        parts += [part for one in chunk.candidates or () if one.content for part in one.content.parts or ()]
    await client.aio.aclose()
    text = "".join(part.text for part in parts if part.text and not part.thought)
    return text, [(part.function_call.name, part.function_call.args) for part in parts if part.function_call]


READERS = {"chat": read_chat, "responses": read_responses, "anthropic": read_anthropic, "gemini": read_gemini}
