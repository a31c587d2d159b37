"""The sample resource in `examples/resource` is whole: twelve files and two entries in lists of the server."""

import io
import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from retinue.migrations import HEAD
from tests.auth.signing_in import PASSWORD, give_password
from tests.conftest import DATABASES, NewServer, User
from tests.docs.blocks import ROOT
from tests.portal.reader import reader_of, redirect
from tests.support.client import Client, data, refuse
from tests.support.rows import rows
from tests.support.sampling import EXHAUSTIVE
from tests.support.server import COMMAND, Server
from tests.support.waiting import eventually
from tests.webhooks.receiver import running_receiver

pytestmark = pytest.mark.timeout(300)

SAMPLE = ROOT / "examples/resource/retinue"
FILES = [path for path in sorted(SAMPLE.rglob("*")) if path.is_file() and "__pycache__" not in path.parts]
ENTRIES = {
    "platform/resources.py": "from retinue.bookmarks.resource import resource as bookmarks",
    "portal/routes.py": "from retinue.portal.bookmarks.pages import pages as bookmarks",
}
"""The lists that get an entry, and the import of the entry. Both lists have an entry for `memory`, which it follows."""

SETTINGS = {"RETINUE_ALLOWED_NETWORKS": "127.0.0.1/32", "RETINUE_DELETION_GRACE": "0"}
BOOKMARK = {"title": "Python", "url": "https://www.python.org"}


class ServerOfTree(Server):
    """Runs the sources in a folder, in a new process: a fork would have those of the repository."""

    def start(self, **env: str) -> "ServerOfTree":
        """Start the server and wait until it has printed its address."""
        with self.log.open("a") as log:
            environment = self._environment(env)
            self.process = subprocess.Popen(
                [COMMAND, "serve"], env=environment, stdout=subprocess.PIPE, stderr=log, text=True
            )
        self._read_announcement(self.process)
        return self

    def run(self, *arguments: str) -> str:
        """Run a command on the same data. Returns its output."""
        environment = self._environment({})
        done = subprocess.run([COMMAND, *arguments], env=environment, check=False, capture_output=True, text=True)
        assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
        return done.stdout


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a copy of the server to which the resource is added."""
    folder = tmp_path_factory.mktemp("tree")
    server = folder / "retinue"
    shutil.copytree(ROOT / "src/retinue", server)
    shutil.copytree(SAMPLE, server, dirs_exist_ok=True)
    (revision,) = server.glob("migrations/versions/*_bookmarks.py")
    revision.write_text(re.sub(r'down_revision = "\d+"', f'down_revision = "{HEAD}"', revision.read_text()))
    for name, line in ENTRIES.items():
        path = server / name
        text, found = re.subn(r"(?m)^(    .*)\bmemory,", r"\1memory, bookmarks,", path.read_text())
        assert found == 1
        path.write_text(re.sub(r"(?m)^(?=from retinue\.)", f"{line}\n", text, count=1))
    return folder


@pytest.fixture(scope="module")
def own_document() -> Iterator[None]:
    """Compare the responses with the document of the server with the resource, which others do not have."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tests.support.client._documents", [])
        yield


@pytest.fixture(scope="module", params=DATABASES)
def shared_server(
    request: pytest.FixtureRequest, new_server: NewServer, tree: Path, own_document: None
) -> Iterator[Server]:
    """A server with the resource, whose database has the schema before it."""
    prepared: Server = new_server(request.param, **SETTINGS)
    server = ServerOfTree(prepared.home.parent, {**prepared.env, "PYTHONPATH": str(tree)})
    server.start()
    yield server
    assert server.run("check") == "All is well.\n"
    server.close()


def test_the_resource_has_twelve_files() -> None:
    assert len(FILES) <= 12


def test_it_lists_adds_changes_and_deletes_records_of_the_caller(client: Client, stranger: Client) -> None:
    bookmark = data(client.post("/bookmarks", BOOKMARK), 201)
    place = f"/bookmarks/{bookmark['id']}"
    assert data(client.put(place, {"title": "Python.org"}))["url"] == BOOKMARK["url"]
    assert [one["title"] for one in data(client.get("/bookmarks"))] == ["Python.org"]
    assert data(stranger.get("/bookmarks")) == []
    for response in (stranger.get(place), stranger.put(place, {"title": "Mine"}), stranger.delete(place)):
        refuse(response, 404, "no bookmark")
    refuse(client.post("/bookmarks", {"title": "Nowhere", "url": "nowhere"}), 400, "url")
    refuse(Client(client.server, None).get("/bookmarks"), 401)
    assert data(client.delete(place)) == {"id": bookmark["id"], "deleted": True}
    refuse(client.get(place), 404)


def test_a_key_without_the_scope_is_refused(user: User) -> None:
    narrow = user.client(["chat:read"])
    refuse(narrow.get("/bookmarks"), 403)
    refuse(narrow.post("/bookmarks", BOOKMARK), 403)


def test_a_retried_request_adds_one_bookmark(client: Client) -> None:
    key = {"Idempotency-Key": "bookmark-of-python"}
    first, again = (client.post("/bookmarks", BOOKMARK, headers=key) for _ in range(2))
    assert data(first, 201) == data(again, 201)
    assert len(data(client.get("/bookmarks"))) == 1


def test_the_page_shows_and_adds_bookmarks(user: User) -> None:
    reader = reader_of(user)
    assert "No bookmarks yet" in reader.get("/bookmarks").text
    assert redirect(reader.post("/bookmarks", BOOKMARK)) == "/bookmarks"
    page = reader.get("/bookmarks").text
    assert f'href="{BOOKMARK["url"]}"' in page
    assert re.search(r'href="/bookmarks"[^>]*aria-current="page"', page)
    refused = reader.post("/bookmarks", {"title": "Nowhere", "url": "nowhere"})
    assert (refused.status_code, "Nowhere" in refused.text) == (400, True)
    reader.close()


def test_a_webhook_receives_its_event(client: Client) -> None:
    with running_receiver() as receiver:
        hook = {"url": receiver.url("/added"), "events": ["bookmark.added"]}
        data(client.post("/webhooks", hook), 201)
        bookmark = data(client.post("/bookmarks", BOOKMARK), 201)
        (delivered,) = receiver.receive("/added", at_least=1)
    assert delivered.payload["event"] == "bookmark.added"
    assert delivered.payload["data"] == {"bookmark_id": bookmark["id"], **BOOKMARK}


def test_an_export_has_the_bookmarks_and_a_deletion_removes_them(user: User, stranger: Client) -> None:
    client = user.client()
    bookmark, others = (data(one.post("/bookmarks", BOOKMARK), 201) for one in (client, stranger))
    started = data(client.post("/account/export"), 202)["id"]
    export = eventually(lambda: (one := data(client.get(f"/account/export/{started}")))["ended_at"] and one, within=60)
    archive = zipfile.ZipFile(io.BytesIO(client.get(f"/files/{export['file_id']}/content").content))
    (exported,) = map(json.loads, archive.read("bookmarks.jsonl").splitlines())
    assert (exported["id"], exported["url"]) == (bookmark["id"], BOOKMARK["url"])
    session = give_password(user.server, user.email)
    data(session.request("DELETE", "/account", json={"password": PASSWORD}))
    session.close()
    query = "SELECT id FROM bookmarks ORDER BY id"
    eventually(lambda: bookmark["id"] not in [row["id"] for row in rows(user.server, query)], within=60)
    assert others["id"] in [row["id"] for row in rows(user.server, query)]


@EXHAUSTIVE
def test_the_resource_is_typed(tree: Path) -> None:
    packages = ["-p", "retinue.bookmarks", "-p", "retinue.portal.bookmarks"]
    environment = {**os.environ, "MYPYPATH": str(tree)}
    command = [sys.executable, "-m", "mypy", "--config-file", str(ROOT / "pyproject.toml"), *packages]
    ended = subprocess.run(command, env=environment, cwd=tree, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout
