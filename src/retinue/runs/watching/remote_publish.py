"""Storing what runs say here, while somebody follows them at another node, for as long as they are followed."""

import asyncio
from collections.abc import Sequence

import structlog

from retinue.core.database import Database, DatabaseUnavailable, Tx
from retinue.core.notifier import Wakeups
from retinue.runs import statements as sql
from retinue.runs.execution.broadcast import FOLLOWED, Live, said_topic
from retinue.runs.execution.runner import Runner

_log = structlog.get_logger()
_EVERY_S = 0.25
"""How often it is stored what was said since: listeners elsewhere are that much behind."""

_BELIEVED_S = 5.0
"""How long a listener is believed to be there after it last asked. Listeners ask every second."""


class Relay:
    """Idle until somebody asks. Then all that was said since the last time is stored in one transaction."""

    def __init__(self, database: Database, wakeups: Wakeups, runner: Runner) -> None:
        self._database = database
        self._wakeups = wakeups
        self._runner = runner

    async def run(self) -> None:
        """Store and tell until cancelled."""
        with self._wakeups.waiting(FOLLOWED) as asked:
            while True:
                await asked.wait()
                asked.clear()
                while followed := self._followed_runs():
                    await self._relay([live for live in followed if live.news() != live.relayed])
                    await asyncio.sleep(_EVERY_S)

    def _followed_runs(self) -> list[Live]:
        """The runs that somebody follows elsewhere."""
        moment = asyncio.get_running_loop().time()
        for live in self._runner.active.values():
            if live.asked.is_set():
                live.asked.clear()
                live.followed_until = moment + _BELIEVED_S
        return [live for live in self._runner.active.values() if live.followed_until > moment]

    async def _relay(self, fresh: Sequence[Live]) -> None:
        said = {
            live.run.id: {
                "run": live.run.id,
                "under": live.run.epoch,
                "at": live.journal.reply_seq,
                "text": live.journal.reply,
            }
            for live in fresh
            if live.journal.reply
        }
        news = [(live, live.news()) for live in fresh]

        async def write(tx: Tx) -> None:
            for run_id in sorted(said):
                await tx.run(sql.KEEP, **said[run_id])

        try:
            if said:
                await self._database.transact(write)
        except DatabaseUnavailable as error:
            _log.warning("runs.not_relayed", reason=error.message)
            return
        for live, told in news:
            live.relayed = told
            self._wakeups.wake(said_topic(live.run.id))
