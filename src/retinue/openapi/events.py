"""Describe all events: their names and the schemas of their data."""

import inspect
import re

from pydantic.json_schema import models_json_schema

from retinue.core.work.events import Event
from retinue.openapi.schemas import Json

_NOTE = (
    "The event is recorded in the same transaction as the change that it reports. Every enabled webhook endpoint that "
    "subscribes to it receives it at least once, always with the same ID."
)


def webhooks(schemas: Json) -> Json:
    """Return an entry for each event type, and add the schemas of their data to `schemas`."""
    kinds = sorted(Event.__subclasses__(), key=lambda kind: kind.event_name)
    _, document = models_json_schema(
        [(kind, "serialization") for kind in kinds], ref_template="#/components/schemas/{model}"
    )
    schemas |= document["$defs"]
    return {kind.event_name: {"post": _entry(kind)} for kind in kinds}


def sample_payload(kind: type[Event]) -> Json:
    """Return the body of a delivery of this event, with the examples of its fields."""
    return {
        "id": "evt_01k9z4m2n8q6r5t3v7w1x0y2za",
        "event": kind.event_name,
        "timestamp": "2026-11-28T09:00:00.412345+00:00",
        "data": {name: (field.examples or [None])[0] for name, field in kind.model_fields.items()},
    }


def _entry(kind: type[Event]) -> Json:
    about = inspect.getdoc(kind) or kind.event_name
    return {
        "summary": re.split(r"\.\s", about)[0].rstrip("."),
        "description": f"{about}\n\n{_NOTE}",
        "requestBody": {
            "required": True,
            "content": {"application/json": {"schema": _payload(kind), "example": sample_payload(kind)}},
        },
        "responses": {"2XX": {"description": "Received."}},
    }


def _payload(kind: type[Event]) -> Json:
    return {
        "type": "object",
        "properties": {
            "id": {"type": "string", "description": "ID of the event."},
            "event": {"const": kind.event_name},
            "timestamp": {"type": "string", "format": "date-time", "description": "Time of the event, with an offset."},
            "data": {"$ref": f"#/components/schemas/{kind.__name__}"},
        },
        "required": ["id", "event", "timestamp", "data"],
        "additionalProperties": False,
    }
