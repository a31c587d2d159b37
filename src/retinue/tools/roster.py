"""What libraries say of tools in lists: which are sums from a schoolbook, and which another tool replaces.

`schoolbook.txt` in a library names a tool on each line, `superseded.tsv` a tool and the one to use in its place.
"""

from collections.abc import Mapping
from functools import cache

from retinue.tools.libraries import libraries

SCHOOLBOOK = "schoolbook"
"""The tag of tools for sums that large models do in their head or write as code."""


@cache
def schoolbook() -> frozenset[str]:
    """The tools with that tag."""
    return frozenset(name for library in libraries() for name in library.lines("schoolbook.txt"))


@cache
def supersede() -> Mapping[str, str]:
    """Tools that still answer to their names, but are not listed or found: each with the one in its place."""
    return dict(line.split("\t") for library in libraries() for line in library.lines("superseded.tsv"))
