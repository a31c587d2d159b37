"""The server's side of the socket: executes the commands that arrive."""

import asyncio
import contextlib
import os
import socket
from collections.abc import AsyncIterator

import orjson
import structlog

from retinue.control.client import MAX_LINE, socket_address
from retinue.control.commands import COMMANDS, Operator
from retinue.core.errors import RetinueError
from retinue.core.runtime.data_dir import DataDir

_log = structlog.get_logger()


@contextlib.asynccontextmanager
async def listening(home: DataDir, operator: Operator) -> AsyncIterator[None]:
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
    with socket_address(home) as address:
        listener.bind(address)
    server = await asyncio.start_unix_server(connect, sock=listener, limit=MAX_LINE)
    try:
        yield
    finally:
        server.close()
        path.unlink(missing_ok=True)


async def _answer(operator: Operator, line: bytes) -> dict[str, object]:
    try:
        request = orjson.loads(line)
        return {"result": await COMMANDS[request["command"]](operator, request["args"])}
    except RetinueError as error:
        return {"error": error.message}
    except Exception:  # noqa: BLE001 - the operator is told, and the log says why
        _log.exception("control.failed")
        return {"error": "The server could not execute this command. See its log for the reason."}
