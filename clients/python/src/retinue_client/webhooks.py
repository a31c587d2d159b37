"""Verifies that a webhook delivery comes from your server.

    event = webhooks.verify(request.body, request.headers, secret)

Deliveries have two signatures: `webhook-signature` (Standard Webhooks 1.0), which covers the timestamp of the attempt,
and `X-Webhook-Signature`, which covers only the body.
"""

import base64
import binascii
import hashlib
import hmac
import json
import time
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from retinue_client._records import Record, build
from retinue_client.errors import WebhookVerificationError
from retinue_client.types import EVENTS

TOLERANCE_S = 300.0
EVENT_AGE_S = 5 * 24 * 3600.0
"""The server attempts a delivery for less than this time.

It limits replays if no signature covers the attempt's timestamp.
"""


class Event(Record):
    """An event. `data` is a record of the event's type, such as `AgentDeployed`."""

    id: str
    event: str
    timestamp: str
    data: Record


def verify(
    body: bytes, headers: Mapping[str, str], secret: str, *, tolerance: float = TOLERANCE_S, now: float | None = None
) -> Event:
    """Verify that a delivery is genuine and recent, and return its event.

    `body` is the raw body and `secret` the secret of the endpoint (`whsec_…`). `tolerance` is the number of seconds by
    which the attempt's timestamp may differ from `now`, in Unix seconds, which defaults to the clock. A delivery can
    arrive more than once: store the IDs of processed events. Raises `WebhookVerificationError`.
    """
    sent = {name.lower(): value for name, value in headers.items()}
    moment = time.time() if now is None else now
    if "webhook-signature" in sent:
        _check_standard(body, sent, secret, tolerance, moment)
        return _event(body)
    _check_body_signature(body, sent.get("x-webhook-signature", ""), secret)
    event = _event(body)
    if abs(moment - _seconds(event.timestamp)) > EVENT_AGE_S:
        raise WebhookVerificationError("The event is too old.")
    return event


def _check_standard(body: bytes, sent: Mapping[str, str], secret: str, tolerance: float, now: float) -> None:
    """Check Standard Webhooks 1.0. One valid signature is sufficient, because two secrets sign during a rotation."""
    timestamp = sent.get("webhook-timestamp", "")
    if not (timestamp.isascii() and timestamp.isdigit()):
        raise WebhookVerificationError("The header webhook-timestamp is missing or is not a number.")
    if abs(now - int(timestamp)) > tolerance:
        raise WebhookVerificationError("The delivery was sent too long ago, or the clock of this machine is wrong.")
    content = b"%b.%b.%b" % (sent.get("webhook-id", "").encode(), timestamp.encode(), body)
    expected = b"v1," + base64.b64encode(hmac.digest(_standard_key(secret), content, hashlib.sha256))
    if not any(hmac.compare_digest(expected, one.encode()) for one in sent["webhook-signature"].split()):
        raise WebhookVerificationError("No signature in webhook-signature matches the body and the secret.")


def _check_body_signature(body: bytes, signature: str, secret: str) -> None:
    expected = b"sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest().encode()
    if not hmac.compare_digest(expected, signature.encode()):
        raise WebhookVerificationError("X-Webhook-Signature does not match the body and the secret.")


def _standard_key(secret: str) -> bytes:
    try:
        return base64.b64decode(secret.removeprefix("whsec_"), validate=True)
    except binascii.Error as error:
        raise WebhookVerificationError("The secret is not that of a webhook endpoint (whsec_…).") from error


def _event(body: bytes) -> Event:
    try:
        payload: dict[str, Any] = json.loads(body)
        event = Event(payload)
        event.data = build(EVENTS.get(event.event, Record), payload["data"])
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise WebhookVerificationError("The body is signed, but is not an event.") from error
    return event


def _seconds(timestamp: str) -> float:
    try:
        return datetime.fromisoformat(timestamp).timestamp()
    except ValueError as error:
        raise WebhookVerificationError("The event's timestamp is not an ISO 8601 time.") from error
