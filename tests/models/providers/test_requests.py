"""What clients send: files, what the provider wants back, and what they learn from refusals."""

from collections.abc import Sequence
from typing import Any

import orjson
import pytest

from retinue.core.errors import RetinueError
from retinue.models.base import (
    ContextExceeded,
    Delta,
    Message,
    ModelRequest,
    ProviderFailed,
    ProviderItem,
    ReasoningEffort,
    TextDelta,
    ToolCall,
)
from retinue.models.providers.endpoint import DEFAULT_ORIGIN, ModelLimits
from tests.models.providers.requests import SCHEMA, TOOLS, kept, three_turns
from tests.models.streams.replay import CLIENTS, PAPER, PICTURE, VOICE, ReplaySession, client, first_body, recordings

PROTOCOLS = tuple(CLIENTS)
PLAIN = {one.protocol: one.data for one in recordings() if one.name == "plain"}
HELLO = ModelRequest([Message("user", "Hello")], temperature=0.5, max_tokens=64)


def refusal(status: int, message: str, **fields: Any) -> tuple[int, Sequence[bytes]]:
    return status, [orjson.dumps({"error": {"message": message, **fields}})]


def fine(protocol: str) -> tuple[int, Sequence[bytes]]:
    return 200, [PLAIN[protocol]]


async def collect(protocol: str, session: ReplaySession, request: ModelRequest = HELLO, **options: Any) -> list[Delta]:
    return [delta async for delta in client(protocol, session, **options).stream(request)]


def wire_messages(body: dict[str, Any]) -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = body.get("messages") or body.get("input") or body["contents"]
    return messages


# What the provider wants back


async def test_chat_sends_reasoning_and_signatures_back() -> None:
    body = await first_body("chat", ModelRequest(three_turns("chat")))
    first, second = (message for message in body["messages"] if message["role"] == "assistant")
    assert first["reasoning_content"] == "hm"
    assert second["reasoning"] == "ah"
    signature = {"extra_content": {"google": {"thought_signature": "sig"}}}
    value = {"chat": {"message": {}, "calls": [signature]}}
    signed = Message("assistant", "", (ToolCall("c", "show", "{}"),), opaque=(ProviderItem(DEFAULT_ORIGIN, value),))
    body = await first_body("chat", ModelRequest([Message("user", "Go"), signed]))
    assert body["messages"][1]["tool_calls"][0]["extra_content"] == signature["extra_content"]


async def test_chat_sends_thinking_parts_back() -> None:
    value = {"chat": {"message": {"thinking": "hm"}, "calls": []}}
    messages = [Message("user", "Go"), Message("assistant", "Hi", opaque=(ProviderItem(DEFAULT_ORIGIN, value),))]
    body = await first_body("chat", ModelRequest(messages))
    thinking = {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}
    assert body["messages"][1]["content"] == [thinking, {"type": "text", "text": "Hi"}]


async def test_responses_sends_items_back_in_their_places() -> None:
    body = await first_body("responses", ModelRequest(three_turns("responses")))
    kinds = [item.get("type") or item["role"] for item in body["input"]]
    outputs = ["function_call_output", "function_call_output"]
    assert kinds == ["system", "user", "reasoning", "function_call", "function_call", *outputs, "assistant", "user"]
    assert body["input"][2] == {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "e"}
    assert body["input"][7]["phase"] == "final_answer"
    assert (body["store"], body["include"]) == (False, ["reasoning.encrypted_content"])


async def test_anthropic_sends_thinking_back_in_its_place() -> None:
    body = await first_body("anthropic", ModelRequest(three_turns("anthropic")))
    user, calls, results, answer, _ = body["messages"]
    assert [block["type"] for block in calls["content"]] == ["thinking", "tool_use", "tool_use"]
    assert calls["content"][0] == {"type": "thinking", "thinking": "hm", "signature": "s"}
    assert [block["type"] for block in results["content"]] == ["tool_result", "tool_result"]
    assert [block["type"] for block in answer["content"]] == ["redacted_thinking", "text"]
    assert user["role"] == "user"


async def test_gemini_sends_signatures_back_on_their_parts() -> None:
    body = await first_body("gemini", ModelRequest(three_turns("gemini")))
    calls, answer = (content["parts"] for content in body["contents"] if content["role"] == "model")
    assert calls[0] == {
        "functionCall": {"name": "calculate", "args": {"cidr": "10.0.0.0/24"}},
        "thoughtSignature": "c2ln",
    }
    assert calls[1] == {"functionCall": {"name": "show", "args": {}}}
    assert answer == [{"text": "256", "thoughtSignature": "c2ln"}]


async def test_gemini_3_gets_the_documented_signature_for_calls_of_another_model() -> None:
    messages = three_turns("gemini", origin="another")
    request = ModelRequest(messages)
    for name, signed in (("gemini-3-pro", True), ("gemini-2.5-flash", False)):
        body = await first_body("gemini", request, wire_name=name)
        calls = body["contents"][1]["parts"]
        assert [("thoughtSignature" in call) for call in calls] == [signed, False]


@pytest.mark.parametrize("protocol", PROTOCOLS)
async def test_no_provider_receives_the_private_items_of_another(protocol: str) -> None:
    foreign = await first_body(protocol, ModelRequest(three_turns(protocol, origin="another")))
    none = [
        Message(m.role, m.content, m.tool_calls, m.tool_call_id, m.tool_name, m.media) for m in three_turns(protocol)
    ]
    assert foreign == await first_body(protocol, ModelRequest(none))


@pytest.mark.parametrize("protocol", PROTOCOLS)
async def test_arguments_that_go_back_are_objects(protocol: str) -> None:
    body = orjson.dumps(await first_body(protocol, ModelRequest(three_turns(protocol)))).decode()
    assert '{\\"cut' not in body
    assert '{"cut' not in body


@pytest.mark.parametrize("protocol", PROTOCOLS)
async def test_a_reply_goes_back_as_it_came(protocol: str) -> None:
    """What a recorded reply wants back is what the next request carries, also after a change of its text."""
    for recording in recordings():
        if recording.protocol != protocol or "opaque" not in recording.outcome:
            continue
        outcome = recording.outcome
        calls = tuple(ToolCall(c.get("id", "c9"), c["name"], c["arguments"]) for c in outcome.get("calls", ()))
        value = ProviderItem(DEFAULT_ORIGIN, {protocol: outcome["opaque"]})
        message = Message("assistant", outcome["text"], calls, opaque=(value,))
        sent = orjson.dumps(await first_body(protocol, ModelRequest([Message("user", "Go"), message])))
        for text in _secrets_of(outcome["opaque"]):
            assert orjson.dumps(text) in sent, str(recording)
        changed = Message("assistant", "Other words.", calls, opaque=(value,))
        body = await first_body(protocol, ModelRequest([Message("user", "Go"), changed]))
        assert _text_of(wire_messages(body)[1:]) == "Other words.", str(recording)


def _text_of(messages: Any) -> str:
    """Return the text of assistant messages in any protocol."""
    if isinstance(messages, list):
        return "".join(map(_text_of, messages))
    if messages.get("type") in ("thinking", "reasoning") or messages.get("thought"):
        return ""
    inner = messages.get("content") or messages.get("parts") or messages.get("text") or ""
    return inner if isinstance(inner, str) else _text_of(inner)


def _secrets_of(value: Any) -> list[str]:
    if isinstance(value, dict):
        kept = ("signature", "data", "encrypted_content", "reasoning_content", "thought_signature", "id")
        own = [part for name, part in value.items() if name in kept and isinstance(part, str)]
        return own + [text for part in value.values() for text in _secrets_of(part)]
    return [text for part in value for text in _secrets_of(part)] if isinstance(value, list) else []


# Files


async def test_chat_sends_files_as_parts() -> None:
    body = await first_body("chat", ModelRequest([Message("user", "Look.", media=(PICTURE, PAPER, VOICE))]))
    assert [part["type"] for part in body["messages"][0]["content"]] == ["text", "image_url", "file", "input_audio"]
    assert body["messages"][0]["content"][3]["input_audio"]["format"] == "mp3"


async def test_chat_sends_files_of_tools_after_all_results() -> None:
    body = await first_body("chat", ModelRequest(three_turns("chat")))
    roles = [message["role"] for message in body["messages"]]
    assert roles == ["system", "user", "assistant", "tool", "tool", "user", "assistant", "user"]
    assert body["messages"][5]["content"][1]["type"] == "image_url"


async def test_files_of_tools_stand_in_their_results() -> None:
    bodies = {protocol: await first_body(protocol, ModelRequest(three_turns(protocol))) for protocol in PROTOCOLS}
    outputs = [item["output"] for item in bodies["responses"]["input"] if "output" in item]
    assert [part["type"] for part in outputs[1]] == ["input_text", "input_image"]
    results = bodies["anthropic"]["messages"][2]["content"]
    assert [part["type"] for part in results[1]["content"]] == ["text", "image"]
    first, second = (part["functionResponse"] for part in bodies["gemini"]["contents"][2]["parts"])
    assert (first["response"], "parts" in first) == ({"size": 256}, False)
    assert second["parts"][0]["inlineData"]["mimeType"] == "image/png"


@pytest.mark.parametrize("protocol", PROTOCOLS)
async def test_a_model_that_cannot_see_is_told_so(protocol: str) -> None:
    request = ModelRequest([Message("user", "Look.", media=(PICTURE,))])
    body = await first_body(protocol, request, limits=ModelLimits(8192))
    assert "An image named 'cat.png' is attached, but you cannot see or hear it." in str(body)
    assert "base64" not in str(body)


# Structured output, limits, caches


@pytest.mark.parametrize(
    ("protocol", "where"),
    [
        ("chat", lambda body: body["response_format"]["json_schema"]["schema"]),
        ("responses", lambda body: body["text"]["format"]["schema"]),
        ("anthropic", lambda body: body["output_config"]["format"]["schema"]),
        ("gemini", lambda body: body["generationConfig"]["responseJsonSchema"]),
    ],
)
async def test_schema_of_the_reply(protocol: str, where: Any) -> None:
    body = await first_body(protocol, ModelRequest([Message("user", "Go")], output_schema=SCHEMA))
    closed = SCHEMA | {"additionalProperties": False}
    assert where(body) == (closed if protocol == "anthropic" else SCHEMA)


@pytest.mark.parametrize(("asked", "own", "sent"), [(None, None, 8192), (None, 64_000, 64_000), (99, 64_000, 99)])
async def test_anthropic_always_gets_a_limit(asked: int | None, own: int | None, sent: int) -> None:
    request = ModelRequest([Message("user", "Go")], max_tokens=asked)
    assert (await first_body("anthropic", request, limits=ModelLimits(8192, own)))["max_tokens"] == sent


@pytest.mark.parametrize("protocol", ["chat", "responses", "gemini"])
async def test_others_get_no_limit_of_ours(protocol: str) -> None:
    body = await first_body(protocol, ModelRequest([Message("user", "Go")]))
    assert "oken" not in str(body).replace("include_usage", "")


async def test_anthropic_caches_the_stable_prefix() -> None:
    body = await first_body("anthropic", ModelRequest(three_turns("anthropic"), TOOLS))
    marked = {"type": "ephemeral"}
    assert body["system"][-1]["cache_control"] == marked
    assert ["cache_control" in tool for tool in body["tools"]] == [False, True]
    assert ["cache_control" in message["content"][-1] for message in body["messages"]] == [False] * 3 + [True] * 2


@pytest.mark.parametrize("protocol", PROTOCOLS)
async def test_the_prefix_of_a_conversation_is_stable(protocol: str) -> None:
    """Two requests of a conversation share system prompt, tools and earlier messages byte for byte."""
    messages = three_turns(protocol)
    longer = [*messages, Message("assistant", "512"), Message("user", "Thanks")]
    short, long = [await first_body(protocol, ModelRequest(part, TOOLS)) for part in (messages, longer)]
    for body in (short, long):
        for message in wire_messages(body):
            for block in message.get("content") or () if protocol == "anthropic" else ():
                block.pop("cache_control", None)
    first, rest = wire_messages(short), wire_messages(long)
    assert orjson.dumps(rest[: len(first)]) == orjson.dumps(first)
    for name in ("tools", "system", "systemInstruction"):
        assert orjson.dumps(short.get(name)) == orjson.dumps(long.get(name))


# Reasoning


@pytest.mark.parametrize("effort", ["none", "low", "medium", "high"])
async def test_each_protocol_states_the_reasoning_effort(effort: ReasoningEffort) -> None:
    request = ModelRequest([Message("user", "Go")], reasoning_effort=effort, max_tokens=9000)
    bodies = {protocol: await first_body(protocol, request) for protocol in PROTOCOLS}
    assert bodies["chat"]["reasoning_effort"] == effort
    assert bodies["responses"]["reasoning"]["effort"] == effort
    thinks = bodies["anthropic"]["thinking"]["type"]
    assert thinks == ("disabled" if effort == "none" else "adaptive")
    assert ("temperature" in bodies["anthropic"]) == (effort == "none")
    level = bodies["gemini"]["generationConfig"]["thinkingConfig"]["thinkingLevel"]
    assert level == ("minimal" if effort == "none" else effort)


async def test_anthropic_falls_back_to_a_budget_and_then_to_none() -> None:
    request = ModelRequest([Message("user", "Go")], reasoning_effort="medium", max_tokens=9000)
    refused = refusal(400, "adaptive thinking is not supported on this model")
    session = ReplaySession(refused, fine("anthropic"))
    await collect("anthropic", session, request)
    assert session.bodies[1]["thinking"] == {"type": "enabled", "budget_tokens": 8192}
    session = ReplaySession(refused, refusal(400, "thinking: Extra inputs are not permitted"), fine("anthropic"))
    await collect("anthropic", session, request)
    assert "thinking" not in session.bodies[2]
    assert session.bodies[2]["temperature"] == 0.7


async def test_gemini_falls_back_to_a_budget() -> None:
    request = ModelRequest([Message("user", "Go")], reasoning_effort="low")
    session = ReplaySession(refusal(400, "Thinking level is not supported for this model."), fine("gemini"))
    await collect("gemini", session, request)
    config = session.bodies[1]["generationConfig"]["thinkingConfig"]
    assert config == {"thinkingBudget": 1024, "includeThoughts": True}


# Refusals


@pytest.mark.parametrize(
    ("protocol", "parameter"),
    [
        ("chat", "temperature"),
        ("chat", "stream_options"),
        ("chat", "reasoning_effort"),
        ("chat", "response_format"),
        ("responses", "temperature"),
        ("responses", "include"),
        ("responses", "reasoning"),
        ("responses", "text"),
        ("anthropic", "temperature"),
        ("anthropic", "cache_control"),
    ],
)
async def test_a_refused_parameter_is_learned(protocol: str, parameter: str) -> None:
    effort: ReasoningEffort | None = "low" if "reasoning" in parameter else None
    request = ModelRequest([Message("user", "Go")], reasoning_effort=effort, output_schema=SCHEMA)
    session = ReplaySession(refusal(400, f"Unsupported parameter: '{parameter}'", param=parameter), fine(protocol))
    model = client(protocol, session)
    for _ in range(2):
        assert [delta async for delta in model.stream(request) if isinstance(delta, TextDelta)]
    first, *others = session.bodies
    assert parameter in str(first)
    assert [parameter in body for body in others] == [False, False]
    assert "cache_control" not in str(others) or parameter != "cache_control"


async def test_faults_named_by_location_are_learned() -> None:
    detail = {"detail": [{"loc": ["body", "stream_options"], "msg": "Extra inputs are not permitted"}]}
    session = ReplaySession((422, [orjson.dumps(detail)]), fine("chat"))
    await collect("chat", session)
    assert "stream_options" not in session.bodies[1]


async def test_unhelpful_features_are_not_learned() -> None:
    session = ReplaySession(refusal(400, "tool show: property temperature is invalid"))
    model = client("chat", session)
    for _ in range(2):
        with pytest.raises(ProviderFailed, match="property temperature"):
            async for _ in model.stream(HELLO):
                pass
    assert "temperature" in session.bodies[2]


async def test_a_limit_that_is_too_high_is_an_error() -> None:
    message = "max_tokens is too large: 64. This model supports at most 32 completion tokens"
    session = ReplaySession(refusal(400, message, param="max_tokens"))
    with pytest.raises(ProviderFailed, match="too large"):
        await collect("chat", session)
    assert len(session.bodies) == 1


async def test_reasoning_that_the_provider_does_not_want_is_left_out() -> None:
    refused = refusal(400, "reasoning_content is not allowed in input messages")
    session = ReplaySession(refused, fine("chat"))
    await collect("chat", session, ModelRequest(three_turns("chat")))
    assert "reasoning_content" in str(session.bodies[0])
    assert "reasoning_content" not in str(session.bodies[1])


async def test_mistral_gets_ids_of_nine_characters() -> None:
    refused = refusal(400, "Tool call id was c1 but must be a-z, A-Z, 0-9, with a length of 9.")
    session = ReplaySession(refused, fine("chat"))
    await collect("chat", session, ModelRequest(three_turns("chat")))
    messages = session.bodies[1]["messages"]
    called = [call["id"] for message in messages for call in message.get("tool_calls", ())]
    answered = [message["tool_call_id"] for message in messages if message["role"] == "tool"]
    assert called == answered
    assert all(len(call_id) == 9 and call_id.isalnum() for call_id in called)


@pytest.mark.parametrize(
    ("status", "message", "words", "may_retry"),
    [
        (401, "bad key sk-hidden", "key of the provider 'acme'", False),
        (402, "no credit", "no credit left", False),
        (404, "no such model", "m-1 is a model there", False),
        (408, "", "HTTP 408", True),
        (429, "slow down", "rate limit", True),
        (500, "", "HTTP 500", True),
        (529, "Overloaded", "HTTP 529", True),
    ],
)
@pytest.mark.parametrize("protocol", PROTOCOLS)
async def test_errors_name_the_provider(protocol: str, status: int, message: str, words: str, may_retry: bool) -> None:
    with pytest.raises(RetinueError) as caught:
        await collect(protocol, ReplaySession(refusal(status, message)), origin="acme")
    error = caught.value
    assert isinstance(error, ProviderFailed)
    assert words in error.message
    assert error.may_retry is may_retry
    assert not {"RETINUE_MODEL", "sk-hidden"} & set(error.message.split())
    assert "RETINUE_MODEL" not in error.message


@pytest.mark.parametrize(
    ("protocol", "message"),
    [
        ("chat", "This model's maximum context length is 8192 tokens."),
        ("responses", "Your input exceeds the context window of this model."),
        ("anthropic", "prompt is too long: 210000 tokens > 200000 maximum"),
        ("anthropic", "input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000"),
        ("gemini", "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576)."),
    ],
)
async def test_a_prompt_that_is_too_long(protocol: str, message: str) -> None:
    session = ReplaySession(refusal(400, message))
    with pytest.raises(ContextExceeded):
        await collect(protocol, session)
    assert len(session.bodies) == 1


async def test_unmarked_reasoning_is_kept_apart_from_the_second_reply_on() -> None:
    recording = next(one for one in recordings() if one.name == "think_unopened")
    session = ReplaySession((200, [recording.data]))
    model = client("chat", session)
    with pytest.raises(ProviderFailed, match="reasoning into the reply"):
        async for _ in model.stream(HELLO):
            pass
    deltas = [delta async for delta in model.stream(HELLO)]
    assert "".join(delta.content for delta in deltas if isinstance(delta, TextDelta)) == "Yes"


def test_kept_values_are_of_one_protocol() -> None:
    assert {next(iter(part.value)) for protocol in PROTOCOLS for part in kept(protocol, 0)} == set(PROTOCOLS)


# A call that the request demands


@pytest.mark.parametrize("protocol", PROTOCOLS)
async def test_a_call_can_be_demanded(protocol: str) -> None:
    wire: dict[str, dict[str, Any]] = {
        "chat": {"tool_choice": "required"},
        "responses": {"tool_choice": "required"},
        "anthropic": {"tool_choice": {"type": "any"}},
        "gemini": {"toolConfig": {"functionCallingConfig": {"mode": "ANY"}}},
    }
    demanded = wire[protocol]
    hello = [Message("user", "Hello")]
    body = await first_body(protocol, ModelRequest(hello, tools=TOOLS, must_call=True))
    assert demanded.items() <= body.items()
    free = await first_body(protocol, ModelRequest(hello, tools=TOOLS))
    assert not demanded.keys() & free.keys()


@pytest.mark.parametrize("protocol", PROTOCOLS)
async def test_calls_can_be_limited_to_one(protocol: str) -> None:
    single: dict[str, Any] = {"parallel_tool_calls": False}
    wire: dict[str, dict[str, Any]] = {
        "chat": single,
        "responses": single,
        "anthropic": {"tool_choice": {"type": "auto", "disable_parallel_tool_use": True}},
        "gemini": {},  # It has no such setting.
    }
    hello = [Message("user", "Hello")]
    body = await first_body(protocol, ModelRequest(hello, tools=TOOLS, single_call=True))
    assert wire[protocol].items() <= body.items()
    free = await first_body(protocol, ModelRequest(hello, tools=TOOLS))
    assert body == {**free, **wire[protocol]}


async def test_one_demanded_call_of_anthropic() -> None:
    asked = ModelRequest([Message("user", "Hello")], tools=TOOLS, single_call=True, must_call=True)
    choice = (await first_body("anthropic", asked))["tool_choice"]
    assert choice == {"type": "any", "disable_parallel_tool_use": True}


async def test_a_provider_that_refuses_to_demand_a_call_is_asked_without() -> None:
    refused = refusal(400, "Thinking mode does not support this tool_choice")
    session = ReplaySession(refused, fine("chat"))
    await collect("chat", session, ModelRequest([Message("user", "Hello")], tools=TOOLS, must_call=True))
    assert ["tool_choice" in body for body in session.bodies] == [True, False]
