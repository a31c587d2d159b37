"""Executes the operator's commands, in the running server if there is one.

A second process may not open the embedded database, and the server's caches must see every change. So a command goes
through a socket in the data folder that only its user can open. Without a server, this process executes it.
"""

import asyncio
import contextlib
import os
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import orjson
import structlog

from retinue.account_data.service import Deletions
from retinue.auth.plans import Plans
from retinue.auth.service import Users
from retinue.check import find_faults
from retinue.core.database.interface import Database
from retinue.core.errors import RetinueError, Unavailable, ValidationFailed
from retinue.core.runtime.data_dir import Home
from retinue.files.store import FileStore
from retinue.oauth.revocation import revoke_apps
from retinue.overview import describe_load

_log = structlog.get_logger()
_LINE = 1 << 20


@dataclass(frozen=True)
class Operator:
    """The objects that the operator's commands use."""

    users: Users
    deletions: Deletions
    database: Database
    store: FileStore


Command = Callable[[Operator, Mapping[str, Any]], Awaitable[Any]]


async def _create_user(on: Operator, args: Mapping[str, Any]) -> Any:
    user = await on.users.create(args["email"], args.get("plan"))
    return {"email": user.email, "plan": user.plan}


async def _list_users(on: Operator, args: Mapping[str, Any]) -> Any:
    return [
        {"email": user.email, "plan": user.plan, "suspended": user.suspended_at is not None}
        for user in await on.users.all()
    ]


async def _link_user(on: Operator, args: Mapping[str, Any]) -> Any:
    return await on.users.link(args["email"])


async def _reset_user(on: Operator, args: Mapping[str, Any]) -> Any:
    return await on.users.link(args["email"], "reset", args.get("second_factor", False))


async def _change_plan(on: Operator, args: Mapping[str, Any]) -> Any:
    await on.users.change_plan(args["email"], args["plan"])


async def _suspend_user(on: Operator, args: Mapping[str, Any]) -> Any:
    await on.users.suspend(args["email"])


async def _restore_user(on: Operator, args: Mapping[str, Any]) -> Any:
    await on.users.suspend(args["email"], suspended=False)


async def _revoke_user(on: Operator, args: Mapping[str, Any]) -> Any:
    await on.users.revoke(args["email"])


async def _promote_user(on: Operator, args: Mapping[str, Any]) -> Any:
    await on.users.promote(args["email"])


async def _delete_user(on: Operator, args: Mapping[str, Any]) -> Any:
    await on.deletions.of_email(args["email"])


async def _create_key(on: Operator, args: Mapping[str, Any]) -> Any:
    limits = {name: args[name] for name in ("networks", "expires_in_days") if name in args}
    return str(await on.users.create_key(args["email"], args["scopes"], args["test"], args["name"], **limits))


async def _rotate_key(on: Operator, args: Mapping[str, Any]) -> Any:
    return str(await on.users.rotate_key(args["prefix"], args["overlap_days"]))


async def _list_keys(on: Operator, args: Mapping[str, Any]) -> Any:
    return [row._asdict() for row in await on.users.keys(args["email"])]


async def _revoke_key(on: Operator, args: Mapping[str, Any]) -> Any:
    await on.users.revoke_key(args["prefix"])


async def _check(on: Operator, args: Mapping[str, Any]) -> Any:
    return await find_faults(on.database, on.store)


async def _describe_load(on: Operator, args: Mapping[str, Any]) -> Any:
    return await describe_load(on.database)


COMMANDS: Mapping[str, Command] = {
    "users.create": _create_user,
    "users.list": _list_users,
    "users.link": _link_user,
    "users.reset": _reset_user,
    "users.plan": _change_plan,
    "users.suspend": _suspend_user,
    "users.restore": _restore_user,
    "users.revoke": _revoke_user,
    "users.promote": _promote_user,
    "users.delete": _delete_user,
    "keys.create": _create_key,
    "keys.list": _list_keys,
    "keys.revoke": _revoke_key,
    "keys.rotate": _rotate_key,
    "check": _check,
    "overview": _describe_load,
}


@contextlib.contextmanager
def _address(home: Home) -> Iterator[str]:
    """Provide a short socket path through a folder handle: socket paths are limited to 107 bytes (unix(7))."""
    handle = os.open(home.folder, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield f"/proc/self/fd/{handle}/control.sock"
    finally:
        os.close(handle)


@contextlib.asynccontextmanager
async def listening(home: Home, operator: Operator) -> AsyncIterator[None]:
    """Execute commands from the socket for the duration of the context."""

    async def connect(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError, asyncio.IncompleteReadError, ValueError):
            writer.write(orjson.dumps(await _answer(operator, await reader.readline()), default=str) + b"\n")
            await writer.drain()
        writer.close()

    path = home.folder / "control.sock"
    path.unlink(missing_ok=True)
    listener = socket.socket(socket.AF_UNIX)
    os.fchmod(listener.fileno(), 0o600)  # the file takes this mode (unix(7)); a umask would be that of all threads
    with _address(home) as address:
        listener.bind(address)
    server = await asyncio.start_unix_server(connect, sock=listener, limit=_LINE)
    try:
        yield
    finally:
        server.close()
        path.unlink(missing_ok=True)


async def _answer(operator: Operator, line: bytes) -> dict[str, Any]:
    try:
        request = orjson.loads(line)
        return {"result": await COMMANDS[request["command"]](operator, request["args"])}
    except RetinueError as error:
        return {"error": error.message}
    except Exception:  # noqa: BLE001 - the operator is told, and the log says why
        _log.exception("control.failed")
        return {"error": "The server could not execute this command. See its log for the reason."}


async def ask_server(home: Home, command: str, args: Mapping[str, Any]) -> Any:
    """Send a command to the running server. Raises `ConnectionError` or `FileNotFoundError` if there is none."""
    with _address(home) as address:
        reader, writer = await asyncio.open_unix_connection(address, limit=_LINE)
    writer.write(orjson.dumps({"command": command, "args": dict(args)}) + b"\n")
    line = await reader.readline()
    writer.close()
    if not line:
        raise Unavailable("The server closed the connection before it responded.")
    answer = orjson.loads(line)
    if "error" in answer:
        raise ValidationFailed(answer["error"])
    return answer["result"]


async def carry_out(
    home: Home,
    open_database: Callable[[], Awaitable[Database]],
    store: FileStore,
    plans: Plans,
    command: str,
    args: Mapping[str, Any],
) -> Any:
    """Execute a command in the running server, or in this process if there is none."""
    home.create()
    with contextlib.suppress(ConnectionError, FileNotFoundError):
        return await ask_server(home, command, args)
    home.acquire()
    try:
        database = await open_database()
        try:
            users, deletions = Users(database, plans, (revoke_apps,)), Deletions(database, (revoke_apps,))
            result = await COMMANDS[command](Operator(users, deletions, database, store), args)
            return orjson.loads(orjson.dumps(result, default=str))
        finally:
            await database.close()
    finally:
        home.release()
