"""Runs as the API shows them, with the public ids of their conversations."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from retinue.core.runtime.clock import now
from retinue.runs.schemas import AccountRunFilter, RunDetails, RunView
from retinue.runs.service import Runs
from retinue.runs.tables import RunRow


class ConversationIds(Protocol):
    """Finds the public ids of conversations."""

    async def __call__(self, conversation_ids: Collection[int]) -> Mapping[int, str]:
        """Return the public id of each conversation that exists."""
        ...


@dataclass(frozen=True)
class RunViews:
    """Shows the runs of one account."""

    runs: Runs
    public_ids: ConversationIds

    async def get(self, run_id: int) -> RunView:
        """Return one run. Raises `NotFound`."""
        return await self.one(await self.runs.get(run_id))

    async def page(self, wanted: AccountRunFilter) -> tuple[list[RunView], int]:
        """Return one page of the account's runs, newest first, and the total count."""
        rows, total = await self.runs.page(wanted)
        return await self.each(rows), total

    async def details(self, run_id: int) -> RunDetails:
        """Return one run with its steps. Raises `NotFound`."""
        row, steps = await self.runs.with_steps(run_id)
        failed = steps[-1] if steps and steps[-1].next_attempt_at and row.ended_at is None else None
        next_attempt_at = failed.next_attempt_at if failed else None
        return RunDetails.of_row(
            row,
            **_about(row, await self._public_ids([row])),
            steps=steps,
            error=failed.attempts[-1].reason if failed else row.error,
            next_attempt_at=next_attempt_at if next_attempt_at and next_attempt_at > now() else None,
        )

    async def one(self, row: RunRow) -> RunView:
        """Return the view of a run."""
        (view,) = await self.each([row])
        return view

    async def each(self, rows: Sequence[RunRow]) -> list[RunView]:
        """Return the views of runs."""
        public_ids = await self._public_ids(rows)
        return [RunView.of_row(row, **_about(row, public_ids)) for row in rows]

    async def _public_ids(self, rows: Sequence[RunRow]) -> Mapping[int, str]:
        conversation_ids = {row.conversation_id for row in rows if row.conversation_id is not None}
        return await self.public_ids(conversation_ids) if conversation_ids else {}


def _about(row: RunRow, public_ids: Mapping[int, str]) -> dict[str, object]:
    return {
        "user": row.person,
        "conversation_id": None if row.conversation_id is None else public_ids.get(row.conversation_id),
    }
