"""Find the arguments that HTTP headers repeat (`x-mcp-header`, revision 2026-07-28 of the protocol)."""

import re
from collections.abc import Iterator, Mapping

_MARK = "x-mcp-header"
_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}")
_TYPES = {"string", "integer", "boolean"}
_DATA = {"enum", "const", "default", "examples"}
"""Keywords whose values are not schemas."""

_DEEPEST, _MOST = 50, 50


class BadHeader(ValueError):
    """A mark that the protocol does not allow: its tool must not be used."""


def repeated_headers(schema: Mapping[str, object]) -> dict[str, list[str]]:
    """Return the names that complete the header names, each with the path of its property. Raises `BadHeader`."""
    found: dict[str, list[str]] = {}
    for name, path in _marks(schema, [], reachable=True):
        if len(found) >= _MOST or name.lower() in {one.lower() for one in found}:
            raise BadHeader(name)
        found[name] = path
    return found


def _marks(node: object, path: list[str], *, reachable: bool) -> Iterator[tuple[str, list[str]]]:
    """Yield all marks in a schema. Only those of properties, and of their properties, are allowed."""
    if isinstance(node, list) and len(path) < _DEEPEST:
        for one in node:
            yield from _marks(one, [*path, ""], reachable=False)
    if not isinstance(node, dict) or len(path) >= _DEEPEST:
        return
    if _MARK in node:
        yield _check_name(node, reachable and bool(path)), path
    for key, value in node.items():
        if key == "properties" and isinstance(value, dict):
            for name, one in value.items():
                yield from _marks(one, [*path, name], reachable=reachable)
        elif key not in _DATA:
            yield from _marks(value, [*path, ""], reachable=False)


def _check_name(node: Mapping[str, object], allowed: bool) -> str:
    name, kind = node[_MARK], node.get("type")
    if not (allowed and isinstance(name, str) and _TOKEN.fullmatch(name) and isinstance(kind, str) and kind in _TYPES):
        raise BadHeader(str(name)[:100])
    return name
