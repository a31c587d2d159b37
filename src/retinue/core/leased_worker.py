"""The loop of every worker: claim rows that are due, work on each under its lease, renew, and hand back at the end.

A worker states its leases, how it claims and what it does with a row. These differ from the common loop:

* Runs are worked on by `runs.execution.runner.Runner`, which also has those that a client waits for, and hands back
  what it has.
* Deliveries are claimed in the transaction that writes the outcomes of the last ones, and have a few seconds to end.
* Schedules are fired a batch at a time and not renewed, since each takes milliseconds.
* Idempotency keys are claimed by the requests that carry them: they use only `LeaseKeeper`.

Fencing is not here: whatever writes about a row names the epoch of its claim, and raises `LeaseLost` if that is over.
"""

import asyncio
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Collection, Sequence
from functools import partial
from typing import Any, ClassVar, Generic, Protocol, TypeVar

import structlog

from retinue.core.database import Database, DatabaseUnavailable, Tx
from retinue.core.fair_leases import FairLeases, Room
from retinue.core.leases import RENEW_S, LeaseLost, Leases, take_over_dead
from retinue.core.notifier import Wakeups, wait
from retinue.core.statements import Row

_log = structlog.get_logger()

LOOK_S = 1.0
"""Seconds between looks for work that no wake-up announced, such as that of dead nodes."""


class Leased(Protocol):
    """A claimed row, or what was made of one."""

    @property
    def id(self) -> int:
        """The row's id."""
        ...


Item = TypeVar("Item", bound=Leased)


class LeaseKeeper(ABC):
    """Renews the leases that this process holds. `topic` names the rows in wake-ups and in the log."""

    leases: ClassVar[Leases]
    topic: ClassVar[str]

    def __init__(self, database: Database, wakeups: Wakeups, node: str) -> None:
        self._database = database
        self._wakeups = wakeups
        self._node = node

    @abstractmethod
    def held_ids(self) -> Collection[int]:
        """The ids of the rows that this process works on."""

    @abstractmethod
    async def abandon(self, row_id: int) -> None:
        """Stop working on a row whose lease is lost."""

    async def take_over_dead(self, predecessor: str | None) -> None:
        """Void the leases of processes that are known to be dead."""
        await take_over_dead(self.leases, self._database, self._node, predecessor)

    async def keep_leases(self) -> None:
        """Renew until cancelled, and abandon the rows that were claimed by another, ended or deleted."""
        with self._wakeups.waiting(f"{self.topic}.stopped") as stopped:
            while True:
                await wait(stopped, RENEW_S)
                try:
                    await self._renew()
                except DatabaseUnavailable as error:
                    _log.warning("leases.not_renewed", of=self.topic, reason=error.message)

    async def _renew(self) -> None:
        held = list(self.held_ids())
        ours = await self._database.transact(lambda tx: self.leases.renew(tx, self._node, held)) if held else set()
        await asyncio.gather(*(self.abandon(row_id) for row_id in held if row_id not in ours))


class LeasedWorker(LeaseKeeper, Generic[Item]):
    """Claims rows and works on `at_once` of them at most, a task each."""

    at_once: int

    def __init__(self, database: Database, wakeups: Wakeups, node: str) -> None:
        super().__init__(database, wakeups, node)
        self._tasks: dict[int, tuple[Item, asyncio.Task[None]]] = {}

    @abstractmethod
    async def claim(self, tx: Tx, sweeping: bool) -> Sequence[Item]:
        """Claim up to `free` rows. `sweeping`: no wake-up announced them."""

    async def work(self, item: Item) -> None:
        """Work on a row to its end, in the task that `begin` made. If this raises, the row is claimed again later."""
        raise NotImplementedError

    async def run(self) -> None:
        """Claim and work until cancelled; then stop."""
        try:
            with self._wakeups.waiting(self.topic) as work:
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
            _log.warning("leases.not_claimed", of=self.topic, reason=error.message)
            return LOOK_S

    async def turn(self, sweeping: bool) -> float:
        """Claim what there is room for and begin it; returns the seconds until the next turn."""
        if self.free <= 0:
            return LOOK_S
        claimed = await self._database.transact(partial(self.claim, sweeping=sweeping))
        await self.begin_all(claimed)
        return 0.0 if claimed else LOOK_S

    async def begin_all(self, claimed: Sequence[Item]) -> None:
        """Begin one by one, with a turn for all else between two; even when this is cancelled, all of them."""
        items = iter(claimed)
        try:
            for item in items:
                self.begin(item)
                await asyncio.sleep(0)
        finally:
            for item in items:
                self.begin(item)

    def begin(self, item: Item) -> None:
        """Work on a claimed row in a task. A task that still works on it has lost its lease, to this very process."""
        if item.id in self._tasks:
            self._tasks[item.id][1].cancel()
        task = asyncio.create_task(self._attend(item))
        self._tasks[item.id] = item, task
        task.add_done_callback(lambda _: self._forget(item))

    def under_way(self) -> Sequence[Item]:
        """What this process works on."""
        return [item for item, _ in self._tasks.values()]

    @property
    def free(self) -> int:
        """How many rows there is room for."""
        return self.at_once - len(self.under_way())

    def held_ids(self) -> Collection[int]:
        """The ids of the rows that this process works on."""
        return self._tasks

    async def abandon(self, row_id: int) -> None:
        """Stop working on a row whose lease is lost."""
        if row_id in self._tasks:
            self._tasks[row_id][1].cancel()

    async def stop(self) -> None:
        """End the tasks, and let others go on at once with what they worked on."""
        await self._cancel_all()
        try:
            await self._database.transact(lambda tx: self.leases.hand_back(tx, self._node))
        except DatabaseUnavailable as error:
            _log.warning("leases.not_handed_back", of=self.topic, reason=error.message)
        self._wakeups.wake(self.topic)

    async def _cancel_all(self) -> None:
        tasks = [task for _, task in self._tasks.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

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
        self._wakeups.wake_here(self.topic)


class FairLeasedWorker(LeasedWorker[Row]):
    """A worker whose rows belong to accounts, which take turns. One account has at most `per_account` of them here."""

    leases: ClassVar[FairLeases]
    per_account: int
    _served = 0

    async def claim(self, tx: Tx, sweeping: bool) -> list[Row]:
        """Claim from all accounts evenly; now and then, let rows of dead processes go first."""
        if sweeping:
            await self.leases.rejoin(tx)
        return await self.claim_in_turn(tx)

    async def claim_in_turn(self, tx: Tx, **values: Any) -> list[Row]:
        """Claim what there is room for. `values` are what the claim binds."""
        held = Counter(item.account_id for item in self.under_way())
        room = Room(self.free, self.per_account, held, self._served)
        return await self.leases.claim_in_turn(tx, self._node, room, **values)

    def begin(self, item: Row) -> None:
        """Work on a claimed row in a task; the next claim begins with the account after its own."""
        self._served = item.account_id
        super().begin(item)
