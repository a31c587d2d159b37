"""What the library says of tools in lists: which are sums from a schoolbook, and which another tool replaces.

`library/schoolbook.txt` names a tool on each line, `library/superseded.tsv` a tool and the one to use in its place.
"""

from collections.abc import Mapping
from functools import cache

from retinue.tools.sources import LIBRARY

SCHOOLBOOK = "schoolbook"
"""The tag of tools for sums that large models do in their head or write as code."""


@cache
def schoolbook() -> frozenset[str]:
    """The tools with that tag."""
    return frozenset((LIBRARY / "schoolbook.txt").read_text().split())


@cache
def superseded() -> Mapping[str, str]:
    """Tools that still answer to their names, but are not listed or found: each with the one in its place."""
    return dict(line.split("\t") for line in (LIBRARY / "superseded.tsv").read_text().splitlines())
