"""Log lines in custom formats, and their common patterns."""

import re
from collections import Counter
from collections.abc import Callable
from typing import Annotated, Any

import regex
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool

_GROK = {
    "WORD": r"\b\w+\b",
    "NOTSPACE": r"\S+",
    "SPACE": r"\s*",
    "DATA": r".*?",
    "GREEDYDATA": r".*",
    "INT": r"[+-]?[0-9]+",
    "POSINT": r"\b[1-9][0-9]*\b",
    "NUMBER": r"[+-]?(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)",
    "BASE16NUM": r"(?:0x)?[0-9A-Fa-f]+",
    "IP": r"(?:[0-9]{1,3}(?:\.[0-9]{1,3}){3}|[0-9A-Fa-f]*:[0-9A-Fa-f:.]+)",
    "HOSTNAME": r"\b[0-9A-Za-z][0-9A-Za-z-]{0,62}(?:\.[0-9A-Za-z][0-9A-Za-z-]{0,62})*\.?",
    "USERNAME": r"[a-zA-Z0-9._-]+",
    "EMAILADDRESS": r"[\w.+-]+@[\w.-]+",
    "URIPATH": r"/[^\s?#]*",
    "PATH": r"(?:/[^\s]*|[A-Za-z]:\\\S*)",
    "UUID": r"[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}",
    "QUOTEDSTRING": r'"(?:[^"\\]|\\.)*"',
    "LOGLEVEL": r"(?i:trace|debug|notice|info(?:rmation)?|warn(?:ing)?|err(?:or)?|crit(?:ical)?|fatal|severe|alert|"
    r"emerg(?:ency)?)",
    "TIMESTAMP_ISO8601": r"[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:[.,][0-9]+)?)?"
    r"(?:Z|[+-][0-9]{2}:?[0-9]{2})?",
    "SYSLOGTIMESTAMP": r"[A-Z][a-z]{2} [ 0-9][0-9] [0-9]{2}:[0-9]{2}:[0-9]{2}",
    "HTTPDATE": r"[0-9]{2}/[A-Z][a-z]{2}/[0-9]{4}:[0-9]{2}:[0-9]{2}:[0-9]{2} [+-][0-9]{4}",
}
_PLACE = re.compile(r"%\{(\w+)(?::([\w.@-]+))?(?::(int|float))?\}")
_MASKS = (
    (re.compile(_GROK["UUID"]), "<uuid>"),
    (re.compile(_GROK["TIMESTAMP_ISO8601"]), "<time>"),
    (re.compile(r"\b[0-9]{1,3}(?:\.[0-9]{1,3}){3}(?::[0-9]+)?\b"), "<ip>"),
    (re.compile(_GROK["EMAILADDRESS"]), "<email>"),
    (re.compile(r"\b0x[0-9A-Fa-f]+\b|\b(?=[0-9A-Fa-f]*[0-9])(?=[0-9A-Fa-f]*[A-Fa-f])[0-9A-Fa-f]{8,}\b"), "<hex>"),
    (re.compile(r"(?<![A-Za-z<])[-+]?[0-9]+(?:[.,:][0-9]+)*"), "<n>"),
)

Lines = Annotated[
    str, About("Log text, one entry per line", "level=info msg=started", min_length=1, max_length=900_000)
]


class Template(TypedDict):
    """A template of log lines."""

    template: Annotated[str, About("Common text, with marks such as <n> for variable parts")]
    count: Annotated[int, About("Number of lines of this template")]
    first_line: Annotated[int, About("Number of the first line, from 1")]
    last_line: Annotated[int, About("Number of the last line")]
    example: Annotated[str, About("First line, truncated to 300 characters")]


class Templates(TypedDict):
    """Templates of a log."""

    templates: Annotated[list[Template], About("Templates, most common first")]
    kinds: Annotated[int, About("Number of templates")]
    lines: Annotated[int, About("Number of non-empty lines")]


def pattern_reader(pattern: str) -> Callable[[str], dict[str, Any] | None]:
    """Return a reader of lines for a grok pattern or a regular expression with named groups."""
    expression, names = _grok(pattern)

    def read(line: str) -> dict[str, Any] | None:
        try:
            found = expression.search(line, timeout=0.3)
        except TimeoutError as error:
            raise ToolError(
                "Matching the pattern against a line takes too long. Simplify it, without nested repetition."
            ) from error
        if not found:
            return None
        return {
            names.get(name, (name, ""))[0]: _convert(part, names.get(name, ("", ""))[1])
            for name, part in found.groupdict().items()
        }

    return read


@tool(
    tags="log cluster templates group similar lines frequent errors summarize patterns",
    use_when=(
        "What are the most frequent messages in this log?",
        "Group similar error lines of my log",
        "Which kinds of lines does this log file have?",
        "Make sense of this log file",
    ),
    examples=(
        Example(
            {"log": "user 7 from 10.0.0.1 ok\nuser 12 from 10.0.0.9 ok\n\nboot\n"},
            {
                "templates": [
                    {
                        "template": "user <n> from <ip> ok",
                        "count": 2,
                        "first_line": 1,
                        "last_line": 2,
                        "example": "user 7 from 10.0.0.1 ok",
                    },
                    {"template": "boot", "count": 1, "first_line": 4, "last_line": 4, "example": "boot"},
                ],
                "kinds": 2,
                "lines": 3,
            },
            source="by hand",
        ),
        Example({"log": "a 1\nb 2\nb 3\n", "limit": 1}, {"kinds": 2, "lines": 3}, source="by hand"),
        Refusal({"log": "\n\n"}, "no lines"),
    ),
    reply={
        "templates": "The {lines|line} are of {kinds|kind}, the most frequent first: {templates}",
        "": "There are no lines in the log.",
    },
)
def log_group_templates(
    log: Lines, limit: Annotated[int, About("Maximum number of templates", 20, minimum=1, maximum=500)] = 50
) -> Templates:
    """Group the lines of a log by template, what they have in common: numbers, times, addresses and ids are masked.

    Use it to get an overview of a large log or its most common errors. Returns the templates with their counts, the
    first and last line, and an example.
    """
    counts: Counter[str] = Counter()
    first: dict[str, tuple[int, str]] = {}
    last: dict[str, int] = {}
    for number, line in enumerate(log.splitlines(), 1):
        if line.strip():
            kind = _mask(line.strip())
            counts[kind] += 1
            first.setdefault(kind, (number, line[:300]))
            last[kind] = number
    if not counts:
        raise ToolError("The log has no lines.")
    templates: list[Template] = [
        {
            "template": kind,
            "count": count,
            "first_line": first[kind][0],
            "last_line": last[kind],
            "example": first[kind][1],
        }
        for kind, count in counts.most_common(limit)
    ]
    return {"templates": templates, "kinds": len(counts), "lines": counts.total()}


def _grok(pattern: str) -> tuple[Any, dict[str, tuple[str, str]]]:
    """Return the regular expression of a grok pattern, and the field and type of its groups."""
    names: dict[str, tuple[str, str]] = {}

    def group(place: re.Match[str]) -> str:
        if place[1] not in _GROK:
            raise ToolError(f"The pattern name {place[1]} is unknown. Known names: {', '.join(sorted(_GROK))}.")
        if not place[2]:
            return f"(?:{_GROK[place[1]]})"
        names[f"field{len(names)}"] = (place[2], place[3] or "")
        return f"(?P<field{len(names) - 1}>{_GROK[place[1]]})"

    try:
        expression = regex.compile(_PLACE.sub(group, pattern))
    except regex.error as error:
        raise ToolError(f"The pattern is not a valid regular expression: {error}") from error
    if not expression.groupindex:
        raise ToolError("The pattern defines no field. Write fields as %{IP:client} or (?<client>...).")
    return expression, names


def _convert(part: str | None, kind: str) -> Any:
    if part is None or not kind:
        return part
    try:
        return int(part[:400]) if kind == "int" else float(part)
    except ValueError:
        return part


def _mask(line: str) -> str:
    for pattern, mark in _MASKS:
        line = pattern.sub(mark, line)
    return line[:1000]
