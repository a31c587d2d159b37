"""The runs of one caller, for reading."""

from collections.abc import AsyncGenerator
from dataclasses import dataclass
from typing import Any

from retinue.auth.caller import Caller
from retinue.core.clock import now
from retinue.core.database import Database, Tx
from retinue.core.errors import NotFound
from retinue.core.statements import Row
from retinue.core.wakeups import Wakeups, wait
from retinue.runs import statements as sql
from retinue.runs.live import Chunk, Live
from retinue.runs.runner import Runner
from retinue.runs.thread import parsed_arguments

_LOOK_S = 2.0
"""How often a run on another node is looked at, should a wake-up be lost."""


@dataclass(frozen=True)
class Runs:
    """Finds runs and tells how they go on."""

    caller: Caller
    database: Database
    runner: Runner
    wakeups: Wakeups

    async def get(self, run_id: int) -> Row:
        """One run, or `NotFound`."""
        row = await self.database.lookup(sql.GET, run=run_id, account=self.caller.account_id)
        if row is None:
            raise NotFound(f"There is no run {run_id} among yours.")
        return row

    async def details(self, run_id: int) -> dict[str, Any]:
        """One run with its steps."""
        row = await self.get(run_id)
        journal = await self.database.fetch(sql.OF_RUN, run=run_id)
        return {**row._asdict(), "steps": [_step(item) for item in journal if item.role != "user"]}

    async def cancel(self, run_id: int) -> Row:
        """End a run wherever it is worked on; one that is over stays as it is."""
        await self.get(run_id)
        await self.runner.cancel(run_id)

        async def write(tx: Tx) -> Row:
            key = {"run": run_id, "account": self.caller.account_id}
            if ended := await tx.one(sql.CANCEL, **key, reason="Stopped on request.", moment=now()):
                tx.after_commit(lambda: self.runner.tell_ended(run_id, ended.conversation_id))
                tx.after_commit(lambda: self.wakeups.wake("runs.stopped"))
            return await tx.one(sql.GET, **key)

        return await self.database.transact(write)

    async def answer(self, run_id: int) -> dict[str, Any] | None:
        """What a run answered, once it has ended; None unless it was completed."""
        row = await self._ended(run_id)
        return {"reply": row.reply, "run_id": row.id, **totals(row)} if row.status == "completed" else None

    async def _ended(self, run_id: int) -> Row:
        with self.wakeups.waiting(f"run:{run_id}") as ended:
            while (row := await self.get(run_id)).ended_at is None:
                await wait(ended, _LOOK_S)
        return row

    async def events(self, run_id: int, last_seen: tuple[int, int] | None) -> AsyncGenerator[tuple[str, Chunk]]:
        """The run's chunks with their ids `<attempt>-<number>`, live where it is worked on here.

        A client that comes back with the last id it saw misses nothing of that attempt. Where another attempt has
        begun since, a `restart` tells that text not yet journalled is said anew.
        """
        live = await self._live(run_id)
        if live is None:
            async for item in self._from_journal(run_id, again=last_seen is not None):
                yield item
            return
        if last_seen and last_seen[0] != live.run.epoch:
            yield f"{live.run.epoch}-0", {"type": "restart"}
        start = last_seen[1] if last_seen and last_seen[0] == live.run.epoch else 0
        async for item in _followed(live, start):
            yield item
        while live.outcome == "waiting" and (again := await self._live(run_id, after=live)):
            live = again
            async for item in _followed(live, 0):
                yield item
        handed_on = live.outcome in ("lost", "released")
        async for item in self._from_journal(run_id, again=handed_on, only_end=not handed_on):
            yield item

    async def _live(self, run_id: int, after: Live | None = None) -> Live | None:
        """The run in the hands of this process, as soon as it is; None when it has ended before.

        `after` is an earlier attempt, not to be found again.
        """
        with self.wakeups.waiting(f"run:{run_id}") as changed:
            while (live := self.runner.active.get(run_id)) in (None, after):
                if (await self.get(run_id)).ended_at is not None:
                    return None
                await wait(changed, _LOOK_S)
        return live

    async def _from_journal(
        self, run_id: int, again: bool, only_end: bool = False
    ) -> AsyncGenerator[tuple[str, Chunk]]:
        """What a run has said by its journal, once it has ended; `again` tells first that it is all said anew."""
        row = await self._ended(run_id)
        if again:
            yield f"{row.epoch}-0", {"type": "restart"}
        number = 0
        if not only_end:
            for step in await self.database.fetch(sql.OF_RUN, run=run_id):
                for chunk in _chunks(step):
                    number += 1
                    yield f"{row.epoch}-{number}", chunk
        yield f"{row.epoch}-end", _end(row)


async def _followed(live: Live, start: int) -> AsyncGenerator[tuple[str, Chunk]]:
    """The chunks of one attempt from number `start` on, with their ids; a pause for a person is told at its end."""
    number = start
    async for chunks in live.follow(start):
        for chunk in chunks:
            number += 1
            yield f"{live.run.epoch}-{number}", chunk
    if live.outcome == "waiting":
        yield f"{live.run.epoch}-{number + 1}", {"type": "waiting", "run_id": live.run.id}


def _step(row: Row) -> dict[str, Any]:
    over = row.state not in ("started", "waiting")
    return {
        "seq": row.seq,
        "type": "model" if row.role == "assistant" else "tool",
        "content": row.content,
        "tool": row.tool_name,
        "arguments": parsed_arguments(row.tool_arguments),
        "status": row.state,
        "tokens": row.tokens,
        "started_at": row.started_at,
        "ended_at": row.created_at if over else None,
        "duration_ms": round((row.created_at - row.started_at).total_seconds() * 1000) if over else None,
    }


def _chunks(row: Row) -> list[Chunk]:
    if row.role == "tool":
        return [{"type": "tool_start", "tool": row.tool_name}, {"type": "tool_end", "tool": row.tool_name}]
    return [{"type": "text", "content": row.content}] if row.role == "assistant" and row.content else []


def _end(row: Row) -> Chunk:
    if row.status == "completed":
        return {"type": "done", "run_id": row.id, **totals(row)}
    return {
        "type": "error",
        "code": "service_unavailable",
        "message": row.error or f"The run was {row.status}.",
        "status": 503,
    }


def totals(row: Row) -> dict[str, Any]:
    """What a finished run took."""
    return {
        "tools_used": row.tools_used,
        "tokens_used": row.tokens_used,
        "execution_time_ms": row.execution_time_ms,
    }
