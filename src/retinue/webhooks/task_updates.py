"""Deliveries about one run to an address that the client of an A2A task chose: its push notifications.

Such an endpoint belongs to a run (`run_id`) and receives only its states. It is not among the account's webhook
endpoints, and is sent what A2A prescribes (https://a2a-protocol.org/v1.0.0/specification) instead of signed events.
"""

from collections.abc import Mapping
from typing import Any

import orjson

from retinue.core.database.statements import Row
from retinue.core.runtime.clock import to_text

STATES: Mapping[str, str] = {
    "agent.completed": "TASK_STATE_COMPLETED",
    "agent.error": "TASK_STATE_FAILED",
    "agent.cancelled": "TASK_STATE_CANCELED",
    "agent.waiting": "TASK_STATE_INPUT_REQUIRED",
}
"""The states of tasks that events report."""

_TOKEN = "X-A2A-Notification-Token"  # noqa: S105 - the name of a header


def update_of(event: Row, task: Mapping[str, Any]) -> bytes:
    """Return the body of a notification: the task's new state. `task` is that column of the endpoint.

    Version 1.0 sends an event of a stream, and 0.3 a task.
    """
    run_id, state = str(event.data["run_id"]), STATES[event.name]
    status = {"state": state, "timestamp": to_text(event.created_at)}
    if not task["old"]:
        update = {"taskId": run_id, "contextId": task["context"], "status": status}
        return orjson.dumps({"statusUpdate": update})
    old = {**status, "state": state.removeprefix("TASK_STATE_").lower().replace("_", "-")}
    return orjson.dumps({"kind": "task", "id": run_id, "contextId": task["context"], "status": old})


def headers_of(secret: str, task: Mapping[str, Any]) -> dict[str, str]:
    """Return the headers of a notification. `secret` is the JSON of what the client wants to get back."""
    credentials = orjson.loads(secret)
    headers = {"Content-Type": "application/json" if task["old"] else "application/a2a+json"}
    if credentials["token"]:
        headers[_TOKEN] = credentials["token"]
    if credentials["scheme"] and credentials["credentials"]:
        headers["Authorization"] = f"{credentials['scheme']} {credentials['credentials']}"
    return headers
