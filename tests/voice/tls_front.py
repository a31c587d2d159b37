"""TLS in front of a server that has none, such as SIPp as Debian builds it."""

import asyncio
import ssl
from pathlib import Path
from threading import Event, Thread
from typing import Self


class TlsFront:
    """Takes connections by TLS on one port and passes them on to another by TCP, within a `with`."""

    def __init__(self, certificate: Path, port: int, target: int) -> None:
        self._certificate, self._port, self._target = certificate, port, target
        self._ready = Event()
        self._thread = Thread(target=lambda: asyncio.run(self._serve()), daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        assert self._ready.wait(10)
        return self

    def __exit__(self, *error: object) -> None:
        self._loop.call_soon_threadsafe(self._over.set)
        self._thread.join(10)

    async def _serve(self) -> None:
        self._loop, self._over = asyncio.get_running_loop(), asyncio.Event()
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self._certificate)
        server = await asyncio.start_server(self._pass_on, "127.0.0.1", self._port, ssl=context)
        self._ready.set()
        await self._over.wait()
        server.close()

    async def _pass_on(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        inner_reader, inner_writer = await asyncio.open_connection("127.0.0.1", self._target)
        try:
            await asyncio.gather(_pump(reader, inner_writer), _pump(inner_reader, writer))
        except OSError:
            pass  # one side has hung up
        finally:
            # At once, so that nobody calls again on a connection that leads nowhere.
            writer.transport.abort()
            inner_writer.transport.abort()


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while received := await reader.read(65_536):
        writer.write(received)
        await writer.drain()
    writer.close()
