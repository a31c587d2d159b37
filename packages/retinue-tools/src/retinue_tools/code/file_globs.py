"""Patterns of file names."""

import re
from functools import lru_cache
from typing import Annotated

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool

_LONGEST = 1000


class GlobMatches(TypedDict):
    """Which paths a pattern matches."""

    matching: list[str]
    rejected: list[str]
    count: int


@tool(
    tags="glob pattern match files paths wildcard star ** question mark filter filenames extension brace",
    use_when=(
        "Which of these files match *.py: a.py, b.txt, src/c.py?",
        "Does src/**/*.ts match src/app/main.ts?",
        "Which names does report-202?-*.{csv,xlsx} select from report-2024-a.csv, report-24.csv, report-2023-b.xlsx?",
    ),
    examples=(
        Example(
            {"pattern": "*.py", "paths": ["a.py", "b.txt", "src/c.py"]},
            {"matching": ["a.py"], "rejected": ["b.txt", "src/c.py"], "count": 1},
            source="POSIX.1-2024, 2.14: a star does not match a slash",
        ),
        Example(
            {"pattern": "src/**/*.{ts,tsx}", "paths": ["src/main.ts", "src/app/x.tsx", "lib/y.ts"]},
            {"matching": ["src/main.ts", "src/app/x.tsx"]},
            source="bash with globstar",
        ),
        Example({"pattern": "img[0-9].png", "paths": ["img1.png", "imgx.png"]}, {"matching": ["img1.png"]}, "POSIX"),
        Refusal({"pattern": "a[", "paths": ["a"]}, "bracket"),
    ),
)
def glob_match_paths(
    pattern: Annotated[
        str, About("Glob pattern with *, **, ?, [a-z] and {a,b}", "src/**/*.py", min_length=1, max_length=_LONGEST)
    ],
    paths: Annotated[
        list[str], About("File names or paths with /", ["src/a.py", "b.txt"], min_items=1, max_items=10_000)
    ],
) -> GlobMatches:
    """Tell which file names or paths a glob pattern matches, without looking at any disk.

    Use it for build files, CI and ignore lists. A single star stays in its folder, two stars go into any depth.
    """
    expression = re.compile(_expression(pattern), re.DOTALL)
    matching = [path for path in paths if expression.fullmatch(path.removeprefix("./"))]
    return {"matching": matching, "rejected": [path for path in paths if path not in matching], "count": len(matching)}


_TOKEN = re.compile(
    r"\*\*/|\*\*|\*|\?|\[(?P<set>[!^]?\]?[^\]]*)\]|\{(?P<choice>[^{}]*)\}|(?P<plain>[^*?\[{]|\{)", re.DOTALL
)
_WILD = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}


@lru_cache(64)
def _expression(pattern: str) -> str:
    """The glob pattern as a regular expression."""
    text, place = "", 0
    while place < len(pattern):
        match = _TOKEN.match(pattern, place)
        if match is None:
            raise ToolError("The pattern has a bracket [ that is not closed.")
        text += _translate(match)
        place = match.end()
    return text


def _translate(match: re.Match[str]) -> str:
    if match["choice"] is not None:
        return "(?:" + "|".join(_expression(one) for one in match["choice"].split(",")) + ")"
    if match["set"] is not None:
        inner = match["set"].replace("\\", "\\\\").replace("[", "\\[")
        return f"[^{inner[1:]}]" if inner.startswith("!") else f"[{inner}]"
    return _WILD.get(match[0]) or re.escape(match[0])
