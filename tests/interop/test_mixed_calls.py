"""A reply that calls tools of the agent and of the client: the agent's are carried out, the client's are handed back.

The next request continues with the results of both, also where the client keeps the conversation.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.interop import test_anthropic, test_openai_responses
from tests.interop.test_openai import MODEL, WEATHER, ask, create_agent, official
from tests.support.client import Client, data
from tests.support.model_server import Answer, ModelServer

if TYPE_CHECKING:
    from openai.types.chat import ChatCompletion

SUBNET = "network_calculate_subnet"
BOTH = Answer(
    text="Let me look.",
    tool=SUBNET,
    arguments={"cidr": "10.0.0.0/24"},
    also=[("get_weather", {"city": "Oslo"})],
)
QUESTION: Any = {"role": "user", "content": "How many hosts, and how is the weather?"}


@pytest.fixture
def agent(client: Client) -> str:
    """An agent with a tool of its own, as a model."""
    return f"agent:{create_agent(client, skills=[SUBNET])}"


def result_for(answer: ChatCompletion) -> tuple[Any, Any]:
    """The assistant's message, and the client's result of its only call."""
    message = answer.choices[0].message
    assert answer.choices[0].finish_reason == "tool_calls"
    assert message.tool_calls is not None
    (call,) = message.tool_calls
    assert call.type == "function"
    assert (call.function.name, call.function.arguments) == ("get_weather", '{"city": "Oslo"}')
    return message.model_dump(exclude_none=True), {"role": "tool", "tool_call_id": call.id, "content": "rain"}


def check_last_request(model: ModelServer, text: str = "Let me look.") -> None:
    """Check that the model received both calls with both results, each once."""
    *_, called, own, theirs = model.requests[-1]["messages"]
    assert [one["function"]["name"] for one in called["tool_calls"]] == [SUBNET, "get_weather"]
    assert called["content"] == text
    assert [one["tool_call_id"] for one in (own, theirs)] == [one["id"] for one in called["tool_calls"]]
    assert "254" in own["content"]
    assert theirs["content"] == "rain"
    assert len([one for one in model.requests[-1]["messages"] if one["role"] == "assistant"]) == 1


def test_chat_completions(client: Client, model: ModelServer, agent: str) -> None:
    model.answers.append(BOTH)
    called, result = result_for(ask(client, QUESTION, model=agent, tools=[WEATHER]))
    assert {one["function"]["name"] for one in model.requests[-1]["tools"]} >= {SUBNET, "get_weather"}
    model.answers.append(Answer(text="254 hosts, and rain."))
    answer = ask(client, QUESTION, called, result, model=agent, tools=[WEATHER])
    assert answer.choices[0].message.content == "254 hosts, and rain."
    check_last_request(model)


def test_steps_before_the_handed_back_call_are_kept_too(client: Client, model: ModelServer, agent: str) -> None:
    model.answers.append(Answer(tool=SUBNET, arguments={"cidr": "10.0.0.0/24"}))
    model.answers.append(Answer(tool="get_weather", arguments={"city": "Oslo"}))
    called, result = result_for(ask(client, QUESTION, model=agent, tools=[WEATHER]))
    model.answers.append(Answer(tool="get_weather", arguments={"city": "Oslo"}))
    again, more = result_for(ask(client, QUESTION, called, result, model=agent, tools=[WEATHER]))
    model.answers.append(Answer(text="Done."))
    ask(client, QUESTION, called, result, again, more, model=agent, tools=[WEATHER])
    sent = model.requests[-1]["messages"]
    names = [call["function"]["name"] for one in sent for call in one.get("tool_calls", ())]
    assert names == [SUBNET, "get_weather", "get_weather"]
    assert [one["role"] for one in sent[-6:]] == ["assistant", "tool"] * 3


def test_tools_of_both_sides_are_called_in_a_stream(client: Client, model: ModelServer, agent: str) -> None:
    model.answers.append(BOTH)
    with official(client).chat.completions.stream(model=agent, messages=[QUESTION], tools=[WEATHER]) as stream:
        called, result = result_for(stream.get_final_completion())
    for call in called["tool_calls"]:
        call["function"].pop("parsed_arguments", None)
    called.pop("parsed", None)
    model.answers.append(Answer(text="Done."))
    ask(client, QUESTION, called, result, model=agent, tools=[WEATHER])
    check_last_request(model)


@pytest.mark.parametrize("stored", [True, False], ids=["continued", "sent again"])
def test_tools_of_both_sides_are_called_in_responses(
    client: Client, model: ModelServer, agent: str, *, stored: bool
) -> None:
    tools = [test_openai_responses.WEATHER]
    model.answers.append(BOTH)
    first = test_openai_responses.ask(client, QUESTION["content"], model=agent, tools=tools)
    (call,) = [one for one in first.output if one.type == "function_call"]
    assert official(client).responses.retrieve(first.id).output == first.output
    result: Any = {"type": "function_call_output", "call_id": call.call_id, "output": "rain"}
    model.answers.append(Answer(text="Done."))
    if stored:
        test_openai_responses.ask(client, [result], model=agent, tools=tools, previous_response_id=first.id)
    else:
        items = [one.model_dump(exclude_none=True) for one in first.output]
        test_openai_responses.ask(client, [QUESTION, *items, result], model=agent, tools=tools)
    check_last_request(model)


def test_a_stored_answer_is_continued_twice(client: Client, model: ModelServer, agent: str) -> None:
    tools = [test_openai_responses.WEATHER]
    model.answers += [BOTH, Answer(text="Done."), Answer(text="Again.")]
    first = test_openai_responses.ask(client, QUESTION["content"], model=agent, tools=tools)
    (call,) = [one for one in first.output if one.type == "function_call"]
    result: Any = {"type": "function_call_output", "call_id": call.call_id, "output": "rain"}
    second = test_openai_responses.ask(client, [result], model=agent, tools=tools, previous_response_id=first.id)
    test_openai_responses.ask(client, "And now?", model=agent, previous_response_id=second.id)
    roles = [one["role"] for one in model.requests[-1]["messages"]]
    assert roles == ["system", "user", "assistant", "tool", "tool", "assistant", "user"]


def test_tools_of_both_sides_are_called_in_messages(client: Client, model: ModelServer, agent: str) -> None:
    schema: Any = WEATHER["function"].get("parameters")
    asked: Any = {"model": agent, "max_tokens": 500, "tools": [{"name": "get_weather", "input_schema": schema}]}
    model.answers.append(BOTH)
    sdk = test_anthropic.official(client).messages
    first = sdk.create(**asked, messages=[QUESTION])
    (call,) = [one for one in first.content if one.type == "tool_use"]
    assert (first.stop_reason, call.name, call.input) == ("tool_use", "get_weather", {"city": "Oslo"})
    model.answers.append(Answer(text="Done."))
    result: Any = {"type": "tool_result", "tool_use_id": call.id, "content": "rain"}
    sdk.create(
        **asked,
        messages=[
            QUESTION,
            {"role": "assistant", "content": [one.model_dump(exclude_none=True) for one in first.content]},
            {"role": "user", "content": [result]},
        ],
    )
    check_last_request(model)


def test_the_own_tool_runs_once_and_is_counted(client: Client, model: ModelServer, agent: str) -> None:
    model.answers.append(BOTH)
    ask(client, QUESTION, model=agent, tools=[WEATHER])
    (run,) = data(client.get(f"/{agent.replace('agent:', 'agents/')}/runs"))
    assert (run["status"], run["tools_used"], run["reply"]) == ("completed", [SUBNET], "Let me look.")


def test_a_tool_of_the_client_hides_the_agents_of_the_same_name(client: Client, model: ModelServer, agent: str) -> None:
    tool: Any = {"type": "function", "function": {"name": SUBNET, "description": "Mine", "parameters": {}}}
    model.answers.append(Answer(tool=SUBNET, arguments={"cidr": "10.0.0.0/24"}))
    answer = ask(client, QUESTION, model=agent, tools=[tool])
    calls = answer.choices[0].message.model_dump()["tool_calls"]
    assert [one["function"]["name"] for one in calls] == [SUBNET]
    assert [one["function"]["name"] for one in model.requests[-1]["tools"]].count(SUBNET) == 1


def test_the_journal_of_another_agent_or_account_is_not_used(
    client: Client, stranger: Client, model: ModelServer, agent: str
) -> None:
    model.answers.append(BOTH)
    called, result = result_for(ask(client, QUESTION, model=agent, tools=[WEATHER]))
    for other in (client, stranger):
        name = f"agent:{create_agent(other, skills=[SUBNET])}"
        model.answers.append(Answer(text="Done."))
        ask(other, QUESTION, called, result, model=name, tools=[WEATHER])
        sent = model.requests[-1]["messages"]
        assert [call["function"]["name"] for one in sent for call in one.get("tool_calls", ())] == ["get_weather"]
        assert "254" not in str(sent)


def test_calls_come_back_one_at_a_time_if_the_client_wants_so(client: Client, model: ModelServer, agent: str) -> None:
    """The second call is left out. The model gets the result of the first, and asks again."""
    twice = Answer(tool=SUBNET, arguments={"cidr": "10.0.0.0/24"}, also=[("get_weather", {"city": "Oslo"})] * 2)
    for name, own in ((MODEL, 0), (agent, 1)):
        model.answers.append(Answer(tool="get_weather", arguments={"city": "Oslo"}, times=2) if not own else twice)
        called, result = result_for(ask(client, QUESTION, model=name, tools=[WEATHER], parallel_tool_calls=False))
        assert model.requests[-1]["parallel_tool_calls"] is False
        ask(client, QUESTION, called, result, model=name, tools=[WEATHER], parallel_tool_calls=False)
        *_, calls = [one["tool_calls"] for one in model.requests[-1]["messages"] if "tool_calls" in one]
        assert len(calls) == 1 + own
    ask(client, QUESTION, parallel_tool_calls=False)
    assert "parallel_tool_calls" not in model.requests[-1], "providers refuse it without tools"


def test_a_response_has_one_call_if_the_client_wants_so(client: Client, model: ModelServer) -> None:
    for stream in (False, True):
        model.answers.append(Answer(tool="get_weather", arguments={"city": "Oslo"}, times=2))
        asked: Any = {"model": MODEL, "tools": [test_openai_responses.WEATHER], "parallel_tool_calls": False}
        sdk = official(client).responses
        if stream:
            with sdk.stream(input="Hello", **asked) as events:
                answer: Any = events.get_final_response()
        else:
            answer = sdk.create(input="Hello", **asked)
        assert [one.type for one in answer.output] == ["function_call"]
        assert answer.parallel_tool_calls is sdk.retrieve(answer.id).parallel_tool_calls is False


def test_a_message_has_one_call_if_the_client_wants_so(client: Client, model: ModelServer) -> None:
    schema: Any = WEATHER["function"].get("parameters")
    asked: Any = {"model": MODEL, "max_tokens": 500, "tools": [{"name": "get_weather", "input_schema": schema}]}
    for kind, demanded in (("auto", None), ("any", "required")):
        model.answers.append(Answer(tool="get_weather", arguments={"city": "Oslo"}, times=2))
        choice: Any = {"type": kind, "disable_parallel_tool_use": True}
        answer = test_anthropic.official(client).messages.create(**asked, messages=[QUESTION], tool_choice=choice)
        assert [one.type for one in answer.content] == ["tool_use"]
        sent = model.requests[-1]
        assert (sent.get("tool_choice"), sent["parallel_tool_calls"]) == (demanded, False)
