"""Converts items that a client adds to the items that are stored and returned."""

from collections.abc import Mapping, Sequence
from uuid import uuid4

from retinue.core.errors import ValidationFailed
from retinue.interop.openai.content import text_of
from retinue.interop.openai.schemas import Item

_PREFIXES = {
    "message": "msg",
    "function_call": "fc",
    "custom_tool_call": "ctc",
    "function_call_output": "fco",
    "custom_tool_call_output": "fco",
}


def fields_of(item: Item, files: Sequence[str]) -> dict[str, object]:
    """Return an item with a new id. `files` are the ids of its files. Raises `ValidationFailed` for other types."""
    if item.type not in _PREFIXES:
        raise ValidationFailed(
            f"items: items of type {item.type[:40]!r} are not kept here. Add messages, calls of functions and custom "
            "tools, and their outputs."
        )
    head = {"type": item.type, "id": f"{_PREFIXES[item.type]}_{uuid4().hex}", "status": "completed"}
    if item.type == "message":
        return {**head, "role": item.role, "content": _content(item, files)}
    if not item.call_id:
        raise ValidationFailed(f"items: an item of type {item.type} needs a call_id.")
    head["call_id"] = item.call_id
    if item.type.endswith("_output"):
        return {**head, "output": text_of(item.output)}
    names = {"name": item.name or "", **({"namespace": item.namespace} if item.namespace else {})}
    if item.type == "custom_tool_call":
        return {**head, **names, "input": item.input or ""}
    return {**head, **names, "arguments": item.arguments}


def _content(item: Item, files: Sequence[str]) -> Sequence[Mapping[str, object]]:
    text = text_of(item.content)
    if item.role == "assistant":
        return [{"type": "output_text", "text": text, "annotations": [], "logprobs": []}]
    texts = [{"type": "input_text", "text": text}] if text else []
    return [*texts, *({"type": "input_file", "file_id": file_id} for file_id in files)]
