"""The headers of every API response, and readiness while the database cannot be written."""

import resource

import pytest
import requests

from tests.conftest import NewUser, StartServer
from tests.files.support import upload
from tests.portal.reader import reader_of
from tests.support.client import Client, data, fetch, refuse
from tests.support.waiting import eventually

GOOD = {"agent_name": "a", "agent_role": "leader"}


def test_answers_are_not_cached_and_not_sniffed(client: Client, nobody: Client) -> None:
    for response in (
        client.get("/agents"),
        client.post("/agents", GOOD),
        client.post("/agents", {}),
        client.get("/agents/999999999"),
        client.get("/nowhere"),
        nobody.get("/agents"),
    ):
        assert response.headers["Cache-Control"] == "no-store", response.url
        assert response.headers["X-Content-Type-Options"] == "nosniff", response.url


def test_a_response_keeps_its_own_headers(client: Client) -> None:
    content = client.get(f"/files/{upload(client, b'x')['id']}/content")
    assert content.headers["Cache-Control"] == "private, no-cache"
    assert content.headers["X-Content-Type-Options"] == "nosniff"


@pytest.mark.parametrize("header", [{}, {"Authorization": "Bearer ak_live_nothing"}, {"Authorization": "Basic eDp5"}])
def test_a_refused_credential_is_told_which_kind_is_wanted(nobody: Client, header: dict[str, str]) -> None:
    response = nobody.get("/agents", headers=header)
    refuse(response, 401)
    metadata = f"{nobody.server.url}/.well-known/oauth-protected-resource/api/v1"
    invalid = ', error="invalid_token"' if "Bearer" in header.get("Authorization", "") else ""
    challenge = f'Bearer realm="Retinue", resource_metadata="{metadata}"{invalid}'
    assert response.headers["WWW-Authenticate"] == challenge
    with requests.Session() as session:
        session.trust_env = False
        told = session.get(metadata, timeout=60)
    assert told.json()["resource"] == f"{nobody.server.url}/api/v1"


def test_a_full_disk_is_told_by_readiness_and_the_log(start_server: StartServer, new_user: NewUser) -> None:
    server = start_server()
    client = new_user(server).client()
    agent = data(client.post("/agents", GOOD), 201)
    assert server.process is not None
    assert fetch(server, "/readyz").json()["status"] == "ready"
    before = resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (4096, resource.RLIM_INFINITY))
    refuse(client.post("/agents", GOOD), 503, "Nothing was changed")
    ready = fetch(server, "/readyz")
    assert (ready.status_code, ready.json()["status"]) == (503, "not ready")
    assert "database" in ready.json()["reason"]
    assert data(client.get(f"/agents/{agent['id']}"))["id"] == agent["id"]
    assert '"database.not_written"' in server.log.read_text()
    resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, before)
    data(client.post("/agents", GOOD), 201)
    eventually(lambda: fetch(server, "/readyz").status_code == 200)


def test_a_skill_beyond_the_plan_is_refused(start_server: StartServer, new_user: NewUser) -> None:
    server = start_server()
    client = new_user(server, plan="free").client()
    refuse(client.post("/agents", {**GOOD, "skills": ["git_commit_changes"]}), 403, "git_commit_changes", "pro")
    agent = data(client.post("/agents", {**GOOD, "skills": ["text_convert_case"]}), 201)
    refuse(client.put(f"/agents/{agent['id']}", {"skills": ["git_commit_changes"]}), 403, "pro")
    assert data(client.get(f"/agents/{agent['id']}"))["skills"] == ["text_convert_case"]


def test_a_full_disk_does_not_stop_reads(start_server: StartServer, new_user: NewUser) -> None:
    server = start_server()
    user = new_user(server)
    client, reader = user.client(), reader_of(user)
    data(client.post("/agents", GOOD), 201)
    assert server.process is not None
    before = resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (4096, resource.RLIM_INFINITY))
    try:
        refuse(client.post("/agents", GOOD), 503, "Nothing was changed")
        assert data(client.get("/usage"))["agents_active"]["used"] == 1
        assert reader.get("/overview").status_code == 200
        text = {"file": ("a.txt", b"x" * 100_000, "text/plain")}
        refuse(client.request("POST", "/files", files=text), 503, "Nothing was saved")
    finally:
        resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, before)
        reader.close()
