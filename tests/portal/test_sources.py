"""The pages of imported tool sources: importing, what is refused, reading again, connections, deletion."""

import json
from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from tests.conftest import DATABASES, NewServer, User
from tests.connections.echo import Echo
from tests.connections.support import SECRET, Json, api, connect, describe
from tests.portal.chromium import DESKTOP, PHONE, Theme
from tests.portal.conftest import Arrive
from tests.portal.reader import Reader, reader_of, redirect
from tests.portal.test_xss import HARMFUL, MESSAGE
from tests.support.client import data
from tests.support.model_server import Answer, ModelServer
from tests.support.server import Server
from tests.tools.imports.asker import create_booker, running_asker
from tests.tools.imports.sdk_authorization import running_closed_server
from tests.tools.imports.stand_in_mcp import running_stand_in

pytestmark = pytest.mark.either_database

OTHER = {"operationId": "glance", "summary": MESSAGE}


@pytest.fixture(scope="module", params=DATABASES)
def server(request: pytest.FixtureRequest, new_server: NewServer) -> Iterator[Server]:
    """A server that may reach this machine."""
    running = new_server(request.param, RETINUE_ALLOWED_NETWORKS="127.0.0.0/8").start()
    yield running
    running.close()


def paste(reader: Reader, document: Json, **fields: str) -> str:
    """Import a pasted document; returns the path of the source's page."""
    form = {"way": "document", "name": "echo", "category": "web", "document": json.dumps(document), **fields}
    return redirect(reader.post("/sources", form))


def with_another(document: Json) -> Json:
    """The document with one operation more, which is described by what would be programs."""
    return {**document, "paths": {**document["paths"], "/glance": {"get": OTHER}}}


def test_it_begins_empty_and_teaches(reader: Reader) -> None:
    page = reader.get("/sources").text
    assert "Bring your own tools" in page
    assert 'href="/sources/new"' in page


def test_a_pasted_document_becomes_tools(reader: Reader, user: User, echo: Echo) -> None:
    path = paste(reader, describe(echo))
    page = reader.get(path).text
    assert 'href="/tools/echo_look"' in page
    assert f'href="{path}"' in reader.get("/sources").text
    assert reader.get("/tools/echo_look").status_code == 200
    assert data(user.client().get("/tools/echo_look"))["name"] == "echo_look"


def test_errors_are_shown_beside_their_field(reader: Reader, echo: Echo) -> None:
    document = json.dumps(describe(echo))
    for fields, field in (
        ({"way": "document", "name": "Not So", "document": document}, "name"),
        ({"way": "document", "name": "echo", "document": document, "connection": "absent"}, "connection"),
        ({"way": "address", "name": "echo", "url": "nowhere"}, "url"),
        ({"way": "mcp", "name": "echo", "url": ""}, "url"),
        ({"way": "a2a", "name": "echo", "url": ""}, "url"),
    ):
        answer = reader.post("/sources", fields)
        assert answer.status_code == 400, answer.text
        assert f'id="problem-{field}"' in answer.text, field
        assert f'value="{fields["name"]}"' in answer.text
    broken = reader.post("/sources", {"way": "document", "name": "echo", "document": "{} no"})
    assert (broken.status_code, 'role="alert"' in broken.text, "{} no" in broken.text) == (400, True, True)


def test_a_refresh_reports_the_changes(reader: Reader, echo: Echo) -> None:
    path = paste(reader, describe(echo))
    assert reader.post(f"{path}/refresh").status_code == 400
    again = {"document": json.dumps(with_another(describe(echo)))}
    assert redirect(reader.post(f"{path}/refresh", again)) == path
    page = reader.get(path).text
    assert "1 added, 0 changed, 0 removed" in page
    assert 'href="/tools/echo_glance"' in page


def test_calls_use_the_connection_that_is_chosen(reader: Reader, user: User, echo: Echo) -> None:
    connect(user.client(), api(echo.url("/v1")))
    path = paste(reader, describe(echo))
    assert redirect(reader.post(f"{path}/connect", {"connection": "work-api"})) == path
    assert "<option selected>work-api</option>" in reader.get(path).text
    data(user.client().post("/tools/echo_look/execute", {"args": {}}))
    assert echo.last()["headers"]["authorization"] == f"Bearer {SECRET}"
    refusal = reader.post(f"{path}/connect", {"connection": "absent"})
    assert (refusal.status_code, 'id="problem-connection"' in refusal.text) == (400, True)
    assert redirect(reader.post(f"{path}/connect")) == path
    assert data(user.client().get(f"/tools{path}"))["connection"] is None


def test_a_source_whose_connection_failed_its_test_says_so(reader: Reader, user: User, echo: Echo) -> None:
    connection = f"/connections/{connect(user.client(), api(echo.url('/v1')))['id']}"
    path = paste(reader, describe(echo), connection="work-api")
    assert "Connection fails" not in reader.get("/sources").text + reader.get(path).text
    echo.next_answers.append((401, {}))
    redirect(reader.post(f"{connection}/test"))
    for page in (reader.get("/sources").text, reader.get(path).text):
        assert "Connection fails" in page
        assert f'<a href="{connection}">Mend the connection</a>' in page
    redirect(reader.post(f"{connection}/test"))
    assert "Connection fails" not in reader.get("/sources").text + reader.get(path).text


def test_an_mcp_server_is_imported_and_trusted(reader: Reader, user: User) -> None:
    with running_stand_in() as mcp:
        form = {"way": "mcp", "name": "peer", "category": "web", "url": mcp.url}
        path = redirect(reader.post("/sources", form))
        page = reader.get(path).text
        assert "MCP server" in page
        assert 'href="/tools/peer_' in page
        assert redirect(reader.post(f"{path}/refresh", {"trust_hints": "on"})) == path
    assert data(user.client().get(f"/tools{path}"))["trust_hints"] is True


def test_sources_of_others_are_not_there(server: Server, reader: Reader, echo: Echo) -> None:
    other = reader_of(User(server, server.new_user()))
    path = paste(other, describe(echo))
    assert path not in reader.get("/sources").text
    assert reader.get(path).status_code == 404
    for verb in ("connect", "refresh", "delete"):
        assert reader.post(f"{path}/{verb}").status_code == 404, verb
    assert other.get(path).status_code == 200
    other.close()


@pytest.mark.parametrize("server", ["sqlite"], indirect=True)  # as with ONE_DATABASE
@pytest.mark.needs_program("chromium")
def test_it_is_imported_and_deleted_in_a_browser(reader: Reader, arrive: Arrive, echo: Echo) -> None:
    looks: list[tuple[Theme, tuple[int, int]]] = [("light", DESKTOP), ("dark", PHONE)]
    for theme, size in looks:
        visitor = arrive(reader, theme, size)
        page = visitor.open("/sources")
        page.get_by_role("link", name="Import tools").first.click()
        page.get_by_label("An OpenAPI document that I paste").check()
        page.get_by_label("Name", exact=False).first.fill("echo")
        page.get_by_role("textbox", name="Document", exact=True).fill(json.dumps(with_another(describe(echo))))
        visitor.check_accessibility()
        page.get_by_role("button", name="Import").click()
        page.get_by_text("onerror=alert(1)").first.wait_for()
        assert page.evaluate(HARMFUL) == 0
        visitor.check_accessibility()
        visitor.check_width()
        path = page.url
        visitor.open("/sources")
        visitor.check_accessibility()
        visitor.check_width()
        page.goto(path)
        page.get_by_role("button", name="Delete").first.click()
        page.get_by_role("dialog").get_by_role("button", name="Delete source").click()
        page.get_by_text("Bring your own tools").wait_for()


@pytest.mark.parametrize("server", ["sqlite"], indirect=True)  # as with ONE_DATABASE
@pytest.mark.needs_program("chromium")
def test_a_server_is_connected_in_a_browser(reader: Reader, user: User, arrive: Arrive, model: ModelServer) -> None:
    with running_closed_server() as closed:
        fields = {"kind": "mcp", "name": "closed", "url": closed.url}
        source = data(user.client().post("/tools/sources", fields), 201)
        visitor = arrive(reader)
        page = visitor.open(f"/sources/{source['id']}")
        visitor.check_accessibility()
        page.get_by_role("button", name="Connect", exact=True).click()
        page.get_by_role("heading", name=f"Go on to 127.0.0.1:{closed.port}").wait_for()
        visitor.check_accessibility()
        page.get_by_role("link", name="Go on to").click()
        page.get_by_text("Connected by OAuth at").wait_for()
        assert page.url.endswith(f"/sources/{source['id']}")
        visitor.check_accessibility()
        closed.revoke()
        model.answers.append(Answer(tool="closed_add", arguments={"a": 1, "b": 2}))
        iris = {"agent_name": "Iris", "agent_role": "specialist", "skills": ["closed_add"]}
        agent = data(user.client().post("/agents", iris), 201)
        page = visitor.open(f"/playground?agent={agent['id']}")
        page.get_by_label("Message", exact=True).fill("Add 1 and 2.")
        page.keyboard.press("Enter")
        link = page.get_by_role("link", name="Connect", exact=True)
        link.wait_for()
        assert link.get_attribute("href") == f"/sources/{source['id']}"
        visitor.check_accessibility()
        visitor.problems = [one for one in visitor.problems if f"request to another host: {closed.origin}" not in one]


@pytest.mark.needs_program("chromium")
def test_the_question_of_a_server_is_answered_from_the_chat(
    reader: Reader, user: User, arrive: Arrive, model: ModelServer
) -> None:
    with running_asker() as far:
        client = user.client()
        agent = create_booker(client, far, model)
        visitor = arrive(reader)
        page = visitor.open(f"/playground?agent={agent}")
        page.get_by_label("Message", exact=True).fill("Book")
        page.get_by_role("button", name="Send").click()
        answer = page.get_by_role("link", name="Answer")
        expect(answer).to_be_visible()
        expect(page.locator(".decision")).to_contain_text("Which seat?")
        visitor.check_accessibility()
        answer.click()
        page.get_by_label("seat").select_option("12C")
        visitor.check_accessibility()
        page.get_by_role("button", name="Answer", exact=True).click()
        page.wait_for_url("**/playground?conversation=*")
        expect(page.locator(".msg.agent")).to_contain_text("You said: Book")
        (response,) = far.last("tools/call").message["params"]["inputResponses"].values()
        assert response == {"action": "accept", "content": {"seat": "12C", "bags": 1}}
