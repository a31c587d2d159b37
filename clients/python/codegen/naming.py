"""Maps each operation to a method of a resource. By default, the mapping follows from the form of the path."""

from dataclasses import dataclass

from clients.python.codegen.document import Operation

_BY_METHOD = {"GET": "retrieve", "PUT": "update", "PATCH": "update", "DELETE": "delete"}

NAMED = {
    "chat": "chat.create",
    "list_conversations": "conversations.list",
    "list_messages": "conversations.messages",
    "update_conversation": "conversations.update",
    "delete_conversation": "conversations.delete",
    "stream_run": "runs.watch",
    "stream_deployment": "fleets.deployments.watch",
    "stream_room": "voice.rooms.watch",
    "decide_approval": "approvals.decide",
    "list_categories": "tools.categories",
    "list_connection_kinds": "connections.kinds",
    "list_usage": "usage.history",
    "revoke_other_sessions": "sessions.delete_others",
    "uninstall_item": "marketplace.installed.delete",
    "rate_item": "marketplace.rate",
    "list_audit_entries": "audit.list",
    "add_document": "knowledge.collections.documents.create",
}
"""Operations whose path is ambiguous, or whose usual method name differs."""

BY_HAND = {
    "upload_file": "files.upload",
    "get_file_content": "files.download",
    "export_usage": "usage.export",
}
"""Operations with content other than JSON. Their methods are written by hand in `retinue_client/_by_hand.py`."""


@dataclass(frozen=True)
class Place:
    """The place of a method: `client.fleets.deployments.cancel`."""

    resource: tuple[str, ...]
    method: str

    def __str__(self) -> str:
        return ".".join((*self.resource, self.method))


def place_of(operation: Operation) -> Place:
    """Return the place of an operation."""
    named = NAMED.get(operation.id) or BY_HAND.get(operation.id)
    if named:
        *resource, method = named.split(".")
        return Place(tuple(resource), method)
    segments = operation.path.strip("/").split("/")
    words = tuple(segment.replace("-", "_") for segment in segments if not segment.startswith("{"))
    if segments[-1].startswith("{"):
        return Place(words, _BY_METHOD[operation.method])
    if operation.method == "POST" and len(segments) > 1 and segments[-2].startswith("{"):
        return Place(words[:-1], words[-1])
    if operation.method == "POST":
        return Place(words, "create")
    return Place(words, "list" if _answers_with_list(operation) else _BY_METHOD[operation.method])


def _answers_with_list(operation: Operation) -> bool:
    return any(answer.endswith("List") for answer in operation.answers.values())
