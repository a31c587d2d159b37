"""Starts the platform's parts in order, drains them and stops them."""

import asyncio
import time
from collections.abc import Coroutine, Iterator
from typing import TYPE_CHECKING, cast

import structlog

from retinue.core.database.interface import Priority, priority
from retinue.core.errors import Unavailable
from retinue.core.runtime.watchdog import Watchdog
from retinue.core.work import events
from retinue.marketplace.shipped import ship_items
from retinue.platform.platform import Platform
from retinue.platform.resource_declaration import Start
from retinue.platform.resources import RESOURCES

if TYPE_CHECKING:
    from retinue.core.database.postgres import PostgresDatabase

_log = structlog.get_logger()
_RESTART_S = 1.0
"""Seconds after which a failed background task starts again. Leases must not end meanwhile."""

Work = Coroutine[object, None, None]


class Lifecycle:
    """Starts and stops a platform."""

    def __init__(self, platform: Platform) -> None:
        self.platform = platform
        self._work = [work for resource in RESOURCES for work in resource.work(platform)]
        self._claiming: list[asyncio.Task[None]] = []
        """The tasks that claim runs and deployments. Draining cancels them first."""
        self._tasks: list[asyncio.Task[None]] = []
        self._watchdog = Watchdog()

    async def start(self) -> None:
        """Check the master key, start the parts, take over a dead process's work, and start the background tasks."""
        platform = self.platform
        self._watchdog.start()
        await self._check_master_key()
        await self._check_files()
        await ship_items(platform.database, platform.catalogue)
        for part in (platform.limiter, platform.pool, platform.sandboxes, platform.outside, platform.importer):
            await part.start()
        await platform.local_models.choice.prepare()
        await platform.models.start()
        await platform.local_models.pulls.resume()
        await self._take_over()
        await platform.meter.start()
        await platform.sweep.start()
        self._unwatch = events.watch(lambda: platform.notifier.wake_here("events"))
        self._begin()

    async def drain(self) -> None:
        """Stop claiming, hand background work back, and give runs that clients wait for a few seconds to end."""
        for task in self._claiming:
            await _cancel(task)
        await self.platform.runner.shut_down(self.platform.settings.shutdown_timeout)

    async def stop(self) -> None:
        """Drain, then stop all parts."""
        platform = self.platform
        await self.drain()
        for task in self._tasks:
            await _cancel(task)
        self._unwatch()
        await platform.last_use.write()
        await platform.request_writer.flush()
        platform.passwords.close()
        await platform.pool.stop()
        await platform.source_tokens.stop()
        await platform.mcp_sessions.stop()
        await platform.mcp_programs.stop()
        await platform.outside.stop()
        await platform.local_models.pulls.stop()
        await platform.models.stop()
        await platform.limiter.stop()
        await platform.meter.stop()
        await platform.database.close()
        self._watchdog.stop()

    async def _check_master_key(self) -> None:
        """Raise `MasterKeyWrong` if stored values were encrypted with a different master key."""
        for resource in RESOURCES:
            if resource.check_master_key:
                await resource.check_master_key(self.platform.database, self.platform.vault)
        self.platform.vault.save()

    async def _check_files(self) -> None:
        """Raise `Unavailable` if there are files but no users: the database was lost, or is that of another server."""
        await self.platform.store.create()
        if await self.platform.users_admin.count():
            return
        async for names in self.platform.store.written_before(time.time()):
            if names:
                raise Unavailable(
                    "The database has no users, but there are stored files, so it is not the database of these files. "
                    "Restore retinue.db from a backup, or check RETINUE_HOME and RETINUE_DATABASE_URL. To start with "
                    "an empty server, move the folder of files away."
                )

    async def _take_over(self) -> None:
        """Release the leases of the previous process at once if it is certainly dead."""
        for work in self._work:
            if work.take_over_dead:
                await work.take_over_dead(self.platform.home.predecessor)

    def _begin(self) -> None:
        """Start the background work.

        The transactions of its rounds run after those of requests, and the renewals of its leases before them.
        """
        rounds = [(work, start_task(Priority.LOW, work.run)) for work in self._work if work.run]
        self._claiming = [task for work, task in rounds if work.claims_runs]
        self._tasks = [
            *(task for _, task in rounds),
            start_task(Priority.LOW, self.platform.expiry.run),
            start_task(Priority.LOW, self.platform.rebuilder.run),
            *(start_task(Priority.HIGH, work.keep_leases) for work in self._work if work.keep_leases),
            *(asyncio.create_task(_log_failure(work)) for work in self._others()),
        ]

    def _others(self) -> Iterator[Work]:
        platform = self.platform
        if platform.database.dialect == "postgresql":
            yield self._wake_over_postgres()
            yield self._probe_postgres()
        yield platform.sandboxes.try_out()
        if not platform.libraries.ready:
            yield self._install_libraries()

    async def _wake_over_postgres(self) -> None:
        """Exchange wake-ups with the other nodes."""
        from retinue.core.work.postgres_bridge import PostgresBridge  # noqa: PLC0415 - only where it is used

        await PostgresBridge(self.platform.notifier, self._postgres().connect).run()

    async def _probe_postgres(self) -> None:
        """Notice when PostgreSQL hangs."""
        await self._postgres().keep_probing()

    def _postgres(self) -> "PostgresDatabase":
        return cast("PostgresDatabase", self.platform.database)

    async def _install_libraries(self) -> None:
        """Install the tools' libraries, then make the tools use them."""
        await self.platform.libraries.keep_trying()
        self.platform.pool.use(str(self.platform.libraries.python))


def start_task(its: Priority, work: Start) -> asyncio.Task[None]:
    """Start a task whose transactions run with this priority. If the work fails, it starts again after a pause."""

    async def with_priority() -> None:
        priority.set(its)
        await _keep_running(work)

    return asyncio.create_task(with_priority())


async def _keep_running(work: Start) -> None:
    while True:
        try:
            return await _log_failure(work())
        except Exception:
            # The shutdown cancels a task only once, then waits for its end.
            if (task := asyncio.current_task()) and task.cancelling():
                raise
        await asyncio.sleep(_RESTART_S)


async def _log_failure(work: Work) -> None:
    """Run a background task, and log its failure."""
    try:
        await work
    except Exception:
        _log.exception("task.failed")
        raise


async def _cancel(task: asyncio.Task[None]) -> None:
    """Cancel a task once and wait for its end. Draining is requested twice, and a second cancellation would interrupt
    the hand-back of its leases."""
    if not task.cancelling():
        task.cancel()
    await asyncio.wait([task])
