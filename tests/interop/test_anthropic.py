"""Anthropic's official client works at /v1/messages, with models, with its own tools and with agents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.interop.test_openai import MODEL, create_agent
from tests.support.client import Client
from tests.support.lazy_imports import import_lazily
from tests.support.model_server import Answer, ModelServer

if TYPE_CHECKING:
    import anthropic
    from anthropic.types import Message, MessageParam, ToolParam
else:
    anthropic = import_lazily("anthropic")

WEATHER: ToolParam = {
    "name": "get_weather",
    "description": "Get the weather of a city.",
    "input_schema": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
}


def official(client: Client) -> anthropic.Anthropic:
    """The official client, which sends its key in the header `x-api-key`."""
    return anthropic.Anthropic(base_url=client.server.url, api_key=client.key, max_retries=0)


def ask(client: Client, *messages: MessageParam, model: str = MODEL, **options: Any) -> Message:
    """Ask for a message."""
    answer: Message = official(client).messages.create(model=model, max_tokens=100, messages=[*messages], **options)
    return answer


def texts(message: Message) -> list[str]:
    """The text blocks of a message."""
    return [block.text for block in message.content if block.type == "text"]


def test_a_model_receives_the_conversation_as_it_is(client: Client, model: ModelServer) -> None:
    answer = ask(
        client,
        {"role": "user", "content": "One"},
        {"role": "assistant", "content": [{"type": "text", "text": "Uno"}]},
        {"role": "user", "content": [{"type": "text", "text": "Two", "cache_control": {"type": "ephemeral"}}]},
        system=[{"type": "text", "text": "Be brief."}],
        extra_headers={"anthropic-beta": "unknown-2030-01-01"},
        extra_body={"context_management": {"edits": []}},
    )
    assert (texts(answer), answer.stop_reason, answer.model) == (["You said: Two"], "end_turn", MODEL)
    assert answer.usage.output_tokens > 0
    (sent,) = model.requests
    assert [(one["role"], one["content"]) for one in sent["messages"]] == [
        ("system", "Be brief."), ("user", "One"), ("assistant", "Uno"), ("user", "Two"),
    ]  # fmt: skip
    assert sent["max_tokens"] == 100


def test_a_message_is_streamed(client: Client, model: ModelServer) -> None:
    with official(client).messages.stream(
        model=MODEL, max_tokens=100, messages=[{"role": "user", "content": "Hello there"}]
    ) as stream:
        assert "".join(stream.text_stream) == "You said: Hello there"
        final = stream.get_final_message()
    assert final.stop_reason == "end_turn"
    assert final.usage.input_tokens > 0


def test_the_clients_tools_are_handed_back(client: Client, model: ModelServer) -> None:
    model.answers.append(Answer(text="Let me look.", tool="get_weather", arguments={"city": "Oslo"}))
    with official(client).messages.stream(
        model=MODEL,
        max_tokens=100,
        messages=[{"role": "user", "content": "How is the weather?"}],
        tools=[WEATHER],
    ) as stream:
        first = stream.get_final_message()
    assert first.stop_reason == "tool_use"
    (call,) = [block for block in first.content if block.type == "tool_use"]
    assert (call.name, call.input) == ("get_weather", {"city": "Oslo"})

    model.answers.append(Answer(text="It rains in Oslo."))
    again = ask(
        client,
        {"role": "user", "content": "How is the weather?"},
        {"role": "assistant", "content": first.content},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": call.id, "content": "rain"}]},
        tools=[WEATHER],
    )
    assert texts(again) == ["It rains in Oslo."]
    asked, called, result = model.requests[-1]["messages"]
    assert asked["content"] == "How is the weather?"
    assert called["tool_calls"][0]["id"] == result["tool_call_id"]
    assert result["content"] == "rain"


def tool_names(model: ModelServer) -> list[str]:
    """The names of the tools that the model received last."""
    return [tool["function"]["name"] for tool in model.requests[-1].get("tools", ())]


def test_a_deferred_tool_is_offered_once_the_conversation_names_it(client: Client, model: ModelServer) -> None:
    search: Any = {"name": "find_tools", "input_schema": {"type": "object"}}
    deferred: Any = [search, {**WEATHER, "defer_loading": True}]
    hello: Any = {"role": "user", "content": "Hello"}
    ask(client, hello, tools=deferred)
    assert tool_names(model) == ["find_tools"]
    found: Any = [{"type": "tool_reference", "tool_name": "get_weather"}]
    called: Any = {"role": "assistant", "content": [{"type": "tool_use", "id": "1", "name": "find_tools", "input": {}}]}
    result: Any = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "1", "content": found}]}
    ask(client, hello, called, result, tools=deferred)
    assert tool_names(model) == ["find_tools", "get_weather"]
    assert "get_weather can be called" in model.requests[-1]["messages"][-1]["content"]
    ask(client, hello, tools=[{"type": "tool_search_tool_bm25_20251119", "name": "tool_search"}, *deferred])
    assert tool_names(model) == ["find_tools", "get_weather"]


def test_a_conversation_adds_and_removes_tools(client: Client, model: ModelServer) -> None:
    hello: Any = {"role": "user", "content": "Hello"}
    added = {"type": "tool_addition", "tool": {"type": "tool_definition", "definition": WEATHER}}
    removed = {"type": "tool_removal", "tool": {"type": "tool_reference", "name": "get_weather"}}
    adding: Any = {"role": "system", "content": [added]}
    removing: Any = {"role": "system", "content": [removed]}
    ask(client, hello, adding)
    assert tool_names(model) == ["get_weather"]
    ask(client, hello, removing, tools=[WEATHER])
    assert tool_names(model) == []


def test_a_model_must_call_the_tool_that_is_chosen(client: Client, model: ModelServer) -> None:
    hello: Any = {"role": "user", "content": "Hello"}
    other: Any = {"name": "other", "input_schema": {"type": "object"}}
    for choice, names in (({"type": "tool", "name": "other"}, ["other"]), ({"type": "any"}, ["get_weather", "other"])):
        ask(client, hello, tools=[WEATHER, other], tool_choice=choice)
        assert (tool_names(model), model.requests[-1]["tool_choice"]) == (names, "required")
    ask(client, hello, tools=[WEATHER], tool_choice={"type": "auto"})
    assert "tool_choice" not in model.requests[-1]
    with pytest.raises(anthropic.BadRequestError, match="tool_choice"):
        ask(client, hello, tools=[WEATHER], tool_choice={"type": "tool", "name": "missing"})


def test_tools_that_anthropic_defines_are_refused_with_advice(client: Client) -> None:
    hello: Any = {"role": "user", "content": "Hello"}
    for tool in (
        {"type": "web_search_20250305", "name": "web_search"},
        {"type": "bash_20250124", "name": "bash"},
        {"type": "mcp_toolset", "mcp_server_name": "x"},
    ):
        with pytest.raises(anthropic.BadRequestError, match=f"{tool['type']}.*Leave it out.*input_schema"):
            ask(client, hello, tools=[tool])


def test_the_official_tool_runner_sends_the_whole_conversation(client: Client, model: ModelServer) -> None:
    """It asks the server to keep the conversation first, and reads in the error that it should not."""
    hello: Any = {"role": "user", "content": "Hello"}
    with pytest.raises(anthropic.BadRequestError, match="send all messages") as refused:
        ask(client, hello, extra_body={"thread": {"type": "create"}})
    body: Any = refused.value.body
    assert body["error"]["details"]["error_code"] == "thread_unsupported_request"

    @anthropic.beta_tool
    def get_weather(city: str) -> str:
        """Get the weather of a city."""
        return f"It rains in {city}."

    model.answers += [Answer(tool="get_weather", arguments={"city": "Oslo"}), Answer(text="Take a coat.")]
    runner = official(client).beta.messages.tool_runner(
        model=MODEL, max_tokens=100, messages=[hello], tools=[get_weather]
    )
    assert runner.until_done().content[0].type == "text"
    assert "It rains in Oslo." in str(model.requests[-1]["messages"])


def test_a_search_result_is_read_as_text(client: Client, model: ModelServer) -> None:
    text: Any = [{"type": "text", "text": "The shop opens at nine."}]
    found: Any = {"type": "search_result", "source": "https://example.com", "title": "Hours", "content": text}
    ask(client, {"role": "user", "content": [found, {"type": "text", "text": "When?"}]})
    read = "Hours\nhttps://example.com\nThe shop opens at nine.\nWhen?"
    assert [one["content"] for one in model.requests[-1]["messages"]] == [read]


def test_reasoning_is_a_thinking_block(client: Client, model: ModelServer) -> None:
    thinking = Answer(text="It is four.", reasoning="Two and two.")
    model.answers += [thinking] * 3
    question: MessageParam = {"role": "user", "content": "2 + 2?"}
    assert [block.type for block in ask(client, question).content] == ["text"]
    wanted: Any = {"type": "enabled", "budget_tokens": 1024}
    answer = ask(client, question, thinking=wanted)
    assert [block.type for block in answer.content] == ["thinking", "text"]
    with official(client).messages.stream(
        model=MODEL, max_tokens=100, messages=[question], thinking=wanted, stop_sequences=["x"]
    ) as stream:
        final = stream.get_final_message()
    assert [block.type for block in final.content] == ["thinking", "text"]
    assert model.requests[-1]["stop"] == ["x"]
    first = final.content[0]
    assert first.type == "thinking"
    assert first.thinking == "Two and two."
    ask(client, question, {"role": "assistant", "content": final.content}, {"role": "user", "content": "Sure?"})
    assert [one["content"] for one in model.requests[-1]["messages"]] == ["2 + 2?", "It is four.", "Sure?"]


def test_an_agent_is_a_model(client: Client, model: ModelServer) -> None:
    agent = create_agent(client, instructions="You sell shoes.")
    answer = ask(client, {"role": "user", "content": "Hello"}, model=f"agent:{agent}", system="Speak to Kim.")
    assert texts(answer) == ["You said: Hello"]
    system = model.requests[-1]["messages"][0]["content"]
    assert system.startswith("You sell shoes.")
    assert "Speak to Kim." in system


def test_models_are_listed_in_the_clients_shape(client: Client) -> None:
    listed = official(client).models.list()
    assert listed.data[0].id == MODEL
    assert not listed.has_more


def test_tokens_are_counted(client: Client) -> None:
    def count(text: str) -> int:
        answer = official(client).messages.count_tokens(
            model=MODEL, messages=[{"role": "user", "content": text}], tools=[WEATHER]
        )
        return answer.input_tokens

    assert 0 < count("word ") < count("word " * 100)


def test_errors_have_the_shape_that_clients_read(client: Client, model: ModelServer) -> None:
    hello: MessageParam = {"role": "user", "content": "Hello"}
    with pytest.raises(anthropic.NotFoundError, match="there is no model"):
        ask(client, hello, model="claude-9")
    model.answers += [Answer(status=400, text="This model's maximum context length is 8192 tokens.")] * 3
    with pytest.raises(anthropic.BadRequestError, match="prompt is too long: "):
        ask(client, hello)
    model.answers.clear()
    with pytest.raises(anthropic.BadRequestError, match="tool_use_id"):
        ask(client, {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "x", "content": "y"}]})
    with pytest.raises(anthropic.AuthenticationError) as refused:
        ask(Client(client.server, "ak_nothing"), hello)
    assert refused.value.body == {
        "type": "error",
        "error": {"type": "authentication_error", "message": refused.value.body["error"]["message"]},  # type: ignore[index] # it is a dictionary
    }
    block: Any = {"role": "user", "content": [{"type": "container_upload", "file_id": "somewhere"}]}
    with pytest.raises(anthropic.BadRequestError, match=r"container_upload.*leave the part out"):
        ask(client, block)


def test_another_users_agent_cannot_be_asked(client: Client, stranger: Client) -> None:
    agent = create_agent(client)
    with pytest.raises(anthropic.NotFoundError):
        ask(stranger, {"role": "user", "content": "Hello"}, model=f"agent:{agent}")
