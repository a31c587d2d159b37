"""The catalogue of events, for display."""

from functools import cache
from typing import Any

from retinue.openapi.events import webhooks
from retinue.reference.view import EventEntry, ReferenceView


@cache
def event_kinds() -> list[EventEntry]:
    """Return all events, sorted by name."""
    schemas: dict[str, Any] = {}
    document = {"webhooks": webhooks(schemas), "components": {"schemas": schemas}}
    return list(ReferenceView(document, "").events())
