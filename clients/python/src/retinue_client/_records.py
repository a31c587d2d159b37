"""Records: the JSON objects of responses, with attributes."""

from collections.abc import Mapping
from types import UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

R = TypeVar("R")


class Record:
    """A JSON object of a response. Its fields are attributes, and nested objects are records too.

    Fields that this version of the package does not know are kept: `record["new_field"]`.
    """

    def __init__(self, data: Mapping[str, Any]) -> None:
        hints = _hints(type(self))
        self.__dict__.update({name: build(hints.get(name), value) for name, value in data.items()})

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON object as the server sent it."""
        return {name: _plain(value) for name, value in self.__dict__.items()}

    def __getitem__(self, name: str) -> Any:
        return self.__dict__[name]

    def __contains__(self, name: str) -> bool:
        return name in self.__dict__

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.__dict__ == other.__dict__

    def __hash__(self) -> int:
        raise TypeError("Records are mutable and therefore have no hash.")

    def __repr__(self) -> str:
        fields = ", ".join(f"{name}={value!r}" for name, value in self.__dict__.items())
        return f"{type(self).__name__}({fields})"


def build(hint: Any, value: Any) -> Any:
    """Convert a JSON value to the type of its annotation: objects become records, other values stay unchanged."""
    if isinstance(value, list):
        (inner,) = get_args(_alternative(hint, list)) or (None,)
        return [build(inner, part) for part in value]
    if isinstance(value, dict) and (kind := _record_type(hint, value)):
        return kind(value)
    return value


_known_hints: dict[str, dict[str, Any]] = {}


def _hints(kind: type[Record]) -> dict[str, Any]:
    """Return the annotations of a record class, resolved once."""
    name = f"{kind.__module__}.{kind.__qualname__}"
    if name not in _known_hints:
        _known_hints[name] = get_type_hints(kind)
    return _known_hints[name]


def _alternatives(hint: Any) -> tuple[Any, ...]:
    return get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)


def _alternative(hint: Any, origin: type) -> Any:
    return next((one for one in _alternatives(hint) if get_origin(one) is origin), None)


def _record_type(hint: Any, value: dict[str, Any]) -> type[Record] | None:
    """Return the record class among the alternatives of `hint`.

    If there are several, the `type` of the value decides.
    """
    kinds = [one for one in _alternatives(hint) if isinstance(one, type) and issubclass(one, Record)]
    if len(kinds) < 2:
        return kinds[0] if kinds else None
    return next((kind for kind in kinds if value.get("type") in _type_names(kind)), Record)


def _type_names(kind: type[Record]) -> tuple[Any, ...]:
    hint = _hints(kind).get("type")
    return get_args(hint) if get_origin(hint) is Literal else ()


def _plain(value: Any) -> Any:
    if isinstance(value, Record):
        return value.to_dict()
    return [_plain(part) for part in value] if isinstance(value, list) else value
