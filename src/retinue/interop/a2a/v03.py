"""Translates between A2A 0.3, whose objects name their `kind`, and 1.0.

Protocol: https://a2a-protocol.org/v0.3.0/specification
"""

from collections.abc import Mapping

from retinue.interop.a2a.wire import (
    Artifact,
    ArtifactUpdate,
    Event,
    Message,
    Part,
    PushConfig,
    Status,
    StatusUpdate,
    Task,
)

Json = Mapping[str, object]

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


def read_params(params: Json) -> dict[str, object]:
    """Return the parameters of a request in the form of 1.0. What is malformed stays for the schemas to refuse."""
    read = dict(params)
    if isinstance(pushed := params.get("pushNotificationConfig"), dict):
        read |= _read_push_config(pushed)
    if isinstance(message := params.get("message"), dict):
        read["message"] = _read_message(message)
    if isinstance(configuration := params.get("configuration"), dict):
        given_config = configuration.get("pushNotificationConfig")
        pushed = _read_push_config(given_config) if isinstance(given_config, dict) else given_config
        waits = {"returnImmediately": configuration.get("blocking") is False, "taskPushNotificationConfig": pushed}
        read["configuration"] = {**configuration, **waits}
    for holder in (read, read.get("configuration")):
        if isinstance(holder, dict) and holder.get("historyLength") == 0:
            del holder["historyLength"]  # in 0.3, it means no limit
    return read


def _read_push_config(config: Json) -> dict[str, object]:
    """Return a config in the form of 1.0, which has one scheme of authentication."""
    auth = config.get("authentication")
    if not isinstance(auth, dict) or not isinstance(auth.get("schemes"), list) or not auth["schemes"]:
        return dict(config)
    scheme = {"scheme": auth["schemes"][0], "credentials": auth.get("credentials")}
    return {**config, "authentication": scheme}


def _read_message(message: Json) -> dict[str, object]:
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
        names = {"filename": file.get("name"), "mediaType": file.get("mimeType")}
        return {**names, **({"raw": file["bytes"]} if "bytes" in file else {"url": file.get("uri")})}
    data, about = part.get("data"), part.get("metadata")
    if part.get("kind") == "data" and isinstance(data, dict) and isinstance(about, dict) and about.get(_VALUE):
        return {"data": data.get("value")}
    return part


def write_event(event: Event) -> dict[str, object]:
    """Return an event of a stream, or the result of sending a message, in the form of 0.3."""
    match event:
        case Task():
            return write_task(event)
        case StatusUpdate(status=status):
            written_status = _write_status(status)
            is_final = written_status["state"] not in _OPEN
            return {**event.fields(), "kind": "status-update", "status": written_status, "final": is_final}
        case ArtifactUpdate(artifact=artifact):
            return {**event.fields(), "kind": "artifact-update", "artifact": _write_artifact(artifact)}


def write_task(task: Task) -> dict[str, object]:
    """Return a task in the form of 0.3."""
    fields = {**task.fields(), "kind": "task", "status": _write_status(task.status)}
    if task.artifacts is not None:
        fields["artifacts"] = [_write_artifact(artifact) for artifact in task.artifacts]
    if task.history is not None:
        fields["history"] = [_write_message(message) for message in task.history]
    return fields


def read_push_query(params: Json) -> dict[str, object]:
    """Return the parameters of a request about push notifications, where `id` names the task, in the form of 1.0."""
    return {"taskId": params.get("id"), "id": params.get("pushNotificationConfigId") or ""}


def write_push_config(config: PushConfig) -> dict[str, object]:
    """Return a push notification config in the form of 0.3."""
    pushed = {name: value for name, value in config.fields().items() if name != "taskId"}
    if config.authentication and config.authentication.scheme:
        pushed["authentication"] = {"schemes": [config.authentication.scheme]}
    return {"taskId": config.task_id, "pushNotificationConfig": pushed}


def _write_status(status: Status) -> dict[str, object]:
    state = status.state.removeprefix("TASK_STATE_").lower().replace("_", "-")
    message = {"message": _write_message(status.message)} if status.message else {}
    return {**status.fields(), "state": state, **message}


def _write_artifact(artifact: Artifact) -> dict[str, object]:
    return {**artifact.fields(), "parts": [_write_part(part) for part in artifact.parts]}


def _write_message(message: Message) -> dict[str, object]:
    role, parts = _OLD_ROLES[message.role], [_write_part(part) for part in message.parts]
    return {**message.fields(), "kind": "message", "role": role, "parts": parts}


def _write_part(part: Part) -> dict[str, object]:
    if part.text is not None:
        return {"kind": "text", "text": part.text}
    if part.url is not None:
        names = {"name": part.filename, "mimeType": part.media_type}
        return {"kind": "file", "file": {"uri": part.url, **{key: one for key, one in names.items() if one}}}
    if isinstance(part.data, dict):
        return {"kind": "data", "data": part.data}
    return {"kind": "data", "data": {"value": part.data}, "metadata": {_VALUE: True}}
