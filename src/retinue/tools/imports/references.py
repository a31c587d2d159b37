"""Resolve references within an OpenAPI document (`$ref`, JSON Pointer: RFC 6901)."""

import re
from collections.abc import Mapping
from urllib.parse import unquote

_MOST_HOPS = 16
_INDEX = re.compile("0|[1-9][0-9]{0,8}")


class References:
    """Resolves references into the document itself, also by its `$self` (OpenAPI 3.2). External, dangling and
    circular references resolve to {}.
    """

    def __init__(self, document: Mapping[str, object]) -> None:
        self._document = document
        own = document.get("$self")
        self._own = own.partition("#")[0] if isinstance(own, str) else ""
        self._found: dict[str, object] = {}

    def resolve(self, node: object) -> dict[str, object]:
        """Return the object that a node is or refers to. Keywords beside a reference extend the referenced object."""
        beside: dict[str, object] = {}
        for _ in range(_MOST_HOPS):
            if not isinstance(node, dict):
                return {}
            if not isinstance(reference := node.get("$ref"), str):
                return {**node, **beside} if beside else node
            beside = {**{key: value for key, value in node.items() if key != "$ref"}, **beside}
            if reference not in self._found:
                self._found[reference] = self._at(reference)
            node = self._found[reference]
        return {}

    def _at(self, reference: str) -> object:
        local = reference.removeprefix(self._own)
        if not local.startswith("#/"):
            return None
        node: object = self._document
        for part in local[2:].split("/"):
            key = unquote(part).replace("~1", "/").replace("~0", "~")
            if isinstance(node, list):
                node = node[int(key)] if _INDEX.fullmatch(key) and int(key) < len(node) else None
            else:
                node = node.get(key) if isinstance(node, dict) else None
        return node
