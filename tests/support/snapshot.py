"""Files under version control that record an interface, so that nobody changes it without noticing."""

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import unified_diff
from pathlib import Path
from typing import Any

_WORDING = frozenset({"title", "description", "summary", "examples", "example"})
_NAMES = frozenset({"properties", "$defs", "schemas"})
"""Keys whose values have names of any kind as keys, among them `title`."""


@dataclass(frozen=True)
class Snapshot:
    """A recorded interface: the file, and the module whose command writes it again."""

    path: Path
    module: str

    @property
    def hint(self) -> str:
        """What to do about a difference."""
        return f"If you meant to change this, run: .venv/bin/python -m {self.module}"

    def difference(self, lines: Sequence[str]) -> str:
        """Return the difference to the record and what to do about it, or nothing if they are equal."""
        changes = list(unified_diff(self.path.read_text().splitlines(), lines, "recorded", "now", n=1, lineterm=""))
        return "\n".join(["", *changes, self.hint]) if changes else ""

    def write(self, lines: Sequence[str]) -> None:
        """Record these lines."""
        self.path.write_text("\n".join(lines) + "\n")


def strip_wording(value: Any, *, names: bool = False) -> Any:
    """Return a document without its descriptions, titles and examples. With `names`, all keys are kept."""
    if isinstance(value, dict):
        kept = ((key, part) for key, part in value.items() if names or key not in _WORDING)
        return {key: strip_wording(part, names=key in _NAMES and not names) for key, part in kept}
    if isinstance(value, list):
        return [strip_wording(part) for part in value]
    return value
