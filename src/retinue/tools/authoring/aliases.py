"""Compile the old names of tools: each becomes a catalogue entry that calls the function of its tool."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TypeVar

import orjson

from retinue.tools.authoring.declare import Alias, Declaration
from retinue.tools.authoring.schema_from_function import NAME_RULE, DeclarationError, Schema, entry, is_name
from retinue.tools.authoring.tool import Tool

T = TypeVar("T")


def entries(declaration: Declaration) -> list[Tool]:
    """Return the catalogue entry of a declared tool, and those of its aliases. Raises `DeclarationError`."""
    tool = entry(declaration)
    return [tool, *(_entry(tool, alias) for alias in declaration.aliases)]


def _entry(tool: Tool, alias: Alias) -> Tool:
    if broken := list(_faults(tool, alias)):
        raise DeclarationError(f"{tool.module}.{tool.name}, alias {alias.name}: " + "; ".join(broken))
    schema = tool.input_schema
    required = _old_names(dict.fromkeys(schema["required"]), alias)
    entry = replace(
        tool,
        name=alias.name,
        description=f"{alias.name} is an old name of {tool.name}. {tool.description}",
        input_schema={**schema, "properties": _old_names(schema["properties"], alias), "required": [*required]},
        use_when=[],
        examples=list(_old_examples(tool, alias)),
        precedents=list(_old_precedents(tool, alias)),
        destroys_when=_old_names(tool.destroys_when, alias),
        superseded_by=tool.name,
        alias_of=tool.name,
        renames=alias.arguments,
        constants=alias.constants,
    )
    if not entry.examples:
        raise DeclarationError(f"{tool.module}.{tool.name}, alias {alias.name}: no example of the tool is such a call")
    return entry


def _faults(tool: Tool, alias: Alias) -> Iterator[str]:
    """Yield the rules that an alias breaks, one sentence each."""
    arguments: Mapping[str, Schema] = tool.input_schema["properties"]
    if not is_name(alias.name):
        yield NAME_RULE
    bound = [*alias.arguments.values(), *alias.constants]
    if unknown := [name for name in bound if name not in arguments]:
        yield f"{tool.name} has no argument {', '.join(unknown)}"
    remaining = arguments.keys() - bound
    if len({*bound}) < len(bound) or not alias.arguments.keys().isdisjoint(remaining):
        yield "two arguments cannot have the same name"
    for name, value in alias.constants.items():
        if value not in arguments.get(name, {}).get("enum", (value,)):
            yield f"{value!r} is no choice of {name}"
    if not alias.constants.keys().isdisjoint(tool.destroys_when):
        yield "destroys_when must not name a constant"


def _old_names(values: Mapping[str, T], alias: Alias) -> dict[str, T]:
    """Return the hints for each of the tool's arguments by its old name, without those of constants."""
    old = {own: name for name, own in alias.arguments.items()}
    return {old.get(name, name): value for name, value in values.items() if name not in alias.constants}


def _is_old(args: Mapping[str, object], tool: Tool, alias: Alias) -> bool:
    """Return whether a call of the tool could have been made by the alias: it has the constants, or has them by
    default.
    """
    schemas = tool.input_schema["properties"]
    return all(args.get(name, schemas[name].get("default")) == value for name, value in alias.constants.items())


def _old_examples(tool: Tool, alias: Alias) -> Iterator[Mapping[str, object]]:
    """Yield the examples of the tool as calls by the alias. They prove it. Refusals may name arguments, so they stay
    out.
    """
    for example in tool.examples:
        if "result" in example and _is_old(example["args"], tool, alias):
            yield {**example, "args": _old_names(example["args"], alias)}


def _old_precedents(tool: Tool, alias: Alias) -> Iterator[tuple[str, str]]:
    for request, arguments in tool.precedents:
        if _is_old(args := orjson.loads(arguments), tool, alias):
            yield request, orjson.dumps(_old_names(args, alias)).decode()
