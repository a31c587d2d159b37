"""What a client says in a message: the text and the files, or its decisions about approvals."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from retinue.core.database.statements import Row
from retinue.core.errors import ValidationFailed
from retinue.interop.a2a.wire import Message
from retinue.interop.attachments import data_url

MOST = 100_000
"""Maximum length of the text of a message."""

_YES = frozenset({"yes", "approve", "approved"})
_NO = frozenset({"no", "deny", "denied", "decline", "cancel"})
_DECISION = frozenset({"approvals", "approvalId", "approved"})
"""The fields of data that decides. Other data answers a question."""

_REASON = 2000


@dataclass(frozen=True, slots=True)
class Decision:
    """The decision about an approval; about all that wait if `approval_id` is None."""

    approval_id: str | None
    approved: bool
    arguments: dict[str, object] | None = None
    reason: str | None = None
    answer: dict[str, object] | None = None
    """The answer to the question of a tool's server."""


def text_of(message: Message) -> str:
    """Return the text of a message, with its data as JSON. Raises `ValidationFailed` if it is too long."""
    texts = [part.text for part in message.parts if part.text]
    texts += [orjson.dumps(part.data).decode() for part in message.parts if "data" in part.model_fields_set]
    text = "\n\n".join(texts)
    if len(text) > MOST:
        raise ValidationFailed(f"message.parts: a message can have at most {MOST:,} characters. Send a file instead.")
    return text


def files_of(message: Message) -> list[str]:
    """Return the files of a message as `Attachments` takes them."""
    found = []
    for part in message.parts:
        if part.raw is not None:
            found.append(data_url(part.media_type or "application/octet-stream", part.raw, part.filename))
        elif part.url is not None:
            if not part.url.startswith(("http://", "https://")):
                raise ValidationFailed("message.parts: url must be an http or https address. Send other files as raw.")
            found.append(part.url)
    return found


def decisions_of(message: Message, pending: Sequence[Row]) -> list[Decision]:
    """Return the decisions in a message about the approvals that wait: its data, or its text.

    Of a call, anything but a plain yes denies. If the only approval is a question, data with its fields is the answer,
    and so is a text if there is one field. Raises `ValidationFailed` for a text that is no answer.
    """
    question = pending[0].question if len(pending) == 1 else None
    parts = [part.data for part in message.parts if isinstance(part.data, dict)]
    if question and len(parts) == 1 and not _DECISION & parts[0].keys():
        return [Decision(None, approved=True, answer=parts[0])]
    decisions = [_decision(one) for one in _flatten(parts)]
    if decisions:
        return decisions
    text = text_of(message).strip()
    plain = text.lower().rstrip(".!")
    if question and (answer := _answer_of(question["schema"]["properties"], text)) is not None:
        return [Decision(None, approved=True, answer=answer)]
    if question and plain not in _YES | _NO:
        raise ValidationFailed(
            'message.parts: this is no answer to the question. Send data with the fields of answerSchema, or "no".'
        )
    return [Decision(None, approved=True) if plain in _YES else _denial(None, text)]


def _answer_of(fields: Mapping[str, Any], text: str) -> dict[str, object] | None:
    """Return the answer that a text gives to a question with one field; None if it gives none."""
    if len(fields) != 1:
        return None
    ((name, schema),) = fields.items()
    if choices := schema.get("enum"):
        return next(({name: choice} for choice in choices if choice.lower() == text.lower()), None)
    match schema["type"]:
        case "string":
            return {name: text}
        case "boolean":
            verdict = {"yes": True, "true": True, "no": False, "false": False}.get(text.lower().rstrip(".!"))
            return None if verdict is None else {name: verdict}
        case "integer" | "number":
            try:
                return {name: int(text) if schema["type"] == "integer" else float(text)}
            except ValueError:
                return None
    return None


def _flatten(parts: Iterable[dict[str, object]]) -> Iterable[dict[str, object]]:
    """Yield each decision. Several may stand in one part, in the list in which they were asked."""
    for one in parts:
        listed = one.get("approvals")
        yield from (entry for entry in listed if isinstance(entry, dict)) if isinstance(listed, list) else [one]


def _decision(data: dict[str, object]) -> Decision:
    name, arguments, reason = data.get("approvalId"), data.get("arguments"), data.get("reason")
    approval_id = None if name is None else str(name)
    if data.get("approved") is not True:
        return _denial(approval_id, reason if isinstance(reason, str) else "")
    answer = data.get("answer")
    return Decision(
        approval_id,
        approved=True,
        arguments=arguments if isinstance(arguments, dict) else None,
        answer=answer if isinstance(answer, dict) else None,
    )


def _denial(approval_id: str | None, reason: str) -> Decision:
    return Decision(approval_id, approved=False, reason=reason[:_REASON] or None)
