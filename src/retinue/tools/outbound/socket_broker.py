"""Open connections for tools if the guard permits them. `outbound.worker_sockets` is the worker's side."""

import asyncio
import socket
from collections.abc import Callable
from pathlib import Path

import orjson

from retinue.core.network.http_client import (
    CONNECT_S,
    AddressGuard,
    AddressRefused,
    NameResolver,
    connection_failure,
    literal_address,
)
from retinue.core.runtime.executors import acting_for
from retinue.tools.outbound.worker_sockets import ID_BYTES, REPLY_BYTES

_MOST = 200
"""Maximum number of connections per call."""

_AT_ONCE = 8
"""Maximum number of connections that a worker has opened at the same time; more requests wait."""

_LONGEST_S = 30.0
_DNS = 53
_RESOLVER = Path("/etc/resolv.conf")


class SocketBroker:
    """Connects tools to hosts.

    It checks addresses when it creates the sockets, so a name cannot change in between.
    """

    def __init__(self, guard: AddressGuard) -> None:
        self._guard = guard
        self._names = NameResolver()

    async def close(self) -> None:
        """Stop resolving names."""
        await self._names.close()

    async def serve(
        self, channel: socket.socket, admitted: Callable[[], int], account: Callable[[], int] = lambda: 0
    ) -> None:
        """Serve a worker's requests over `channel` until the worker closes it.

        `admitted` returns the number of connections that the current call has requested, or 0 if it may have none.
        `account` returns the account of the current call: accounts take turns to look names up.
        """
        loop, slots = asyncio.get_running_loop(), asyncio.Semaphore(_AT_ONCE)
        try:
            async with asyncio.TaskGroup() as answers:
                while request := await loop.sock_recv(channel, REPLY_BYTES):
                    await slots.acquire()
                    acting_for.set(account())
                    answer = answers.create_task(self._answer(channel, request, admitted()))
                    answer.add_done_callback(lambda _: slots.release())
                # Raised to cancel the answers that nobody waits for any more.
                raise ConnectionResetError("the worker has closed its end")
        except* OSError:
            pass

    async def _answer(self, channel: socket.socket, request: bytes, number: int) -> None:
        """Answer a request with the id that it begins with: a slow host must not delay the other connections."""
        connection, reply = await self._open(request[ID_BYTES:], number)
        try:
            answer = request[:ID_BYTES] + orjson.dumps(reply)
            socket.send_fds(channel, [answer], [connection.fileno()] if connection else [])
        finally:
            if connection:
                connection.close()

    async def _open(self, request: bytes, number: int) -> tuple[socket.socket | None, dict[str, object]]:
        if not 0 < number <= _MOST:
            return None, {"refused": f"A call of this tool may open {_MOST if number else 'no'} connections."}
        try:
            target = orjson.loads(request)
            async with asyncio.timeout(min(float(target["timeout_s"]), _LONGEST_S)):
                return await self._connect(target["host"], int(target["port"])), {}
        except AddressRefused as error:
            return None, {"refused": f"{error}."}
        except TimeoutError:
            return None, {"failed": "no connection in time"}
        except (OSError, OverflowError, UnicodeError) as error:
            return None, {"failed": _reason(error)}
        except (AttributeError, KeyError, TypeError, ValueError):
            return None, {"refused": "That is not a host and a port."}

    async def _connect(self, host: str | None, port: int) -> socket.socket:
        """Return a connection to the first of the host's addresses that accepts one."""
        if host is None:
            server = _name_server()
            family = socket.AF_INET6 if ":" in server else socket.AF_INET
            return await _reach(socket.socket(family), (server, _DNS))
        if not 0 < port < 65_536:
            raise ValueError(port)
        if (address := literal_address(host)) and not self._guard.permits(address):
            raise AddressRefused(str(address))
        failure: OSError = ConnectionError(f"{host[:200]} has no address")
        for info in await self._names.look_up(host, port):
            try:
                async with asyncio.timeout(CONNECT_S):
                    return await _reach(self._guard.socket(info), info[4])
            except AddressRefused:
                raise
            except OSError as error:
                failure = error
        raise failure


async def _reach(connection: socket.socket, place: tuple[object, ...]) -> socket.socket:
    connection.setblocking(False)
    try:
        await asyncio.get_running_loop().sock_connect(connection, place)
    except BaseException:
        connection.close()
        raise
    connection.setblocking(True)
    return connection


def _reason(error: Exception) -> str:
    """Return why a connection failed, without the address that asyncio includes."""
    if isinstance(error, socket.gaierror):
        return "no address is known for this name; check its spelling"
    return (connection_failure(error) if isinstance(error, OSError) else str(error))[:300]


def _name_server() -> str:
    """Return the first name server of resolv.conf(5)."""
    for line in _RESOLVER.read_text().splitlines():
        words = line.split()
        if len(words) > 1 and words[0] == "nameserver":
            return words[1]
    return "127.0.0.1"
