"""Runs the calls of this process, renews their leases, and ends calls of dead processes."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Collection, Iterator
from functools import partial

import structlog

from retinue.core.database.interface import Database, DatabaseUnavailable
from retinue.core.database.statements import Row
from retinue.core.errors import Unavailable
from retinue.core.runtime.executors import run_on_compute_thread, run_on_disk_thread
from retinue.core.runtime.failpoints import crash_point
from retinue.core.runtime.tasks import cancel_all
from retinue.core.work.leased_worker import LeaseKeeper
from retinue.core.work.leases import Leases
from retinue.core.work.notifier import Notifier
from retinue.voice.calls import statements as sql
from retinue.voice.calls.destinations import parse_destination
from retinue.voice.calls.driver import CallDriver
from retinue.voice.calls.outbound import DialTarget, Outbound
from retinue.voice.calls.recordings import Recordings
from retinue.voice.calls.records import SIMULATED, CallRecords
from retinue.voice.calls.replies import Replies
from retinue.voice.calls.simulated_calls import simulate
from retinue.voice.calls.tables import OPEN, CallRow, calls
from retinue.voice.media.service import MediaService
from retinue.voice.wire import Message

_log = structlog.get_logger()
_SWEEP_S = 2.0
_LEASES = Leases(calls, open_work=OPEN, claimed={}, renewed_at=calls.c.seen_at)
_LAST_CHANCE_S = 3.0
_DIED = "The server process that handled the call ended."

RepliesOf = Callable[[Row], Awaitable[Replies]]
"""Returns the replies for a call and its account."""


class Switchboard(LeaseKeeper):
    """Runs calls. `node` is the id of this process in leases."""

    leases, topic = _LEASES, "calls"

    def __init__(
        self,
        database: Database,
        notifier: Notifier,
        node: str,
        media: MediaService,
        outbound: Outbound,
        records: CallRecords,
        recordings: Recordings,
        replies_of: RepliesOf,
    ) -> None:
        super().__init__(database, notifier, node)
        self.notifier, self.node, self.outbound, self.options = notifier, node, outbound, outbound.options
        self._media, self._records, self._recordings, self._replies_of = media, records, recordings, replies_of
        self._tasks: dict[int, asyncio.Task[None]] = {}
        self._drivers: dict[int, CallDriver] = {}
        self._reserved = 0

    @contextlib.contextmanager
    def slot(self) -> Iterator[None]:
        """Reserve a place for a call that is begun or accepted in this context.

        Raises `Unavailable` if this process can take no more calls.
        """
        if len(self._tasks) + self._reserved >= self.options.calls:
            raise Unavailable(
                "This server has reached its limit of concurrent calls (RETINUE_CALLS). Try again in a minute."
            )
        self._reserved += 1
        try:
            yield
        finally:
            self._reserved -= 1

    def begin(self, call: CallRow, dial: DialTarget | None) -> None:
        """Start a new outbound call: dial it, or simulate it if `dial` is None."""
        if dial is None:
            self._hold(call, self._simulate(call))
        else:
            self._hold(call, self._drive(call, {"do": "dial", **dial.message()}))

    def accept(self, call: CallRow, line: str) -> None:
        """Answer an inbound call on `line` of the media worker."""
        self._hold(call, self._drive(call, {"do": "answer", "line": line}))

    def reject(self, line: str, status: int) -> None:
        """Reject an inbound call with a status of SIP."""
        self._media.send({"do": "reject", "line": line, "status": status})

    async def wait_until_ended(self, call_id: int) -> None:
        """Wait until a call of this process ends, for a few seconds at most."""
        if task := self._tasks.get(call_id):
            await asyncio.wait([task], timeout=_LAST_CHANCE_S)

    async def take_over_dead(self, predecessor: str | None) -> None:
        """Expire the leases of processes known to be dead, and delete their unfinished recordings."""
        await run_on_disk_thread(self._recordings.clear)
        await super().take_over_dead(predecessor)

    async def run(self) -> None:
        """End calls of dead processes, until cancelled; then end those of this process."""
        try:
            while True:
                try:
                    await self._sweep()
                except DatabaseUnavailable as error:
                    _log.debug("calls.not_swept", reason=error.message)
                await asyncio.sleep(_SWEEP_S)
        finally:
            await cancel_all(self._tasks.values())

    def held_ids(self) -> Collection[int]:
        """Return the ids of the calls that this process runs."""
        return self._tasks

    async def abandon(self, row_id: int) -> None:
        """Stop a call whose lease is lost, unless it has just ended."""
        driver = self._drivers.get(row_id)
        if driver and not driver.over:
            self._tasks[row_id].cancel()

    async def _sweep(self) -> None:
        for row in await self._database.fetch(sql.ORPHANS):
            if row.id not in self._tasks:
                await self._records.finish(row, "failed", _DIED, ended=row.seen_at)

    def _hold(self, call: CallRow, work: Awaitable[None]) -> None:
        async def attend() -> None:
            crash_point("calls.begun")
            try:
                await work
            except Exception:  # noqa: BLE001 - the call must end after any error
                _log.exception("task.failed", call=call.id)
                await self._records.finish(call, "failed", "The call failed because of a server error.")

        task = self._tasks[call.id] = asyncio.create_task(attend(), name=f"call-{call.id}")
        task.add_done_callback(lambda _: self._forget(call.id))

    def _forget(self, call_id: int) -> None:
        self._tasks.pop(call_id, None)
        self._drivers.pop(call_id, None)

    async def _drive(self, call: CallRow, order: Message) -> None:
        driver = self._drivers[call.id] = CallDriver(
            call,
            self._media,
            self._records,
            self._recordings,
            await self._replies_of(call),
            self.notifier,
            self._database,
            self.options,
            partial(self.find_address, call),
        )
        await driver.drive(order)

    async def find_address(self, call: CallRow, to: str) -> str:
        """Return the address to which a call is transferred; empty if it is simulated. Raises `RetinueError`."""
        simulated = call.credential == SIMULATED
        destination = await run_on_compute_thread(parse_destination, to)
        dial = await self.outbound.admit(call.account_id, destination, call.voice_engine, simulated=simulated)
        return dial.uri if dial else ""

    async def _simulate(self, call: CallRow) -> None:
        await simulate(call, self._records, await self._replies_of(call))
