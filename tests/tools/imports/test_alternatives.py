"""Alternatives at the top of a schema: what a model sees of them, and which calls fit."""

from typing import Any

import jsonschema_rs
import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from retinue.core.errors import ValidationFailed
from retinue.tools.authoring.tool import Tool
from retinue.tools.catalogue.argument_validation import ArgumentChecker
from retinue.tools.catalogue.imported_tool import AnyImported, McpTool, decode
from retinue.tools.imports.alternatives import MOST
from retinue.tools.imports.mcp.tools import ServerTools
from retinue.tools.imports.mcp.tools import tools_of as mcp_tools_of
from retinue.tools.imports.openapi import DocumentSource, tools_of
from tests.support.client import Client, data, refuse
from tests.tools.imports.pets import Json, execute, sends
from tests.tools.imports.stand_in_api import StandInApi
from tests.tools.imports.test_openapi import schemas

TEXT: Json = {"type": "string"}
EMAIL: Json = {
    "type": "object",
    "properties": {"kind": {"const": "email"}, "to": TEXT, "subject": TEXT},
    "required": ["kind", "to"],
}
SMS: Json = {
    "type": "object",
    "properties": {"kind": {"const": "sms"}, "to": {"type": "integer"}},
    "required": ["kind", "to"],
}


def mcp_tool(schema: Json) -> McpTool:
    """The tool of an MCP server with this schema."""
    (tool,) = mcp_tools_of([{"name": "send", "inputSchema": schema}], ServerTools("far", "web"))
    return tool


def check(tool: AnyImported, args: Json) -> None:
    """Check arguments as for a call. Raises `ValidationFailed`."""
    ArgumentChecker(tool).check(args)


def fits(tool: AnyImported, args: Json) -> bool:
    """Whether a call may have these arguments."""
    try:
        check(tool, args)
    except ValidationFailed:
        return False
    return True


@pytest.mark.parametrize(
    "schema",
    [
        {"oneOf": [EMAIL, SMS]},
        {"type": "object", "anyOf": [{"$ref": "#/$defs/Email"}, {"oneOf": [{"$ref": "#/$defs/Sms"}]}]},
        {"$ref": "#/$defs/Message"},
        {"allOf": [{"type": "object", "description": "A message."}, {"$ref": "#/$defs/Message"}]},
    ],
)
def test_a_model_sees_all_alternatives(schema: Json) -> None:
    tool = mcp_tool({**schema, "$defs": {"Email": EMAIL, "Sms": SMS, "Message": {"oneOf": [EMAIL, SMS]}}})
    assert tool.input_schema == {
        "type": "object",
        "properties": {
            "kind": {"description": "The argument kind.", "enum": ["email", "sms"]},
            "to": {"description": "The argument to.", "anyOf": [{"type": "string"}, {"type": "integer"}]},
            "subject": {"description": "The argument subject.", "type": "string"},
        },
        "required": ["kind", "to"],
        "additionalProperties": False,
    }
    assert 'of these groups of arguments: kind="email", to, optionally subject; or kind="sms", to.' in tool.description
    assert decode(orjson.dumps(tool)) == tool


@pytest.mark.parametrize(
    ("args", "fit"),
    [
        ({"kind": "email", "to": "a"}, True), ({"kind": "sms", "to": 1}, True),
        ({"kind": "email", "to": "a", "subject": "b"}, True), ({"kind": "sms", "to": 1, "subject": None}, True),
        ({"kind": "email", "to": 1}, False), ({"kind": "sms", "to": "a"}, False), ({"kind": "sms"}, False),
        ({"kind": "fax", "to": "a"}, False), ({"kind": "sms", "to": 1, "x": 2}, False),
    ],
)  # fmt: skip
def test_a_call_fits_one_alternative(args: Json, fit: bool) -> None:
    assert fits(mcp_tool({"oneOf": [EMAIL, SMS]}), args) is fit


def test_required_groups_beside_properties() -> None:
    fields = {
        "properties": {"a b": TEXT, "c": TEXT, "d": TEXT},
        "anyOf": [{"required": ["a b"]}, {"required": ["c", "d"]}],
    }
    tool = mcp_tool(fields)
    assert "Send at least one of these groups of arguments: a_b; or c, d." in tool.description
    assert fits(tool, {"a_b": "x"})
    assert fits(tool, {"c": "x", "d": "y"})
    with pytest.raises(ValidationFailed, match="Arguments of far_send: send one of these groups: a_b; or c, d"):
        check(tool, {"c": "x"})


@pytest.mark.parametrize(
    "choices",
    [[{}, EMAIL], [True, EMAIL], [{"type": "null"}, EMAIL], [{"not": {"required": ["to"]}}, EMAIL], [EMAIL]],
    ids=["anything", "true", "null", "not", "only one"],
)
def test_an_alternative_without_fields_is_never_missed(choices: list[Any]) -> None:
    tool = mcp_tool({"anyOf": choices})
    assert "groups" not in tool.description
    assert tool.alternatives == []
    assert set(tool.input_schema["properties"]) == {"kind", "to", "subject"}


def test_too_many_alternatives_are_not_checked() -> None:
    tool = mcp_tool({"oneOf": [{"properties": {f"a{n}": TEXT}, "required": [f"a{n}"]} for n in range(MOST + 5)]})
    assert tool.alternatives == []
    assert fits(tool, {f"a{MOST + 4}": "x"})


def body(schema: Json, *, required: bool = True) -> Json:
    """A document whose operation has this body, and a parameter with the name of one of its fields."""
    parameter = {"name": "to", "in": "query", "schema": TEXT}
    request = {**sends(schema), "required": required}
    return {
        "openapi": "3.1.0",
        "paths": {"/messages": {"post": {"operationId": "send", "parameters": [parameter], "requestBody": request}}},
    }


def test_alternatives_of_a_body(client: Client, api: StandInApi) -> None:
    schema = {"properties": {"text": TEXT}, "required": ["text"], "oneOf": [EMAIL, SMS]}
    wanted = {"kind": "openapi", "name": "post", "document": body(schema), "base_url": api.url()}
    data(client.post("/tools/sources", wanted), 201)
    tool = data(client.get("/tools/post_send"))
    assert 'Send one of these groups of arguments: kind="email", to_body, optionally subject' in tool["description"]
    assert tool["input_schema"]["required"] == ["text", "kind", "to_body"]
    execute(client, "post_send", text="x", kind="sms", to_body=7)
    assert api.last().json == {"text": "x", "kind": "sms", "to": 7}
    args = {"text": "x", "kind": "sms", "to_body": "seven"}
    refuse(client.post("/tools/post_send/execute", {"args": args}), 400, "send one of these groups")


def test_a_body_that_may_be_missing_is_not_checked() -> None:
    schema = {"properties": {"a": TEXT, "b": TEXT}, "anyOf": [{"required": ["a"]}, {"required": ["b"]}]}
    (tool,) = tools_of(body(schema, required=False), DocumentSource("post", "web"))
    assert "at least one of these groups" in tool.description
    assert fits(tool, {})


def test_more_choices_than_are_shown_do_not_exclude_the_others() -> None:
    choices = [{"type": "object", "properties": {"n": {"const": n}}, "required": ["n"]} for n in range(12)]
    tool = mcp_tool({"properties": {"one": {"anyOf": choices}}})
    assert fits(tool, {"one": {"n": 11}})


def test_deep_alternatives_are_compared() -> None:
    def deep() -> Json:
        schema: Json = {}
        for _ in range(2000):
            schema = {"properties": {"a": schema}}
        return schema

    assert set(mcp_tool({"oneOf": [deep(), deep()]}).input_schema["properties"]) == {"a"}


def test_one_and_true_are_different_constants() -> None:
    parts = [{"properties": {"a": {"const": value}}, "required": ["a"]} for value in (1, True)]
    assert mcp_tool({"oneOf": parts}).input_schema["properties"]["a"]["enum"] == [1, True]


names = st.sampled_from("abc")
values: st.SearchStrategy[Any] = st.sampled_from([TEXT, {"type": "integer"}, {"const": 1}, {"const": "x"}])
flat: st.SearchStrategy[Any] = st.fixed_dictionaries(
    {"type": st.just("object"), "properties": st.dictionaries(names, values)},
    optional={"required": st.lists(names, unique=True)},
)


@given(
    st.lists(flat, min_size=1, max_size=3),
    st.sampled_from(["oneOf", "anyOf"]),
    flat,
    st.dictionaries(names, st.sampled_from([1, 2, "x", "y"])),
)
def test_values_that_fit_the_original_schema_are_never_refused(
    parts: list[Json], how: str, base: Json, args: Json
) -> None:
    """For arguments that a matching alternative and the whole name: the tool has no others."""
    schema = {**base, how: parts}
    named = (
        part
        for part in parts
        if jsonschema_rs.is_valid(part, args) and args.keys() <= {*part["properties"], *base["properties"]}
    )
    if jsonschema_rs.is_valid(schema, args) and any(named):
        assert fits(mcp_tool(schema), args)


@given(schemas, schemas)
def test_any_alternatives_become_a_tool(one: Any, other: Any) -> None:
    for how in ("oneOf", "anyOf", "allOf"):
        tool = mcp_tool({how: [one, other, {"oneOf": [other, one]}]})
        assert isinstance(tool, Tool)
        assert not {"oneOf", "anyOf", "allOf", "$ref", "not"} & tool.input_schema.keys()
        ArgumentChecker(tool)
        assert all(jsonschema_rs.meta.is_valid(dict(one)) for one in tool.alternatives)
