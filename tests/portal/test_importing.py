"""Imports as the pages show them while they go on, and MCP servers that are programs."""

import json
import threading
from collections.abc import Iterator
from http.server import ThreadingHTTPServer
from pathlib import Path

import pytest
import requests

from tests.conftest import DATABASES, NewServer, NewUser, StartServer
from tests.portal.reader import Reader, reader_of, redirect
from tests.support.http_server import QuietHandler, running
from tests.support.server import Server
from tests.tools.imports.programs import write_programs

pytestmark = pytest.mark.either_database

DOCUMENT = {
    "openapi": "3.1.0",
    "info": {"title": "Slow", "version": "1"},
    "x-padding": "x" * 200_000,
    "paths": {"/look": {"get": {"operationId": "look", "summary": "Look.", "responses": {}}}},
}


@pytest.fixture(scope="module", params=DATABASES)
def server(request: pytest.FixtureRequest, new_server: NewServer) -> Iterator[Server]:
    """A server that may reach this machine."""
    running = new_server(request.param, RETINUE_ALLOWED_NETWORKS="127.0.0.0/8").start()
    yield running
    running.close()


class SlowApi(ThreadingHTTPServer):
    """Sends the first half of a document, and the rest once `released` is set."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _SlowAnswer)
        self.content = json.dumps({**DOCUMENT, "servers": [{"url": self.url}]}).encode()
        self.released = threading.Event()

    @property
    def url(self) -> str:
        """Where the document and the API are."""
        return f"http://127.0.0.1:{self.server_port}"


class _SlowAnswer(QuietHandler):
    server: SlowApi

    def do_GET(self) -> None:
        half = len(self.server.content) // 2
        self.send_response(200)
        self.send_header("Content-Length", str(len(self.server.content)))
        self.end_headers()
        self.wfile.write(self.server.content[:half])
        self.wfile.flush()
        self.server.released.wait(60)
        self.wfile.write(self.server.content[half:])


@pytest.fixture
def slow_api() -> Iterator[SlowApi]:
    """An API whose document arrives in two halves."""
    with running(SlowApi()) as api:
        yield api
        api.released.set()


@pytest.mark.parametrize("path", ["/sources/live", "/sources/progress"])
def test_imports_are_shown_while_they_go_on(reader: Reader, slow_api: SlowApi, path: str) -> None:
    form = {"way": "address", "name": "slow", "category": "web", "url": slow_api.url}
    answers: list[requests.Response] = []
    other = Reader(reader.server)
    other.session.cookies.update(reader.session.cookies)
    worker = threading.Thread(target=lambda: answers.append(reader.post("/sources", form)))
    with other.get(path, stream=True, headers={"Accept": "text/event-stream"}) as stream:
        parts = (json.loads(line[6:]) for line in stream.iter_lines(chunk_size=1) if line.startswith(b"data: "))
        assert "Imports under way" not in next(parts)
        worker.start()
        assert next(part for part in parts if "is being read: " in part)
        slow_api.released.set()
        assert any("Imports under way" not in part for part in parts)
    worker.join()
    assert redirect(answers[0]).startswith("/sources/")
    other.close()


def test_a_program_that_the_operator_allows_is_imported(
    start_server: StartServer, new_user: NewUser, tmp_path: Path
) -> None:
    server = start_server(RETINUE_MCP_PROGRAMS_FILE=str(write_programs(tmp_path)))
    operator, reader = Reader(server).sign_in_by_link("owner@localhost"), reader_of(new_user(server))
    assert "<code>well</code>" in operator.get("/sources").text
    assert "<code>well</code>" not in reader.get("/sources").text
    assert "<option>well</option>" in reader.get("/sources/new").text
    form = {"way": "program", "name": "near", "category": "web", "program": "well"}
    assert "stdio:well" in reader.get(redirect(reader.post("/sources", form))).text
    refusal = reader.post("/sources", {**form, "name": "other", "program": "absent"})
    assert (refusal.status_code, 'id="problem-program"' in refusal.text) == (400, True)
    operator.close()
    reader.close()


def test_without_programs_the_operator_learns_how_to_allow_some(server: Server, reader: Reader) -> None:
    operator = Reader(server).sign_in_by_link("owner@localhost")
    assert "RETINUE_MCP_PROGRAMS_FILE" in operator.get("/sources").text
    assert "RETINUE_MCP_PROGRAMS_FILE" not in reader.get("/sources").text
    assert 'value="program"' not in reader.get("/sources/new").text
    operator.close()
