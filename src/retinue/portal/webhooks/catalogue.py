"""The catalogue of events with their schemas, for display."""

import inspect
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from retinue.core.work.events import Event


@dataclass(frozen=True, slots=True)
class EventField:
    """A field of an event's data."""

    name: str
    type: str


@dataclass(frozen=True, slots=True)
class EventKind:
    """An event: its name, when it is sent, and its fields."""

    name: str
    about: str
    fields: list[EventField]


@cache
def event_kinds() -> list[EventKind]:
    """Return all events, sorted by name."""
    kinds = (EventKind(kind.event_name, _about(kind), list(_fields(kind))) for kind in Event.__subclasses__())
    return sorted(kinds, key=lambda kind: kind.name)


def _about(kind: type[Event]) -> str:
    return " ".join((inspect.getdoc(kind) or "").split("\n\n")[0].split())


def _fields(kind: type[Event]) -> Iterator[EventField]:
    for name, schema in kind.model_json_schema(mode="serialization").get("properties", {}).items():
        yield EventField(name, _type(schema))


def _type(schema: dict[str, Any]) -> str:
    if "enum" in schema:
        return " or ".join(map(str, schema["enum"]))
    if "anyOf" in schema:
        return " or ".join(map(_type, schema["anyOf"]))
    return str(schema.get("format") or schema.get("const") or schema.get("type") or "any")
