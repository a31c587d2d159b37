"""Requests that people make, written down: for tools, each with the arguments that it means, those that need no tool,
and those that would need one that is missing.

`library/<category>/precedents.tsv` has a request on each line: the tool's name, the request, its arguments as JSON.
`library/talk.txt` has one on each line. So has `library/missing.txt`, with an empty line between those that would need
the same tool.
"""

import csv
from collections.abc import Mapping, Sequence
from functools import cache

from retinue.tools.sources import LIBRARY

FILE, TALK, MISSING = "precedents.tsv", "talk.txt", "missing.txt"


def talk() -> Sequence[str]:
    """Requests that need no tool."""
    return (LIBRARY / TALK).read_text().splitlines()


def missing() -> Sequence[Sequence[str]]:
    """Requests for what no tool does, in groups."""
    return [group.splitlines() for group in (LIBRARY / MISSING).read_text().strip().split("\n\n")]


@cache
def precedents() -> Mapping[str, Sequence[tuple[str, str]]]:
    """Of each tool that has any, its requests with their arguments as JSON."""
    found: dict[str, list[tuple[str, str]]] = {}
    for path in sorted(LIBRARY.glob(f"*/{FILE}")):
        with path.open(newline="") as file:
            for name, request, arguments in csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
                found.setdefault(name, []).append((request, arguments))
    return found
