"""Installs pinned packages with uv, or with the machine's pip if uv fails."""

import asyncio
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from uv import find_uv_bin

from retinue.core.children import processes
from retinue.core.children.parent_death import tie
from retinue.core.runtime.executors import run_on_disk_thread

_PINNED = ("--require-hashes", "--only-binary", ":all:")
_POLL_S = 0.5
_BLOCK = 1 << 16


class NotInstalled(Exception):
    """The packages could not be installed; the message says why."""


def _ignore(_line: str) -> None:
    """Ignore a line of the installer's output."""


async def install(
    arguments: Sequence[str],
    *,
    python: str,
    scratch: Path,
    cache: Path | None = None,
    on_progress: Callable[[], None],
    on_line: Callable[[str], None] = _ignore,
) -> None:
    """Install packages as hash-checked wheels into the environment of `python`. `arguments` are those of pip.

    Meanwhile, `on_progress` is called on a thread twice a second, and `on_line` with each line of output. Raises
    `NotInstalled`.
    """
    cache_options = ["--cache-dir", str(cache)] if cache else []
    try:
        await run(
            [find_uv_bin(), "pip", "install", "--python", python, *cache_options, *_PINNED, *arguments],
            scratch,
            on_progress,
            on_line,
        )
    except (NotInstalled, FileNotFoundError) as first:
        pip = [str(Path(sys.base_prefix, "bin", "python3")), "-m", "pip", "--python", python, "install"]
        plain = [option for option in arguments if option != "--compile-bytecode"]
        try:
            await run([*pip, "--quiet", "--no-cache-dir", *_PINNED, *plain], scratch, on_progress)
        except NotInstalled as second:
            raise NotInstalled(f"uv: {first}; pip: {second}") from second


_READABLE = ("/bin/sh", "-c", 'umask 022 && exec "$@"', "sh")
"""Makes installed libraries world-readable: programs in bubblewrap that use them run as another user."""


async def run(
    command: Sequence[str], scratch: Path, on_progress: Callable[[], None], on_line: Callable[[str], None] = _ignore
) -> None:
    """Run an installer, which ends with this process. Raises `NotInstalled` with its last line of output."""
    readable = tie([*_READABLE, *command])
    process = await processes.start(
        readable, cwd=scratch, env=_environment(scratch), stderr=processes.PIPE, niceness=processes.BACKGROUND
    )
    assert process.stderr is not None  # noqa: S101 - it was asked for
    output = asyncio.create_task(_read(process.stderr, on_line))
    try:
        while not (await asyncio.wait({output}, timeout=_POLL_S))[0]:
            await run_on_disk_thread(on_progress)
    except BaseException:
        process.kill_group()
        raise
    finally:
        await output
        status = await process.wait()
    if status:
        lines = output.result().decode(errors="replace").strip().splitlines()
        raise NotInstalled((lines[-1] if lines else "no reason given")[:300])


async def _read(stream: asyncio.StreamReader, on_line: Callable[[str], None]) -> bytes:
    """Return all output, and report each line as it arrives."""
    output = rest = b""
    while block := await stream.read(_BLOCK):
        output += block
        *lines, rest = (rest + block).split(b"\n")
        for line in lines:
            on_line(line.decode(errors="replace").strip())
    return output


def _environment(scratch: Path) -> dict[str, str]:
    """Build the environment. uv reads neither pip's variables nor the machine's certificates by default."""
    environment = {**os.environ, "TMPDIR": str(scratch)}
    if Path("/etc/ssl/certs").is_dir():
        environment.setdefault("UV_SYSTEM_CERTS", "1")
    if index := os.environ.get("PIP_INDEX_URL"):
        environment.setdefault("UV_DEFAULT_INDEX", index)
    return environment
