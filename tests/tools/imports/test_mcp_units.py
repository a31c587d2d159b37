"""Parts of the MCP client by themselves: events, headers, and what a list of tools becomes."""

import base64
import io
import re
from itertools import pairwise, product
from typing import Any, BinaryIO

import jsonschema_rs
import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st
from multidict import CIMultiDict, CIMultiDictProxy

from retinue.core.errors import RetinueError, Unavailable, ValidationFailed
from retinue.tools.catalogue.argument_validation import ArgumentChecker
from retinue.tools.catalogue.imported_tool import McpTool, decode
from retinue.tools.imports.authorization.challenge import AuthorizationRequired
from retinue.tools.imports.mcp import results
from retinue.tools.imports.mcp.events import EventReader
from retinue.tools.imports.mcp.headers import BadHeader, repeated_headers
from retinue.tools.imports.mcp.http_transport import McpReply
from retinue.tools.imports.mcp.list_pages import _write_all
from retinue.tools.imports.mcp.messages import header_value, routing_headers
from retinue.tools.imports.mcp.refusals import result_of
from retinue.tools.imports.mcp.tools import ServerTools, tools_of
from tests.tools.imports.test_openapi import json_values, schemas

Json = dict[str, Any]
FAR = ServerTools("far", "web")


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


def make(server: ServerTools = FAR, **fields: Any) -> McpTool:
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
    tool = make(ServerTools("far", "web", address=address), annotations=hints)
    assert (tool.read_only, tool.destructive, tool.idempotent, tool.open_world) == (False, True, False, True)
    tool = make(ServerTools("far", "web", trusted=True, address=address), annotations=hints)
    read_only, destructive, idempotent, open_world = said
    assert tool.read_only is (read_only is True)
    assert tool.destructive is not (read_only is True or destructive is False)
    assert tool.idempotent is (read_only is True or idempotent is True)
    assert tool.open_world is (address or open_world is not False)


def test_the_result_schema_of_a_server() -> None:
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
        ({"oneOf": [{"properties": {"a": {}}}]}, False),
        ({"oneOf": [{"additionalProperties": True}]}, True),
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


def reply(status: int, message: Json | None = None, location: str = "/elsewhere?key=secret") -> McpReply:
    """A server's response."""
    return McpReply(status, CIMultiDictProxy(CIMultiDict({"Location": location})), message)


@pytest.mark.parametrize(
    ("status", "kind", "words"),
    [
        (200, Unavailable, "invalid response"),
        (202, Unavailable, "invalid response"),
        (299, Unavailable, "invalid response"),
        (300, ValidationFailed, "redirects to /elsewhere. "),
        (399, ValidationFailed, "redirects to /elsewhere. "),
        (400, ValidationFailed, "it responded with 400."),
        (401, AuthorizationRequired, "credential: it responded with 401."),
        (403, ValidationFailed, "credential: it responded with 403."),
        (404, ValidationFailed, "no MCP server at the source's address: it responded with 404."),
        (429, Unavailable, "it responded with 429."),
        (499, ValidationFailed, "it responded with 499."),
        (500, Unavailable, "is unavailable: it responded with 500."),
        (599, Unavailable, "it responded with 599."),
    ],
)
@pytest.mark.parametrize("message", [None, {}, {"result": [1]}])
def test_a_status_without_a_result(status: int, kind: type[RetinueError], words: str, message: Json | None) -> None:
    with pytest.raises(RetinueError) as failure:
        result_of(reply(status, message))
    assert (type(failure.value), words in failure.value.message) == (kind, True), failure.value.message


@pytest.mark.parametrize("status", [199, 201, 202, 400])
def test_a_result_comes_with_the_status_200(status: int) -> None:
    assert result_of(reply(200, {"result": {"a": 1}})) == {"a": 1}
    with pytest.raises(RetinueError):
        result_of(reply(status, {"result": {"a": 1}}))


async def read_pages(pages: list[Json]) -> bytes:
    """Read a list of tools whose pages are these, each with the number of the next one as its cursor."""
    written = io.BytesIO()

    async def ask(params: Json) -> Json:
        number = int(params.get("cursor", 0))
        return pages[number] | ({"nextCursor": str(number + 1)} if number + 1 < len(pages) else {})

    await _write_all(ask, written)
    return written.getvalue()


async def test_a_list_has_so_many_pages_and_tools_and_no_more() -> None:
    tool = {"name": "a_tool"}
    assert await read_pages([{"tools": [tool, 1]}, {}, {"tools": "x"}]) == b'[{"name":"a_tool"}]\n[]\n[]\n'
    assert (await read_pages([{"tools": [tool] * 4}] * 500)).count(b"\n") == 500
    with pytest.raises(ValidationFailed, match="does not end"):
        await read_pages([{}] * 501)
    with pytest.raises(ValidationFailed, match="more than 2,000 tools"):
        await read_pages([{"tools": [tool] * 1000}] * 2 + [{"tools": [tool]}])


async def test_a_list_is_so_large_and_no_larger() -> None:
    empty = len(orjson.dumps({"pad": ""}))
    assert await read_pages([{"pad": "x" * ((20 << 20) - empty)}]) == b"[]\n"
    with pytest.raises(ValidationFailed, match="larger than 20 MiB"):
        await read_pages([{"pad": "x" * ((20 << 20) - empty + 1)}])


async def kept(answer: Json) -> tuple[Json, list[str]]:
    """The result of an answer, and the names of the files that it has."""
    names: list[str] = []

    async def keep(name: str, content: BinaryIO) -> str:
        assert content.read() == b"ab"
        names.append(name)
        return f"file_{len(names)}"

    return await results.result(answer, "far_draw", keep), names


async def test_an_answer_has_so_many_parts_and_files_and_no_more() -> None:
    image = {"type": "image", "data": "YWI=", "mimeType": "image/png"}
    told, names = await kept({"content": [image] * 101})
    assert len(told["content"]) == 100
    assert names == [f"far_draw_{number}.png" for number in range(1, 21)]
    assert [part.get("file") for part in told["content"]] == [f"file_{n}" for n in range(1, 21)] + [None] * 80


@pytest.mark.parametrize(
    ("part", "shown"),
    [
        ({"type": "audio", "data": "YWI="}, {"type": "audio", "file": "file_1"}),
        ({"type": "image", "data": "YWI"}, {"type": "image"}),
        ({"type": "image", "data": [1]}, {"type": "image"}),
        ({"type": "x" * 50}, {"type": "x" * 40}),
        ({"type": "resource"}, {"type": "resource"}),
        (
            {"type": "resource", "resource": {"uri": "a:b", "text": "c", "mimeType": "text/plain"}},
            {"type": "resource", "uri": "a:b", "media_type": "text/plain", "text": "c"},
        ),
        (
            {"type": "resource", "resource": {"uri": "a:b", "blob": "YWI="}},
            {"type": "resource", "uri": "a:b", "file": "file_1"},
        ),
        ({"type": "resource_link", "uri": "a:b", "name": ""}, {"type": "resource_link", "uri": "a:b"}),
    ],
)
async def test_parts_of_an_answer(part: Json, shown: Json) -> None:
    told, _ = await kept({"content": [part, {"type": "text", "text": "said"}, 1]})
    cut = {name: value.rstrip("…") if name == "type" else value for name, value in told["content"][0].items()}
    assert (cut["type"][:39], {**cut, "type": ""}) == (shown["type"][:39], {**shown, "type": ""})
    assert (told["text"], told["structured"]) == ("said", None)


@pytest.mark.parametrize(("said", "shown"), [('{"a": 1}', ""), ('{"a":1}', ""), ('{"a": 2}', '{"a": 2}'), ("{", "{")])
async def test_a_text_that_repeats_the_structured_content_is_left_out(said: str, shown: str) -> None:
    told, _ = await kept({"content": [{"type": "text", "text": said}], "structuredContent": {"a": 1}})
    assert (told["text"], told["structured"], told["content"]) == (shown, {"a": 1}, [])
