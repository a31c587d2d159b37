"""Runs as a timeline."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from retinue.core.runtime.clock import now
from retinue.language.translation import gettext_noop
from retinue.portal.templating import pretty
from retinue.runs.schemas import StepView
from retinue.runs.tables import RunRow
from retinue.runs.tool_ends import call_files, connect_url

_EXCERPT = 1000
"""Maximum characters of a step's arguments and of its content on the page of a run."""


@dataclass(frozen=True)
class TimelineStep:
    """A step with its start and length in thousandths of the run's duration, and what the page shows of it."""

    step: StepView
    start: int
    length: int
    arguments: str
    content: str
    whole: bool
    parallel: int
    """How many calls ran at the same time, on the first of them; 0 elsewhere."""
    among: bool
    """Whether it is one of several calls that ran at the same time."""
    is_reply: bool
    """Whether it is an answer without calls, so that only a message can continue the run from it."""
    connect_url: str | None
    """The page where a person connects the tool's server, if the call failed because nobody has."""
    is_last_call: bool
    """Whether no call of the same answer follows: a fork shares all calls of an answer."""
    files: Sequence[str]
    """The ids of the files that the result of a call names."""


def timeline(run: RunRow, steps: Sequence[StepView]) -> list[TimelineStep]:
    """Return the steps of a run in order. Only the last one is not shortened."""
    began = run.started_at or run.created_at
    ended = run.ended_at or now()
    duration = max((ended - began).total_seconds(), 0.001)

    def place(moment: datetime) -> int:
        share: float = (moment - began).total_seconds() / duration
        return max(0, min(1000, round(1000 * share)))

    found = []
    groups = _parallel_calls(steps, ended)
    for number, step in enumerate(steps):
        start = min(place(step.started_at), 996)
        length = max(place(step.ended_at or ended) - start, 4)
        text = _select_text(step, shorten=step is not steps[-1])
        group = groups.get(number, ())
        found.append(
            TimelineStep(
                step,
                start,
                length,
                *text,
                parallel=len(group) if group and group[0] == number else 0,
                among=bool(group),
                is_reply=is_reply(steps, number),
                connect_url=connect_url(step.status, step.content or "") if step.type == "tool" else None,
                is_last_call=_type_after(steps, number) != "tool",
                files=step_files(step),
            )
        )
    return found


def step_files(step: StepView) -> list[str]:
    """Return the ids of the files that a step's result names, if the step is a call."""
    return call_files(step.status, step.content or "") if step.type == "tool" else []


def is_reply(steps: Sequence[StepView], number: int) -> bool:
    """Return whether a step is an answer of the model that calls no tool."""
    return steps[number].type == "model" and _type_after(steps, number) != "tool"


def _type_after(steps: Sequence[StepView], number: int) -> str:
    return str(steps[number + 1].type) if number + 1 < len(steps) else ""


def _parallel_calls(steps: Sequence[StepView], now_or_end: datetime) -> dict[int, list[int]]:
    """Return, for each call that ran at the same time as one beside it, the positions of all of them."""
    groups: dict[int, list[int]] = {}
    group: list[int] = []
    latest = None
    for number, step in enumerate(steps):
        if step.type != "tool":
            group, latest = [], None
            continue
        if latest is None or step.started_at >= latest:
            group, latest = [], None
        group.append(number)
        end = step.ended_at or now_or_end
        latest = end if latest is None else max(latest, end)
        if len(group) > 1:
            groups |= dict.fromkeys(group, group)
    return groups


ENDS = {
    "length": gettext_noop("Cut off at its limit of tokens"),
    "content_filter": gettext_noop("Ended by the provider's filter"),
    "refusal": gettext_noop("Declined to answer"),
}
"""The words for how an answer ended, unless it is complete."""


def _select_text(step: StepView, *, shorten: bool) -> tuple[str, str, bool]:
    """Return arguments and content as they are shown, and whether that is all of both."""
    arguments, content = pretty(step.arguments), step.content
    if not shorten or max(len(arguments), len(content)) <= _EXCERPT:
        return arguments, content if step.type != "tool" else pretty(content), True
    return _excerpt(arguments), _excerpt(content), False


def _excerpt(text: str) -> str:
    return text if len(text) <= _EXCERPT else f"{text[:_EXCERPT]}…"
