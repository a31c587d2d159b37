"""Finding the endpoint of a request by the parts of its path, however many endpoints there are."""

from typing import Generic, TypeVar

T = TypeVar("T")

_ANY = "/"
"""The key of a parameter: no part of a path is so called."""


class PathTree(Generic[T]):
    """Endpoints by method and path. Where a path fits two of them, the one that spells it out is found."""

    def __init__(self) -> None:
        self._parts: dict[str, PathTree[T]] = {}
        self._endpoints: dict[str, tuple[T, list[str]]] = {}
        """Under each method the endpoint, and the names of the parameters on the way to it."""

    def add(self, method: str, path: str, endpoint: T) -> None:
        """Add the endpoint of a path, whose parameters stand in braces: `/agents/{id}/runs`."""
        node, names = self, []
        for part in path.split("/"):
            is_parameter = part.startswith("{")
            if is_parameter:
                names.append(part[1:-1])
            node = node._parts.setdefault(_ANY if is_parameter else part, PathTree())
        node._endpoints[method] = (endpoint, names)

    def find(self, method: str, path: str) -> tuple[T, dict[str, str]] | None:
        """The endpoint and the parameters of a path. A parameter is a whole part and never empty."""
        node, values = self._walk(path)
        found = node._endpoints.get(method) if node else None
        return (found[0], dict(zip(found[1], values, strict=True))) if found else None

    def methods(self, path: str) -> list[str]:
        """The methods of a path, sorted; none where it has no endpoint."""
        node, _ = self._walk(path)
        return sorted(node._endpoints) if node else []

    def _walk(self, path: str) -> "tuple[PathTree[T] | None, list[str]]":
        """The node of a path, and the values of its parameters."""
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
