"""The common worker loop: claim due rows, process each under its lease, renew leases, hand rows back at the end.

A worker defines its leases, its claim and the work on a row. These workers differ from the common loop:

* Runs: `runs.execution.runner.Runner` also executes runs that a client waits for, and hands back its runs itself.
* Deliveries: the transaction that writes the last outcomes claims the next rows. Each may take a few seconds to end.
* Schedules: a batch fires at a time. Its leases are not renewed, since each schedule takes milliseconds.
* Idempotency keys: the requests that carry the keys claim them, so they use only `LeaseKeeper`.
* Calls: a call stays in the process that begins it and ends with that process, so they use only `LeaseKeeper`.
* Simulations: only spoken words need a lease, which ends with the step that adds them, so they use only `LeaseKeeper`.

This module does no fencing: each write to a row names the epoch of its claim and raises `LeaseLost` if it is stale.
"""

import asyncio
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Collection, Sequence
from functools import partial
from typing import ClassVar, Generic, Protocol, TypeVar

import structlog

from retinue.core.database.interface import Database, DatabaseUnavailable, Tx
from retinue.core.database.statements import Row
from retinue.core.runtime.tasks import cancel_all
from retinue.core.work.fair_leases import ClaimCapacity, FairLeases
from retinue.core.work.leases import RENEW_S, LeaseLost, Leases, take_over_dead
from retinue.core.work.notifier import Notifier, wait

_log = structlog.get_logger()

LOOK_S = 1.0
"""Seconds between polls for work that no wake-up announced, such as that of dead nodes."""


class Leased(Protocol):
    """A claimed row, or an object built from one."""

    @property
    def id(self) -> int:
        """The id of the row."""
        ...


Item = TypeVar("Item", bound=Leased)


class LeaseKeeper(ABC):
    """Renews the leases of this process. `topic` names the kind of row in wake-ups and in the log."""

    leases: ClassVar[Leases]
    topic: ClassVar[str]

    def __init__(self, database: Database, notifier: Notifier, node: str) -> None:
        self._database = database
        self._notifier = notifier
        self._node = node

    @abstractmethod
    def held_ids(self) -> Collection[int]:
        """The ids of the rows that this process works on."""

    @abstractmethod
    async def abandon(self, row_id: int) -> None:
        """Stop working on a row whose lease is lost."""

    async def take_over_dead(self, predecessor: str | None) -> None:
        """Void the leases of processes that are certainly dead."""
        await take_over_dead(self.leases, self._database, self._node, predecessor)

    async def keep_leases(self) -> None:
        """Renew the leases until cancelled, and abandon rows that another process claimed, ended or deleted."""
        with self._notifier.waiting(f"{self.topic}.stopped") as stopped:
            while True:
                await wait(stopped, RENEW_S)
                try:
                    await self._renew()
                except DatabaseUnavailable as error:
                    _log.warning("leases.not_renewed", of=self.topic, reason=error.message)

    async def _renew(self) -> None:
        ids = list(self.held_ids())
        ours = await self._database.transact(lambda tx: self.leases.renew(tx, self._node, ids)) if ids else set()
        await asyncio.gather(*(self.abandon(row_id) for row_id in ids if row_id not in ours))


class LeasedWorker(LeaseKeeper, Generic[Item]):
    """Claims rows and works on at most `at_once` of them, each in its own task."""

    at_once: int

    def __init__(self, database: Database, notifier: Notifier, node: str) -> None:
        super().__init__(database, notifier, node)
        self._tasks: dict[int, tuple[Item, asyncio.Task[None]]] = {}

    @abstractmethod
    async def claim(self, tx: Tx, sweeping: bool) -> Sequence[Item]:
        """Claim up to `free` rows. `sweeping` is True for a poll that no wake-up triggered."""

    async def work(self, item: Item) -> None:
        """Process a row in the task that `begin` created. If this raises, the row is claimed again later."""
        raise NotImplementedError

    async def run(self) -> None:
        """Claim and process rows until cancelled, then call `stop`."""
        try:
            with self._notifier.waiting(self.topic) as work:
                woken = False
                while True:
                    seconds = await self._turn(sweeping=not woken)
                    if seconds > 0:
                        woken = await wait(work, min(seconds, LOOK_S))
        finally:
            await self.stop()

    async def _turn(self, sweeping: bool) -> float:
        try:
            return await self.turn(sweeping)
        except DatabaseUnavailable as error:
            # Debug, here and in other workers: the database itself warns once, and all workers look every second.
            _log.debug("leases.not_claimed", of=self.topic, reason=error.message)
            return LOOK_S

    async def turn(self, sweeping: bool) -> float:
        """Claim rows up to the capacity and begin them. Returns the seconds until the next turn.

        If cancelled, begin the rows that the pending claim gets, so that they are handed back with the others.
        """
        if self.free <= 0:
            return LOOK_S
        claiming = asyncio.ensure_future(self._database.transact(partial(self.claim, sweeping=sweeping)))
        try:
            claimed = await asyncio.shield(claiming)
        except asyncio.CancelledError:
            await asyncio.wait([claiming])
            for item in claiming.result() if claiming.exception() is None else ():
                self.begin(item)
            raise
        await self.begin_all(claimed)
        return 0.0 if claimed else LOOK_S

    async def begin_all(self, claimed: Sequence[Item]) -> None:
        """Begin each item and yield to the event loop in between. If cancelled, begin the rest without yielding."""
        items = iter(claimed)
        try:
            for item in items:
                self.begin(item)
                await asyncio.sleep(0)
        finally:
            for item in items:
                self.begin(item)

    def begin(self, item: Item) -> None:
        """Process a claimed row in a new task. Cancel an older task for the row: this claim ended its lease."""
        if item.id in self._tasks:
            self._tasks[item.id][1].cancel()
        task = asyncio.create_task(self._attend(item))
        self._tasks[item.id] = item, task
        task.add_done_callback(lambda _: self._forget(item))

    def under_way(self) -> Sequence[Item]:
        """Return the items that this process works on."""
        return [item for item, _ in self._tasks.values()]

    @property
    def free(self) -> int:
        """The number of further rows that this process can take."""
        return self.at_once - len(self.under_way())

    def held_ids(self) -> Collection[int]:
        """The ids of the rows that this process works on."""
        return self._tasks

    async def abandon(self, row_id: int) -> None:
        """Stop working on a row whose lease is lost."""
        if row_id in self._tasks:
            self._tasks[row_id][1].cancel()

    async def stop(self) -> None:
        """Cancel the tasks and hand back their rows, so that other processes can claim them at once."""
        await cancel_all(task for _, task in self._tasks.values())
        try:
            await self._database.transact(lambda tx: self.leases.hand_back(tx, self._node))
        except DatabaseUnavailable as error:
            _log.warning("leases.not_handed_back", of=self.topic, reason=error.message)
        self._notifier.wake(self.topic)

    async def _attend(self, item: Item) -> None:
        try:
            await self.work(item)
        except LeaseLost:
            _log.info("lease.lost", of=self.topic, id=item.id)
        except DatabaseUnavailable as error:
            _log.warning("lease.left", of=self.topic, id=item.id, reason=error.message)
        except Exception:  # noqa: BLE001 - the lease ends by itself, and the row is claimed again
            _log.exception("task.failed", of=self.topic, id=item.id)

    def _forget(self, item: Item) -> None:
        if self._tasks.get(item.id, (None,))[0] is item:
            del self._tasks[item.id]
        self._notifier.wake_here(self.topic)


class FairLeasedWorker(LeasedWorker[Row]):
    """A worker that serves accounts in turn. This process holds at most `per_account` rows of one account."""

    leases: ClassVar[FairLeases]
    per_account: int
    _served = 0

    async def claim(self, tx: Tx, sweeping: bool) -> list[Row]:
        """Claim evenly from all accounts. A sweep first moves rows of dead processes to the front."""
        if sweeping:
            await self.leases.requeue_expired(tx)
        return await self.claim_in_turn(tx)

    async def claim_in_turn(self, tx: Tx, **values: object) -> list[Row]:
        """Claim rows up to the capacity. `values` are further parameters of the claim statement."""
        counts = Counter(item.account_id for item in self.under_way())
        room = ClaimCapacity(self.free, self.per_account, counts, self._served)
        return await self.leases.claim_in_turn(tx, self._node, room, **values)

    def begin(self, item: Row) -> None:
        """Process a claimed row in a new task. The next claim starts with the account after the row's account."""
        self._served = item.account_id
        super().begin(item)
