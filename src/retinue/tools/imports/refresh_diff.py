"""Compare a source's tools before and after it is read again."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class RefreshDiff:
    """Names of tools, sorted."""

    added: list[str]
    changed: list[str]
    removed: list[str]

    @classmethod
    def between(cls, before: Mapping[str, str], after: Mapping[str, str]) -> "RefreshDiff":
        """Compare two mappings of names to definitions."""
        return cls(
            sorted(after.keys() - before.keys()),
            sorted(name for name in after.keys() & before.keys() if after[name] != before[name]),
            sorted(before.keys() - after.keys()),
        )

    def __bool__(self) -> bool:
        return bool(self.added or self.changed or self.removed)
