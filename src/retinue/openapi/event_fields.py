"""What each field of an event means, with an example value: for the OpenAPI document, the reference and the portal.

A field means the same in every event that has it, except where the name of an event precedes it, as in
`tool.executed status`.
"""

from typing import Any, NamedTuple

from retinue.core.work.events import Event


class FieldMeaning(NamedTuple):
    """The description of a field, and a value that it may have."""

    about: str
    example: Any


SENT_AT = "2026-11-28T09:00:00.412345+00:00"
_INSTALLED = [{"resource": "agent", "id": 1, "name": "Research desk"}]

_MEANINGS = {
    "agent_id": FieldMeaning("ID of the agent.", 1),
    "agent_name": FieldMeaning("Name of the agent.", "Research desk"),
    "agent_role": FieldMeaning("Role of the agent.", "specialist"),
    "agents": FieldMeaning("IDs of the agents that share the work.", [1, 2]),
    "approval_id": FieldMeaning("ID of the approval. Decide with `POST /approvals/{id}`.", 7),
    "auto_scale": FieldMeaning("Whether the fleet adds agents under load.", False),
    "call_id": FieldMeaning("ID of the call.", 12),
    "credits_used": FieldMeaning("Price of the call in credits.", 1),
    "deployment_id": FieldMeaning("ID of the deployment of a fleet; null if the schedule runs an agent.", None),
    "direction": FieldMeaning("Whether the agent called (`outbound`) or was called (`inbound`).", "outbound"),
    "due_at": FieldMeaning("Time for which the work was scheduled.", "2026-11-28T09:00:00Z"),
    "duration_seconds": FieldMeaning("Length of the call from its answer, in seconds.", 84),
    "enabled": FieldMeaning("Whether the schedule goes on. False if it was disabled after too many failures.", True),
    "error": FieldMeaning("Why it failed.", "The model provider did not respond within 60 seconds."),
    "execution_time_ms": FieldMeaning("Time that it took, in milliseconds.", 1840),
    "extracted": FieldMeaning("The fields that the agent extracts; null if it extracts none.", {"day": "Friday"}),
    "fleet_id": FieldMeaning("ID of the fleet; null if there is none.", None),
    "installation_id": FieldMeaning("ID of the installation.", 3),
    "installed": FieldMeaning("The resources that were created: `resource`, `id` and `name` of each.", _INSTALLED),
    "item_id": FieldMeaning("ID of the marketplace item.", 2),
    "limit": FieldMeaning("The limit of the plan.", 10000),
    "max_agents": FieldMeaning("Maximum number of agents in the fleet.", 5),
    "max_participants": FieldMeaning("Maximum number of people in the room.", 10),
    "message": FieldMeaning("A fixed text.", "This is a test."),
    "metric": FieldMeaning("What the plan limits, as in `GET /usage`.", "api_calls"),
    "name": FieldMeaning("Its name.", "Morning report"),
    "period": FieldMeaning("The calendar month.", "2026-11"),
    "reason": FieldMeaning("Why it counts as successful or not; null if that was not judged.", "A day was agreed."),
    "reply": FieldMeaning("The agent's answer.", "A /21 network has 2,046 usable hosts."),
    "room_id": FieldMeaning("ID of the room.", 4),
    "run_id": FieldMeaning("ID of the run. `GET /runs/{id}` returns its steps.", 42),
    "schedule_id": FieldMeaning("ID of the schedule.", 5),
    "schedule_run_id": FieldMeaning("ID of this entry in the history of the schedule.", 31),
    "status": FieldMeaning("Its state.", "idle"),
    "strategy": FieldMeaning("How the agents share the work.", "parallel"),
    "success": FieldMeaning("Whether the call reached its goal; null if that was not judged.", True),
    "summary": FieldMeaning("Summary of the call; null if the agent writes none.", "A visit was moved to Friday."),
    "task": FieldMeaning("The task of the deployment; null if each agent has its own.", "Compare the three offers."),
    "threshold": FieldMeaning("The share of the limit that was reached, in percent: 80 or 100.", 80),
    "to": FieldMeaning("The number or SIP address that was called.", "sip:reception@example.com"),
    "tokens_used": FieldMeaning("Tokens that the run used, of prompts and replies.", 812),
    "tool": FieldMeaning("Name of the tool.", "network_calculate_subnet"),
    "tools_used": FieldMeaning("Names of the tools that the run called.", ["network_calculate_subnet"]),
    "type": FieldMeaning("Type of the item.", "agent"),
    "untrusted": FieldMeaning("The first untrusted content that the run had read; null if none.", None),
    "used": FieldMeaning("The amount that is used up.", 8000),
    "version": FieldMeaning("Version of the item.", "1.0.0"),
    "voice_engine": FieldMeaning("Speech engine of the agent.", "hibari"),
    "webhook_id": FieldMeaning("ID of the endpoint under test.", 1),
    "agent.deployed status": FieldMeaning("Always `working`.", "working"),
    "approval.requested tool": FieldMeaning("Name of the tool that the agent wants to call.", "file_write"),
    "fleet.created fleet_id": FieldMeaning("ID of the fleet.", 2),
    "fleet.created name": FieldMeaning("Name of the fleet.", "Offer review"),
    "fleet.created status": FieldMeaning("Always `active`.", "active"),
    "fleet.deployed deployment_id": FieldMeaning("ID of the deployment.", 9),
    "fleet.deployed fleet_id": FieldMeaning("ID of the fleet.", 2),
    "marketplace.installed name": FieldMeaning("Name of the item.", "Research desk"),
    "schedule.failed error": FieldMeaning("Why the work did not start.", "There is no agent 1 in your account."),
    "schedule.fired agent_id": FieldMeaning("ID of the agent; null if the schedule deploys a fleet.", 1),
    "schedule.fired run_id": FieldMeaning("ID of the run that started; null if the schedule deploys a fleet.", 42),
    "tool.executed agent_id": FieldMeaning("ID of the agent that called it; null if a program did.", 1),
    "tool.executed run_id": FieldMeaning("ID of the run that called it; null if a program did.", 42),
    "tool.executed status": FieldMeaning("Whether the tool succeeded.", "success"),
    "voice.call.analyzed error": FieldMeaning("Why there is no analysis; null if there is one.", None),
    "voice.call.analyzed run_id": FieldMeaning("ID of the run of the conversation; null if nobody spoke.", 42),
    "voice.call.analyzed status": FieldMeaning("How the call ended.", "completed"),
    "voice.call.ended error": FieldMeaning("Why the call failed; null if it did not.", None),
    "voice.call.ended status": FieldMeaning("How the call ended.", "completed"),
    "voice.call.started status": FieldMeaning("Always `queued`.", "queued"),
    "voice.room.created agent_id": FieldMeaning("ID of the agent in the room; null if there is none.", 1),
    "voice.room.created name": FieldMeaning("Name of the room.", "Weekly meeting"),
    "voice.room.created status": FieldMeaning("Always `active`.", "active"),
}


def meaning(event: str, field: str) -> FieldMeaning:
    """Return the meaning of a field of an event. Raises `KeyError` if nobody wrote it down."""
    return _MEANINGS.get(f"{event} {field}") or _MEANINGS[field]


def sample_payload(kind: type[Event]) -> dict[str, Any]:
    """Return the body of a delivery of this event, with example values."""
    return {
        "id": "evt_01k9z4m2n8q6r5t3v7w1x0y2za",
        "event": kind.event_name,
        "timestamp": SENT_AT,
        "data": {name: meaning(kind.event_name, name).example for name in kind.model_fields},
    }
