"""Runs as a timeline."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from retinue.core.runtime.clock import now
from retinue.portal.templating import pretty

_EXCERPT = 1000
"""Maximum characters of a step's arguments and of its content on the page of a run."""


@dataclass(frozen=True)
class Moment:
    """A step with its start and length in thousandths of the run's duration, and what the page shows of it."""

    step: Mapping[str, Any]
    start: int
    length: int
    arguments: str
    content: str
    whole: bool


def timeline(details: Mapping[str, Any]) -> list[Moment]:
    """Return the steps of a run in order. Only the last one is not shortened."""
    began = details["started_at"] or details["created_at"]
    ended = details["ended_at"] or now()
    whole = max((ended - began).total_seconds(), 0.001)

    def place(moment: datetime) -> int:
        share: float = (moment - began).total_seconds() / whole
        return max(0, min(1000, round(1000 * share)))

    found = []
    for step in details["steps"]:
        start = min(place(step["started_at"]), 996)
        length = max(place(step["ended_at"] or ended) - start, 4)
        found.append(Moment(step, start, length, *_select_text(step, shorten=step is not details["steps"][-1])))
    return found


def _select_text(step: Mapping[str, Any], *, shorten: bool) -> tuple[str, str, bool]:
    """Return arguments and content as they are shown, and whether that is all of both."""
    arguments, content = pretty(step["arguments"]), step["content"]
    if not shorten or max(len(arguments), len(content)) <= _EXCERPT:
        return arguments, content if step["type"] != "tool" else pretty(content), True
    return _excerpt(arguments), _excerpt(content), False


def _excerpt(text: str) -> str:
    return text if len(text) <= _EXCERPT else f"{text[:_EXCERPT]}…"
