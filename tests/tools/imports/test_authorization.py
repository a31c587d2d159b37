"""MCP servers that require OAuth: connecting them in the portal, renewing the access, and what happens without it."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlsplit

import pytest
import requests

from tests.conftest import User
from tests.portal.reader import Reader, reader_of
from tests.support.client import Client, data, refuse
from tests.support.model_server import Answer, ModelServer
from tests.support.rows import rows
from tests.tools.imports.pets import Json, execute
from tests.tools.imports.sdk_authorization import ClosedServer, parameters, running_closed_server


@pytest.fixture
def closed_server() -> Iterator[ClosedServer]:
    """A server that lets only people in who sign in."""
    with running_closed_server() as running:
        yield running


@pytest.fixture
def reader(user: User) -> Iterator[Reader]:
    """The user, in a browser."""
    made = reader_of(user)
    yield made
    made.close()


def add_source(client: Client, closed_server: ClosedServer) -> Json:
    """Import the server, which has to be connected."""
    source: Json = data(client.post("/tools/sources", {"kind": "mcp", "name": "closed", "url": closed_server.url}), 201)
    assert (source["status"], source["tools"]) == ("needs_authorization", 0)
    return source


def begin(reader: Reader, source: Json, **form: str) -> str:
    """Choose Connect; returns where the page leads."""
    page = reader.post(f"/sources/{source['id']}/authorize", form)
    assert page.status_code == 200, page.text
    link = next(part for part in page.text.split('href="') if "code_challenge=" in part.partition('"')[0])
    return link.partition('"')[0].replace("&amp;", "&")


def grant(address: str) -> str:
    """Allow the access at the authorization server; returns the path and the query that it redirects to."""
    with requests.Session() as session:
        session.trust_env = False
        answer = session.get(address, allow_redirects=False, timeout=60)
    assert answer.status_code == 302, answer.text
    parts = urlsplit(answer.headers["Location"])
    return f"{parts.path}?{parts.query}"


def connect(reader: Reader, source: Json) -> None:
    """Connect a source."""
    answer = reader.get(grant(begin(reader, source)))
    problem = [part.partition("</span>")[0] for part in answer.text.split('class="problem"')[1:]]
    assert (answer.status_code, answer.headers.get("Location")) == (303, f"/sources/{source['id']}"), problem


def connected_source(client: Client, reader: Reader, closed_server: ClosedServer) -> Json:
    """A connected source."""
    source = add_source(client, closed_server)
    connect(reader, source)
    return source


def test_a_server_is_connected_in_the_portal(client: Client, reader: Reader, closed_server: ClosedServer) -> None:
    source = add_source(client, closed_server)
    page = reader.get(f"/sources/{source['id']}").text
    assert "Needs authorization" in page
    assert f'action="/sources/{source["id"]}/authorize"' in page
    connect(reader, source)
    now = data(client.get(f"/tools/sources/{source['id']}"))
    assert (now["status"], now["tools"]) == ("ready", 1)
    assert execute(client, "closed_add", a=2, b=3)["text"] == "2 + 3 = 5"
    (asked,) = closed_server.granted
    assert (asked.resource, asked.scopes) == (closed_server.url, ["things"])
    assert str(asked.redirect_uri) == f"{reader.server.url}/sources/callback"
    assert f"Connected by OAuth at <b>{closed_server.origin}</b>" in reader.get(f"/sources/{source['id']}").text


def test_an_expired_token_is_renewed_once_for_all_calls(
    client: Client, reader: Reader, closed_server: ClosedServer
) -> None:
    connected_source(client, reader, closed_server)
    closed_server.expire()
    with ThreadPoolExecutor(6) as pool:
        results = list(pool.map(lambda number: execute(client, "closed_add", a=number, b=1)["text"], range(6)))
    assert results == [f"{number} + 1 = {number + 1}" for number in range(6)]
    assert closed_server.refreshes == 1


def test_a_token_that_is_about_to_end_is_renewed_before_a_call(
    client: Client, reader: Reader, closed_server: ClosedServer
) -> None:
    closed_server.lasts_s = 1
    connected_source(client, reader, closed_server)
    before = closed_server.refreshes
    closed_server.lasts_s = 3600
    assert execute(client, "closed_add", a=1, b=1)["text"] == "1 + 1 = 2"
    assert closed_server.refreshes == before + 1


def test_access_that_was_taken_back_is_asked_for_again(
    client: Client, reader: Reader, closed_server: ClosedServer
) -> None:
    source = connected_source(client, reader, closed_server)
    closed_server.revoke()
    refuse(client.post("/tools/closed_add/execute", {"args": {"a": 1, "b": 2}}), 400, f"/sources/{source['id']}")
    assert data(client.get(f"/tools/sources/{source['id']}"))["status"] == "needs_authorization"
    refuse(client.post(f"/tools/sources/{source['id']}/refresh", {}), 400, "needs authorization", "Connect")
    connect(reader, source)
    assert execute(client, "closed_add", a=1, b=2)["text"] == "1 + 2 = 3"
    assert len(closed_server.clients) == 1, "it registered again"


def test_a_chat_and_its_run_offer_to_connect(
    client: Client, reader: Reader, closed_server: ClosedServer, model: ModelServer
) -> None:
    source = connected_source(client, reader, closed_server)
    closed_server.revoke()
    link = f"/sources/{source['id']}"
    model.answers.append(Answer(tool="closed_add", arguments={"a": 1, "b": 2}))
    with client.stream("/chat", {"message": "Add 1 and 2.", "tools": ["closed_add"], "stream": True}) as stream:
        chunks = list(stream.chunks())
    (ended,) = [one for one in chunks if one["type"] == "tool_end"]
    assert ended == {"type": "tool_end", "tool": "closed_add", "status": "failed", "connect_url": link}
    run_id = chunks[-1]["run_id"]
    for path in (f"/runs/{run_id}", f"/playground?conversation={chunks[-1]['conversation_id']}"):
        page = reader.get(path).text
        assert f'href="{link}"' in page
        assert "needs you to sign in at its server" in page


def test_a_response_is_taken_once_from_the_right_server_by_the_right_user(
    client: Client, reader: Reader, closed_server: ClosedServer
) -> None:
    source = add_source(client, closed_server)
    for change in ({"iss": "https://other.example"}, {"iss": ""}):
        path = grant(begin(reader, source))
        given = parameters(path) | change
        answer = reader.get("/sources/callback", params={name: value for name, value in given.items() if value})
        assert (answer.status_code, "was asked" in answer.text) == (400 if change["iss"] else 303, bool(change["iss"]))
    answer = reader.get(path)
    assert answer.status_code == 404, "a response was taken twice"
    assert data(client.get(f"/tools/sources/{source['id']}"))["status"] == "ready"


def test_a_refusal_is_shown(client: Client, reader: Reader, closed_server: ClosedServer) -> None:
    source = add_source(client, closed_server)
    state = parameters(begin(reader, source))["state"]
    query = {"state": state, "error": "access_denied", "error_description": "Not today", "iss": closed_server.origin}
    answer = reader.get("/sources/callback", params=query)
    assert (answer.status_code, "did not grant the access: Not today" in answer.text) == (400, True)


def test_nobody_else_connects_a_source(
    client: Client, reader: Reader, closed_server: ClosedServer, stranger: Client
) -> None:
    source = add_source(client, closed_server)
    path = grant(begin(reader, source))
    other = reader_of(User(reader.server, reader.server.new_user()))
    assert other.post(f"/sources/{source['id']}/authorize").status_code == 404
    assert other.get(path).status_code == 404
    other.close()
    nobody = Reader(reader.server)
    for answer in (nobody.post(f"/sources/{source['id']}/authorize"), nobody.get(path)):
        assert answer.status_code == 303
        assert answer.headers["Location"].startswith("/sign-in")
    nobody.close()
    assert data(client.get(f"/tools/sources/{source['id']}"))["status"] == "needs_authorization"


def test_a_connection_replaces_the_access(client: Client, reader: Reader, closed_server: ClosedServer) -> None:
    source = connected_source(client, reader, closed_server)
    data(client.put(f"/tools/sources/{source['id']}", {"connection": None}))
    refuse(client.post("/tools/closed_add/execute", {"args": {"a": 1, "b": 2}}), 400, "needs authorization")


def test_a_client_of_ones_own(client: Client, reader: Reader, closed_server: ClosedServer) -> None:
    source = add_source(client, closed_server)
    asked = parameters(begin(reader, source, client_id="mine", client_secret="hush-hush", scope="things more"))
    assert (asked["client_id"], asked["scope"]) == ("mine", "things more")
    assert closed_server.clients == {}


def test_no_secret_is_stored_or_logged_in_clear(client: Client, reader: Reader, closed_server: ClosedServer) -> None:
    connected_source(client, reader, closed_server)
    closed_server.expire()
    execute(client, "closed_add", a=1, b=2)
    kept = str(rows(client.server, "SELECT * FROM source_authorizations")) + client.server.log.read_text()
    assert closed_server.secrets()
    assert not [one for one in closed_server.secrets() if one in kept]


def test_this_server_describes_itself_as_a_client(reader: Reader) -> None:
    document = reader.get("/sources/oauth-client.json").json()
    assert document["client_id"] == f"{reader.server.url}/sources/oauth-client.json"
    assert document["redirect_uris"] == [f"{reader.server.url}/sources/callback"]
    assert document["token_endpoint_auth_method"] == "none"
