"""Downloads in the background: one at a time, with progress, after an interruption, and without wrong files."""

import asyncio
import hashlib
import os
import shutil
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path

import pytest
from aiohttp import web

from retinue.core.errors import Unavailable, ValidationFailed
from retinue.models import download
from retinue.models.known_weights import WEIGHTS, ListedWeights
from retinue.models.pulls import Pulls
from tests.support.waiting import until

DATA = os.urandom(9_000_000)
HALF = len(DATA) // 2
HASH = hashlib.sha256(DATA).hexdigest()
TINY = ListedWeights("tiny", "Tiny", 9_000_000, HASH, "MIT", 1000, 2, 8192, "someone/Tiny-GGUF", "tiny.gguf")
OTHER = ListedWeights("other", "Other", 9_000_000, HASH, "MIT", 1000, 2, 8192, "someone/Other-GGUF", "other.gguf")


class Hub:
    """A hub that sends half of the file, and then one byte a second until `go_on` is set."""

    def __init__(self) -> None:
        self.data, self.tag = DATA, HASH
        self.ranges: list[str | None] = []
        self.halfway, self.go_on = asyncio.Event(), asyncio.Event()
        self.address = ""

    async def get(self, request: web.Request) -> web.StreamResponse:
        if request.method == "HEAD":
            return web.Response(headers={"X-Linked-Etag": f'"{self.tag}"', "X-Linked-Size": str(len(self.data))})
        wanted = request.headers.get("Range")
        self.ranges.append(wanted)
        start = int(wanted.removeprefix("bytes=").rstrip("-")) if wanted else 0
        response = web.StreamResponse(status=206 if wanted else 200)
        response.content_length = len(self.data) - start
        await response.prepare(request)
        if not wanted:
            await response.write(self.data[:HALF])
            self.halfway.set()
            start = HALF
        while not self.go_on.is_set():  # a client gives up on a hub that sends nothing
            await response.write(self.data[start : start + 1])
            start += 1
            with suppress(TimeoutError):
                await asyncio.wait_for(self.go_on.wait(), 1)
        await response.write(self.data[start:])
        return response


@pytest.fixture
async def hub(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Hub]:
    monkeypatch.setitem(WEIGHTS, "tiny", TINY)
    monkeypatch.setitem(WEIGHTS, "other", OTHER)
    stand_in = Hub()
    server = web.Application()
    server.router.add_route("*", TINY.hub_path, stand_in.get)
    runner = web.AppRunner(server, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    stand_in.address = f"http://127.0.0.1:{runner.addresses[0][1]}"
    yield stand_in
    stand_in.go_on.set()
    await runner.cleanup()


async def halfway(pulls: Pulls, hub: Hub) -> None:
    """Begin the download and wait until bytes of it are written."""
    await pulls.start("tiny")
    await hub.halfway.wait()
    await until(lambda: pulls.current is not None and pulls.current.done > 0)


async def await_end(pulls: Pulls) -> None:
    await until(lambda: pulls.current is None)


def left(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir() if path.suffix != ".lock"}


async def test_one_download_at_a_time(hub: Hub, tmp_path: Path) -> None:
    pulls = Pulls(tmp_path / "models", hub.address)
    await halfway(pulls, hub)
    assert pulls.current
    assert (pulls.current.name, pulls.current.total) == ("tiny", len(DATA))
    await pulls.start("tiny")
    with pytest.raises(ValidationFailed, match="tiny is being downloaded"):
        await pulls.start("other")
    hub.go_on.set()
    await await_end(pulls)
    assert left(tmp_path / "models") == {TINY.file_name}
    assert len(hub.ranges) == 1


async def test_a_stopped_server_goes_on(hub: Hub, tmp_path: Path) -> None:
    pulls = Pulls(tmp_path, hub.address)
    await halfway(pulls, hub)
    await pulls.stop()
    hub.go_on.set()
    again = Pulls(tmp_path, hub.address)
    await again.resume()
    await await_end(again)
    assert (tmp_path / TINY.file_name).read_bytes() == DATA
    assert hub.ranges[1] not in (None, "bytes=0-")
    third = Pulls(tmp_path, hub.address)
    await third.resume()
    assert third.current is None


async def test_a_cancelled_download_leaves_nothing(hub: Hub, tmp_path: Path) -> None:
    pulls = Pulls(tmp_path, hub.address)
    await halfway(pulls, hub)
    with pytest.raises(ValidationFailed, match="other is not being downloaded"):
        await pulls.cancel("other")
    await pulls.cancel("tiny")
    assert pulls.current is None
    assert left(tmp_path) == set()


async def test_wrong_bytes_are_removed_and_told(hub: Hub, tmp_path: Path) -> None:
    hub.data = DATA[:-1] + bytes([DATA[-1] ^ 1])
    hub.tag = ""
    hub.go_on.set()
    pulls = Pulls(tmp_path, hub.address)
    await pulls.start("tiny")
    await await_end(pulls)
    assert "SHA-256" in pulls.errors["tiny"]
    assert not TINY.present_in(tmp_path)
    assert (tmp_path / TINY.file_name).with_suffix(".part").read_bytes() == b""


async def test_a_file_that_changed_on_the_hub_is_not_downloaded(hub: Hub, tmp_path: Path) -> None:
    hub.tag = hashlib.sha256(b"newer").hexdigest()
    pulls = Pulls(tmp_path, hub.address)
    await pulls.start("tiny")
    await await_end(pulls)
    assert "has changed" in pulls.errors["tiny"]
    assert hub.ranges == []


async def test_a_full_disk_refuses_the_download(hub: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(download, "MARGIN", shutil.disk_usage("/").total)
    pulls = Pulls(tmp_path, hub.address)
    with pytest.raises(Unavailable, match="Free some space"):
        await pulls.start("tiny")
    assert pulls.current is None
    assert left(tmp_path) == set()
