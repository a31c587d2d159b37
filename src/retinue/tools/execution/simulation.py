"""Simulate tool results in the sandbox, which sends nothing to other hosts.

A simulated result is the result of the tool's first example, completed with what its result schema requires, plus
`"simulated": true`. It is the same for every call.
"""

import re
from collections.abc import Mapping
from typing import Any

from retinue.tools.authoring.tool import Tool, properties_of

_HOST, _PORT = "example.com", 443
_SITE = f"https://{_HOST}"
_MARK = re.compile(r"\{(\w+)(\.port)?\}")
_EMPTY: Mapping[str, object] = {"string": "", "integer": 0, "number": 0.0, "boolean": False, "null": None}
_TYPES: Mapping[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "null": (type(None),),
}
_ABSENT = object()


def reaches_other_hosts(tool: Tool) -> bool:
    """Return whether a call reaches another host. Tools that run inside the server stay on the platform."""
    return tool.open_world and not tool.inside


def simulated_result(tool: Tool) -> dict[str, object]:
    """Return a result in the form of the tool's, without calling it."""
    example: Mapping[str, Any] = next((one for one in tool.examples if "refusal" not in one), {"result": {}})
    servers = {"site": _SITE, **dict.fromkeys(example.get("servers", ()), _HOST)}
    completed: dict[str, object] = _complete(tool.result_schema, _without_marks(example["result"], servers))
    return {"simulated": True, **completed}


def _without_marks(value: object, servers: Mapping[str, str]) -> object:
    """Return an example's value with public names in place of the stand-in servers of its verification."""
    match value:
        case dict():
            return {name: _without_marks(part, servers) for name, part in value.items()}
        case list():
            return [_without_marks(part, servers) for part in value]
        case str():
            match = _MARK.fullmatch(value)
            if match and match[2] and match[1] in servers:
                return _PORT
            return _MARK.sub(lambda mark: _in_place_of(mark, servers), value)
    return value


def _in_place_of(mark: re.Match[str], servers: Mapping[str, str]) -> str:
    if mark[1] not in servers:
        return mark[0]
    return str(_PORT) if mark[2] else servers[mark[1]]


def _complete(schema: Mapping[str, Any], value: object = _ABSENT) -> Any:
    """Return the value with all that the schema requires; the empty value of the type if its own type differs."""
    if branches := schema.get("anyOf"):
        fitting = [branch for branch in branches if _fits(branch, value)]
        return _complete(fitting[0], value) if fitting else _complete(branches[-1])
    kind = schema.get("type")
    if kind == "object":
        return _completed_object(schema, value if isinstance(value, dict) else {})
    if kind == "array":
        return [_complete(schema.get("items", {}), part) for part in value] if isinstance(value, list) else []
    if _fits(schema, value):
        return value
    return schema["enum"][0] if "enum" in schema else _EMPTY.get(str(kind))


def _completed_object(schema: Mapping[str, Any], value: Mapping[str, object]) -> dict[str, object]:
    parts = properties_of(schema)
    others = schema.get("additionalProperties")
    rest = others if isinstance(others, Mapping) else {}
    names = [*(name for name in parts if name in value or name in schema.get("required", ())), *(value.keys() - parts)]
    return {name: _complete(parts.get(name, rest), value.get(name, _ABSENT)) for name in names}


def _fits(schema: Mapping[str, Any], value: object) -> bool:
    if value is _ABSENT or ("enum" in schema and value not in schema["enum"]):
        return False
    kind = schema.get("type")
    if kind is None:
        return True
    return isinstance(value, _TYPES[kind]) and (kind == "boolean" or not isinstance(value, bool))
