"""Translates between A2A 0.3, whose objects name their `kind`, and 1.0.

Protocol: https://a2a-protocol.org/v0.3.0/specification
"""

from collections.abc import Callable, Mapping
from typing import Any

Json = Mapping[str, Any]

METHODS = {
    "message/send": "SendMessage",
    "message/stream": "SendStreamingMessage",
    "tasks/get": "GetTask",
    "tasks/cancel": "CancelTask",
    "tasks/resubscribe": "SubscribeToTask",
    "tasks/pushNotificationConfig/set": "CreateTaskPushNotificationConfig",
    "tasks/pushNotificationConfig/get": "GetTaskPushNotificationConfig",
    "tasks/pushNotificationConfig/list": "ListTaskPushNotificationConfigs",
    "tasks/pushNotificationConfig/delete": "DeleteTaskPushNotificationConfig",
    "agent/getAuthenticatedExtendedCard": "GetExtendedAgentCard",
}
"""The methods of 0.3 with their names in 1.0."""

_ROLES = {"user": "ROLE_USER", "agent": "ROLE_AGENT"}
_OLD_ROLES = {new: old for old, new in _ROLES.items()}
_OPEN = ("submitted", "working")
_VALUE = "data_part_compat"
"""The metadata of a data part whose value is no object. In 0.3 it stands in an object, under `value`."""


def read_params(params: Json) -> dict[str, Any]:
    """Return the parameters of a request in the form of 1.0. What is malformed stays for the schemas to refuse."""
    read = dict(params)
    if isinstance(pushed := params.get("pushNotificationConfig"), dict):
        read |= _read_push_config(pushed)
    if isinstance(message := params.get("message"), dict):
        read["message"] = _read_message(message)
    if isinstance(given := params.get("configuration"), dict):
        given_config = given.get("pushNotificationConfig")
        pushed = _read_push_config(given_config) if isinstance(given_config, dict) else given_config
        waits = {"returnImmediately": given.get("blocking") is False, "taskPushNotificationConfig": pushed}
        read["configuration"] = {**given, **waits}
    for holder in (read, read.get("configuration")):
        if isinstance(holder, dict) and holder.get("historyLength") == 0:
            del holder["historyLength"]  # in 0.3, it means no limit
    return read


def _read_push_config(config: Json) -> dict[str, Any]:
    """Return a config in the form of 1.0, which has one scheme of authentication."""
    wanted = config.get("authentication")
    if not isinstance(wanted, dict) or not isinstance(wanted.get("schemes"), list) or not wanted["schemes"]:
        return dict(config)
    scheme = {"scheme": wanted["schemes"][0], "credentials": wanted.get("credentials")}
    return {**config, "authentication": scheme}


def _read_message(message: Json) -> dict[str, Any]:
    parts, role = message.get("parts"), message.get("role")
    return {
        **message,
        "role": _ROLES.get(role, role) if isinstance(role, str) else role,
        "parts": [_read_part(part) if isinstance(part, dict) else part for part in parts]
        if isinstance(parts, list)
        else parts,
    }


def _read_part(part: Json) -> Json:
    file = part.get("file")
    if part.get("kind") == "file" and isinstance(file, dict):
        named = {"filename": file.get("name"), "mediaType": file.get("mimeType")}
        return {**named, **({"raw": file["bytes"]} if "bytes" in file else {"url": file.get("uri")})}
    data, about = part.get("data"), part.get("metadata")
    if part.get("kind") == "data" and isinstance(data, dict) and isinstance(about, dict) and about.get(_VALUE):
        return {"data": data.get("value")}
    return part


def write_result(result: Json) -> Json:
    """Return a result of 1.0, or an event of a stream, in the form of 0.3."""
    writers: Mapping[str, Callable[[Json], Json]] = {
        "task": write_task,
        "statusUpdate": _write_status_update,
        "artifactUpdate": _write_artifact_update,
    }
    ((kind, value),) = result.items()
    return writers[kind](value)


def write_task(task: Json) -> dict[str, Any]:
    """Return a task in the form of 0.3."""
    lists = {"artifacts": _write_artifact, "history": _write_message}
    written = {name: [write(one) for one in task[name]] for name, write in lists.items() if name in task}
    return {**task, "kind": "task", "status": _write_status(task["status"]), **written}


def read_push_query(params: Json) -> dict[str, Any]:
    """Return the parameters of a request about push notifications, where `id` names the task, in the form of 1.0."""
    return {"taskId": params.get("id"), "id": params.get("pushNotificationConfigId") or ""}


def write_push_config(config: Json) -> dict[str, Any]:
    """Return a push notification config in the form of 0.3."""
    pushed = {name: value for name, value in config.items() if name != "taskId"}
    if scheme := pushed.get("authentication", {}).get("scheme"):
        pushed["authentication"] = {"schemes": [scheme]}
    return {"taskId": config["taskId"], "pushNotificationConfig": pushed}


def _write_status(status: Json) -> dict[str, Any]:
    state = status["state"].removeprefix("TASK_STATE_").lower().replace("_", "-")
    message = {"message": _write_message(status["message"])} if "message" in status else {}
    return {**status, "state": state, **message}


def _write_status_update(update: Json) -> dict[str, Any]:
    status = _write_status(update["status"])
    return {**update, "kind": "status-update", "status": status, "final": status["state"] not in _OPEN}


def _write_artifact_update(update: Json) -> dict[str, Any]:
    return {**update, "kind": "artifact-update", "artifact": _write_artifact(update["artifact"])}


def _write_artifact(artifact: Json) -> dict[str, Any]:
    return {**artifact, "parts": [_write_part(part) for part in artifact["parts"]]}


def _write_message(message: Json) -> dict[str, Any]:
    role, parts = _OLD_ROLES[message["role"]], [_write_part(part) for part in message["parts"]]
    return {**message, "kind": "message", "role": role, "parts": parts}


def _write_part(part: Json) -> dict[str, Any]:
    if "text" in part:
        return {"kind": "text", "text": part["text"]}
    if "url" in part:
        named = {"name": part.get("filename"), "mimeType": part.get("mediaType")}
        return {"kind": "file", "file": {"uri": part["url"], **{key: one for key, one in named.items() if one}}}
    data = part["data"]
    if isinstance(data, dict):
        return {"kind": "data", "data": data}
    return {"kind": "data", "data": {"value": data}, "metadata": {_VALUE: True}}
