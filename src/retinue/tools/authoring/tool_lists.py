"""Read the libraries' lists of tools: schoolbook calculations, and tools that another tool replaces.

`schoolbook.txt` in a library names a tool on each line, `superseded.tsv` a tool and its replacement.
"""

from collections.abc import Mapping
from functools import cache

from retinue.tools.authoring.libraries import libraries

SCHOOLBOOK = "schoolbook"
"""The tag of tools for calculations that large models do themselves or write as code."""


@cache
def schoolbook() -> frozenset[str]:
    """The tools with that tag."""
    return frozenset(name for library in libraries() for name in library.lines("schoolbook.txt"))


@cache
def supersede() -> Mapping[str, str]:
    """Tools that can be called by name but are not listed or found, each with its replacement."""
    return dict(line.split("\t") for library in libraries() for line in library.lines("superseded.tsv"))
