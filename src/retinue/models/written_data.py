"""Data that people write in ways of its own: edges of graphs, points, schedules of cron, and moments."""

import re
from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime
from typing import Any

_NUMBER = r"-?\d+(?:\.\d+)?"

_LINE = r"(?:->|=>|-|\u2013|\u2192)"
_WEIGHT = rf"(?:\s*[:=]\s*{_NUMBER}|\s*\(\s*{_NUMBER}\s*\)|\s+{_NUMBER}(?![\w.]))?"
_DRAWN = rf"\w+\s*{_LINE}\s*\w+{_WEIGHT}"
_PAIR = rf"[A-Z]{{2}}\s*[:=]?\s*{_NUMBER}"
_GAP = r"(?:\s*(?:,\s*and|[,;]|\band\b)\s*|\s+)"
_RUNS = tuple(
    re.compile(rf"(?<![\w-])(?:{edge})(?:{_GAP}(?:{edge}))+(?![\w-]|\s*{_LINE}\s*\w)") for edge in (_DRAWN, _PAIR)
)
_EDGES = (
    re.compile(rf"(?P<from>\w+)\s*{_LINE}\s*(?P<to>\w+)(?P<weight>{_WEIGHT})"),
    re.compile(rf"(?P<from>[A-Z])(?P<to>[A-Z])\s*[:=]?\s*(?P<weight>{_NUMBER})"),
)
_WEIGHED = re.compile(_NUMBER)

_POINT = rf"\(\s*{_NUMBER}\s*,\s*{_NUMBER}\s*\)"
_POINTS = re.compile(rf"{_POINT}(?:{_GAP}{_POINT})+")

CRON = re.compile(r"(?<!\S)(?:[\d*][\d*/,-]*\s+){4}[\d*][\d*/,-]*(?![^\s?!.])")

MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d")
_CLOCK = re.compile(
    r"(?:,|T| at)?\s*(?P<hour>\d{1,2}):(?P<minute>\d\d)(?::(?P<second>\d\d))?\s*(?P<half>[ap]m\b)?"
    r"(?:\s*(?P<zone>UTC|GMT|Z)\b)?",
    re.IGNORECASE,
)


def edges_in(request: str) -> Iterator[list[dict[str, Any]]]:
    """Edges as `a-b, b-c 4, c -> d` or `AB 12, AC 17`: two or more in a row."""
    for run, edge in zip(_RUNS, _EDGES, strict=True):
        for found in run.finditer(request):
            yield [_edge(match) for match in edge.finditer(found[0])]


def _edge(match: re.Match[str]) -> dict[str, Any]:
    weight = _WEIGHED.search(match["weight"] or "")
    made: dict[str, Any] = {"from": match["from"], "to": match["to"]}
    return made | {"weight": _number(weight[0])} if weight else made


def points_in(request: str) -> Iterator[list[list[float]]]:
    """Points as `(0,0), (40,5)`: two or more in a row."""
    for run in _POINTS.finditer(request):
        numbers = [_number(text) for text in _WEIGHED.findall(run[0])]
        yield [list(point) for point in zip(numbers[::2], numbers[1::2], strict=True)]


def crons_in(request: str) -> Iterator[str]:
    """Schedules of five fields."""
    return (match[0] for match in CRON.finditer(request))


def moment(day: str, rest: str) -> str | None:
    """A day in ISO 8601 with the time that follows it in `rest`, if one does; Z where it is said to be UTC."""
    clock = _CLOCK.match(rest)
    if clock is None:
        return None
    hour = int(clock["hour"])
    if half := clock["half"]:
        hour = hour % 12 + (12 if half.lower() == "pm" else 0)
    with suppress(ValueError):
        made = datetime.fromisoformat(f"{day}T{hour:02}:{clock['minute']}:{clock['second'] or '00'}")
        return made.isoformat(timespec="seconds" if clock["second"] else "minutes") + ("Z" if clock["zone"] else "")
    return None


def _number(text: str) -> float:
    return float(text) if "." in text else int(text)
