"""OpenAI's official client works at /v1, with models, with its own tools and with agents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import requests

from retinue.app import PROTOCOLS
from tests.conftest import User
from tests.runs.test_approvals import ASK_OUT, OUT
from tests.support.client import Client, data
from tests.support.lazy_imports import import_lazily
from tests.support.model_server import Answer, ModelServer
from tests.support.server import Server

if TYPE_CHECKING:
    import openai
    from openai.types.chat import ChatCompletion, ChatCompletionMessageParam, ChatCompletionToolParam
else:
    openai = import_lazily("openai")

WEATHER: ChatCompletionToolParam = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "description": "Get the weather of a city.",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
    },
}
MODEL = "alfred-default"


def official(client: Client, **options: Any) -> openai.OpenAI:
    """The official client with the key of `client`."""
    return openai.OpenAI(base_url=f"{client.server.url}/v1", api_key=client.key or "", max_retries=0, **options)


def create_agent(client: Client, **fields: Any) -> int:
    """Create an agent. Returns its id."""
    return int(data(client.post("/agents", {"agent_name": "Iris", "agent_role": "specialist", **fields}), 201)["id"])


def ask(client: Client, *messages: ChatCompletionMessageParam, model: str = MODEL, **options: Any) -> ChatCompletion:
    """Ask for a completion."""
    answer: ChatCompletion = official(client).chat.completions.create(model=model, messages=[*messages], **options)
    return answer


def test_a_model_receives_the_conversation_as_it_is(client: Client, model: ModelServer) -> None:
    conversation: list[ChatCompletionMessageParam] = [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "One"},
        {"role": "assistant", "content": "Uno"},
        {"role": "user", "content": [{"type": "text", "text": "Two"}]},
    ]
    answer = ask(client, *conversation, temperature=0.3, max_completion_tokens=50)
    (choice,) = answer.choices
    assert (choice.message.content, choice.finish_reason) == ("You said: Two", "stop")
    assert answer.model == MODEL
    assert answer.usage is not None
    assert answer.usage.total_tokens == answer.usage.prompt_tokens + answer.usage.completion_tokens > 0
    (sent,) = model.requests
    assert [(one["role"], one["content"]) for one in sent["messages"]] == [
        ("system", "Be brief."), ("user", "One"), ("assistant", "Uno"), ("user", "Two"),
    ]  # fmt: skip
    assert (sent["temperature"], sent["max_tokens"]) == (0.3, 50)
    assert "tools" not in sent


def test_without_a_system_message_none_is_added(client: Client, model: ModelServer) -> None:
    ask(client, {"role": "user", "content": "Hello"})
    assert [one["role"] for one in model.requests[-1]["messages"]] == ["user"]


def test_a_stream_ends_with_the_usage(client: Client) -> None:
    stream = official(client).chat.completions.create(
        model=MODEL,
        messages=[{"role": "user", "content": "Hello there"}],
        stream=True,
        stream_options={"include_usage": True},
    )
    chunks = list(stream)
    text = "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)
    assert text == "You said: Hello there"
    assert [chunk.choices[0].finish_reason for chunk in chunks if chunk.choices][-1] == "stop"
    assert chunks[-1].usage is not None
    assert chunks[-1].choices == []
    assert len({chunk.id for chunk in chunks}) == 1


def test_the_clients_tools_are_handed_back(client: Client, model: ModelServer) -> None:
    model.answers.append(Answer(text="Let me look.", tool="get_weather", arguments={"city": "Oslo"}))
    first = ask(client, {"role": "user", "content": "How is the weather?"}, tools=[WEATHER])
    (choice,) = first.choices
    assert choice.finish_reason == "tool_calls"
    assert choice.message.tool_calls is not None
    (call,) = choice.message.tool_calls
    assert call.type == "function"
    assert (call.function.name, call.function.arguments) == ("get_weather", '{"city": "Oslo"}')
    assert model.requests[-1]["tools"][0]["function"]["name"] == "get_weather"

    model.answers.append(Answer(text="It rains in Oslo."))
    called: Any = choice.message.model_dump(exclude_none=True)
    again = ask(
        client,
        {"role": "user", "content": "How is the weather?"},
        called,
        {"role": "tool", "tool_call_id": call.id, "content": "rain"},
        tools=[WEATHER],
    )
    assert again.choices[0].message.content == "It rains in Oslo."
    asked, sent_back, result = model.requests[-1]["messages"]
    assert asked["content"] == "How is the weather?"
    assert sent_back["tool_calls"][0]["id"] == result["tool_call_id"]
    assert result["content"] == "rain"


def test_a_tool_takes_free_text(client: Client, model: ModelServer) -> None:
    grammar = {"type": "grammar", "grammar": {"syntax": "regex", "definition": "[0-9]+"}}
    tools: Any = [{"type": "custom", "custom": {"name": "count", "format": grammar}}]
    hello: ChatCompletionMessageParam = {"role": "user", "content": "Go"}
    model.answers.append(Answer(tool="count", arguments={"input": "12"}))
    calls = ask(client, hello, tools=tools).choices[0].message.tool_calls
    assert calls is not None
    call = calls[0]
    assert call.type == "custom"
    assert (call.custom.name, call.custom.input) == ("count", "12")
    assert "regex grammar:\n[0-9]+" in model.requests[-1]["tools"][0]["function"]["description"]
    called: Any = {"role": "assistant", "tool_calls": [call.model_dump()]}
    ask(client, hello, called, {"role": "tool", "tool_call_id": call.id, "content": "Done."}, tools=tools)
    assert [one["role"] for one in model.requests[-1]["messages"]] == ["user", "assistant", "tool"]


def test_a_model_must_call_a_tool_that_is_chosen(client: Client, model: ModelServer) -> None:
    hello: ChatCompletionMessageParam = {"role": "user", "content": "Hello"}
    named: Any = {"type": "function", "function": {"name": "get_weather"}}
    some: Any = {"type": "allowed_tools", "allowed_tools": {"mode": "required", "tools": [named]}}
    for choice in ("required", named, some):
        ask(client, hello, tools=[WEATHER], tool_choice=choice)
        assert model.requests[-1]["tool_choice"] == "required"
    agent = create_agent(client)
    ask(client, hello, model=f"agent:{agent}", tools=[WEATHER], tool_choice="required")
    assert "tool_choice" not in model.requests[-1]


def test_requests_that_cannot_be_answered_are_refused_with_advice(client: Client) -> None:
    hello: ChatCompletionMessageParam = {"role": "user", "content": "Hello"}
    refusals: list[tuple[dict[str, Any], str]] = [
        ({"functions": [{"name": "f"}]}, "functions: .* Send each function as a tool"),
        ({"tools": [{"type": "retrieval"}]}, "retrieval"),
        ({"n": 2}, "n must be"),
        ({"modalities": ["text", "audio"]}, "modalities: .*/v1/audio/speech"),
        ({"tools": [WEATHER], "tool_choice": {"type": "function", "function": {"name": "x"}}}, "tool_choice"),
    ]
    for fields, message in refusals:
        with pytest.raises(openai.BadRequestError, match=message):
            ask(client, hello, extra_body=fields)


def test_tool_calls_are_streamed(client: Client, model: ModelServer) -> None:
    model.answers.append(Answer(tool="get_weather", arguments={"city": "Oslo"}, times=2))
    with official(client).chat.completions.stream(
        model=MODEL, messages=[{"role": "user", "content": "How is the weather?"}], tools=[WEATHER]
    ) as stream:
        final = stream.get_final_completion()
    calls = final.choices[0].message.tool_calls or []
    assert [call.function.arguments for call in calls] == ['{"city": "Oslo"}', '{"city": "Oslo"}']
    assert len({call.id for call in calls}) == 2
    assert final.choices[0].finish_reason == "tool_calls"


def test_reasoning_stands_beside_the_content(client: Client, model: ModelServer) -> None:
    model.answers += [Answer(text="It is four.", reasoning="Two and two.")] * 2
    message: Any = ask(client, {"role": "user", "content": "2 + 2?"}).choices[0].message
    assert (message.content, message.reasoning_content) == ("It is four.", "Two and two.")
    stream = official(client).chat.completions.create(
        model=MODEL, messages=[{"role": "user", "content": "2 + 2?"}], stream=True, stop=["x"], seed=7
    )
    deltas: list[Any] = [chunk.choices[0].delta for chunk in stream]
    assert "".join(getattr(delta, "reasoning_content", None) or "" for delta in deltas) == "Two and two."
    assert "".join(delta.content or "" for delta in deltas) == "It is four."
    assert model.requests[-1]["stop"] == ["x"]


def test_a_reply_may_have_a_schema(client: Client, model: ModelServer) -> None:
    model.answers.append(Answer(text='{"city": "Oslo"}'))
    schema = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
    form = {"type": "json_schema", "json_schema": {"name": "place", "schema": schema}}
    answer = ask(client, {"role": "user", "content": "Where?"}, response_format=form)
    assert answer.choices[0].message.content == '{"city": "Oslo"}'


def test_an_agent_is_a_model(client: Client, model: ModelServer) -> None:
    agent = create_agent(client, instructions="You sell shoes.")
    answer = ask(
        client,
        {"role": "system", "content": "The customer is called Kim."},
        {"role": "user", "content": "One"},
        {"role": "assistant", "content": "Uno"},
        {"role": "user", "content": "Two"},
        model=f"agent:{agent}",
    )
    assert answer.choices[0].message.content == "You said: Two"
    system, *rest = model.requests[-1]["messages"]
    assert system["content"].startswith("You sell shoes.")
    assert "The customer is called Kim." in system["content"]
    assert [one["content"] for one in rest] == ["One", "Uno", "Two"]
    (run,) = data(client.get(f"/agents/{agent}/runs"))
    assert (run["message"], run["reply"]) == ("Two", "You said: Two")


def test_an_agent_uses_its_own_tools(sandbox: Client) -> None:
    agent = create_agent(sandbox, skills=["network_calculate_subnet"])
    message = 'Go [[tool:network_calculate_subnet {"network": "10.0.0.0/24"}]]'
    answer = ask(sandbox, {"role": "user", "content": message}, model=f"agent:{agent}")
    assert "network_calculate_subnet returned" in (answer.choices[0].message.content or "")


def test_a_run_that_waits_for_an_approval_says_so(sandbox: Client) -> None:
    agent = create_agent(sandbox, skills=[OUT], approval="required")
    answer = ask(sandbox, {"role": "user", "content": ASK_OUT}, model=f"agent:{agent}")
    assert "has to approve" in (answer.choices[0].message.content or "")


def test_models_and_agents_are_listed(client: Client) -> None:
    agent = create_agent(client)
    names = [one.id for one in official(client).models.list()]
    assert names[0] == MODEL
    assert f"agent:{agent}" in names
    found = next(name for name in names if "/" in name)
    for name in (MODEL, f"agent:{agent}", found):
        assert official(client).models.retrieve(name).id == name
    with pytest.raises(openai.NotFoundError, match="no model"):
        official(client).models.retrieve("nothing")


def test_errors_have_the_shape_that_clients_read(client: Client, model: ModelServer, user: User) -> None:
    hello: ChatCompletionMessageParam = {"role": "user", "content": "Hello"}
    for name, words in (("gpt-9", "there is no model 'gpt-9'"), ("agent:999999", "999999"), ("agent:one", "no agent")):
        with pytest.raises(openai.NotFoundError, match=words) as missing:
            ask(client, hello, model=name)
        assert missing.value.code == "model_not_found"
    model.answers += [Answer(status=400, text="This model's maximum context length is 8192 tokens.")] * 3
    with pytest.raises(openai.BadRequestError, match="context window") as too_long:
        ask(client, hello)
    assert too_long.value.code == "context_length_exceeded"
    model.answers.clear()
    with pytest.raises(openai.BadRequestError, match="temperature"):
        ask(client, hello, temperature=9)
    with pytest.raises(openai.AuthenticationError) as refused:
        ask(Client(client.server, "ak_nothing"), hello)
    assert refused.value.code == "invalid_api_key"
    model.answers.append(Answer(status=401, text="bad key"))
    with pytest.raises(openai.InternalServerError, match="rejected the key"):
        ask(client, hello)
    with pytest.raises(openai.PermissionDeniedError):
        ask(user.client(["agents:read"]), hello)
    with pytest.raises(openai.NotFoundError):
        official(client).post("/nowhere", cast_to=object)


def test_another_users_agent_cannot_be_asked(client: Client, stranger: Client) -> None:
    agent = create_agent(client)
    with pytest.raises(openai.NotFoundError):
        ask(stranger, {"role": "user", "content": "Hello"}, model=f"agent:{agent}")
    assert f"agent:{agent}" not in [one.id for one in official(stranger).models.list()]


def test_a_broken_stream_reports_its_error(client: Client, model: ModelServer) -> None:
    model.answers.append(Answer(text="one two three", break_off=True))
    stream = official(client).chat.completions.create(
        model=MODEL, messages=[{"role": "user", "content": "Hello"}], stream=True
    )
    with pytest.raises(openai.APIError, match="connection to the model provider"):
        list(stream)


def test_every_operation_needs_a_credential_and_its_scope(server: Server, user: User) -> None:
    scopes = {"agents:read", "agents:write", "chat:read", "chat:write", "tools:read", "tools:execute"}
    others = {scope: user.client(sorted(scopes - {scope})).key for scope in scopes}
    ids = {"{model:path}": MODEL, "{response_id}": "resp_1", "{file_id}": "file_1", "{id}": "1", "{thread_id}": "one"}
    ids |= {"{task_id}": "1", "{config_id}": "1"}
    for operation in (operation for api in PROTOCOLS for operation in api.operations if operation.scope):
        assert operation.scope in scopes
        path = server.url + operation.address
        for name, value in ids.items():
            path = path.replace(name, value)
        assert requests.request(operation.method, path, timeout=60).status_code == 401
        wrong = {"Authorization": f"Bearer {others[operation.scope]}"}
        assert requests.request(operation.method, path, headers=wrong, json={}, timeout=60).status_code == 403


def test_a_key_may_stand_in_the_header_of_other_clients(client: Client) -> None:
    answer = requests.get(f"{client.server.url}/v1/models", headers={"x-api-key": client.key or ""}, timeout=60)
    assert answer.status_code == 200
    elsewhere = f"{client.server.url}/api/v1/models"
    assert requests.get(elsewhere, headers={"x-api-key": client.key or ""}, timeout=60).status_code == 401
