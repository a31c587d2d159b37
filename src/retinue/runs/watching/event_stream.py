"""Following a run from any node: from memory where the run is worked on here, else from the database."""

import asyncio
from collections.abc import AsyncGenerator, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
import structlog

from retinue.core.database import Database, DatabaseUnavailable
from retinue.core.errors import NotFound, Unavailable
from retinue.core.notifier import Wakeups, wait
from retinue.core.schema import BigInt
from retinue.core.statements import Row, Statement
from retinue.runs.execution.broadcast import FOLLOWED, Chunk, Live, followed_topic, said_topic
from retinue.runs.execution.runner import Runner
from retinue.runs.tables import approvals, messages, runs
from retinue.runs.watching.resume_cursor import Listener, Place
from retinue.runs.watching.transcript import Said, transcript

_log = structlog.get_logger()
_LOOK_S = 1.0
"""How often a run on another node is looked at and asked for, should a wake-up be lost."""

LAST = "end"
"""The id of a run's last event: who has seen it has seen everything."""

_MODEL = messages.c.role == "assistant"
_STANDING = Statement(
    sa.select(
        *(runs.c[name] for name in ("status", "reply", "reply_seq", "error", "tokens_used", "tools_used")),
        *(runs.c[name] for name in ("execution_time_ms", "ended_at")),
        *(messages.c[name] for name in ("seq", "role", "tool_calls", "tool_name", "state")),
        sa.case((_MODEL & (messages.c.seq >= sa.bindparam("since", type_=sa.Integer)), messages.c.content), else_="")
        .label("content"),
        approvals.c.id.label("approval_id"),
    )
    .select_from(
        runs.join(messages, messages.c.run_id == runs.c.id, isouter=True).join(
            approvals, (approvals.c.run_id == messages.c.run_id) & (approvals.c.seq == messages.c.seq), isouter=True
        )
    )
    .where(runs.c.id == sa.bindparam("run", type_=BigInt))
    .order_by(messages.c.seq)
)  # fmt: skip
"""A run with its journal at one instant: a row for each of the journal's, with the text of those from `since` on."""


@dataclass
class Following:
    """One who follows a run of an account that may see it. `asks_first`: a person must agree to some of its tools."""

    database: Database
    runner: Runner
    wakeups: Wakeups
    run_id: int
    asks_first: bool

    async def events(self, last_id: str | None) -> AsyncGenerator[tuple[str, Chunk]]:
        """The events after the one with the id `last_id`, each with its own, until the run has ended.

        Raises `Unavailable` where the process stops before that.
        """
        if last_id == LAST:
            return
        listener = Listener(self.run_id, Place.parse(last_id))
        heard: tuple[Live, int] | None = None
        with self.wakeups.waiting(f"run:{self.run_id}", said_topic(self.run_id)) as changed:
            while True:
                live = self._live()
                turn = (live, live.turns) if live else None
                if turn is None or turn != heard:
                    rows = await self._look(listener)
                    for event in self._journal(listener, rows, live):
                        yield event
                    if rows is not None and (not rows or rows[0].ended_at):
                        yield LAST, _end(self.run_id, rows)
                        return
                    heard = None if rows is None else turn
                if live and heard == (live, live.turns):
                    for event in listener.hear([Said(live.journal.reply_seq, live.journal.reply, complete=False)]):
                        yield event
                await self._pause(changed, live)

    def _live(self) -> Live | None:
        """The run, where it is worked on here."""
        live = self.runner.active.get(self.run_id)
        return live if live and live.outcome is None else None

    async def _look(self, listener: Listener) -> list[Row] | None:
        """The run with its journal; None while the database is away."""
        try:
            return await self.database.fetch(_STANDING, run=self.run_id, since=listener.place.seq)
        except DatabaseUnavailable as error:
            _log.warning("run.not_followed", run=self.run_id, reason=error.message)
            return None

    def _journal(
        self, listener: Listener, rows: Sequence[Row] | None, live: Live | None
    ) -> Iterator[tuple[str, Chunk]]:
        """What the rows tell; without `live` also what had been said when another node last stored it."""
        if not rows:
            return
        journal = [row for row in rows if row.seq is not None]
        last = journal[-1].seq if journal else -1
        yield from listener.hear(transcript(journal, self.asks_first))
        if live is None and rows[0].reply and (rows[0].reply_seq or 0) > last:
            yield from listener.hear([Said(rows[0].reply_seq, rows[0].reply, complete=False)])

    async def _pause(self, changed: asyncio.Event, live: Live | None) -> None:
        """Wait until there may be more. A run of another node is asked for, so that it stores what it says."""
        self.wakeups.check_serving()
        if live is None:
            self.wakeups.wake(followed_topic(self.run_id))
            self.wakeups.wake(FOLLOWED)
        await wait(changed, _LOOK_S)


def totals(row: Row) -> dict[str, Any]:
    """What a finished run took."""
    return {
        "tools_used": row.tools_used,
        "tokens_used": row.tokens_used,
        "execution_time_ms": row.execution_time_ms,
    }


def _end(run_id: int, rows: Sequence[Row]) -> Chunk:
    if not rows:
        return {"type": "error", **NotFound("The run was deleted.").envelope()["error"]}
    run = rows[0]
    if run.status == "completed":
        return {"type": "done", "run_id": run_id, **totals(run)}
    return {"type": "error", **Unavailable(run.error or f"The run was {run.status}.").envelope()["error"]}
