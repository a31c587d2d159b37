"""The operator's pages: users, moderation and health; and that nobody else sees them."""

import json
import re
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import expect

from tests.auth.signing_in import PASSWORD
from tests.conftest import ONE_DATABASE, NewUser, StartServer, User
from tests.faults.nodes import node_of
from tests.marketplace.test_items import item_of, unique
from tests.portal.chromium import PHONE
from tests.portal.conftest import Arrive
from tests.portal.reader import Reader, reader_of, redirect
from tests.portal.test_xss import HARMFUL, MESSAGE
from tests.runs.test_approvals import ARGS, OUT
from tests.support.client import Client, data
from tests.support.model_server import Answer, ModelServer
from tests.support.server import Server
from tests.support.waiting import eventually

pytestmark = pytest.mark.either_database

NASTY = "<img src=x onerror=alert(1)>"


@pytest.fixture
def operator(server: Server) -> Iterator[Reader]:
    """The operator, signed in."""
    made = Reader(server).sign_in_by_link("owner@localhost")
    yield made
    made.close()


def id_of(client: Client) -> int:
    """The id of a client's user."""
    found: int = data(client.get("/account"))["id"]
    return found


def test_others_are_refused_and_have_no_entry(reader: Reader, client: Client, stranger: Client) -> None:
    item = data(stranger.post("/marketplace", item_of(unique(stranger))), 201)["id"]
    other = f"/users/{id_of(stranger)}"
    for path in ("/users", other, "/moderation", f"/moderation/{item}", "/health", "/health/live"):
        answer = reader.get(path)
        assert answer.status_code == 403, path
        assert "Only the operator" in answer.text
    for path in (
        "/users",
        *(f"{other}/{verb}" for verb in ("plan", "suspend", "restore", "revoke", "reset", "delete")),
    ):
        assert reader.post(path, {"email": "new@example.com", "plan": "enterprise"}).status_code == 403, path
    assert reader.post(f"/moderation/{item}/decide", {"status": "published"}).status_code == 403
    assert data(stranger.get(f"/marketplace/{item}"))["status"] == "pending"
    data(stranger.get("/agents"))
    assert 'href="/users"' not in reader.get("/overview").text
    assert 'href="/health"' not in reader.get("/palette?q=health").text


def test_a_user_is_found_changed_suspended_and_restored(operator: Reader, user: User, client: Client) -> None:
    listed = operator.get(f"/users?q={user.email[:40]}").text
    assert user.email in listed
    assert len(re.findall(r'href="/users/\d+"', listed)) == 1
    assert "No user found" in operator.get("/users?q=%25_nobody").text
    path = f"/users/{id_of(client)}"
    assert redirect(operator.post(f"{path}/plan", {"plan": "starter"})) == path
    eventually(lambda: data(client.get("/account"))["plan"] == "starter")
    assert operator.post(f"{path}/plan", {"plan": "golden"}).status_code == 400
    operator.post(f"{path}/suspend")
    assert "all credentials are rejected" in operator.get(path).text
    eventually(lambda: client.get("/agents").status_code == 401)
    operator.post(f"{path}/restore")
    eventually(lambda: client.get("/agents").status_code == 200)
    operator.post(f"{path}/revoke")
    eventually(lambda: client.get("/agents").status_code == 401)
    assert operator.get("/users/999999").status_code == 404


def test_a_reset_link_lets_its_user_in(operator: Reader, client: Client, passer_by: Reader) -> None:
    link = re.search(r'id="new-link"[^>]*>([^<]+)<', operator.post(f"/users/{id_of(client)}/reset").text)
    assert link
    address = urlsplit(link[1])
    assert passer_by.get(f"{address.path}?{address.query}").status_code == 200
    token = address.query.removeprefix("token=")
    assert passer_by.post(address.path, {"token": token, "password": PASSWORD}).status_code == 303
    assert passer_by.get("/overview").status_code == 200


def test_a_user_is_made(operator: Reader, client: Client) -> None:
    email = f"made-{id_of(client)}@example.com"
    answer = operator.post("/users", {"email": email, "plan": "starter"})
    assert 'id="new-link"' in answer.text
    again = operator.post("/users", {"email": email, "plan": "starter"})
    assert again.status_code == 400
    assert 'id="problem-email"' in again.text
    assert f'value="{email}"' in again.text
    assert operator.post("/users", {"email": NASTY, "plan": "starter"}).status_code == 400


def test_the_form_for_a_user_says_that_the_account_begins_empty(operator: Reader) -> None:
    form = operator.get("/users").text.partition('id="new-user"')[2]
    assert "The account begins empty" in form
    assert "choose Share" in form


def test_the_log_of_the_operator_names_whom_they_made_and_deleted(operator: Reader, client: Client) -> None:
    email = f"logged-{id_of(client)}@example.com"
    operator.post("/users", {"email": email, "plan": "starter"})
    (made,) = re.findall(rf'href="(/users/\d+)">{email}</a>', operator.get("/audit?action=user.created").text)
    redirect(operator.post(f"{made}/delete"))
    deleted = operator.get("/audit?action=user.deleted").text
    assert f"(ID {made.rpartition('/')[2]})" in deleted
    assert email not in operator.get("/audit?action=user.created").text


def test_a_deleted_user_is_gone(operator: Reader, user: User, client: Client) -> None:
    path = f"/users/{id_of(client)}"
    assert f'action="{path}/delete"' in operator.get(path).text
    assert redirect(operator.post(f"{path}/delete")) == "/users"
    eventually(lambda: client.get("/agents").status_code == 401)
    assert operator.get(path).status_code == 404
    assert "No user found" in operator.get(f"/users?q={user.email}").text


def test_an_operator_cannot_delete_themselves_on_the_page_of_users(operator: Reader) -> None:
    own = re.search(r'href="(/users/\d+)"', operator.get("/users?q=owner@localhost").text)
    assert own
    assert operator.post(f"{own[1]}/delete").status_code == 400
    page = operator.get(own[1]).text
    assert f'action="{own[1]}/delete"' not in page
    assert 'href="/settings/delete"' in page


def test_an_operator_cannot_suspend_themselves(operator: Reader) -> None:
    own = re.search(r'href="(/users/\d+)"', operator.get("/users?q=owner@localhost").text)
    assert own
    assert operator.post(f"{own[1]}/suspend").status_code == 400
    assert "This is you" in operator.get(own[1]).text


def waits(operator: Reader, path: str) -> bool:
    """Whether an item is listed among those that wait, on whatever page."""
    for number in range(1, 100):
        text = operator.get(f"/moderation?page={number}").text
        if f'href="{path}"' in text or 'rel="next"' not in text:
            return f'href="{path}"' in text
    return False


def test_items_and_their_newer_versions_are_moderated(operator: Reader, client: Client, stranger: Client) -> None:
    slug = unique(client)
    item = data(client.post("/marketplace", item_of(slug, name=NASTY)), 201)["id"]
    path = f"/moderation/{item}"
    assert waits(operator, path)
    assert NASTY not in operator.get("/moderation").text + operator.get(path).text
    operator.post(f"{path}/decide", {"status": "published"})
    assert data(stranger.get(f"/marketplace/{item}"))["version"] == "1.0.0"
    data(client.put(f"/marketplace/{item}", {"version": "1.1.0", "readme": "Better."}))
    assert "Publish 1.1.0" in operator.get(path).text
    operator.post(f"{path}/decide", {"status": "published"})
    assert data(stranger.get(f"/marketplace/{item}"))["version"] == "1.1.0"
    assert not waits(operator, path)
    assert operator.post(f"{path}/decide", {"status": "praised"}).status_code == 400
    operator.post(f"{path}/decide", {"status": "withdrawn"})
    assert stranger.get(f"/marketplace/{item}").status_code == 404
    assert operator.post("/moderation/999999/decide", {"status": "published"}).status_code == 404


def test_an_item_that_changed_after_it_was_opened_is_shown_again(operator: Reader, client: Client) -> None:
    item = data(client.post("/marketplace", item_of(unique(client))), 201)["id"]
    path = f"/moderation/{item}"

    def revisions(page: str) -> set[str]:
        return set(re.findall(r'name="revision" value="(\w+)"', page))

    (opened,) = revisions(operator.get(path).text)
    data(client.put(f"/marketplace/{item}", {"version": "1.1.0", "readme": "Worse."}))
    refused = operator.post(f"{path}/decide", {"status": "published", "revision": opened})
    assert refused.status_code == 400
    assert "Review it again" in refused.text
    assert "Worse." in refused.text
    assert data(client.get(f"/marketplace/{item}"))["status"] == "pending"
    (shown,) = revisions(refused.text)
    redirect(operator.post(f"{path}/decide", {"status": "published", "revision": shown}))
    assert data(client.get(f"/marketplace/{item}"))["status"] == "published"


def test_health_reports_the_status_of_each_part(operator: Reader) -> None:
    page = operator.get("/health").text
    assert "The server is ready." in page
    assert "stand-in" in page
    assert ">Voice</td>" in page


def waiting_runs(event: bytes) -> int:
    """How many runs wait for an approval, by an event of the live part."""
    found = re.search(r'<td>Waiting runs</td><td class="num">([\d,]+)</td>', json.loads(event[6:]))
    return int(found[1].replace(",", "")) if found else 0


def test_health_shows_open_work_live(operator: Reader, client: Client) -> None:
    about = {"agent_name": "Careful", "agent_role": "generalist", "skills": [OUT], "approval": "required"}
    agent = data(client.post("/agents", about), 201)["id"]
    assert "Schedules due" in operator.get("/health").text
    with operator.get("/health/live", stream=True, headers={"Accept": "text/event-stream"}) as stream:
        events = (line for line in stream.iter_lines(chunk_size=1) if line.startswith(b"data: "))
        before = waiting_runs(next(events))
        body = {"message": f"[[tool:{OUT} {ARGS}]]", "background": True}
        run = data(client.post(f"/agents/{agent}/execute", body), 202)["id"]
        assert next(event for event in events if waiting_runs(event) > before)
    data(client.post(f"/runs/{run}/cancel"))


def test_health_lists_the_servers_and_their_work(start_server: StartServer, model: ModelServer) -> None:
    first = start_server("postgresql")
    second = start_server(RETINUE_DATABASE_URL=first.env["RETINUE_DATABASE_URL"])
    operator, client = Reader(first).sign_in_by_link("owner@localhost"), Client(second, first.first_key)
    page = operator.get("/health").text
    assert f'id="server-{node_of(first)}"' in page
    assert f'id="server-{node_of(second)}"' not in page
    model.answers.append(Answer(text="One moment.", hold=True))
    with client.stream("/chat", {"message": "Count", "stream": True}) as stream:
        assert next(stream.chunks())["type"] == "text"
        row = operator.get("/health").text.partition(f'id="server-{node_of(second)}"')[2].partition("</tr>")[0]
        assert "Runs: 1" in row
        assert "At work" in row
        model.release()
        assert list(stream.chunks())
    operator.close()


def test_settings_show_the_networks_to_the_operator_alone(start_server: StartServer, new_user: NewUser) -> None:
    server = start_server(RETINUE_ALLOWED_NETWORKS="10.1.0.0/16,fd00::/8", RETINUE_TRUSTED_PROXIES="192.168.7.0/24")
    operator, other = Reader(server).sign_in_by_link("owner@localhost"), reader_of(new_user(server))
    page = operator.get("/settings").text
    for network in ("10.1.0.0/16", "fd00::/8", "192.168.7.0/24"):
        assert f"<code>{network}</code>" in page
        assert network not in other.get("/settings").text
    operator.close()
    other.close()


@ONE_DATABASE
@pytest.mark.needs_program("chromium")
def test_in_a_browser(operator: Reader, new_user: NewUser, arrive: Arrive) -> None:
    user = new_user(operator.server)
    client = user.client()
    item = data(client.post("/marketplace", item_of(unique(client), readme=MESSAGE, name=NASTY)), 201)["id"]
    data(client.request("PUT", "/account", json={"name": NASTY}))
    dark = arrive(operator, "dark", PHONE)
    for path in ("/users", f"/users/{id_of(client)}", "/moderation", f"/moderation/{item}", "/health", "/settings"):
        dark.open(path)
        dark.check_accessibility()
        dark.check_width()
    visitor = arrive(operator)
    page = visitor.open(f"/moderation/{item}")
    expect(page.locator(".prose")).to_contain_text("<script>alert(1)</script>")
    assert page.evaluate(HARMFUL) == 0
    page.get_by_role("button", name="Reject").click()
    expect(page.get_by_role("status")).to_have_text("It is rejected.")
    page = visitor.open(f"/users/{id_of(client)}")
    assert page.evaluate(HARMFUL) == 0
    visitor.check_accessibility()
    page.get_by_role("button", name="Suspend").click()
    page.get_by_role("dialog").get_by_role("button", name="Suspend").click()
    expect(page.get_by_text("all credentials are rejected")).to_be_visible()
    eventually(lambda: client.get("/agents").status_code == 401)
