"""Parts of the MCP client by themselves: events, headers, and what a list of tools becomes."""

import base64
import re
from itertools import pairwise, product
from typing import Any

import jsonschema_rs
import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from retinue.core.errors import ValidationFailed
from retinue.tools.argument_validation import ArgumentChecker
from retinue.tools.imports.base import McpTool, decode
from retinue.tools.imports.mcp.events import EventReader
from retinue.tools.imports.mcp.headers import BadHeader, repeated_headers
from retinue.tools.imports.mcp.messages import header_value, routing_headers
from retinue.tools.imports.mcp.tools import Server, tools_of
from tests.tools.imports.test_openapi import json_values, schemas

Json = dict[str, Any]
FAR = Server("far", "web")


def events(raw: bytes, cuts: list[int]) -> list[bytes]:
    """The events in a stream that the network cut at these places."""
    reader = EventReader()
    places = [0, *sorted(cut % (len(raw) + 1) for cut in cuts), len(raw)]
    return [one for start, end in pairwise(places) for one in reader.feed(raw[start:end])]


@given(
    st.lists(st.lists(st.text("abc: é", max_size=5), min_size=1, max_size=3), max_size=4),
    st.sampled_from(["\n", "\r\n", "\r"]),
    st.lists(st.integers(0, 500)),
)
def test_events_are_read_however_they_are_cut(told: list[list[str]], end: str, cuts: list[int]) -> None:
    rest = f": a comment{end}event: message{end}{end}"
    parts = ["".join(f"data: {line}{end}" for line in lines) + rest for lines in told]
    expected = ["\n".join(lines).encode() for lines in told]
    assert events("".join(parts).encode(), cuts) == [one for one in expected if one]


@given(st.binary(max_size=200), st.lists(st.integers(0, 200), max_size=5))
def test_any_bytes_are_read_alike(raw: bytes, cuts: list[int]) -> None:
    assert events(raw, cuts) == events(raw, [])


def test_where_to_go_on() -> None:
    reader = EventReader()
    assert list(reader.feed(b"id: 3\nretry: 250\ndata:\n\nid: a\x00b\nretry: -1\nid: \xff\n\n")) == []
    assert (reader.last_id, reader.retry_ms) == ("3", 250)


@given(st.text(max_size=30) | st.integers(-(2**53), 2**53))
def test_values_of_headers_can_be_read_back(value: str | int) -> None:
    written = header_value(value)
    assert written.isascii()
    assert written.isprintable()
    assert written == written.strip()
    found = re.fullmatch(r"=\?base64\?(.*)\?=", written)
    assert (base64.b64decode(found[1]).decode() if found else written) == str(value)


@pytest.mark.parametrize(("value", "written"), [(True, "true"), (42, "42"), ("us-west1", "us-west1")])
def test_plain_values_stay_as_they_are(value: str | int, written: str) -> None:
    assert header_value(value) == written


def test_headers_that_repeat_a_request() -> None:
    params = {"name": "grün", "arguments": {"a": {"b": 1}, "c": None, "d": [1]}}
    repeated = {"B": ["a", "b"], "C": ["c"], "D": ["d"], "E": ["e", "f"]}
    assert routing_headers("tools/call", params, repeated) == {
        "Mcp-Method": "tools/call", "Mcp-Name": "=?base64?Z3LDvG4=?=", "Mcp-Param-B": "1",
    }  # fmt: skip
    assert routing_headers("tools/list", {}, {}) == {"Mcp-Method": "tools/list"}


def mark(name: object = "Region", **schema: object) -> Json:
    return {"type": "string", "x-mcp-header": name, **schema}


def test_arguments_that_headers_repeat() -> None:
    schema = {"properties": {"a": mark(), "b": {"properties": {"c": mark("Deep", type="integer")}}}}
    assert repeated_headers(schema) == {"Region": ["a"], "Deep": ["b", "c"]}
    assert repeated_headers({"properties": {"x-mcp-header": {"type": "string"}}, "default": mark()}) == {}


@pytest.mark.parametrize(
    "schema",
    [
        mark(),
        {"properties": {"a": mark("")}},
        {"properties": {"a": mark("a b")}},
        {"properties": {"a": mark("a\r\nb: c")}},
        {"properties": {"a": mark(7)}},
        {"properties": {"a": mark(type="number")}},
        {"properties": {"a": mark(type=["string"])}},
        {"properties": {"a": mark(), "b": mark("REGION")}},
        {"properties": {"a": {"items": mark()}}},
        {"properties": {"a": {"anyOf": [mark()]}}},
        {"$defs": {"A": mark()}},
    ],
)
def test_marks_that_are_not_allowed(schema: Json) -> None:
    with pytest.raises(BadHeader):
        repeated_headers(schema)
    (tool,) = tools_of([{"name": "bad", "inputSchema": schema}, {"name": "good"}], FAR)
    assert tool.name == "far_good"


def make(server: Server = FAR, **fields: Any) -> McpTool:
    """The tool of a server that has one."""
    (tool,) = tools_of([{"name": "do", **fields}], server)
    return tool


HINTS = ("readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint")
SAID = (None, True, False, "yes")
"""What a server may say in a hint: nothing, what it should, and what is none."""


@pytest.mark.parametrize("address", [True, False])
@pytest.mark.parametrize("said", list(product(SAID, repeat=len(HINTS))), ids=str)
def test_hints_make_a_tool_no_looser_unless_they_are_trusted(said: tuple[object, ...], address: bool) -> None:
    hints = {hint: value for hint, value in zip(HINTS, said, strict=True) if value is not None}
    tool = make(Server("far", "web", address=address), annotations=hints)
    assert (tool.read_only, tool.destructive, tool.idempotent, tool.open_world) == (False, True, False, True)
    tool = make(Server("far", "web", trusted=True, address=address), annotations=hints)
    read_only, destructive, idempotent, open_world = said
    assert tool.read_only is (read_only is True)
    assert tool.destructive is not (read_only is True or destructive is False)
    assert tool.idempotent is (read_only is True or idempotent is True)
    assert tool.open_world is (address or open_world is not False)


def test_what_a_server_says_of_results() -> None:
    tool = make(outputSchema={"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]})
    assert tool.result_schema["properties"]["structured"]["properties"] == {"a": {"type": "integer"}}
    assert set(tool.result_schema["properties"]) == {"text", "structured", "content"}


def test_references_are_resolved_and_odd_names_replaced() -> None:
    schema = {
        "type": "object",
        "properties": {"who is it": {"$ref": "#/$defs/Name"}, "who_is_it": {"type": "integer"}},
        "required": ["who is it"],
        "$defs": {"Name": {"type": "string", "description": "A name."}},
    }
    tool = make(inputSchema=schema)
    assert tool.input_schema["properties"]["who_is_it"] == {"type": "string", "description": "A name."}
    assert tool.input_schema["required"] == ["who_is_it"]
    assert tool.call.arguments == {"who_is_it": "who is it", "who_is_it_argument": "who_is_it"}


@pytest.mark.parametrize(
    ("schema", "free"),
    [
        ({"type": "object"}, False),
        ({"additionalProperties": False}, False),
        ({"additionalProperties": True}, True),
        ({"additionalProperties": {"type": "string"}}, True),
        ({"oneOf": [{"properties": {"a": {}}}]}, True),
        ({"properties": {"a": {}}, "additionalProperties": True}, False),
    ],
)
def test_whether_any_argument_is_taken(schema: Json, free: bool) -> None:
    assert make(inputSchema=schema).input_schema["additionalProperties"] is free


@given(st.lists(st.text(max_size=150), min_size=1, max_size=8))
def test_names_are_unique_and_fit(names: list[str]) -> None:
    callable_names = {name for name in names if name}
    if not callable_names:
        with pytest.raises(ValidationFailed):
            tools_of([{"name": name} for name in names], FAR)
        return
    tools = tools_of([{"name": name} for name in names], FAR)
    assert {tool.call.tool for tool in tools} == callable_names
    assert len({tool.name for tool in tools}) == len(tools)
    assert all(re.fullmatch("[a-z][a-z0-9_]{1,63}", tool.name) for tool in tools)


@given(schemas, schemas, json_values)
def test_whatever_a_server_lists_becomes_a_tool_or_nothing(given_in: Any, out: Any, hints: Any) -> None:
    listed = [{"name": "do", "inputSchema": given_in, "outputSchema": out, "annotations": hints}, {"name": "other"}]
    for tool in tools_of(listed, FAR):
        assert decode(orjson.dumps(tool)) == tool
        jsonschema_rs.Draft202012Validator(dict(tool.input_schema))
        jsonschema_rs.Draft202012Validator(dict(tool.result_schema))
        ArgumentChecker(tool)
