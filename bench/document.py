"""Replace the measured tables in the document about performance."""

import os
from pathlib import Path

_BEGIN = "<!-- {part}, measured by bench/run --write -->\n"
_END = "<!-- end of what was measured -->\n"


def write_tables(document: Path, part: str, tables: str) -> None:
    """Replace the text between the two markers of a part in `document`. Raises `ValueError` if they are missing."""
    begin = _BEGIN.format(part=part)
    before, _, rest = document.read_text().partition(begin)
    _, found, after = rest.partition(_END)
    if not found:
        raise ValueError(f"{document} has lost its marks: {begin.strip()} … {_END.strip()}")
    document.write_text(f"{before}{begin}\nA machine with {os.cpu_count()} cores.\n\n{tables}\n\n{_END}{after}")
