"""What tools promise to their callers. `python -m tests.tools.published_schemas` records it."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from retinue.tools.authoring.tool import Tool
from retinue.tools.catalogue.catalogue import Catalogue
from tests.support.snapshot import Snapshot, strip_wording

SNAPSHOT = Snapshot(Path(__file__).with_suffix(".jsonl"), "tests.tools.published_schemas")
_TYPED = {"properties", "items", "enum", "minLength", "maxLength", "pattern"}
"""Keys that only schemas of one type have."""


def tool_lines(tools: Iterable[Tool]) -> list[str]:
    """Return a line of JSON for each tool, sorted by name: its arguments, result, effects, price and limits."""
    return [
        json.dumps(_promise(tool), ensure_ascii=False, separators=(",", ":"))
        for tool in sorted(tools, key=lambda tool: tool.name)
    ]


def _promise(tool: Tool) -> dict[str, Any]:
    flags = ("read_only", "destructive", "idempotent", "open_world")
    return {
        "name": tool.name,
        "category": tool.category,
        "tier": tool.tier,
        "credits": tool.credits,
        "effects": [flag for flag in flags if getattr(tool, flag)],
        **({"destroys_when": tool.destroys_when} if tool.destroys_when else {}),
        "seconds": tool.timeout_s,
        "mb": tool.memory_mb,
        "arguments": _shorten(strip_wording(tool.input_schema)),
        "result": _shorten(strip_wording(tool.result_schema)),
    }


def _shorten(schema: Any) -> Any:
    """Leave out what goes without saying, so that the record stays small.

    That is the type of a schema with `properties`, `items` and the like, and `required` if all fields are. A schema
    that only gives a type is written as this type.
    """
    if not isinstance(schema, Mapping):
        return [*map(_shorten, schema)] if isinstance(schema, list) else schema
    if {*schema} == {"type"}:
        return schema["type"]
    fields = schema.get("properties", {})
    implied = {"type"} if _TYPED & {*schema} else set()
    implied |= {"required"} if {*schema.get("required", ())} == {*fields} else set()
    return {
        key: {name: _shorten(part) for name, part in value.items()} if key == "properties" else _shorten(value)
        for key, value in schema.items()
        if key not in implied
    }


if __name__ == "__main__":
    SNAPSHOT.write(tool_lines(Catalogue.load()))
