"""Runs as a timeline."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from retinue.core.runtime.clock import now


@dataclass(frozen=True)
class Moment:
    """A step with its start and length in thousandths of the run's duration."""

    step: Mapping[str, Any]
    start: int
    length: int


def timeline(details: Mapping[str, Any]) -> list[Moment]:
    """Return the steps of a run in order."""
    began = details["started_at"] or details["created_at"]
    ended = details["ended_at"] or now()
    whole = max((ended - began).total_seconds(), 0.001)

    def place(moment: datetime) -> int:
        share: float = (moment - began).total_seconds() / whole
        return max(0, min(1000, round(1000 * share)))

    found = []
    for step in details["steps"]:
        start = min(place(step["started_at"]), 996)
        end = place(step["ended_at"] or ended)
        found.append(Moment(step, start, max(end - start, 4)))
    return found
