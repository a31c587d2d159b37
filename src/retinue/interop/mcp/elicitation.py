"""Requests to a client to ask its user (elicitation), and the answers to them."""

import asyncio
from collections.abc import Mapping
from typing import Any, Protocol


class Channel(Protocol):
    """The connection to the client during a call. `left` is done when the user leaves an approval pending."""

    key: str
    left: asyncio.Future[None]

    def report(self, text: str) -> None:
        """Tell the client what the call is doing."""

    def ask(self, request_id: str, method: str, params: Mapping[str, object]) -> None:
        """Send the client a request."""


def asks_by_form(capabilities: object) -> bool:
    """Return True if a client with these capabilities can show forms to its user."""
    form = capabilities.get("elicitation") if isinstance(capabilities, Mapping) else None
    return isinstance(form, Mapping) and (not form or "form" in form)


def form_params(message: str, schema: Mapping[str, Any]) -> dict[str, object]:
    """Return the parameters of a request for a form."""
    return {"mode": "form", "message": message, "requestedSchema": schema}


def action_of(answer: object) -> str | None:
    """Return what the user did: accept, decline or cancel; None if there is no valid answer."""
    action = answer.get("action") if isinstance(answer, Mapping) else None
    return action if action in ("accept", "decline", "cancel") else None


def content_of(answer: object) -> Mapping[str, object] | None:
    """Return what the user filled in, if they accepted."""
    content = answer.get("content") if isinstance(answer, Mapping) and action_of(answer) == "accept" else None
    return content if isinstance(content, Mapping) else None
