"""Puts the measured tables into the document about performance, in place of the former ones."""

import os
from pathlib import Path

_BEGIN = "<!-- measured by bench/run --write -->\n"
_END = "<!-- end of what was measured -->\n"


def write_tables(document: Path, tables: str) -> None:
    """Replace what stands between the two marks of `document`."""
    before, _, rest = document.read_text().partition(_BEGIN)
    _, found, after = rest.partition(_END)
    if not found:
        raise ValueError(f"{document} has lost its marks: {_BEGIN.strip()} … {_END.strip()}")
    document.write_text(f"{before}{_BEGIN}\nA machine with {os.cpu_count()} cores.\n\n{tables}\n\n{_END}{after}")
