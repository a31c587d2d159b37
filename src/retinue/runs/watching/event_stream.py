"""Lets a client follow a run from any node: from memory if this process executes it, else from the database."""

import asyncio
from collections.abc import AsyncGenerator, Iterator, Sequence
from dataclasses import dataclass

import sqlalchemy as sa
import structlog

from retinue.core.database.interface import Database, DatabaseUnavailable
from retinue.core.database.schema import BigInt
from retinue.core.database.statements import Row, Statement
from retinue.core.errors import NotFound
from retinue.core.work.notifier import Notifier, wait
from retinue.runs.execution.broadcast import FOLLOWED, Chunk, RunStream, followed_topic, said_topic
from retinue.runs.execution.runner import Runner
from retinue.runs.failures import stored_failure
from retinue.runs.tables import approvals, messages, runs
from retinue.runs.watching.resume_cursor import RunListener, StreamCursor
from retinue.runs.watching.transcript import TextEntry, transcript

_log = structlog.get_logger()
_LOOK_S = 1.0
"""How often to poll and request a run on another node, in case a wake-up is lost."""

LAST = "end"
"""The id of a run's last event."""

_MODEL = messages.c.role == "assistant"
_FAILED = (messages.c.role == "tool") & (messages.c.state == "failed")
_NAMES_FILES = (messages.c.role == "tool") & messages.c.content.contains('"file_', autoescape=True)
_SINCE = sa.bindparam("since", type_=sa.Integer)
_STANDING = Statement(
    sa.select(
        *(runs.c[name] for name in ("id", "status", "reply", "reply_seq", "error", "tokens_used", "tools_used")),
        *(runs.c[name] for name in ("usage", "cost_usd", "finish_reason", "output", "citations")),
        *(runs.c[name] for name in ("execution_time_ms", "ended_at")),
        *(messages.c[name] for name in ("seq", "role", "tool_calls", "tool_name", "state")),
        sa.case((_FAILED | ((_MODEL | _NAMES_FILES) & (messages.c.seq >= _SINCE)), messages.c.content), else_="")
        .label("content"),
        sa.type_coerce(sa.case((_MODEL & (messages.c.state == "failed"), messages.c.details)), messages.c.details.type)
        .label("details"),
        approvals.c.id.label("approval_id"),
        approvals.c.question.is_not(None).label("asks"),
    )
    .select_from(
        runs.join(messages, (messages.c.run_id == runs.c.id) & (messages.c.seq >= 0), isouter=True).join(
            approvals, (approvals.c.run_id == messages.c.run_id) & (approvals.c.seq == messages.c.seq), isouter=True
        )
    )
    .where(runs.c.id == sa.bindparam("run", type_=BigInt))
    .order_by(messages.c.seq)
)  # fmt: skip
"""A consistent snapshot of a run and its journal, one row per journal row, with text from row `since` on.

The result of a failed call may say that a person must connect the tool's server. Other results are left out unless
they may name files.
"""


@dataclass
class RunEventStream:
    """One client that follows a run it may read. `asks_first` is True if some tool calls need approval."""

    database: Database
    runner: Runner
    notifier: Notifier
    run_id: int
    asks_first: bool

    async def events(self, last_id: str | None) -> AsyncGenerator[tuple[str, Chunk]]:
        """Yield the events after the id `last_id`, each with its id, until the run has ended.

        Raises `Unavailable` if the process shuts down before that.
        """
        if last_id == LAST:
            return
        listener = RunListener(self.run_id, StreamCursor.parse(last_id))
        last_turn: tuple[RunStream, int] | None = None
        with self.notifier.waiting(f"run:{self.run_id}", said_topic(self.run_id)) as changed:
            while True:
                live = self._live()
                turn = (live, live.turns) if live else None
                if turn is None or turn != last_turn:
                    rows = await self._look(listener)
                    for event in self._journal(listener, rows, live):
                        yield event
                    if rows is not None and (not rows or rows[0].ended_at):
                        yield LAST, _end(self.run_id, rows)
                        return
                    last_turn = None if rows is None else turn
                if live and last_turn == (live, live.turns):
                    for event in listener.new_events(
                        [TextEntry(live.journal.reply_seq, live.journal.reply, complete=False)]
                    ):
                        yield event
                await self._pause(changed, live)

    def _live(self) -> RunStream | None:
        """Return the live run if this process executes it."""
        live = self.runner.active.get(self.run_id)
        return live if live and live.outcome is None else None

    async def _look(self, listener: RunListener) -> list[Row] | None:
        """Read the run with its journal. Returns None while the database is unavailable."""
        try:
            return await self.database.fetch(_STANDING, run=self.run_id, since=listener.place.seq)
        except DatabaseUnavailable as error:
            _log.warning("run.not_followed", run=self.run_id, reason=error.message)
            return None

    def _journal(
        self, listener: RunListener, rows: Sequence[Row] | None, live: RunStream | None
    ) -> Iterator[tuple[str, Chunk]]:
        """Yield the events of the rows; without `live`, also the unfinished reply that another node stored."""
        if not rows:
            return
        journal = [row for row in rows if row.seq is not None]
        last = journal[-1].seq if journal else -1
        yield from listener.new_events(transcript(journal, self.asks_first))
        if live is None and rows[0].reply and (rows[0].reply_seq or 0) > last:
            yield from listener.new_events([TextEntry(rows[0].reply_seq, rows[0].reply, complete=False)])

    async def _pause(self, changed: asyncio.Event, live: RunStream | None) -> None:
        """Wait for new output. Request the output of a run on another node, so that the node stores it."""
        self.notifier.check_serving()
        if live is None:
            self.notifier.wake(followed_topic(self.run_id))
            self.notifier.wake(FOLLOWED)
        await wait(changed, _LOOK_S)


def totals(row: Row) -> dict[str, object]:
    """Return the tools, tokens and milliseconds that a finished run used."""
    return {
        "tools_used": row.tools_used,
        "tokens_used": row.tokens_used,
        "usage": row.usage,
        "cost_usd": row.cost_usd,
        "finish_reason": row.finish_reason,
        "output": row.output,
        **({} if row.citations is None else {"citations": row.citations}),
        "execution_time_ms": row.execution_time_ms,
    }


def _end(run_id: int, rows: Sequence[Row]) -> Chunk:
    if not rows:
        return {"type": "error", **NotFound("The run was deleted.").envelope()["error"]}
    run = rows[0]
    if run.status == "completed":
        return {"type": "done", "run_id": run_id, **totals(run)}
    return {"type": "error", **stored_failure(run).envelope()["error"]}
