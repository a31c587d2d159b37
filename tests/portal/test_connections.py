"""The pages of connections: each kind's fields, tests, changes of secrets, deletion."""

from collections.abc import Iterator

import pytest

from retinue.connections.kinds import KINDS
from retinue.portal.connections.fields import SHAPES
from tests.conftest import DATABASES, NewServer, User
from tests.connections.echo import Echo
from tests.connections.support import describe
from tests.portal.conftest import Arrive
from tests.portal.reader import Reader, reader_of, redirect
from tests.support.client import data
from tests.support.server import Server

pytestmark = pytest.mark.either_database

NASTY = "<img src=x onerror=alert(1)>"
SECRET = "a-secret-of-some-length"
GIVEN: dict[str, dict[str, str]] = {
    "http": {"settings.base_url": "https://example.com/v1", "settings.type": "bearer", "secret.value": SECRET},
    "mail": {
        "settings.user": "ada@example.com",
        "settings.smtp.host": "smtp.example.com",
        "settings.smtp.port": "587",
        "settings.smtp.security": "starttls",
        "settings.imap.security": "tls",
        "secret.password": SECRET,
    },
    "telegram": {"settings.api_url": "https://api.telegram.org", "secret.token": "123456:AAE_secret"},
    "chat_webhook": {"settings.service": "discord", "secret.url": f"https://example.com/{SECRET}"},
    "webhook": {"secret.url": f"https://example.com/{SECRET}", "secret.signing_key": ""},
    "ntfy": {"settings.server": "https://ntfy.sh", "secret.token": SECRET},
    "s3": {
        "settings.endpoint": "https://s3.example.com",
        "settings.region": "us-east-1",
        "secret.access_key_id": "AKIAEXAMPLE",
        "secret.secret_access_key": SECRET,
    },
}
"""What is typed into the form of each kind."""


@pytest.fixture(scope="module", params=DATABASES)
def server(request: pytest.FixtureRequest, new_server: NewServer) -> Iterator[Server]:
    """A server that may reach this machine."""
    running = new_server(request.param, RETINUE_ALLOWED_NETWORKS="127.0.0.0/8").start()
    yield running
    running.close()


def create(reader: Reader, kind: str, **fields: str) -> str:
    """Create a connection with the form; returns its path."""
    return redirect(reader.post("/connections", {"kind": kind, "name": "mine", **GIVEN[kind], **fields}))


def test_every_kind_has_a_form_with_all_its_fields(reader: Reader) -> None:
    chooser = reader.get("/connections/new").text
    assert SHAPES.keys() == KINDS.keys()
    for kind, shape in SHAPES.items():
        assert f'href="/connections/new?kind={kind}"' in chooser
        page = reader.get(f"/connections/new?kind={kind}").text
        wanted = {
            f"{part}.{name}" for part in ("settings", "secret") for name in getattr(KINDS[kind], part).model_fields
        }
        assert {".".join(field.name.split(".")[:2]) for field in shape.fields} == wanted
        for field in shape.fields:
            assert f'name="{field.name}"' in page


@pytest.mark.parametrize("kind", list(GIVEN))
def test_a_connection_of_each_kind_is_made_and_its_secret_never_shown(user: User, reader: Reader, kind: str) -> None:
    path = create(reader, kind)
    (record,) = data(user.client().get("/connections"))
    assert record["kind"] == kind
    page = reader.get(path).text
    for name, value in GIVEN[kind].items():
        if name.startswith("secret.") and value:
            assert value not in page
    assert record["name"] in reader.get("/connections").text
    assert ("/test" in page) == KINDS[kind].testable
    assert redirect(reader.post(f"{path}/edit", GIVEN[kind])) == path
    assert data(user.client().get("/connections"))[0]["settings"] == record["settings"]


def test_a_mail_server_without_a_name_is_left_out(user: User, reader: Reader) -> None:
    create(reader, "mail")
    settings = data(user.client().get("/connections"))[0]["settings"]
    assert settings["smtp"] == {"host": "smtp.example.com", "port": 587, "security": "starttls"}
    assert settings["imap"] is None


@pytest.mark.parametrize(
    ("kind", "fields", "wrong"),
    [
        ("http", {"name": "Not Good"}, "name"),
        ("http", {"name": ""}, "name"),
        ("http", {"settings.base_url": "ftp://example.com"}, "settings.base_url"),
        ("http", {"settings.type": "header", "settings.name": ""}, "settings.name"),
        ("http", {"secret.value": "short"}, "secret.value"),
        ("http", {"secret.value": ""}, "secret.value"),
        ("mail", {"settings.smtp.host": ""}, "settings.smtp.host"),
        ("mail", {"settings.smtp.port": "many"}, "settings.smtp.port"),
        ("mail", {"settings.smtp.port": "70000"}, "settings.smtp.port"),
        ("telegram", {"secret.token": "no token"}, "secret.token"),
        ("chat_webhook", {"settings.service": "icq"}, "settings.service"),
        ("webhook", {"secret.signing_key": "short"}, "secret.signing_key"),
        ("ntfy", {"settings.server": "nowhere"}, "settings.server"),
        ("s3", {"settings.endpoint": "nowhere"}, "settings.endpoint"),
    ],
)
def test_errors_are_shown_beside_their_field(reader: Reader, kind: str, fields: dict[str, str], wrong: str) -> None:
    answer = reader.post("/connections", {"kind": kind, "name": "kept-name", **GIVEN[kind], **fields})
    assert answer.status_code == 400
    assert f'id="problem-{wrong}"' in answer.text
    assert answer.text.count('class="problem"') == 1
    assert "name" in fields or 'value="kept-name"' in answer.text
    assert SECRET not in answer.text
    assert "pattern" not in answer.text.partition("<main")[2]


def test_everything_that_is_wrong_is_said_at_once(reader: Reader) -> None:
    fields = {"name": NASTY, "settings.base_url": NASTY, "secret.value": "x"}
    answer = reader.post("/connections", {"kind": "http", **GIVEN["http"], **fields})
    assert answer.text.count('class="problem"') == 3
    assert NASTY not in answer.text


def test_a_name_is_taken_once(reader: Reader) -> None:
    create(reader, "http")
    answer = reader.post("/connections", {"kind": "http", "name": "mine", **GIVEN["http"]})
    assert answer.status_code == 400
    assert 'id="problem-name"' in answer.text
    assert reader.post("/connections", {"kind": "ftp", "name": "x"}).status_code == 400


def test_another_server_needs_the_secret_again(user: User, reader: Reader) -> None:
    path = create(reader, "http")
    moved = {**GIVEN["http"], "settings.base_url": "https://other.example.com", "secret.value": ""}
    answer = reader.post(f"{path}/edit", moved)
    assert answer.status_code == 400
    assert 'id="problem-secret.value"' in answer.text
    assert 'value="https://other.example.com"' in answer.text
    assert redirect(reader.post(f"{path}/edit", {**moved, "secret.value": SECRET})) == path
    assert data(user.client().get("/connections"))[0]["settings"]["base_url"] == "https://other.example.com"


def test_stored_settings_stay_text(reader: Reader) -> None:
    path = create(reader, "mail", **{"settings.user": NASTY})
    page = reader.get(path).text
    assert NASTY not in page
    assert "&lt;img src=x" in page


def test_connections_of_others_are_not_there(server: Server, reader: Reader) -> None:
    other = reader_of(User(server, server.new_user()))
    path = create(other, "http", name="of-another")
    assert "of-another" not in reader.get("/connections").text
    assert reader.get(path).status_code == 404
    for verb in ("edit", "test", "delete"):
        assert reader.post(f"{path}/{verb}", GIVEN["http"]).status_code == 404, verb
    assert other.get(path).status_code == 200
    other.close()


def test_a_connection_in_use_stays_and_says_why(user: User, reader: Reader, echo: Echo) -> None:
    path = create(reader, "http", **{"settings.base_url": echo.url()})
    source = {"kind": "openapi", "name": "echo", "document": describe(echo), "connection": "mine"}
    data(user.client().post("/tools/sources", source), 201)
    refusal = reader.post(f"{path}/delete")
    assert refusal.status_code == 400
    assert "used by the source echo" in refusal.text
    assert reader.get(path).status_code == 200


@pytest.mark.parametrize("server", ["sqlite"], indirect=True)  # as with ONE_DATABASE
@pytest.mark.needs_program("chromium")
def test_it_is_made_refused_mended_and_deleted_in_a_browser(reader: Reader, arrive: Arrive, echo: Echo) -> None:
    visitor = arrive(reader)
    page = visitor.open("/connections")
    page.get_by_role("link", name="New connection").first.click()
    page.get_by_role("link", name="API on the web").click()
    page.get_by_role("textbox", name="Name", exact=False).first.fill("work-api")
    page.get_by_role("textbox", name="Address").fill(echo.url("/v1"))
    page.locator("[name='secret.value']").fill(SECRET)
    page.get_by_role("button", name="Create connection").click()
    page.wait_for_url("**/connections/*")
    echo.next_answers.append((401, {}))
    page.get_by_role("button", name="Test").click()
    page.get_by_text("It does not work.").wait_for()
    visitor.check_accessibility()
    page.locator("[name='secret.value']").fill(f"{SECRET}-better")
    page.get_by_role("button", name="Save changes").click()
    page.get_by_text("Not tested").wait_for()
    page.get_by_role("button", name="Test").click()
    page.get_by_text("It works.").wait_for()
    assert echo.last()["headers"]["authorization"] == f"Bearer {SECRET}-better"
    page.get_by_role("button", name="Delete").first.click()
    page.get_by_role("dialog").get_by_role("button", name="Delete connection").click()
    page.get_by_text("Connect your existing services").wait_for()
