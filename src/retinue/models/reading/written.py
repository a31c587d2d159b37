"""Data that people write in ways of its own: edges of graphs, points, schedules of cron, and moments."""

import re
from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime
from typing import Any

from retinue.models.reading.bounds import number

_NUMBER = r"-?\d+(?:\.\d+)?"

_UNIT = r"(?:\s?(?:km|m|mi|miles?|min|minutes?|mins?|h|hours?|ms|s|l|litres?|mbit/s)\b)?"
_LINE = r"(?:->|=>|-|\u2013|\u2192)"
_EDGES = tuple(
    re.compile(edge)
    for edge in (
        rf"(?<![\w-])(?P<from>\w{{1,40}})\s?{_LINE}\s?(?P<to>\w{{1,40}})(?![\w-])"
        rf"(?:\s?[:=]?\s?\(?(?P<weight>{_NUMBER}){_UNIT}(?![\w-]|\.\d)\)?)?",
        rf"(?<!\w)(?P<from>[A-Z])(?P<to>[A-Z])\s?[:=]?\s?(?P<weight>{_NUMBER}){_UNIT}(?!\w|\.\d)",
    )
)
_GAP = re.compile(r"\s*(?:[,;]|\band\b|,\s*and\b)?\s*")
_FEWEST = 2
_LONGEST_GAP = 10

_ROW = re.compile(rf"\(\s?{_NUMBER}(?:\s?,\s?{_NUMBER}){{1,9}}\s?\)")
_IN_ROW = re.compile(_NUMBER)

_THING = r"(?:(?:the|a|an|my|our) )?(?P<{}>[A-Za-z][\w'-]{{0,40}})"
_HELPING = (
    "must has have to can should may is are be only just come comes go goes get done taken happen happens run runs"
)
_MAY = rf"(?:(?:{'|'.join(_HELPING.split())}) ){{0,5}}"
_ORDERS = tuple(
    re.compile(rf"(?<![\w'-]){_THING.format(first)} {_MAY}{word} {_THING.format(second)}(?![\w'-])", re.IGNORECASE)
    for first, word, second in (
        ("from", "before", "to"),
        ("to", "after", "from"),
        ("to", "(?:needs?|requires?|depends? on|waits? for)", "from"),
    )
)

CRON = re.compile(r"(?<!\S)(?:[\d*][\d*/,-]*\s+){4}[\d*][\d*/,-]*(?![^\s?!.])")

MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d")
_NEAR = 40
_CLOCK = re.compile(
    r"(?:,|T| at)?\s{0,9}+(?P<hour>\d{1,2})(?:(?::|\.(?=\d\d\s?[ap]\.?m))(?P<minute>\d\d)(?::(?P<second>\d\d))?"
    r"|(?=\s?[ap]\.?m))\s*(?:(?P<half>[ap])\.?m\b\.?)?"
    r"(?:\s*(?P<zone>UTC|GMT|Z)\b)?",
    re.IGNORECASE,
)


def edges_in(request: str) -> Iterator[list[dict[str, Any]]]:
    """Edges as `a-b, b-c 4, c -> d` or `AB 12, AC 17`, two or more in a row; and what must come before what."""
    for edge in _EDGES:
        yield from ([_edge(match) for match in run] for run in _runs(edge, request))
    orders = sorted((match for order in _ORDERS for match in order.finditer(request)), key=re.Match.start)
    if len(orders) >= _FEWEST:
        yield [_edge(match) for match in orders]


def _edge(match: re.Match[str]) -> dict[str, Any]:
    made: dict[str, Any] = {"from": match["from"], "to": match["to"]}
    weight = match.groupdict().get("weight")
    return made | {"weight": number(weight)} if weight else made


def points_in(request: str) -> Iterator[list[list[float]]]:
    """Points as `(0,0), (40,5)`, or rows of a matrix: two or more in a row, of as many numbers."""
    for run in _runs(_ROW, request):
        rows = [[number(value) for value in _IN_ROW.findall(match[0])] for match in run]
        if len({len(row) for row in rows}) == 1:
            yield rows


def _runs(pattern: re.Pattern[str], request: str) -> Iterator[list[re.Match[str]]]:
    """Matches with nothing but commas and the like between them."""
    run: list[re.Match[str]] = []
    for match in pattern.finditer(request):
        gap = request[run[-1].end() : match.start()] if run else ""
        if run and (len(gap) > _LONGEST_GAP or not _GAP.fullmatch(gap)):
            yield from [run] if len(run) >= _FEWEST else []
            run = []
        run.append(match)
    yield from [run] if len(run) >= _FEWEST else []


def crons_in(request: str) -> Iterator[str]:
    """Schedules of five fields."""
    return (match[0] for match in CRON.finditer(request))


def moment(day: str, before: str, after: str) -> str | None:
    """A day in ISO 8601 with the time that follows it, or that is just before it; Z where it is said to be UTC."""
    earlier = list(_CLOCK.finditer(before[-_NEAR:]))
    clock = _CLOCK.match(after[:_NEAR]) or (earlier[-1] if earlier else None)
    if clock is None:
        return None
    hour = int(clock["hour"])
    if half := clock["half"]:
        hour = hour % 12 + (12 if half.lower() == "p" else 0)
    with suppress(ValueError):
        made = datetime.fromisoformat(f"{day}T{hour:02}:{clock['minute'] or '00'}:{clock['second'] or '00'}")
        return made.isoformat(timespec="seconds" if clock["second"] else "minutes") + ("Z" if clock["zone"] else "")
    return None
