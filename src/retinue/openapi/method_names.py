"""Names the method of the clients for each operation, such as `agents.create`. By default, the name follows from the
form of the path.
"""

from dataclasses import dataclass

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
    "load_demo": "demo.load",
    "list_audit_entries": "audit.list",
    "get_skill_content": "skills.content",
    "add_document": "knowledge.collections.documents.create",
    "add_collection_source": "knowledge.collections.sources.create",
}
"""Operations whose path is ambiguous, or whose usual method name differs."""

BY_HAND = {
    "upload_file": "files.upload",
    "get_file_content": "files.download",
    "export_usage": "usage.export",
}
"""Operations with content other than JSON. The clients have methods for them that are written by hand."""


@dataclass(frozen=True)
class ClientMethod:
    """A method of the clients: `client.fleets.deployments.cancel`."""

    resource: tuple[str, ...]
    method: str

    def __str__(self) -> str:
        return ".".join((*self.resource, self.method))


def client_method(operation_id: str, method: str, path: str, *, returns_list: bool) -> ClientMethod:
    """Return the method of an operation. `path` is relative to the base URL of the version."""
    full_name = NAMED.get(operation_id) or BY_HAND.get(operation_id)
    if full_name:
        *resource, name = full_name.split(".")
        return ClientMethod(tuple(resource), name)
    segments = path.strip("/").split("/")
    words = tuple(segment.replace("-", "_") for segment in segments if not segment.startswith("{"))
    if segments[-1].startswith("{"):
        return ClientMethod(words, _BY_METHOD[method])
    if method == "POST" and len(segments) > 1 and segments[-2].startswith("{"):
        return ClientMethod(words[:-1], words[-1])
    if method == "POST":
        return ClientMethod(words, "create")
    return ClientMethod(words, "list" if returns_list else _BY_METHOD[method])


def camel_case(name: str) -> str:
    """Return a name as JavaScript writes it: `delete_others` becomes `deleteOthers`."""
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)
