"""Confirms in a sentence what a tool sent, deleted or saved: its fields would say less, and in a program's words."""

from collections.abc import Mapping
from typing import Any

from retinue.language.markdown_values import join_names

_SENDING = frozenset(("send", "notify"))
"""Verbs in the names of tools that send something."""
_TO = ("recipients", "to", "recipient", "topic", "chat_id", "channel", "connection")
"""Fields that say to whom something was sent, best first."""
_MENTIONED = ("title", "name", "path", "key", "id")


def confirm(tool: str, result: Mapping[str, Any], arguments: Mapping[str, Any]) -> str:
    """Return what a tool did in a sentence; empty for a tool whose result is an answer."""
    if not _SENDING.isdisjoint(tool.split("_")):
        return _confirm_sending(result, arguments)
    flags = [name for name, value in result.items() if value is True and name.endswith("ed")]
    others = [name for name in result if name not in (*flags, *_MENTIONED)]
    if not flags or others:
        return ""
    subject = next((value for value in arguments.values() if isinstance(value, str)), None)
    subject = subject or next((result[name] for name in _MENTIONED if result.get(name)), "it")
    return f"{flags[0].replace('_', ' ').capitalize()} \u201c{subject}\u201d."


def _confirm_sending(result: Mapping[str, Any], arguments: Mapping[str, Any]) -> str:
    found = next((value for name in _TO if (value := result.get(name) or arguments.get(name))), None)
    refused = join_names(_names(result.get("refused")))
    sentence = f"Sent to {join_names(_names(found))}." if found else "Sent."
    return f"{sentence} Not accepted: {refused}." if refused else sentence


def _names(value: Any) -> list[str]:
    return [str(one) for one in value] if isinstance(value, list) else [str(value)] if value else []
