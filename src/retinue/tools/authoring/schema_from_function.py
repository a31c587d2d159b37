"""Convert a declaration to its catalogue entry, and check the rules for tools."""

import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict
from typing import Any

from pydantic import BaseModel, ConfigDict, TypeAdapter, create_model

from retinue.language.reply_templates import PLACEHOLDER, placeholders
from retinue.tools.authoring.declare import TIMEOUTS_S, Declaration, Example
from retinue.tools.authoring.example_requests import precedents
from retinue.tools.authoring.libraries import SCHOOLBOOK, schoolbook, supersede
from retinue.tools.authoring.tool import CATEGORIES, Tool
from retinue.workspace.tool_context import ToolContext

Schema = dict[str, Any]

NAME_RULE = "the name must be two or more lower-case words joined by _, at most 48 characters"
_NAME, _LONGEST_NAME = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)+"), 48
_NESTED = ("items", "additionalProperties")
_LISTS = ("anyOf", "oneOf", "allOf", "prefixItems")


class DeclarationError(Exception):
    """A tool breaks the rules of the catalogue."""


def entry(declaration: Declaration) -> Tool:
    """Return the catalogue entry of a declared tool. Raises `DeclarationError` listing all rules that it breaks."""
    function = declaration.function
    tool = Tool(
        name=function.__name__,
        description=" ".join((inspect.getdoc(function) or "").split()),
        # The package of a library's module is the category of its tools.
        category=declaration.category or ["", *function.__module__.split(".")][-2],
        tier=declaration.tier,
        credits=declaration.credits,
        input_schema=input_schema(function),
        result_schema=result_schema(function),
        tags=[*declaration.tags, *([SCHOOLBOOK] if function.__name__ in schoolbook() else [])],
        use_when=declaration.use_when,
        examples=[asdict(example) for example in declaration.examples],
        module=function.__module__,
        read_only=declaration.read_only,
        destructive=declaration.destructive,
        idempotent=declaration.idempotent,
        open_world=declaration.open_world,
        timeout_s=TIMEOUTS_S[declaration.pace],
        memory_mb=declaration.memory_mb,
        inside=inspect.iscoroutinefunction(function),
        needs=declaration.needs,
        destroys_when=declaration.destroys_when,
        reply=_reply_of(declaration),
        precedents=precedents().get(function.__name__, ()),
        superseded_by=supersede().get(function.__name__),
    )
    if broken := list(faults(tool, declaration)):
        raise DeclarationError(f"{tool.module}.{tool.name}: " + "; ".join(broken))
    return tool


def is_name(name: str) -> bool:
    """Return whether a tool may have this name."""
    return _NAME.fullmatch(name) is not None and len(name) <= _LONGEST_NAME


def faults(tool: Tool, declaration: Declaration) -> Iterator[str]:
    """Yield the rules that a tool breaks, one sentence each."""
    if not is_name(tool.name):
        yield NAME_RULE
    if tool.category not in CATEGORIES:
        yield f"the category is {tool.category!r}, and must be one of {', '.join(CATEGORIES)}"
    if len(tool.description) < 20:
        yield "the docstring must describe the tool in at least 20 characters"
    if not tool.tags or not tool.use_when:
        yield "tags and use_when must not be empty"
    if not any(isinstance(example, Example) for example in declaration.examples):
        yield "at least one Example is required"
    yield from _argument_faults(tool)
    if tool.inside != _takes_context(declaration.function):
        yield "a tool that runs inside the server is an async function whose first parameter is `context: ToolContext`"
    if tool.read_only and tool.destructive:
        yield "a destructive tool cannot be read-only"
    if tool.destroys_when and not (
        tool.destructive and tool.destroys_when.keys() <= tool.input_schema["properties"].keys()
    ):
        yield "destroys_when may only name arguments of a destructive tool"
    if tool.result_schema.get("type") != "object":
        yield "the result must be a TypedDict"
    yield from _reply_faults(tool)


def _reply_of(declaration: Declaration) -> Mapping[str, str]:
    if isinstance(declaration.reply, str):
        return {"": declaration.reply} if declaration.reply else {}
    return declaration.reply


def _argument_faults(tool: Tool) -> Iterator[str]:
    for name, schema in tool.input_schema["properties"].items():
        if not schema.get("description"):
            yield f"argument {name} needs a description"
        if not schema.keys() & {"examples", "enum", "const", "default"}:
            yield f"argument {name} needs an example"


def _reply_faults(tool: Tool) -> Iterator[str]:
    known = {*tool.result_schema.get("properties", {}), "args"}
    for condition, template in tool.reply.items():
        paths = [*placeholders(template), *(one.strip().removeprefix("not ") for one in condition.split(",") if one)]
        if unknown := [path for path in paths if path.partition(".")[0] not in known]:
            yield f"reply names {', '.join(unknown)}, which the result does not have"
        if re.search(r"[{}]", PLACEHOLDER.sub("", template)):
            yield f"reply has braces that are no placeholder: {template!r}"


def input_schema(function: Callable[..., object]) -> Schema:
    """Return the JSON schema of a function's arguments. It omits `null`, which for an optional argument means
    absent.
    """
    fields: dict[str, Any] = {
        name: (parameter.annotation, ... if parameter.default is parameter.empty else parameter.default)
        for name, parameter in inspect.signature(function, eval_str=True).parameters.items()
        if parameter.annotation is not ToolContext
    }
    model: type[BaseModel] = create_model(function.__name__, __config__=ConfigDict(extra="forbid"), **fields)
    raw = model.model_json_schema()
    schema = plain(raw, raw.get("$defs", {}))
    schema["properties"] = {name: _without_null(value) for name, value in schema.get("properties", {}).items()}
    return schema | {"required": schema.get("required", [])}


def _takes_context(function: Callable[..., object]) -> bool:
    contexts = [
        (place, name)
        for place, (name, parameter) in enumerate(inspect.signature(function, eval_str=True).parameters.items())
        if parameter.annotation is ToolContext
    ]
    return contexts == [(0, "context")]


def result_schema(function: Callable[..., object]) -> Schema:
    """Return the JSON schema of a function's result."""
    returned = inspect.signature(function, eval_str=True).return_annotation
    raw = TypeAdapter(returned).json_schema(mode="serialization")
    return plain(raw, raw.get("$defs", {}))


def plain(schema: Schema, definitions: dict[str, Schema]) -> Schema:
    """Return a schema without titles and with references replaced by their targets: small models do not understand
    `$ref`.
    """
    reference = schema.get("$ref", "").rpartition("/")[2]
    merged = {**definitions.get(reference, {}), **schema}
    result = {key: value for key, value in merged.items() if key not in ("title", "$defs", "$ref")}
    for key in _NESTED:
        if isinstance(result.get(key), dict):
            result[key] = plain(result[key], definitions)
    for key in _LISTS:
        if key in result:
            result[key] = [plain(part, definitions) for part in result[key]]
    if "properties" in result:
        result["properties"] = {name: plain(part, definitions) for name, part in result["properties"].items()}
    return result


def _without_null(schema: Schema) -> Schema:
    """Return a schema without `null`. The description of an argument takes precedence over that of its type."""
    if schema.get("default", ...) is not None:
        return schema
    choices = [choice for choice in schema.get("anyOf", []) if choice != {"type": "null"}]
    fields = {key: value for key, value in schema.items() if key not in ("anyOf", "default")}
    own = {"description": fields["description"]} if "description" in fields else {}
    return fields | (choices[0] if len(choices) == 1 else {"anyOf": choices} if choices else {}) | own
