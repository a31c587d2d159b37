"""Local models over the API: who may manage them, downloads that survive kill -9, and switches without a restart."""

import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from http.server import ThreadingHTTPServer
from pathlib import Path
from typing import Any, BinaryIO

import pytest

from retinue.models.known_weights import WEIGHTS
from tests.conftest import SMALL, StartServer, User
from tests.support.client import Client, data, refuse
from tests.support.http_server import QuietHandler, running
from tests.support.sampling import EXHAUSTIVE
from tests.support.server import Server
from tests.support.waiting import eventually

LOCAL = "/models/local"
OTHER = "qwen3-0.6b"
BROKEN = "qwen3-1.7b"


def record(client: Client, name: str) -> dict[str, Any]:
    """Return one local model."""
    found: dict[str, Any] = data(client.get(f"{LOCAL}/{name}"))
    return found


@pytest.fixture
def operator_of() -> Iterator[Callable[[Server], Client]]:
    """Create clients of the operators of servers."""
    made: list[Client] = []

    def make(server: Server) -> Client:
        made.append(Client(server, server.first_key))
        return made[-1]

    yield make
    for client in made:
        client.close()


def test_an_operator_sees_the_models_that_suit_the_machine(operator: Client) -> None:
    listed = data(operator.get(f"{LOCAL}?per_page=100"))
    assert [one["name"] for one in listed] == list(WEIGHTS)
    assert {one["licence"] for one in listed} == {"Apache-2.0"}
    assert [one["tools"] for one in listed] == [weights.calls_tools for weights in WEIGHTS.values()]
    assert all(one["memory_bytes"] > one["size_bytes"] for one in listed)
    assert data(operator.get(f"{LOCAL}/{OTHER}")) == next(one for one in listed if one["name"] == OTHER)
    refuse(operator.get(f"{LOCAL}/gpt-5"), 404, "GET /api/v1/models/local")
    refuse(operator.post(f"{LOCAL}/{OTHER}/activate"), 400, "no local model")
    refuse(operator.delete(f"{LOCAL}/{OTHER}"), 400, "not on this server")
    refuse(operator.post(f"{LOCAL}/{OTHER}/cancel"), 400, "not being downloaded")


def test_others_do_not(client: Client, operator: Client, user: User) -> None:
    narrow = Client(operator.server, operator.server.new_key("owner@localhost", ["chat:read", "chat:write"]))
    of_sandbox = Client(operator.server, operator.server.new_key("owner@localhost", test=True))
    for method, path in (
        ("GET", LOCAL),
        ("GET", f"{LOCAL}/{OTHER}"),
        ("GET", f"{LOCAL}/gpt-5"),
        ("POST", f"{LOCAL}/{OTHER}/pull"),
        ("POST", f"{LOCAL}/{OTHER}/cancel"),
        ("POST", f"{LOCAL}/{OTHER}/activate"),
        ("DELETE", f"{LOCAL}/{OTHER}"),
    ):
        refuse(client.request(method, path), 403, "operator")
        refuse(of_sandbox.request(method, path), 403, "operator")
        refuse(narrow.request(method, path), 403, "scope *")
    narrow.close()
    of_sandbox.close()


_BLOCK = 4 << 20


class HalfHub(ThreadingHTTPServer):
    """A hub with the small weights, which sends half of them, and then little until `go_on` is set."""

    def __init__(self, file: Path) -> None:
        super().__init__(("127.0.0.1", 0), _Answer)
        self.file = file
        self.ranges: list[str] = []
        self.go_on = threading.Event()
        self.address = f"http://127.0.0.1:{self.server_port}"


class _Answer(QuietHandler):
    server: HalfHub

    def do_GET(self) -> None:
        wanted = self.headers.get("Range", "")
        self.server.ranges.append(wanted)
        start = int(wanted.removeprefix("bytes=").rstrip("-") or 0)
        size = self.server.file.stat().st_size
        self.send_response(206 if wanted else 200)
        self.send_header("Content-Length", str(size - start))
        self.end_headers()
        with self.server.file.open("rb") as file:
            file.seek(start)
            with suppress(OSError):
                self._send(file, size // 2 - start)

    def _send(self, file: BinaryIO, first: int) -> None:
        """Send `first` bytes, then little until `go_on` is set, then the rest."""
        while first > 0 and (block := file.read(_BLOCK)):
            self.wfile.write(block)
            first -= len(block)
        while not self.server.go_on.wait(1):
            self.wfile.write(file.read(1000))  # a client gives up on a hub that sends nothing
        while block := file.read(_BLOCK):
            self.wfile.write(block)


@pytest.fixture
def half_hub(weights_folder: Path) -> Iterator[HalfHub]:
    with running(HalfHub(weights_folder / WEIGHTS[SMALL].file_name)) as hub:
        yield hub
        hub.go_on.set()


@pytest.mark.long
@pytest.mark.timeout(600)
def test_a_download_goes_on_after_kill_9(
    start_server: StartServer, half_hub: HalfHub, operator_of: Callable[[Server], Client], tmp_path: Path
) -> None:
    folder = tmp_path / "weights"
    folder.mkdir()
    server = start_server(RETINUE_WEIGHTS_DIR=str(folder), RETINUE_WEIGHTS_HUB=half_hub.address)
    client = operator_of(server)
    begun = data(client.post(f"{LOCAL}/{SMALL}/pull"), 202)
    assert begun["state"] == "pulling"
    eventually(lambda: record(client, SMALL)["pulled_bytes"] > 0, within=240)
    refuse(client.post(f"{LOCAL}/{OTHER}/pull"), 400, f"{SMALL} is being downloaded")
    server.kill()
    half_hub.go_on.set()
    client = operator_of(server.start())
    eventually(lambda: record(client, SMALL)["state"] == "ready", within=240)
    first, second = half_hub.ranges
    assert first == ""
    assert int(second.removeprefix("bytes=").rstrip("-")) > 0
    (entry,) = data(client.get("/audit?action=local_model.pulled"))
    assert SMALL in entry["detail"]
    assert data(client.delete(f"{LOCAL}/{SMALL}"))["deleted"]
    assert record(client, SMALL)["state"] == "absent"
    assert data(client.get("/audit?action=local_model.deleted"))
    assert not any(path.suffix == ".gguf" for path in folder.iterdir())


@EXHAUSTIVE
@pytest.mark.long
@pytest.mark.timeout(1800)
def test_a_switch_needs_no_restart_and_a_file_that_does_not_load_changes_nothing(
    start_server: StartServer, weights_folder: Path, operator_of: Callable[[Server], Client], tmp_path: Path
) -> None:
    """The file of the small model stands for another model too: loaded under that name, it calls tools itself."""
    small = weights_folder / WEIGHTS[SMALL].file_name
    for name in (SMALL, OTHER):
        (tmp_path / WEIGHTS[name].file_name).symlink_to(small)
    (tmp_path / WEIGHTS[BROKEN].file_name).write_bytes(b"GGUF, but not a model")
    local = {"RETINUE_MODEL_URL": "", "RETINUE_LOCAL_MODEL": SMALL, "RETINUE_WEIGHTS_DIR": str(tmp_path)}
    server = start_server(**local)
    client = operator_of(server)
    eventually(lambda: record(client, SMALL)["state"] == "active", within=600)
    assert data(client.post(f"{LOCAL}/{BROKEN}/activate"), 202)["state"] == "loading"
    eventually(lambda: record(client, BROKEN)["state"] == "ready", within=600)
    assert "did not load" in record(client, BROKEN)["error"]
    assert record(client, SMALL)["state"] == "active"
    assert data(client.post(f"{LOCAL}/{OTHER}/activate"), 202)["state"] == "loading"
    eventually(lambda: record(client, OTHER)["state"] == "active", within=600)
    assert record(client, SMALL)["state"] == "ready"
    refuse(client.delete(f"{LOCAL}/{OTHER}"), 400, "in use")
    window = next(one["context_tokens"] for one in data(client.get("/models")) if one["name"] == "alfred-local")
    assert window == WEIGHTS[OTHER].slot_tokens
    server.kill()
    client = operator_of(server.start())
    eventually(lambda: record(client, OTHER)["state"] == "active", within=600)
    assert len(data(client.get("/audit?action=local_model.activated"))) == 2
