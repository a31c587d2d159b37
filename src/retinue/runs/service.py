"""Reads, follows and cancels the runs of one account."""

from collections.abc import AsyncGenerator, Callable, Iterable, Sequence
from dataclasses import dataclass

from retinue.auth.caller import Caller
from retinue.core.database.interface import Database, Tx
from retinue.core.database.portable_sql import like_pattern
from retinue.core.errors import NotFound
from retinue.core.runtime.clock import now
from retinue.core.work.notifier import Notifier, wait
from retinue.runs import statements as sql
from retinue.runs.cancel_accounting import record_cancelled
from retinue.runs.context_window import parsed_arguments
from retinue.runs.execution.broadcast import Chunk
from retinue.runs.execution.runner import Runner
from retinue.runs.failures import stored_failure
from retinue.runs.listing import find_runs
from retinue.runs.run_options import RunOptions
from retinue.runs.schemas import AccountRunFilter, StepView
from retinue.runs.tables import JournalRow, RunRow, RunSummary
from retinue.runs.watching.event_stream import RunEventStream, totals

_LOOK_S = 2.0
"""How often to poll a run on another node, in case a wake-up is lost."""


@dataclass(frozen=True)
class Runs:
    """Finds, follows and cancels runs. Every query is limited to the caller's account."""

    caller: Caller
    database: Database
    runner: Runner
    notifier: Notifier

    async def get(self, run_id: int) -> RunRow:
        """Return one run. Raises `NotFound`."""
        return _require(await self.database.lookup(sql.GET, run=run_id, account=self.caller.account_id), run_id)

    async def page(self, wanted: AccountRunFilter) -> tuple[Sequence[RunRow], int]:
        """Return one page of the account's runs, newest first, and the total count."""
        return await find_runs(self.database, wanted, self.caller.account_id, wanted.agent_id)

    async def latest(self, most: int) -> list[RunRow]:
        """Return the newest `most` runs of agents and chat."""
        return await self.database.fetch(sql.LATEST, account=self.caller.account_id, most=most)

    async def find(self, most: int, before: int, status: str | None, search: str) -> list[RunSummary]:
        """Return the newest runs with an id below `before`, of a status, and with `search` in their message."""
        filters = {"wanted": status, "pattern": like_pattern(search) if search else None}
        return await self.database.query(sql.LIST, account=self.caller.account_id, before=before, most=most, **filters)

    async def failed_calls(self, rows: Iterable[RunRow | RunSummary]) -> dict[int, int]:
        """Return the number of failed tool calls by run. Runs without one, and unfinished runs, are left out."""
        completed = [row.id for row in rows if row.status == "completed"]
        counted = await self.database.fetch(sql.FAILED_CALLS, completed=completed) if completed else ()
        return {row.run_id: row.failed for row in counted}

    async def with_steps(self, run_id: int) -> tuple[RunRow, list[StepView]]:
        """Return one run and its steps. Raises `NotFound`."""
        row = await self.get(run_id)
        journal = await self.database.fetch(sql.OF_RUN, run=run_id)
        return row, [_step(item) for item in journal if item.seq > 0]

    async def cancel(self, run_id: int) -> RunRow:
        """Cancel a run on any node. An ended run is unchanged."""
        await self.get(run_id)
        await self.runner.cancel(run_id)

        async def write(tx: Tx) -> RunRow:
            key = {"run": run_id, "account": self.caller.account_id}
            if ended := await tx.one(sql.CANCEL, **key, reason="Stopped on request.", moment=now()):
                await record_cancelled(tx, [ended])
                tx.after_commit(lambda: self.runner.tell_ended(run_id, ended.conversation_id))
                tx.after_commit(lambda: self.notifier.wake("runs.stopped"))
            return _require(await tx.one(sql.GET, **key), run_id)

        return await self.database.transact(write)

    async def answer(self, run_id: int) -> dict[str, object]:
        """Wait for the run's end and return its reply and totals. Raises the error of a run that did not complete."""
        row = await self.wait_for_completion(run_id)
        return {"reply": row.reply, "run_id": row.id, **totals(row)}

    async def wait_for_completion(self, run_id: int) -> RunRow:
        """Wait for the run's end and return it. Raises the error of a run that did not complete."""
        row = await self.wait_until(run_id, lambda run: run.ended_at is not None)
        if row.status != "completed":
            raise stored_failure(row)
        return row

    async def wait_until(self, run_id: int, is_reached: Callable[[RunRow], bool]) -> RunRow:
        """Wait until the run has ended or waits for an approval, as `is_reached` tells. Raises `NotFound`."""
        with self.notifier.waiting(f"run:{run_id}") as changed:
            while not is_reached(row := await self.get(run_id)):
                self.notifier.check_serving()
                await wait(changed, _LOOK_S)
        return row

    def events(self, run: RunRow, last_id: str | None) -> AsyncGenerator[tuple[str, Chunk]]:
        """Yield the run's events after the id `last_id`, each with its id, live and from any node.

        After a crash, text that was not yet journalled is generated again. If it differs, a `restart` event tells the
        client to discard the text that it received.
        """
        asks_first = RunOptions.model_validate(run.options).may_pause
        return RunEventStream(self.database, self.runner, self.notifier, run.id, asks_first).events(last_id)


_TYPES = {"assistant": "model", "tool": "tool", "compaction": "compaction", "user": "message"}


def _require(run: RunRow | None, run_id: int) -> RunRow:
    if run is None:
        raise NotFound(f"There is no run {run_id} in your account.")
    return run


def _step(row: JournalRow) -> StepView:
    over = row.state not in ("started", "waiting")
    details = row.details or {}
    of_answer = ("model", "usage", "cost_usd", "finish_reason", "reasoning")
    return StepView.of_row(
        row,
        type=_TYPES[row.role],
        tool=row.tool_name,
        arguments=parsed_arguments(row.tool_arguments),
        status=row.state,
        **{name: details.get(name) for name in of_answer},
        next_attempt_at=details.get("next_attempt_at"),
        attempts=details.get("attempts", []),
        ended_at=row.created_at if over else None,
        duration_ms=round((row.created_at - row.started_at).total_seconds() * 1000) if over else None,
    )
