"""Renders `retinue_client/types.py`: a record for every object of answers, a TypedDict for every body and query."""

import keyword
import textwrap
from collections.abc import Iterator

from clients.python.codegen.annotations import annotation
from clients.python.codegen.document import Document, Json, Operation, schema_name
from clients.python.codegen.naming import BY_HAND

_HEAD = '''"""The objects of the API.

Made from the server's OpenAPI document by `make client`; changes belong there. Records are what the server answers
with. The TypedDicts hold the arguments of methods.
"""

from __future__ import annotations

from typing import Any, Literal, Required, TypedDict

from retinue_client._records import Record
'''
CHOICES = ("stream", "background")
"""Fields of bodies that choose what a method returns."""

_RAISED = "ErrorChunk"
"""The chunk that streams raise as an error."""

_PAGE = ("page", "per_page")
_RESERVED = frozenset({"to_dict", "data"})
_WIDTH = 112


def render(document: Document) -> str:
    """The module's source, not yet formatted."""
    parts = [_HEAD, *_records(document), *_bodies(document), *_queries(document), _events(document)]
    return "\n\n".join(parts) + "\n"


def query_name(operation: Operation) -> str:
    """The TypedDict of an operation's query."""
    if [p["name"] for p in operation.query_parameters] == list(_PAGE):
        return "PageParams"
    return "".join(word.capitalize() for word in operation.id.split("_")) + "Params"


def _records(document: Document) -> Iterator[str]:
    """Records in the order of their names; unions of chunks last, since they name classes that must exist."""
    answers = {name for operation in document.operations for name in operation.answers.values()}
    chunks = {operation.chunk for operation in document.operations}
    reached = document.reachable(
        {document.data_of(name)[0] for name in answers} | chunks | set(document.events.values())
    )
    unions = {name for name in reached if "oneOf" in document.schemas[name]}
    for name in sorted(reached - unions - {_RAISED}):
        yield _record(name, document.schemas[name])
    for name in sorted(unions):
        members = [schema_name(choice) for choice in document.schemas[name]["oneOf"]]
        yield f"{name} = {' | '.join(kind for kind in members if kind != _RAISED)}"


def _record(name: str, schema: Json) -> str:
    lines = [f"class {name}(Record):", *_docstring(schema.get("description", name))]
    for field, part in schema.get("properties", {}).items():
        _check_name(name, field)
        hint = annotation(part, str)
        required = field in schema.get("required", ()) or "const" in part
        nullable = hint == "Any" or hint.endswith("None")
        lines.append(f"    {field}: {hint if required or nullable else f'{hint} | None'}")
        if not required:
            lines[-1] += " = None"
        lines += _docstring(part.get("description", ""))
    return "\n".join(lines)


def _check_name(owner: str, field: str) -> None:
    if not field.isidentifier() or keyword.iskeyword(field) or field in _RESERVED:
        raise ValueError(f"{owner}.{field} cannot be an attribute of a record.")


def _bodies(document: Document) -> Iterator[str]:
    roots = {operation.body for operation in document.operations if operation.id not in BY_HAND}
    for name in sorted(document.reachable(roots)):
        schema = document.schemas[name]
        lines = [f"class {name}(TypedDict, total=False):", *_docstring(schema.get("description", name))]
        for field, part in schema["properties"].items():
            if part.get("description", "").startswith("Ignored") or field in CHOICES:
                continue  # a read-only field of the record, or a parameter of its own
            hint = annotation(part, str)
            lines.append(f"    {field}: {f'Required[{hint}]' if field in schema.get('required', ()) else hint}")
            lines += _docstring(part.get("description", ""))
        yield "\n".join(lines)


def _queries(document: Document) -> Iterator[str]:
    made: dict[str, str] = {}
    for operation in document.operations:
        if operation.query_parameters and operation.id not in BY_HAND:
            made[query_name(operation)] = _query(query_name(operation), operation)
    yield from (made[name] for name in sorted(made))


def _query(name: str, operation: Operation) -> str:
    about = "Which pages." if name == "PageParams" else f"The query of {operation.method} {operation.path}."
    lines = [f"class {name}(TypedDict, total=False):", *_docstring(about)]
    for parameter in operation.query_parameters:
        lines.append(f"    {parameter['name']}: {annotation(parameter['schema'], str)}")
        lines += _docstring(parameter.get("description", ""))
    return "\n".join(lines)


def _events(document: Document) -> str:
    entries = ", ".join(f'"{name}": {kind}' for name, kind in sorted(document.events.items()))
    return f'EVENTS: dict[str, type[Record]] = {{{entries}}}\n"""The record of each webhook event\'s data."""'


def _docstring(text: str) -> list[str]:
    return docstring(text, "    ")


def docstring(text: str, indent: str) -> list[str]:
    """The lines of a docstring, wrapped."""
    if not text:
        return []
    escaped = text.strip().replace("\\", "\\\\").replace('"""', "'''")
    if escaped.endswith('"'):
        escaped += " "
    if "\n" not in escaped and len(escaped) <= _WIDTH - len(indent) - 6:
        return [f'{indent}"""{escaped}"""']
    paragraphs = [textwrap.fill(part, _WIDTH - len(indent)) for part in escaped.split("\n\n")]
    return textwrap.indent('"""' + "\n\n".join(paragraphs) + '\n"""', indent).splitlines()
