"""Structured routing: what the model is asked, and what becomes of its answers."""

from collections.abc import AsyncGenerator, Sequence
from dataclasses import replace
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from retinue.models.argument_schema import argument_lines, constrained
from retinue.models.base import Delta, Message, ModelRequest, Text, ToolCall, Usage
from retinue.models.candidates import Candidate
from retinue.models.routing import ANSWER_TOKENS, RoutedModel

SUBNET = Candidate(
    "subnet",
    "Hosts of a network.",
    {
        "type": "object",
        "properties": {
            "cidr": {"type": "string", "description": "e.g. 10.0.0.0/8", "pattern": r"^\d+", "maxLength": 100_000},
            "family": {"enum": ["v4", "v6"], "default": "v4"},
        },
        "required": ["cidr"],
    },
    ["How many hosts has 10.0.0.0/8?"],
    {"cidr": "192.0.2.0/24"},
)


class Chooser:
    """A base model with fixed answers that keeps what it was asked. A network would add nothing to these tests."""

    name = "base"
    context_tokens = 4096
    uses_resources = False

    def __init__(self, *choices: dict[str, Any]) -> None:
        self.choices = list(choices)
        self.schemas: list[dict[str, Any]] = []
        self.prompts: list[Sequence[Message]] = []
        self.requests: list[ModelRequest] = []

    async def choose(
        self, messages: Sequence[Message], schema: dict[str, Any], max_tokens: int
    ) -> tuple[dict[str, Any], Usage]:
        assert max_tokens > 0
        self.prompts.append(messages)
        self.schemas.append(schema)
        return self.choices.pop(0), Usage(10, 4)

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Delta]:
        self.requests.append(request)
        yield Text("Hello.")
        yield Usage(20, 2)


async def run(base: Chooser, *messages: Message, tools: Sequence[Candidate] = (SUBNET,)) -> list[Delta]:
    return [delta async for delta in RoutedModel(base).stream(ModelRequest(messages, tools))]


ASKED = Message("user", "How many hosts has 10.0.0.0/8?")


async def test_a_choice_becomes_a_tool_call() -> None:
    base = Chooser({"tool": "subnet"}, {"cidr": "10.0.0.0/8"})
    call, usage = await run(base, ASKED)
    assert isinstance(call, ToolCall)
    assert (call.name, orjson.loads(call.arguments)) == ("subnet", {"cidr": "10.0.0.0/8"})
    assert usage == Usage(20, 8)
    assert base.requests == []


async def test_the_tool_is_chosen_by_what_it_does_and_filled_in_by_what_it_takes() -> None:
    base = Chooser({"tool": "subnet"}, {})
    await run(base, ASKED)
    choosing, filling = (messages[0].content for messages in base.prompts)
    assert choosing.index("User: Hello!\n") < choosing.index('User: How many hosts has 10.0.0.0/8?\n{"tool":"subnet"}')
    assert "- subnet: Hosts of a network." in choosing
    assert "- cidr (string): e.g. 10.0.0.0/8\nExample" in filling
    assert '{"cidr":"192.0.2.0/24"}' in filling
    assert base.schemas[0]["properties"] == {"tool": {"enum": ["subnet", "reply"]}}
    assert base.schemas[1]["required"] == ["cidr"]


@pytest.mark.parametrize(("spoken", "asked"), [("family", ["cidr", "family"]), ("v4", ["cidr"]), ("V6", ["cidr"])])
async def test_optional_arguments_are_asked_for_where_they_are_spoken_of(spoken: str, asked: list[str]) -> None:
    base = Chooser({"tool": "subnet"}, {})
    await run(base, Message("user", f"How many hosts has 10.0.0.0/8 ({spoken})?"))
    assert "- cidr (string): e.g. 10.0.0.0/8\n- family (v4|v6, default v4): \n" in base.prompts[1][0].content
    assert list(base.schemas[1]["properties"]) == asked


def called(arguments: str, result: str) -> list[Message]:
    """A call of the tool and what came of it."""
    call = ToolCall("c1", "subnet", arguments)
    return [Message("assistant", "", (call,)), Message("tool", result, (), "c1", "subnet")]


REFUSED = called('{"cidr":"ten"}', '{"error":"cidr must be an address with a prefix"}')


async def test_refused_arguments_are_filled_in_once_more() -> None:
    base = Chooser({"cidr": "10.0.0.0/8"})
    call, _ = await run(base, ASKED, *REFUSED)
    assert isinstance(call, ToolCall)
    assert orjson.loads(call.arguments) == {"cidr": "10.0.0.0/8"}
    asked = base.prompts[0][-1].content
    assert asked.startswith(ASKED.content)
    assert "cidr must be an address" in asked
    assert '{"cidr":"ten"}' in asked


async def test_arguments_that_an_error_does_not_name_are_kept() -> None:
    turn = called('{"cidr":"10.0.0.0/8","family":"v7"}', '{"error":"family must be v4 or v6"}')
    base = Chooser({"family": "v4"})
    call, _ = await run(base, Message("user", "10.0.0.0/8, which family?"), *turn)
    assert isinstance(call, ToolCall)
    assert orjson.loads(call.arguments) == {"cidr": "10.0.0.0/8", "family": "v4"}
    assert list(base.schemas[0]["properties"]) == ["family"]


async def test_after_a_second_refusal_the_next_tool_has_its_turn() -> None:
    found = replace(SUBNET, fit=30.0, lead=9.0)
    other = replace(found, name="address")
    call, _ = await run(Chooser({"cidr": "10.0.0.0/8"}), ASKED, *REFUSED, *REFUSED, tools=[found, other])
    assert isinstance(call, ToolCall)
    assert call.name == "address"


async def test_a_result_that_is_no_json_the_model_tells() -> None:
    assert await run(Chooser(), ASKED, *called("{}", "plain text")) == [Text("Hello."), Usage(20, 2)]


async def test_a_second_refusal_is_told() -> None:
    told = "That did not work: cidr must be an address with a prefix"
    assert await run(Chooser(), ASKED, *REFUSED, *REFUSED) == [Text(told), Usage(0, 0)]


async def test_the_model_is_not_asked_where_search_and_request_leave_no_doubt() -> None:
    taken = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}
    rotate = Candidate("rotate", "Rotates letters.", taken, fit=60.0, lead=9.0)
    call, usage = await run(Chooser(), Message("user", "rotate this: Meet me"), tools=[rotate])
    assert isinstance(call, ToolCall)
    assert orjson.loads(call.arguments) == {"text": "Meet me"}
    assert usage == Usage(0, 0)


async def test_a_result_is_told_as_it_is() -> None:
    told = await run(Chooser(), ASKED, *called('{"cidr":"10.0.0.0/8"}', '{"usable_hosts":16777214.0,"free":null}'))
    assert told == [Text("16777214"), Usage(0, 0)]


async def test_a_result_that_the_reply_leaves_out_is_added() -> None:
    explained = Message("user", "Explain how many hosts 10.0.0.0/8 has")
    told = await run(Chooser(), explained, *called('{"cidr":"10.0.0.0/8"}', '{"usable_hosts":16777214}'))
    assert told == [Text("Hello."), Text("\n\nusable hosts: 16777214"), Usage(20, 2)]


@pytest.mark.parametrize("choice", [{"tool": "reply"}, {}, {"tool": "unknown"}])
async def test_anything_else_becomes_a_streamed_reply(choice: dict[str, Any]) -> None:
    base = Chooser(choice)
    assert await run(base, Message("user", "Hi")) == [Text("Hello."), Usage(30, 6)]
    assert base.requests[0].tools == ()


async def test_without_tools_nothing_is_chosen() -> None:
    base = Chooser()
    assert await run(base, Message("user", "Hi"), tools=()) == [Text("Hello."), Usage(20, 2)]
    assert base.schemas == []


async def test_results_are_put_beside_the_question() -> None:
    base = Chooser()
    old = [
        Message("user", "How many?"),
        Message("assistant", "", (ToolCall("c0", "old", "{}"),)),
        Message("tool", "stale", (), "c0", "old"),
        Message("assistant", "Well."),
    ]
    turn = [Message("user", "How many?"), *called('{"cidr":"10.0.0.0/8"}', "16777214")]
    await run(base, Message("system", "Be kind."), *old, *turn)
    asked = base.requests[0].messages
    assert [message.role for message in asked] == ["system", "user", "assistant", "user"]
    assert asked[1] == old[0]
    assert asked[-1].content.startswith("How many?")
    assert "Result: 16777214" in asked[-1].content
    assert base.requests[0].max_tokens == ANSWER_TOKENS
    assert "stale" not in "".join(message.content for message in asked)
    assert base.schemas == []


def test_the_schema_keeps_shape_and_drops_what_grammars_refuse() -> None:
    assert constrained(SUBNET.input_schema) == {
        "type": "object",
        "properties": {"cidr": {"type": "string"}, "family": {"enum": ["v4", "v6"]}},
        "required": ["cidr"],
        "additionalProperties": False,
    }
    nested = {
        "type": "object",
        "properties": {"point": {"$ref": "#/$defs/Point"}, "note": {"oneOf": [{"type": "null"}, {"type": "string"}]}},
        "$defs": {"Point": {"type": "array", "items": {"type": "number", "minimum": 0}, "minItems": 2}},
    }
    assert constrained(nested)["properties"] == {
        "point": {"type": "array", "items": {"type": "number"}},
        "note": {"anyOf": [{"type": "null"}, {"type": "string"}]},
    }


def test_a_schema_that_refers_to_itself_ends() -> None:
    tree = {"$ref": "#/$defs/Node", "$defs": {"Node": {"type": "array", "items": {"$ref": "#/$defs/Node"}}}}
    assert constrained(tree)["type"] == "array"


schemas = st.recursive(
    st.fixed_dictionaries({"type": st.sampled_from(["string", "integer", "boolean"]), "maxLength": st.integers()}),
    lambda inner: (
        st.fixed_dictionaries({"type": st.just("array"), "items": inner})
        | st.fixed_dictionaries({"anyOf": st.lists(inner, min_size=1, max_size=3)})
        | st.fixed_dictionaries(
            {"type": st.just("object"), "properties": st.dictionaries(st.text("ab", min_size=1), inner, max_size=3)}
        )
    ),
)


@given(schemas)
def test_no_bound_survives_at_any_depth(schema: dict[str, Any]) -> None:
    assert "maxLength" not in orjson.dumps(constrained(schema)).decode()
    assert not [line for line in argument_lines({"properties": {"one": schema}}) if "\n" in line]
