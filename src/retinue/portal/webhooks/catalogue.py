"""The catalogue of events, for display."""

from functools import cache

from retinue.language.translation import gettext_noop
from retinue.openapi.events import webhooks
from retinue.reference.view import EventEntry, ReferenceView

ABOUT = frozenset(
    {
        gettext_noop("An agent completed a task"),
        gettext_noop("An agent was created"),
        gettext_noop("An agent was deployed or started"),
        gettext_noop("An agent's run failed"),
        gettext_noop(
            "An agent's run has paused until a person decides on tool calls or answers questions of their servers"
        ),
        gettext_noop("An agent's run was cancelled before it was complete"),
        gettext_noop("A run is waiting for a person to approve a tool call"),
        gettext_noop("A fleet was created"),
        gettext_noop("A fleet deployment started"),
        gettext_noop("A marketplace item was installed"),
        gettext_noop("A schedule failed to start its work"),
        gettext_noop("A schedule started a run of its agent or a deployment of its fleet"),
        gettext_noop("A tool was executed by a caller or by an agent's run"),
        gettext_noop("A metric reached 80 % or 100 % of its limit"),
        gettext_noop("A batch of calls ended: every recipient has a final state"),
        gettext_noop("A batch of calls was started"),
        gettext_noop("The transcript of a call was analyzed, as the agent's voice settings ask"),
        gettext_noop("A voice call ended, whether or not it was answered"),
        gettext_noop("A voice call started, either outgoing or incoming"),
        gettext_noop("A voice room was created"),
        gettext_noop("All conversations of a simulation have ended"),
        gettext_noop("A test event"),
    }
)
"""What the events report, for the catalogues of the languages: the first sentences of their docstrings."""

TYPES = frozenset(
    {
        gettext_noop("boolean"),
        gettext_noop("boolean or null"),
        gettext_noop("integer"),
        gettext_noop("integer or null"),
        gettext_noop("list of integers"),
        gettext_noop("list of objects"),
        gettext_noop("list of strings"),
        gettext_noop("object"),
        gettext_noop("number or null"),
        gettext_noop("object or null"),
        gettext_noop("string"),
        gettext_noop("string or null"),
        gettext_noop("timestamp"),
    }
)
"""The types of their fields, for the catalogues of the languages."""


GROUPS = {
    "agent": gettext_noop("Agents"),
    "approval": gettext_noop("Approvals"),
    "fleet": gettext_noop("Fleets"),
    "marketplace": gettext_noop("Marketplace"),
    "schedule": gettext_noop("Schedules"),
    "simulation": gettext_noop("Simulations"),
    "tool": gettext_noop("Tools"),
    "usage": gettext_noop("Usage"),
    "voice": gettext_noop("Calls and rooms"),
    "webhook": gettext_noop("Webhooks"),
}
"""The names of the groups of events, by the first part of the names of their events."""


def event_groups() -> dict[str, list[EventEntry]]:
    """Return all events by the name of their group."""
    groups: dict[str, list[EventEntry]] = {}
    for kind in event_kinds():
        groups.setdefault(GROUPS[kind.name.partition(".")[0]], []).append(kind)
    return groups


@cache
def event_kinds() -> list[EventEntry]:
    """Return all events, sorted by name."""
    schemas: dict[str, object] = {}
    document = {"webhooks": webhooks(schemas), "components": {"schemas": schemas}}
    return list(ReferenceView(document, "").events())
