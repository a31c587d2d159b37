"""Requests that people make, written down: for tools, each with the arguments that it means, and such as need no tool.

`library/<category>/precedents.tsv` has a request on each line: the tool's name, the request, its arguments as JSON.
`library/talk.txt` has one on each line.
"""

import csv
from collections.abc import Mapping, Sequence
from functools import cache

from retinue.tools.sources import LIBRARY

FILE, TALK = "precedents.tsv", "talk.txt"


def talk() -> Sequence[str]:
    """Requests that need no tool."""
    return (LIBRARY / TALK).read_text().splitlines()


@cache
def precedents() -> Mapping[str, Sequence[tuple[str, str]]]:
    """Of each tool that has any, its requests with their arguments as JSON."""
    found: dict[str, list[tuple[str, str]]] = {}
    for path in sorted(LIBRARY.glob(f"*/{FILE}")):
        with path.open(newline="") as file:
            for name, request, arguments in csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
                found.setdefault(name, []).append((request, arguments))
    return found
