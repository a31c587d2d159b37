"""Finds the endpoint of a request by path segment, in a time that does not depend on the number of endpoints."""

from typing import Generic, TypeVar

T = TypeVar("T")

_ANY = "/"
"""The key of a parameter. No path segment can equal it."""


class RouteTrie(Generic[T]):
    """Endpoints by method and path. A literal segment takes precedence over a parameter."""

    def __init__(self) -> None:
        self._parts: dict[str, RouteTrie[T]] = {}
        self._endpoints: dict[str, tuple[T, list[str]]] = {}
        """The endpoint and the names of its path parameters, by method."""

    def add(self, method: str, path: str, endpoint: T) -> None:
        """Add the endpoint of a path with parameters in braces, such as `/agents/{id}/runs`.

        A parameter such as `{name:path}` is found here only if it is one segment.
        """
        node, names = self, []
        for part in path.split("/"):
            is_parameter = part.startswith("{")
            if is_parameter:
                names.append(part[1:-1].removesuffix(":path"))
            node = node._parts.setdefault(_ANY if is_parameter else part, RouteTrie())
        node._endpoints[method] = (endpoint, names)

    def find(self, method: str, path: str) -> tuple[T, dict[str, str]] | None:
        """Return the endpoint and path parameters, or None. A parameter is a whole, non-empty segment."""
        node, values = self._walk(path)
        found = node._endpoints.get(method) if node else None
        return (found[0], dict(zip(found[1], values, strict=True))) if found else None

    def methods(self, path: str) -> list[str]:
        """Return the sorted methods of a path; empty if it has no endpoint."""
        node, _ = self._walk(path)
        return sorted(node._endpoints) if node else []

    def _walk(self, path: str) -> "tuple[RouteTrie[T] | None, list[str]]":
        """Return the node of a path, or None, and the values of its parameters."""
        node, values = self, list[str]()
        for part in path.split("/"):
            following = node._parts.get(part)
            if following is None:
                following = node._parts.get(_ANY)
                if following is None or not part:
                    return None, []
                values.append(part)
            node = following
        return node, values
