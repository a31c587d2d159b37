"""The payload of a delivery, its attempts and their outcomes, and the retry schedule."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import orjson

from retinue.core.database.statements import Row
from retinue.core.runtime.clock import to_text
from retinue.webhooks.task_updates import update_of

_JITTER = 0.1
_GONE_STATUS = 410


def body_of(event: Row) -> bytes:
    """Return the payload of an event: the same bytes for every attempt and endpoint."""
    return orjson.dumps(
        {
            "id": event.id,
            "event": event.name,
            "timestamp": event.created_at.isoformat(timespec="microseconds"),
            "data": event.data,
        }
    )


@dataclass(frozen=True)
class ClaimedDelivery:
    """A claimed delivery with everything needed to send it. `secrets` are encrypted; the first one signs the body."""

    id: int
    epoch: int
    public_id: str
    account_id: int
    endpoint_id: int
    event: str
    event_id: str
    url: str
    secrets: tuple[str, ...]
    body: bytes
    log: tuple[dict[str, Any], ...]
    """The log entries of earlier attempts."""

    interrupted: int = 0
    """The number of consecutive attempts before this one whose process died."""

    task: Mapping[str, Any] | None = None
    """The task of A2A whose client is notified; None for the account's own endpoints."""

    @classmethod
    def of(cls, delivery: Row, endpoint: Row, event: Row, moment: datetime) -> "ClaimedDelivery":
        """Create a delivery from the rows of a claim."""
        # Claims without a recorded outcome were interrupted: their processes died.
        broken_off = [interrupted_attempt(number) for number in range(len(delivery.log) + 1, delivery.attempts)]
        rotating = endpoint.old_secret_until and endpoint.old_secret_until > moment
        return cls(
            id=delivery.id,
            epoch=delivery.epoch,
            public_id=delivery.public_id,
            account_id=endpoint.account_id,
            endpoint_id=endpoint.id,
            event=delivery.event,
            event_id=event.id,
            url=endpoint.url,
            secrets=(endpoint.old_secret, endpoint.secret) if rotating else (endpoint.secret,),
            body=update_of(event, endpoint.task) if endpoint.task else body_of(event),
            log=(*delivery.log, *broken_off),
            interrupted=len(broken_off),
            task=endpoint.task,
        )


@dataclass(frozen=True)
class DeliveryAttempt:
    """The outcome of one attempt. `error` is None if the delivery succeeded."""

    started_at: datetime
    milliseconds: int
    status: int | None = None
    answer: str | None = None
    error: str | None = None
    retry_after_s: int = 0
    """The pause that the receiver asked for."""

    def entry(self, number: int) -> dict[str, Any]:
        """Return the attempt's log entry."""
        return {
            "number": number,
            "started_at": to_text(self.started_at),
            "status": self.status,
            "milliseconds": self.milliseconds,
            "answer": self.answer,
            "error": self.error,
        }


def interrupted_attempt(number: int) -> dict[str, object]:
    """Return the log entry for an attempt with an unknown outcome."""
    return {
        "number": number,
        "started_at": None,
        "status": None,
        "milliseconds": None,
        "answer": None,
        "error": "The process that made this attempt ended before its outcome was known.",
    }


@dataclass(frozen=True)
class DeliveryResult:
    """A delivery and its newest attempt. `delay_s` is the delay until the next one, or None if there is none."""

    delivery: ClaimedDelivery
    attempt: DeliveryAttempt
    delay_s: float | None

    @property
    def delivered(self) -> bool:
        """Whether the receiver accepted the delivery."""
        return self.attempt.error is None

    @property
    def gone(self) -> bool:
        """Whether the receiver answered 410 Gone (RFC 9110, section 15.5.11), and wants no more deliveries."""
        return self.attempt.status == _GONE_STATUS

    def log(self) -> list[dict[str, Any]]:
        """Return the log entries of all attempts."""
        earlier = self.delivery.log
        return [*earlier, self.attempt.entry(len(earlier) + 1)]


@dataclass(frozen=True)
class RetrySchedule:
    """The delay in seconds before each attempt. There is one attempt per delay; interrupted ones do not count."""

    delays: Sequence[float]
    _random: random.Random = field(default_factory=random.Random)

    def result(self, delivery: ClaimedDelivery, attempt: DeliveryAttempt) -> DeliveryResult:
        """Return the attempt's result, with the delay until the next attempt if there is one."""
        attempts = 1 + sum(entry["started_at"] is not None for entry in delivery.log)
        if attempt.error is None or attempts >= len(self.delays):
            return DeliveryResult(delivery, attempt, None)
        jittered = self.delays[attempts] * self._random.uniform(1 - _JITTER, 1 + _JITTER)
        return DeliveryResult(delivery, attempt, max(jittered, attempt.retry_after_s))
