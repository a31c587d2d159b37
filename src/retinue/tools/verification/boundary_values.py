"""Call a tool at the limits of its schema: each call must succeed or be refused, and never fail or time out."""

import base64
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any
from zlib import crc32

import orjson

from retinue.core.errors import RetinueError, Unavailable, ValidationFailed
from retinue.tools.authoring.tool import Tool
from retinue.tools.verification.example_runner import Executor, check_result
from retinue.tools.verification.mock_web_server import fill_marks

Args = dict[str, object]
Schema = Mapping[str, Any]

_LONGEST, _MOST_ITEMS = 20_000, 1_000
"""Longer texts and lists would test the reader's patience, not the tool."""
_HUGE, _QUICK_S = 1e308, 5.0
_TEXTS = (
    "", " ", "0", "-1", "1e308", "NaN", "\u202eabc\u0000", "\U0001f468\u200d\U0001f469\u200d\U0001f467",
    "\u00c5 \u5927\u962a", "((((", "-" * 50,
)  # fmt: skip
"""Texts that often break parsers: empty, numbers, control characters, joined characters, unclosed brackets."""


@dataclass(frozen=True)
class BoundarySweep:
    """Calls tools through an executor with arguments at the limits of their schemas, at most `most` per tool."""

    executor: Executor
    most: int

    async def faults(self, tool: Tool) -> list[str]:
        """Return the violations of a tool, one sentence each."""
        example = _plain_example(tool)
        if example is None or tool.open_world:
            return []
        file_ids = {
            name: await self.executor.lend(name, base64.b64decode(text)) for name, text in example["files"].items()
        }
        known = fill_marks(example["args"], file_ids)
        return [fault for args in _sample(tool, known, self.most) if (fault := await self._fault(tool, args))]

    async def _fault(self, tool: Tool, args: Args) -> str | None:
        try:
            result = await self.executor.execute(tool.name, args)
        except (ValidationFailed, Unavailable):
            # A call past its time-out is ended and reported as such: some problems are hard at any size.
            return None
        except RetinueError as failed:
            return f"{tool.name}: {failed.message} With {_shorten(args)}"
        try:
            check_result(tool, result)
        except ValidationFailed as unfit:
            return f"{tool.name}: the result does not fit its schema: {unfit.message} With {_shorten(args)}"
        return None


def _plain_example(tool: Tool) -> Mapping[str, Any] | None:
    """Return an example that needs no servers, no connections and no earlier calls."""
    beside = ("site", "servers", "connections", "before")
    return next((one for one in tool.examples if "result" in one and not any(one[name] for name in beside)), None)


def _sample(tool: Tool, known: Args, most: int) -> Sequence[Args]:
    """Return a sample of the calls, the same in every run."""
    calls = list(bounds_of(tool, known))
    most = most if tool.timeout_s <= _QUICK_S else max(most // 2, 1)
    # Ordered by the digest of the calls, not at random: a sample stays the same while the schema does.
    return sorted(calls, key=lambda args: crc32(orjson.dumps(args, default=str)))[:most]


def bounds_of(tool: Tool, known: Args) -> Iterator[Args]:
    """Valid arguments with one of them at a limit, then with all of them at the lower or the upper limit."""
    properties: Mapping[str, Schema] = tool.input_schema["properties"]
    movable = {
        name: list(_values(schema)) for name, schema in properties.items() if not _names_file_or_connection(schema)
    }
    for name, values in movable.items():
        yield from ({**known, name: value} for value in values)
    for end in (0, -1):
        yield {**known, **{name: values[end] for name, values in movable.items() if values and name in known}}
    yield {name: value for name, value in known.items() if name in tool.input_schema["required"]}


def _names_file_or_connection(schema: Schema) -> bool:
    """Return whether an argument names a file or a connection: those have no limits."""
    parts = [schema, *schema.get("anyOf", ()), schema.get("items", {})]
    return any(part.get("format") == "file-id" or "x-connection" in part for part in parts)


def _values(schema: Schema) -> Iterator[object]:
    """Values of a schema, from its lower to its upper limits, and some just outside of it."""
    if "enum" in schema:
        yield from schema["enum"]
        return
    for part in schema.get("anyOf", ()):
        yield from _values(part)
    match schema.get("type"):
        case "string":
            yield from _texts(schema)
        case "integer":
            yield from dict.fromkeys(int(number) for number in _numbers(schema, 2**63))
        case "number":
            yield from dict.fromkeys(_numbers(schema, _HUGE))
        case "boolean":
            yield from (False, True)
        case "array":
            yield from _lists(schema)
        case "object":
            yield from _objects(schema)


def _texts(schema: Schema) -> Iterator[str]:
    shortest, longest = schema.get("minLength", 0), min(schema.get("maxLength", _LONGEST), _LONGEST)
    examples = [str(one) for one in schema.get("examples", ())]
    yield from (text[:longest].ljust(shortest) for text in _TEXTS)
    yield from examples
    yield from ((text * (longest // max(len(text), 1) + 1))[:longest] for text in ("x", "[", "9", *examples[:1]))


def _numbers(schema: Schema, huge: float) -> Iterator[float]:
    least = schema.get("minimum", schema.get("exclusiveMinimum", -huge))
    most = schema.get("maximum", huge)
    yield least
    yield from (number for number in (-1, 0, 1, 0.5) if least <= number <= most)
    yield most


def _lists(schema: Schema) -> Iterator[list[object]]:
    least, most = schema.get("minItems", 0), min(schema.get("maxItems", _MOST_ITEMS), _MOST_ITEMS)
    items = list(islice(_values(schema.get("items", {})), 40)) or [None]
    known = schema.get("examples", [[items[0]]])[0]
    yield []
    for item in items:
        yield [item] * max(least, 1)
    yield from ([item] * most for item in (items[0], items[-1], *known[:1]) if len(str(item)) < _LONGEST / 20)
    if known:
        yield (list(known) * (most // len(known) + 1))[:most]
    yield (items * (least // len(items) + 1))[: max(least, min(most, len(items)))]


def _objects(schema: Schema) -> Iterator[dict[str, object]]:
    fields = {name: list(islice(_values(part), 20)) for name, part in schema.get("properties", {}).items()}
    known = {
        name: (schema["properties"][name].get("examples") or values or [None])[0] for name, values in fields.items()
    }
    yield known
    for name, values in fields.items():
        yield from ({**known, name: value} for value in values)


def _shorten(args: Args) -> str:
    """Arguments, shortened for a message."""
    return ", ".join(f"{name}={str(value)[:60]!r}" for name, value in args.items())
