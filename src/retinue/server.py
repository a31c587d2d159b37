"""Runs the server: one process that owns its data folder and serves HTTP."""

import asyncio
import contextlib
import os
import signal
import sys
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from functools import partial
from typing import TypeVar

import structlog
from granian.constants import HTTPModes, Interfaces
from granian.http import HTTP1Settings
from granian.server.embed import Server

from retinue.app import build_app
from retinue.auth.plans import Plans
from retinue.control.commands import Operator
from retinue.control.listener import listening
from retinue.core.errors import Unavailable
from retinue.core.http.server_address import local_address, reachable_host
from retinue.core.network.http_client import AddressGuard
from retinue.core.network.own_sockets import close_connections, limit_unread
from retinue.core.runtime.data_dir import DataDir
from retinue.core.runtime.executors import run_on_disk_thread
from retinue.core.runtime.gc_tuning import freeze_existing_objects
from retinue.core.runtime.open_files import connections_for, open_files, raise_limit
from retinue.core.runtime.port_reservation import port_taken, reserved_port
from retinue.core.runtime.watchdog import exit_on_stall
from retinue.files.configured_store import configured_store
from retinue.gate.gate import Gate
from retinue.gate.limiter import Limiter
from retinue.gate.memory_limiter import MemoryLimiter
from retinue.migrations.database import open_database
from retinue.models.known_weights import HUB
from retinue.models.registry import EndpointOptions, Models
from retinue.platform.lifecycle import Lifecycle
from retinue.platform.platform import Platform
from retinue.platform.unknown_variables import unknown_variables
from retinue.sandbox.sandboxes import Sandboxes
from retinue.settings import Settings
from retinue.tools.catalogue.catalogue import Catalogue
from retinue.tools.execution.environment import ToolEnvironment
from retinue.tools.execution.pool import ToolPool
from retinue.tools.execution.worker_group import PoolLimits

_log = structlog.get_logger()

_BACKLOG = 2048
"""Connections that the kernel queues until the server accepts them. A separate limit bounds open connections."""

_HEADERS_MS = 20_000
"""Milliseconds that a connection may be idle or take to send the headers of a request."""

_BUFFER = 64 << 10
"""Read buffer of a connection in bytes. Request headers must fit."""


@contextlib.asynccontextmanager
async def running_platform(settings: Settings) -> AsyncIterator[Lifecycle]:
    """Lock the data folder, start the platform, and stop it cleanly at the end of the context."""
    home = DataDir(settings.home)
    home.acquire()
    try:
        database = await open_database(settings.postgres, home)
        guard = AddressGuard(settings.allowed_networks)
        libraries = ToolEnvironment.beside(home.cache)
        python = str(libraries.python) if libraries.ready else sys.executable
        platform = Platform(
            settings=settings,
            home=home,
            database=database,
            plans=Plans.load(settings.plans_file),
            limiter=_limiter(settings, home),
            catalogue=await run_on_disk_thread(  # compiled at the first start
                partial(Catalogue.load, home.cache, confined=settings.sandbox == "require")
            ),
            pool=ToolPool(
                settings.tool_workers,
                network_size=settings.network_tool_workers,
                python=python,
                guard=guard,
                scratch=home.cache / "tools",
                limits=PoolLimits(time_factor=settings.tool_time_factor),
            ),
            models=_models(settings, home),
            store=configured_store(settings.files_url, settings.files_dir, home),
            libraries=libraries,
            sandboxes=Sandboxes(
                settings.programs, home.cache / "bubbles", lambda: libraries.folder if libraries.ready else None
            ),
            guard=guard,
        )
        platform.pool.confinement.required = settings.sandbox == "require"
        lifecycle = Lifecycle(platform)
        await lifecycle.start()
        try:
            yield lifecycle
        finally:
            try:
                async with asyncio.timeout(settings.shutdown_timeout):
                    await lifecycle.stop()
            except TimeoutError:
                _log.warning("server.parts_not_stopped", seconds=settings.shutdown_timeout)
    finally:
        home.release()


def _limiter(settings: Settings, home: DataDir) -> Limiter:
    if settings.redis_url:
        from retinue.gate.redis_limiter import RedisLimiter  # noqa: PLC0415 - only where Redis is used

        try:
            return RedisLimiter(settings.redis_url.get_secret_value())
        except ValueError as error:  # an option in the query
            raise Unavailable(f"RETINUE_REDIS_URL: {error}") from error
    return MemoryLimiter(home.counters)


def _models(settings: Settings, home: DataDir) -> Models:
    url, key = settings.model_url, settings.model_key
    endpoint = url and EndpointOptions(
        url,
        key=key.get_secret_value() if key else "",
        model=settings.model_name,
        kind=settings.model_kind,
        tools=settings.model_tools,
        context_tokens=settings.model_context,
        at_once=settings.model_concurrency,
    )
    return Models(
        settings.weights_dir or home.models,
        settings.local_model,
        endpoint or None,
        hub=settings.weights_hub or HUB,
    )


_SIGNALS = (signal.SIGTERM, signal.SIGINT)
_ABORT_S = 0.5
"""Seconds that the HTTP server gets to finish after its requests were cancelled, and after its connections closed."""

_SPARE_S = 2.0
"""Seconds that a shutdown may take beyond its two timeouts."""

T = TypeVar("T")
FirstSteps = Callable[[Platform], Awaitable[T]]
Announce = Callable[[str, T], None]


async def serve(settings: Settings, first_steps: FirstSteps[T], announce: Announce[T]) -> None:
    """Serve HTTP until SIGTERM or SIGINT."""
    if unknown := list(unknown_variables(settings, os.environ)):
        _log.warning("settings.unknown_variables", reason=" ".join(unknown))
    raise_limit()
    with exit_on_stall(settings.stall_limit), reserved_port(settings.host, settings.port) as port:
        await _serve_at(port, settings, first_steps, announce)


async def _serve_at(port: int, settings: Settings, first_steps: FirstSteps[T], announce: Announce[T]) -> None:
    async with running_platform(settings) as lifecycle:
        platform = lifecycle.platform
        first = await first_steps(platform)
        gate = build_app(platform)
        server = _http_server(gate, settings.host, port)
        stop = _stop_signal(2 * settings.shutdown_timeout + _SPARE_S)
        address = settings.public_url or local_address(settings.host, port)
        operator = Operator(address, platform.users_admin, platform.deletions, platform.database, platform.store)
        async with listening(platform.home, operator):
            serving = asyncio.create_task(server.serve())
            await _wait_until_accepting(settings.host, port, serving)
            limit_unread(port, settings.send_timeout)
            freeze_existing_objects()  # a collection that walks all of it would hold the loop for 0.1 s
            announce(local_address(settings.host, port), first)
            await asyncio.wait([serving, asyncio.ensure_future(stop.wait())], return_when=asyncio.FIRST_COMPLETED)
            _log.info("server.stopping")
            await _stop_serving(server, serving, gate, lifecycle)
        _log.info("server.stopped")


def _http_server(gate: Gate, host: str, port: int) -> Server:
    return Server(
        gate,
        address=host,
        port=port,
        interface=Interfaces.ASGINL,
        http=HTTPModes.http1,
        websockets=False,
        log_enabled=False,
        backlog=_BACKLOG,
        backpressure=connections_for(open_files()),
        http1_settings=HTTP1Settings(header_read_timeout=_HEADERS_MS, max_buffer_size=_BUFFER),
    )


def _stop_signal(within_s: float) -> asyncio.Event:
    """Return an event that the first SIGTERM or SIGINT sets. The process ends `within_s` of it, or on a second one."""
    loop, stop = asyncio.get_running_loop(), asyncio.Event()

    def begin() -> None:
        for number in _SIGNALS:
            loop.remove_signal_handler(number)
            signal.signal(number, signal.SIG_DFL)
        last = threading.Timer(within_s, _exit_late)
        last.daemon = True
        last.start()
        stop.set()

    for number in _SIGNALS:
        loop.add_signal_handler(number, begin)
    return stop


def _exit_late() -> None:
    """End a process that does not end by itself, for example because a thread is stuck. Its children end with it."""
    _log.warning("server.stopped_by_force")
    os._exit(0)


async def _stop_serving(server: Server, serving: asyncio.Task[None], gate: Gate, lifecycle: Lifecycle) -> None:
    """Accept no more connections, drain work, and close the connections that remain after that."""
    stop: Callable[[], None] = server.stop
    stop()
    patience = lifecycle.platform.settings.shutdown_timeout
    draining = asyncio.create_task(lifecycle.drain())  # the server waits for streams, which may follow a run to its end
    await asyncio.wait([serving, draining], timeout=patience + _ABORT_S)
    gate.abort()
    await asyncio.wait([serving], timeout=_ABORT_S)
    if not serving.done():
        _log.info("server.closing_connections")
        close_connections(server.bind_port)
        await asyncio.wait([serving], timeout=_ABORT_S)
    if serving.done():
        serving.result()


async def _wait_until_accepting(host: str, port: int, serving: asyncio.Task[None]) -> None:
    """Wait until the server accepts connections, so that the address can be announced. Raises `Unavailable`."""
    while not serving.done():
        try:
            _, writer = await asyncio.open_connection(reachable_host(host), port)
        except OSError:
            await asyncio.sleep(0.01)
        else:
            writer.close()
            return
    if error := serving.exception():
        raise port_taken(host, port, str(error)) from error
