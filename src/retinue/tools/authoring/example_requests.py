"""Load example requests: requests for tools, with their arguments; requests that need no tool; and requests whose tool
is missing.

In a library, `<category>/precedents.tsv` has a request on each line: the tool's name, the request, its arguments as
JSON. `talk.txt` has one request on each line. So has `missing.txt`, with an empty line between groups that would need
the same tool.
"""

import csv
from collections.abc import Mapping, Sequence
from functools import cache

from retinue.tools.authoring.libraries import libraries

FILE, TALK, MISSING = "precedents.tsv", "talk.txt", "missing.txt"


def talk() -> Sequence[str]:
    """Requests that need no tool."""
    return [request for library in libraries() for request in library.lines(TALK)]


def missing() -> Sequence[Sequence[str]]:
    """Requests that no tool serves, in groups."""
    lists = ("\n".join(library.lines(MISSING)).strip() for library in libraries())
    return [group.splitlines() for text in lists if text for group in text.split("\n\n")]


@cache
def precedents() -> Mapping[str, Sequence[tuple[str, str]]]:
    """By tool, its requests with their arguments as JSON."""
    found: dict[str, list[tuple[str, str]]] = {}
    for path in (path for library in libraries() for path in sorted(library.folder.glob(f"*/{FILE}"))):
        with path.open(newline="") as file:
            for name, request, arguments in csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
                found.setdefault(name, []).append((request, arguments))
    return found
