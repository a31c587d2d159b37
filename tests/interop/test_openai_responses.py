"""OpenAI's official client works at /v1/responses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.conftest import NewUser, StartServer, User
from tests.interop.test_openai import MODEL, create_agent, official
from tests.runs.test_approvals import ASK_OUT, OUT
from tests.support.client import Client, data
from tests.support.lazy_imports import import_lazily
from tests.support.model_server import Answer, ModelServer
from tests.support.waiting import eventually

if TYPE_CHECKING:
    import openai
    from openai.types.responses import FunctionToolParam, Response
else:
    openai = import_lazily("openai")

WEATHER: FunctionToolParam = {
    "type": "function",
    "name": "get_weather",
    "description": "Get the weather of a city.",
    "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
    "strict": False,
}


def ask(client: Client, given: Any, **options: Any) -> Response:
    """Ask for a response, and check its shape."""
    answer: Response = official(client).responses.create(input=given, **{"model": MODEL, **options})
    openai.types.responses.Response.model_validate(answer.model_dump(warnings=False), strict=False)
    return answer


def last_messages(model: ModelServer) -> list[tuple[str, str]]:
    """The messages that the model received last."""
    return [(one["role"], one["content"]) for one in model.requests[-1]["messages"]]


def test_a_response_has_the_text(client: Client, model: ModelServer) -> None:
    answer = ask(client, "Hello", instructions="Be brief.", max_output_tokens=50)
    assert (answer.output_text, answer.status, answer.model) == ("You said: Hello", "completed", MODEL)
    assert answer.usage is not None
    assert answer.usage.total_tokens > 0
    assert last_messages(model) == [("system", "Be brief."), ("user", "Hello")]
    assert model.requests[-1]["max_tokens"] == 50


def test_a_response_is_streamed(client: Client) -> None:
    with official(client).responses.stream(model=MODEL, input="Hello there") as stream:
        events = list(stream)
        final = stream.get_final_response()
    assert final.output_text == "You said: Hello there"
    kinds = [event.type for event in events]
    assert kinds[:4] == [
        "response.created", "response.in_progress", "response.output_item.added", "response.content_part.added",
    ]  # fmt: skip
    assert kinds[-4:] == [
        "response.output_text.done", "response.content_part.done", "response.output_item.done", "response.completed",
    ]  # fmt: skip
    numbers = [event.sequence_number for event in events]
    assert numbers == sorted(set(numbers))


def test_a_response_continues_a_stored_one(client: Client, model: ModelServer) -> None:
    first = ask(client, [{"role": "user", "content": [{"type": "input_text", "text": "One"}]}])
    second = ask(client, "Two", previous_response_id=first.id)
    ask(client, "Three", previous_response_id=second.id)
    assert last_messages(model) == [
        ("user", "One"), ("assistant", "You said: One"), ("user", "Two"), ("assistant", "You said: Two"),
        ("user", "Three"),
    ]  # fmt: skip
    stored = official(client).responses.retrieve(second.id)
    assert (stored.output_text, stored.status) == ("You said: Two", "completed")


def test_the_clients_functions_are_handed_back(client: Client, model: ModelServer) -> None:
    model.answers.append(Answer(text="Let me look.", tool="get_weather", arguments={"city": "Oslo"}))
    first = ask(client, "How is the weather?", tools=[WEATHER, {"type": "web_search"}])
    assert first.output_text == "Let me look."
    (call,) = [item for item in first.output if item.type == "function_call"]
    assert (call.name, call.arguments) == ("get_weather", '{"city": "Oslo"}')
    assert [tool["function"]["name"] for tool in model.requests[-1]["tools"]] == ["get_weather"]
    assert official(client).responses.retrieve(first.id).output == first.output

    model.answers.append(Answer(text="It rains."))
    result = {"type": "function_call_output", "call_id": call.call_id, "output": "rain"}
    by_id = ask(client, [result], previous_response_id=first.id, tools=[WEATHER])
    remembered = model.requests[-1]["messages"]
    model.answers.append(Answer(text="It rains."))
    items = [item.model_dump(exclude_none=True) for item in first.output]
    whole = ask(client, [{"role": "user", "content": "How is the weather?"}, *items, result], tools=[WEATHER])
    assert by_id.output_text == whole.output_text == "It rains."
    listed = official(client).responses.input_items.list(by_id.id, order="asc").data
    assert [item.type for item in listed] == ["message", "message", "function_call", "function_call_output"]
    assert official(client).responses.input_items.list(by_id.id).data == listed[::-1]
    assert remembered == model.requests[-1]["messages"]
    assert [one["role"] for one in remembered] == ["user", "assistant", "tool"]


def test_a_response_to_nothing_has_no_input_items(client: Client, model: ModelServer) -> None:
    model.answers.append(Answer("Hello."))
    answer = ask(client, "")
    assert official(client).responses.input_items.list(answer.id).data == []


def tool_names(model: ModelServer) -> list[str]:
    """The names of the tools that the model received last."""
    return [tool["function"]["name"] for tool in model.requests[-1].get("tools", ())]


def test_tools_in_a_namespace_have_names_of_both_parts_for_models(client: Client, model: ModelServer) -> None:
    long = "a" * 60
    tools: Any = [
        {"type": "namespace", "name": "crm", "description": "Customers.", "tools": [WEATHER]},
        {"type": "namespace", "name": long, "description": "Others.", "tools": [WEATHER]},
    ]
    model.answers.append(Answer(tool="crm__get_weather", arguments={"city": "Oslo"}))
    first = ask(client, "Weather?", tools=tools)
    (call,) = first.output
    assert call.type == "function_call"
    assert (call.name, call.namespace) == ("get_weather", "crm")
    names = tool_names(model)
    assert names[0] == "crm__get_weather"
    assert len(names[1]) <= 64
    assert "crm__: Customers." in model.requests[-1]["messages"][0]["content"]
    assert official(client).responses.retrieve(first.id).output == first.output

    result = {"type": "function_call_output", "call_id": call.call_id, "output": "rain"}
    whole = [{"role": "user", "content": "Weather?"}, call.model_dump(exclude_none=True), result]
    second = ask(client, whole, tools=tools)
    asked = next(one for one in model.requests[-1]["messages"] if one["role"] == "assistant")
    assert asked["tool_calls"][0]["function"]["name"] == "crm__get_weather"
    listed = official(client).responses.input_items.list(second.id, order="asc").data
    assert [getattr(item, "name", None) for item in listed] == [None, "get_weather", None]

    model.answers.append(Answer(tool=names[1], arguments={"city": "Oslo"}))
    (other,) = ask(client, "Weather?", tools=tools).output
    assert other.type == "function_call"
    assert (other.name, other.namespace) == ("get_weather", long)


def test_a_tool_takes_free_text(client: Client, model: ModelServer) -> None:
    grammar = {"type": "grammar", "syntax": "lark", "definition": 'start: "add" NUMBER'}
    patch: Any = {"type": "custom", "name": "apply_patch", "description": "Change a file.", "format": grammar}
    model.answers += [Answer(tool="apply_patch", arguments={"input": "add 1"})] * 2
    with official(client).responses.stream(model=MODEL, input="Go", tools=[patch]) as stream:
        events = list(stream)
        first = stream.get_final_response()
    (call,) = first.output
    assert call.type == "custom_tool_call"
    assert (call.name, call.input) == ("apply_patch", "add 1")
    kinds = [event.type for event in events[2:6]]
    assert kinds == [
        "response.output_item.added", "response.custom_tool_call_input.delta", "response.custom_tool_call_input.done",
        "response.output_item.done",
    ]  # fmt: skip
    (sent,) = model.requests[-1]["tools"]
    assert 'lark grammar:\nstart: "add" NUMBER' in sent["function"]["description"]
    assert ask(client, "Go", tools=[patch]).output[0].type == "custom_tool_call"

    result: Any = {"type": "custom_tool_call_output", "call_id": call.call_id, "output": "Done."}
    second = ask(client, [result], previous_response_id=first.id, tools=[patch])
    whole = [{"role": "user", "content": "Go"}, call.model_dump(exclude_none=True), result]
    remembered = last_messages(model)
    ask(client, whole, tools=[patch])
    assert remembered == last_messages(model) == [("user", "Go"), ("assistant", None), ("tool", "Done.")]
    listed = official(client).responses.input_items.list(second.id, order="asc").data
    assert [item.type for item in listed] == ["message", "custom_tool_call", "custom_tool_call_output"]


def test_a_model_must_call_a_tool_that_is_chosen(client: Client, model: ModelServer) -> None:
    other: Any = {"type": "function", "name": "other", "parameters": None, "strict": False}
    named: Any = {"type": "function", "name": "other"}
    some: Any = {"type": "allowed_tools", "mode": "auto", "tools": [named]}
    for choice, names, wire in (
        ("required", ["get_weather", "other"], "required"),
        (named, ["other"], "required"),
        ({**some, "mode": "required"}, ["other"], "required"),
        (some, ["other"], None),
        ("auto", ["get_weather", "other"], None),
        ("none", [], None),
    ):
        ask(client, "Hello", tools=[WEATHER, other], tool_choice=choice)
        assert (tool_names(model), model.requests[-1].get("tool_choice")) == (names, wire)
    with pytest.raises(openai.BadRequestError, match="tool_choice: tools contains no"):
        ask(client, "Hello", tools=[WEATHER], tool_choice={"type": "function", "name": "missing"})


@pytest.mark.parametrize("kind", ["file_search", "mcp", "code_interpreter", "image_generation", "local_shell", "shell"])
def test_tools_that_openai_runs_are_refused_with_advice(client: Client, kind: str) -> None:
    tool: Any = {"type": kind}
    with pytest.raises(openai.BadRequestError, match=f"type '{kind}'. Leave it out. .*(agent:|function)"):
        ask(client, "Hello", tools=[tool])


def test_fields_that_change_nothing_are_accepted(client: Client) -> None:
    """Those that clients send with each request, or repeat from an answer."""
    answer = ask(
        client,
        [
            {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "x"},
            {"role": "user", "content": "Hi"},
        ],
        store=False,
        include=["reasoning.encrypted_content"],
        parallel_tool_calls=False,
        service_tier="auto",
        truncation="auto",
        prompt_cache_key="x",
        metadata={"order": "7"},
        extra_body={"client_metadata": {"a": "b"}, "unknown": 1},
        extra_headers={"OpenAI-Beta": "responses=experimental", "OpenAI-Organization": "x"},
    )
    assert (answer.output_text, answer.metadata) == ("You said: Hi", {"order": "7"})


def test_function_calls_are_streamed(client: Client, model: ModelServer) -> None:
    model.answers.append(Answer(tool="get_weather", arguments={"city": "Oslo"}, times=2))
    with official(client).responses.stream(model=MODEL, input="How is the weather?", tools=[WEATHER]) as stream:
        final = stream.get_final_response()
    calls = [item for item in final.output if item.type == "function_call"]
    assert [call.arguments for call in calls] == ['{"city": "Oslo"}'] * 2
    assert len({call.call_id for call in calls}) == 2


def test_reasoning_is_an_item_if_a_summary_is_asked_for(client: Client, model: ModelServer) -> None:
    thinking = Answer(text="It is four.", reasoning="Two and two.")
    model.answers += [thinking] * 3
    quiet = ask(client, "2 + 2?")
    assert [item.type for item in quiet.output] == ["message"]
    shown = ask(client, "2 + 2?", reasoning={"summary": "auto"})
    reasoning, message = shown.output
    assert reasoning.type == "reasoning"
    assert [part.text for part in reasoning.summary] == ["Two and two."]
    assert (message.type, shown.output_text) == ("message", "It is four.")
    assert official(client).responses.retrieve(shown.id).output == shown.output
    with official(client).responses.stream(model=MODEL, input="2 + 2?", reasoning={"summary": "auto"}) as stream:
        events = list(stream)
        final = stream.get_final_response()
    assert [item.type for item in final.output] == ["reasoning", "message"]
    assert final.output_text == "It is four."
    assert [event.type for event in events[2:8]] == [
        "response.output_item.added", "response.reasoning_summary_part.added", "response.reasoning_summary_text.delta",
        "response.reasoning_summary_text.done", "response.reasoning_summary_part.done", "response.output_item.done",
    ]  # fmt: skip
    items: list[Any] = [item.model_dump(exclude_none=True) for item in final.output]
    ask(client, [{"role": "user", "content": "2 + 2?"}, *items, {"role": "user", "content": "Sure?"}])
    assert last_messages(model) == [("user", "2 + 2?"), ("assistant", "It is four."), ("user", "Sure?")]


def test_reasoning_is_streamed_before_function_calls(client: Client, model: ModelServer) -> None:
    model.answers.append(Answer(reasoning="Look it up.", tool="get_weather", arguments={"city": "Oslo"}))
    with official(client).responses.stream(
        model=MODEL, input="Weather?", tools=[WEATHER], reasoning={"summary": "auto"}
    ) as stream:
        final = stream.get_final_response()
    assert [item.type for item in final.output] == ["reasoning", "function_call"]


def test_a_cut_reply_is_incomplete(client: Client, model: ModelServer) -> None:
    model.answers.append(Answer(text="Once upon", finish="length"))
    answer = ask(client, "A story")
    assert answer.status == "incomplete"
    assert answer.incomplete_details is not None
    assert answer.incomplete_details.reason == "max_output_tokens"


def test_a_background_response_is_found_again(client: Client) -> None:
    agent = create_agent(client)
    begun = ask(client, "Hello", background=True, model=f"agent:{agent}")
    assert begun.status in ("queued", "in_progress")
    get = official(client).responses.retrieve
    eventually(lambda: get(begun.id).status == "completed")
    assert get(begun.id).output_text == "You said: Hello"
    assert get(begun.id).model == f"agent:{agent}"


@pytest.mark.slow
@pytest.mark.timeout(120)
def test_a_background_response_survives_a_kill(
    start_server: StartServer, new_user: NewUser, model: ModelServer
) -> None:
    server = start_server("sqlite")
    client = new_user(server).client()
    model.answers.append(Answer(text="one two three", hold=True))
    begun = ask(client, "Hello", background=True)
    eventually(lambda: model.requests)
    server.kill()
    server.start()
    get = official(client).responses.retrieve
    eventually(lambda: get(begun.id).status == "completed")
    assert get(begun.id).output_text == "You said: Hello"
    assert len(model.requests) == 2


PARAMETERS: dict[str, Any] = {
    "instructions": "Be brief.",
    "max_output_tokens": 50,
    "metadata": {"order": "17"},
    "parallel_tool_calls": False,
    "reasoning": {"effort": "low", "summary": "auto"},
    "temperature": 0.3,
}


def stored_fields(client: Client, identifier: str) -> dict[str, Any]:
    """The fields of a stored response."""
    fields: dict[str, Any] = official(client).responses.retrieve(identifier).model_dump(warnings=False)
    return fields


@pytest.mark.parametrize("with_agent", [False, True])
def test_a_stored_response_is_the_one_that_was_created(client: Client, with_agent: bool) -> None:
    name = f"agent:{create_agent(client)}" if with_agent else MODEL
    first = ask(client, "Hello", model=name)
    conversation = official(client).conversations.create()
    for options in ({"previous_response_id": first.id}, {"conversation": conversation.id}, {}):
        answer = ask(client, "Hello", model=name, **PARAMETERS, **options)
        fields = answer.model_dump(warnings=False)
        assert {key: fields[key] for key in PARAMETERS} == {**PARAMETERS, "reasoning": fields["reasoning"]}
        assert fields["reasoning"]["effort"] == "low"
        assert answer.completed_at is not None
        assert answer.completed_at >= answer.created_at
        assert stored_fields(client, answer.id) == fields


def test_a_background_response_keeps_its_parameters(client: Client) -> None:
    begun = ask(client, "Hello", background=True, **PARAMETERS)
    assert (begun.background, begun.completed_at) == (True, None)
    eventually(lambda: _is_completed(client, begun.id))
    stored, fields = stored_fields(client, begun.id), begun.model_dump(warnings=False)
    changed = {key for key in stored if stored[key] != fields[key]}
    assert changed == {"completed_at", "output", "status", "usage"}
    events = list(official(client).responses.retrieve(begun.id, stream=True))
    assert events[0].type == "response.created"
    assert events[0].response.metadata == PARAMETERS["metadata"]
    assert events[-1].type == "response.completed"
    assert events[-1].response.model_dump(warnings=False) == stored


def _is_completed(client: Client, identifier: str) -> bool:
    status = official(client).responses.retrieve(identifier).status
    assert status == "completed"
    return True


def test_metadata_has_the_limits_that_openai_documents(client: Client) -> None:
    for metadata in ({"order": "1" * 513}, {"o" * 65: "1"}, {str(number): "1" for number in range(17)}):
        with pytest.raises(openai.BadRequestError, match="metadata"):
            ask(client, "Hello", metadata=metadata)


def test_a_missing_response_is_named_as_the_client_named_it(client: Client) -> None:
    with pytest.raises(openai.NotFoundError, match="There is no response 'resp_999999'"):
        official(client).responses.retrieve("resp_999999")


def test_a_response_can_be_cancelled(client: Client, model: ModelServer) -> None:
    model.answers.append(Answer(text="one two three", hold=True))
    begun = ask(client, "Hello", background=True)
    assert official(client).responses.cancel(begun.id).status == "cancelled"
    with pytest.raises(openai.BadRequestError, match="cannot be continued"):
        ask(client, "Go on", previous_response_id=begun.id)


def test_responses_belong_to_their_account_and_need_the_scopes_of_their_runs(
    client: Client, stranger: Client, user: User
) -> None:
    answer = ask(client, "Hello", model=f"agent:{create_agent(client)}")
    for identifier in (answer.id, "resp_999999", "resp_x", "other"):
        with pytest.raises(openai.NotFoundError):
            official(stranger).responses.retrieve(identifier)
        with pytest.raises(openai.NotFoundError):
            official(stranger).responses.cancel(identifier)
        with pytest.raises(openai.NotFoundError):
            official(stranger).responses.input_items.list(identifier)
        with pytest.raises(openai.NotFoundError):
            ask(stranger, "Go on", previous_response_id=identifier)
    chat_only = user.client(["chat:read", "chat:write"])
    with pytest.raises(openai.PermissionDeniedError, match="agents:read"):
        official(chat_only).responses.retrieve(answer.id)
    with pytest.raises(openai.PermissionDeniedError, match="agents:write"):
        official(chat_only).responses.cancel(answer.id)
    (run,) = data(client.get(f"/agents/{answer.model.removeprefix('agent:')}/runs"))
    assert run["status"] == "completed"


def test_a_failed_stream_says_why(client: Client, model: ModelServer) -> None:
    model.answers.append(Answer(text="one two three", break_off=True))
    stream = official(client).responses.create(model=MODEL, input="Hello", stream=True)
    *_, last = stream
    assert last.type == "response.failed"
    assert last.response.error is not None
    assert "model provider" in last.response.error.message


def test_a_response_that_continues_one_that_read_untrusted_content_is_cautious(sandbox: Client) -> None:
    note = '[[tool:note_create {"title": "a"}]]'
    reader = f"agent:{create_agent(sandbox, skills=[OUT], approval='none')}"
    writer = f"agent:{create_agent(sandbox, skills=['note_create'], approval='tainted')}"
    assert "has to approve" not in ask(sandbox, note, model=writer).output_text
    first = ask(sandbox, ASK_OUT, model=reader)
    second = ask(sandbox, "Hello", previous_response_id=first.id)
    third = ask(sandbox, note, model=writer, previous_response_id=second.id)
    assert "has to approve" in third.output_text


def test_a_stored_response_is_streamed_from_any_event(client: Client, model: ModelServer) -> None:
    sdk = official(client).responses
    model.answers.append(Answer(text="One two three", tool="get_weather", arguments={"city": "Oslo"}))
    events = list(sdk.create(model=MODEL, input="Hello", tools=[WEATHER], background=True, stream=True))
    again = list(sdk.retrieve(identifier_of(events), stream=True))
    assert [one.type for one in again if "delta" not in one.type] == [
        one.type for one in events if "delta" not in one.type
    ]
    assert events[-1].type == again[-1].type == "response.completed"
    place = next(one.sequence_number for one in events if one.type == "response.output_text.delta")
    rest = list(sdk.retrieve(identifier_of(events), stream=True, starting_after=place + 3))
    assert text_of(again) == "One two three"
    assert text_of(again).endswith(text_of(rest))
    assert min(one.sequence_number for one in rest) > place + 3
    for event in (*events, *again, *rest):
        type(event).model_validate(event.model_dump(warnings=False), strict=False)


def identifier_of(events: list[Any]) -> str:
    """The id of the response that events are about."""
    return str(events[0].response.id)


def text_of(events: list[Any]) -> str:
    """The text of the fragments."""
    return "".join(one.delta for one in events if one.type == "response.output_text.delta")


def test_a_response_is_deleted(client: Client, stranger: Client) -> None:
    agent = create_agent(client)
    for model_name in (MODEL, f"agent:{agent}"):
        answer = ask(client, "Hello", model=model_name)
        with pytest.raises(openai.NotFoundError):
            official(stranger).responses.delete(answer.id)
        official(client).responses.delete(answer.id)
        with pytest.raises(openai.NotFoundError):
            official(client).responses.retrieve(answer.id)
    assert data(client.get(f"/agents/{agent}/runs")) == []
    chat = data(client.post("/chat", {"message": "Hello"}))
    with pytest.raises(openai.BadRequestError, match="belongs to a conversation"):
        official(client).responses.delete(f"resp_{chat['run_id']}")


def test_deleting_the_response_of_an_agent_needs_its_scope(user: User, client: Client) -> None:
    answer = ask(client, "Hello", model=f"agent:{create_agent(client)}")
    chat_only = user.client(["chat:read", "chat:write"])
    with pytest.raises(openai.PermissionDeniedError):
        official(chat_only).responses.delete(answer.id)
