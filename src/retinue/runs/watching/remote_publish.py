"""Stores the unfinished replies of this process's runs while clients follow them on other nodes."""

import asyncio
from collections.abc import Sequence

import structlog

from retinue.core.database.interface import Database, DatabaseUnavailable, Tx
from retinue.core.work.notifier import Notifier
from retinue.runs import statements as sql
from retinue.runs.execution.broadcast import FOLLOWED, RunStream, said_topic
from retinue.runs.execution.runner import Runner

_log = structlog.get_logger()
_EVERY_S = 0.25
"""Interval between saves, which is also the delay of listeners on other nodes."""

_BELIEVED_S = 5.0
"""How long a listener is assumed to follow after its last request. Listeners send one every second."""


class RemotePublisher:
    """Waits for a request, then stores all new output in one transaction per interval."""

    def __init__(self, database: Database, notifier: Notifier, runner: Runner) -> None:
        self._database = database
        self._notifier = notifier
        self._runner = runner

    async def run(self) -> None:
        """Store new output and wake listeners until cancelled."""
        with self._notifier.waiting(FOLLOWED) as signal:
            while True:
                await signal.wait()
                signal.clear()
                while followed := self._followed_runs():
                    await self._relay([live for live in followed if live.news() != live.relayed])
                    await asyncio.sleep(_EVERY_S)

    def _followed_runs(self) -> list[RunStream]:
        """Return the runs that clients follow on other nodes."""
        moment = asyncio.get_running_loop().time()
        for live in self._runner.active.values():
            if live.requested.is_set():
                live.requested.clear()
                live.followed_until = moment + _BELIEVED_S
        return [live for live in self._runner.active.values() if live.followed_until > moment]

    async def _relay(self, fresh: Sequence[RunStream]) -> None:
        outputs = {
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
            for run_id in sorted(outputs):
                await tx.run(sql.KEEP, **outputs[run_id])

        try:
            if outputs:
                await self._database.transact(write)
        except DatabaseUnavailable as error:
            _log.warning("runs.not_relayed", reason=error.message)
            return
        for live, position in news:
            live.relayed = position
            self._notifier.wake(said_topic(live.run.id))
