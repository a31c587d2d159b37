"""Read and change what tools store for a person, without a tool: the tasks, notes or contacts of one account."""

from collections.abc import Mapping
from dataclasses import dataclass

from retinue.core.errors import NotFound
from retinue.core.runtime.executors import run_on_compute_thread
from retinue.workspace.exporting import count_kinds
from retinue.workspace.records import Records
from retinue.workspace.stored_features import Kinds
from retinue.workspace.typed_records import TypedRecords


@dataclass(frozen=True)
class StoredItems:
    """The items of one account by the names of their kinds, which the installed tool libraries define."""

    records: Records
    kinds: Kinds

    async def counts(self) -> Mapping[str, int]:
        """Return the number of items of each kind that the account has."""
        return {row.kind: row.records for row in await count_kinds(self.records)}

    async def of(self, kind: str) -> TypedRecords[Mapping[str, object]]:
        """Return the items of a kind, as the tools write them. Raises `NotFound` if no tool stores this kind."""
        found = (await run_on_compute_thread(self.kinds)).get(kind)
        if found is None:
            raise NotFound(f"No installed tool stores records of the kind {kind[:40]!r}.")
        return TypedRecords(self.records, found)
