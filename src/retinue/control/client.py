"""Sends commands to the running server through the socket in its data folder."""

import asyncio
import contextlib
import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypedDict

import orjson

from retinue.core.errors import Unavailable, ValidationFailed
from retinue.core.runtime.data_dir import DataDir

MAX_LINE = 1 << 20
"""Maximum length of a request in bytes."""


class CommandArgs(TypedDict, total=False):
    """The arguments of the operator's commands. Each command takes some of them."""

    email: str
    plan: str | None
    second_factor: bool
    scopes: Sequence[str]
    test: bool
    name: str
    networks: Sequence[str]
    expires_in_days: int | None
    prefix: str
    overlap_days: int
    repair: bool
    home: str
    folder: str


@contextlib.contextmanager
def socket_address(home: DataDir) -> Iterator[str]:
    """Provide a short socket path through a folder handle: socket paths are limited to 107 bytes (unix(7))."""
    handle = os.open(home.folder, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield f"/proc/self/fd/{handle}/control.sock"
    finally:
        os.close(handle)


async def ask_server(home: DataDir, command: str, args: CommandArgs) -> Any:
    """Send a command to the running server. Raises `ConnectionError` or `FileNotFoundError` if there is none."""
    with socket_address(home) as address:
        reader, writer = await asyncio.open_unix_connection(address)
    writer.write(encode_command(command, args))
    line = await reader.read()
    writer.close()
    return decode_answer(line)


def encode_command(command: str, args: Mapping[str, object]) -> bytes:
    """Return the line that sends a command."""
    return orjson.dumps({"command": command, "args": dict(args)}) + b"\n"


def decode_answer(line: bytes) -> object:
    """Return the result in the server's answer. Raises `ValidationFailed`, or `Unavailable` if it is incomplete."""
    if not line.endswith(b"\n"):
        raise Unavailable("The server closed the connection before it responded.")
    answer = orjson.loads(line)
    if "error" in answer:
        raise ValidationFailed(answer["error"])
    return answer["result"]
