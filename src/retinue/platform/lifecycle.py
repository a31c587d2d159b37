"""Starts the platform's parts in order, drains them and stops them."""

import asyncio
import time
from collections.abc import Callable, Coroutine, Iterator
from typing import TYPE_CHECKING, Any, cast

import structlog

from retinue.auth.second_factor import check_master_key as check_second_factors_key
from retinue.connections.keyring import check_master_key as check_connections_key
from retinue.core.database.interface import Priority, priority
from retinue.core.errors import Unavailable
from retinue.core.runtime.watchdog import Watchdog
from retinue.core.work import events
from retinue.marketplace.shipped import ship_items
from retinue.marketplace.signatures import check_master_key as check_marketplace_key
from retinue.platform.platform import Platform
from retinue.providers.keyring import check_master_key as check_providers_key
from retinue.tools.imports.service import check_master_key as check_sources_key
from retinue.webhooks.service import check_master_key as check_webhooks_key

if TYPE_CHECKING:
    from retinue.core.database.postgres import PostgresDatabase

_log = structlog.get_logger()
_RESTART_S = 1.0
"""Seconds after which a failed background task starts again. Leases must not end meanwhile."""

Work = Coroutine[Any, Any, None]
Start = Callable[[], Work]


class Lifecycle:
    """Starts and stops a platform."""

    def __init__(self, platform: Platform) -> None:
        self.platform = platform
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
        database, vault = self.platform.database, self.platform.vault
        await check_webhooks_key(database, vault)
        await check_sources_key(database, vault)
        await check_second_factors_key(database, vault)
        await check_connections_key(database, vault)
        await check_providers_key(database, vault)
        await check_marketplace_key(database, vault)
        vault.save()

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
        platform, predecessor = self.platform, self.platform.home.predecessor
        await platform.worker.take_over_dead(predecessor)
        await platform.deployments.take_over_dead(predecessor)
        await platform.scheduler.take_over_dead(predecessor)
        await platform.jobs.take_over_dead(predecessor)
        await platform.indexer.take_over_dead(predecessor)
        await platform.reindexer.take_over_dead(predecessor)
        await platform.synchronizer.take_over_dead(predecessor)
        await platform.memorizer.take_over_dead(predecessor)
        await platform.switchboard.take_over_dead(predecessor)
        await platform.idempotency.take_over_dead(predecessor)
        await platform.deliverer.take_over_dead(predecessor)

    def _begin(self) -> None:
        platform = self.platform
        self._claiming = [start_task(Priority.LOW, work.run) for work in (platform.worker, platform.deployments)]
        self._tasks = [
            *self._claiming,
            *(start_task(Priority.LOW, work) for work in self._patient()),
            *(start_task(Priority.HIGH, work) for work in self._renewals()),
            *(asyncio.create_task(_log_failure(work)) for work in self._others()),
        ]

    def _patient(self) -> Iterator[Start]:
        """Yield the background work whose transactions run after those of requests."""
        platform = self.platform
        yield platform.deliverer.run
        yield platform.scheduler.run
        yield platform.jobs.run
        yield platform.indexer.run
        yield platform.reindexer.run
        yield platform.synchronizer.run
        yield platform.memorizer.run
        yield platform.meter.run
        yield platform.request_writer.run
        yield platform.thresholds.run
        yield platform.sweep.run
        yield platform.fan_out.run
        yield platform.relay.run
        yield platform.expiry.run
        yield platform.mcp_programs.run
        yield platform.last_use.run
        yield platform.reset_mail.run
        yield platform.added_tools.run
        yield platform.media.run
        yield platform.switchboard.run
        yield platform.call_analyses.run
        yield platform.hall.run
        yield platform.local_models.choice.run
        if platform.livekit:
            yield platform.livekit.run

    def _renewals(self) -> Iterator[Start]:
        """Yield the lease renewals, whose transactions run before those of requests."""
        platform = self.platform
        yield platform.worker.keep_leases
        yield platform.deployments.keep_leases
        yield platform.deliverer.keep_leases
        yield platform.jobs.keep_leases
        yield platform.indexer.keep_leases
        yield platform.reindexer.keep_leases
        yield platform.synchronizer.keep_leases
        yield platform.memorizer.keep_leases
        yield platform.switchboard.keep_leases
        yield platform.hall.keep_leases
        yield platform.idempotency.keep_leases

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
