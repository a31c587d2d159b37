"""Reads what an imported API answered: people want the body, not the status and the headers around it."""

import re
from collections.abc import Mapping
from typing import Any

_RESPONSE = frozenset(("status", "headers", "body"))
_ERROR = 400
_REASONS = ("detail", "message", "error", "title", "error_description")
"""Fields in which APIs explain an error."""
_LONGEST = 300
_WORD = re.compile(r"[a-z][a-z_-]{2,30}")


def is_response(result: Mapping[str, Any]) -> bool:
    """True for the result of a call of an HTTP API."""
    return result.keys() >= _RESPONSE and isinstance(result["status"], int)


def body_of(result: Mapping[str, Any], request: str = "") -> dict[str, Any]:
    """Return the body of a response as fields: only the rows that a request names, if its values are words of it."""
    body = result["body"]
    if isinstance(body, str) and not body:
        return {}
    if not isinstance(body, dict):
        return {"result": _matching_rows(body, request)}
    return {name: _matching_rows(value, request) for name, value in body.items()}


def failure_of(result: Mapping[str, Any]) -> str:
    """Return why an API refused a request, in a sentence; empty if it did not."""
    if result["status"] < _ERROR:
        return ""
    reason = _reason(result["body"])
    known = {401: "it wants other credentials", 403: "it does not allow this", 404: "it found nothing"}
    problem = known.get(result["status"], f"it answered with the error {result['status']}")
    return f"The API did not answer this: {problem}{f' ({reason})' if reason else ''}."


def _reason(body: Any) -> str:
    if isinstance(body, dict):
        return next((found for name in _REASONS if (found := _reason(body.get(name)))), "")
    return " ".join(body.split())[:_LONGEST].rstrip(".") if isinstance(body, str) and "<" not in body else ""


def _matching_rows(value: Any, request: str) -> Any:
    """Return the rows of a table that have a word of the request as a value, as in "Which are late?"."""
    if not isinstance(value, list) or not all(isinstance(row, dict) for row in value):
        return value
    words = frozenset(_WORD.findall(request.lower()))
    chosen = [row for row in value if any(isinstance(one, str) and one.lower() in words for one in row.values())]
    return chosen or value
