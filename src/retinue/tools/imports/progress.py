"""Follow the imports of this process: who imports what, and how far it is."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Literal

from retinue.core.runtime.clock import now

Stage = Literal["waiting", "reading", "parsing"]


@dataclass(eq=False)
class ActiveImport:
    """An import: it waits for the account's turn, reads the source into `document`, and has it parsed."""

    name: str
    began_at: datetime = field(default_factory=now)
    stage: Stage = "waiting"
    document: Path | None = None

    def read_into(self, document: Path) -> None:
        """Note that the source is being read into a file."""
        self.stage, self.document = "reading", document

    @property
    def size(self) -> int:
        """The bytes that were read so far."""
        try:
            return self.document.stat().st_size if self.document else 0
        except OSError:
            return 0


class ImportProgress:
    """The imports of each account in this process, in the order of their start."""

    def __init__(self) -> None:
        self._under_way: dict[int, list[ActiveImport]] = {}

    @contextmanager
    def of(self, account_id: int, name: str) -> Iterator[ActiveImport]:
        """List an import while it is in progress."""
        listed, one = self._under_way.setdefault(account_id, []), ActiveImport(name)
        listed.append(one)
        try:
            yield one
        finally:
            listed.remove(one)
            if not listed:
                del self._under_way[account_id]

    def under_way(self, account_id: int) -> Sequence[ActiveImport]:
        """Return the imports of an account."""
        return tuple(self._under_way.get(account_id, ()))
