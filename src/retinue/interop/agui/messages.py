"""Messages of a conversation as AG-UI shows them."""

from collections.abc import Iterable, Mapping, Sequence

from retinue.core.database.statements import Row

_SOURCE = ("number", "title", "section", "page")


def message_id(run_id: int, seq: int) -> str:
    """Return the id of a message, the same in a stream and in the history."""
    return f"msg_{run_id}_{seq}"


def call_id(run_id: int, seq: int) -> str:
    """Return the id of a tool call. Models may use an id twice in a conversation, but the protocol may not."""
    return f"call_{run_id}_{seq}"


def sources(citations: Sequence[Mapping[str, object]] | None, *, public: bool) -> list[dict[str, object]]:
    """Return the passages to which a reply refers. Visitors do not see the quotations."""
    names = _SOURCE if public else (*_SOURCE, "quote", "collection_id", "document_id", "passage")
    return [{name: one[name] for name in names if one.get(name) is not None} for one in citations or ()]


def artifacts(files: Iterable[Row]) -> list[dict[str, object]]:
    """Return files that tools made as clients see them. The content is at `/threads/{thread}/files/{id}`."""
    return [{"id": one.id, "name": one.name, "mimeType": one.media_type, "size": one.size} for one in files]


def history(
    rows: Iterable[Row], runs: Mapping[int, Row], made: Mapping[int, Sequence[Row]], *, public: bool
) -> list[dict[str, object]]:
    """Return messages, with the sources of each reply and the files `made` for it. Visitors see no tool calls."""
    messages: list[dict[str, object]] = []
    last: dict[int, dict[str, object]] = {}
    for row in rows:
        if not row.replaced and row.seq >= 0 and (entry := _message(row, public)):
            messages.append(entry)
            if row.role == "assistant":
                last[row.run_id] = entry
    for run_id, message in last.items():
        run = runs.get(run_id)
        metadata = {
            "sources": sources(run.citations, public=public) if run else [],
            "artifacts": artifacts(made.get(run_id, ())),
        }
        if any(metadata.values()):
            message["metadata"] = {name: found for name, found in metadata.items() if found}
    return messages


def _message(row: Row, public: bool) -> dict[str, object] | None:
    fields: dict[str, object] = {"id": message_id(row.run_id, row.seq), "role": row.role}
    if row.role == "user":
        files = {"metadata": {"files": len(row.attachments)}} if row.attachments else {}
        return {**fields, "content": row.content, **files}
    if row.role == "assistant" and row.state != "failed":
        calls = [] if public else [_call(row, place, call) for place, call in enumerate(row.tool_calls or (), 1)]
        if row.content or calls:
            return {**fields, "content": row.content, **({"toolCalls": calls} if calls else {})}
    if row.role == "tool" and not public and row.state in ("done", "failed"):
        return {**fields, "toolCallId": call_id(row.run_id, row.seq), "content": row.content}
    return None


def _call(row: Row, place: int, call: Mapping[str, object]) -> dict[str, object]:
    function = {"name": call["name"], "arguments": call["arguments"]}
    return {"id": call_id(row.run_id, row.seq + place), "type": "function", "function": function}
