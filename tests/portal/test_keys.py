"""The pages of API keys."""

import re

import pytest

from tests.conftest import ONE_DATABASE, User
from tests.portal.chromium import DESKTOP, PHONE, Theme
from tests.portal.conftest import Arrive
from tests.portal.reader import Reader
from tests.support.client import Client, data, refuse
from tests.support.waiting import eventually

pytestmark = pytest.mark.either_database

_KEY = re.compile(r'id="new-key"[^>]*>(ak_[a-z]+_\w+)<')
NASTY = "<img src=x onerror=alert(1)>"


def create(reader: Reader, **fields: str | list[str]) -> str:
    """Create a key with the form; returns it."""
    answer = reader.post("/keys", {"name": "made here", "mode": "live", "access": "all", **fields})
    assert answer.status_code == 200, answer.text
    found = _KEY.search(answer.text)
    assert found, answer.text
    return found[1]


def ends(reader: Reader, key: str) -> None:
    """Wait until a key is refused, which takes up to a second."""
    client = Client(reader.server, key)
    eventually(lambda: client.get("/agents").status_code == 401)


def test_a_key_is_shown_once_and_works(reader: Reader) -> None:
    key = create(reader, access="some", scopes=["agents:read", "usage:read"], expires_in_days="30")
    client = Client(reader.server, key)
    data(client.get("/agents"))
    refuse(client.post("/chat", {"message": "Hello"}), 403, "chat:write")
    page = reader.get("/keys").text
    assert "made here" in page
    assert "agents:read" in page
    assert key not in page
    assert key[:16] in page


def test_a_key_has_budgets(reader: Reader, client: Client) -> None:
    create(reader, name="frugal", monthly_tokens="5000")
    (made,) = [key for key in data(client.get("/keys")) if key["name"] == "frugal"]
    assert (made["monthly_tokens"], made.get("monthly_credits")) == (5000, None)
    assert "5,000 tokens a month" in reader.get("/keys").text
    answer = reader.post("/keys", {"name": "x", "mode": "live", "access": "all", "monthly_credits": "few"})
    assert answer.status_code == 400
    assert 'id="problem-monthly_credits"' in answer.text


def test_a_key_is_changed(reader: Reader, client: Client) -> None:
    key = create(reader, name="before", monthly_tokens="5000")
    (made,) = [one for one in data(client.get("/keys")) if one["name"] == "before"]
    edit = f"/keys/{made['id']}/edit"
    form = reader.get(edit).text
    assert 'value="before"' in form
    assert 'value="5000"' in form
    assert f'href="{edit}"' in reader.get("/keys").text
    wrong = reader.post(edit, {"name": NASTY, "monthly_credits": "few", "networks": "the office"})
    assert wrong.status_code == 400
    assert NASTY not in wrong.text
    assert 'id="problem-monthly_credits"' in wrong.text
    assert 'id="problem-networks"' in wrong.text
    sent = {"name": "after", "monthly_tokens": "", "monthly_credits": "70", "networks": "203.0.113.0/24, 10.0.0.1"}
    assert reader.post(edit, sent).status_code == 303
    now = data(client.get(f"/keys/{made['id']}"))
    assert (now["name"], now["monthly_tokens"], now["monthly_credits"]) == ("after", None, 70)
    assert now["networks"] == ["203.0.113.0/24", "10.0.0.1/32"]
    ends(reader, key)
    assert 'value="203.0.113.0/24, 10.0.0.1/32"' in reader.get(edit).text
    assert reader.post(edit, {"name": "after"}).status_code == 303
    eventually(lambda: Client(reader.server, key).get("/agents").status_code == 200)


@ONE_DATABASE
def test_a_key_is_changed_in_a_browser(reader: Reader, client: Client, arrive: Arrive) -> None:
    key = data(client.post("/keys", {"name": NASTY, "scopes": ["agents:read"]}), 201)
    looks: list[tuple[Theme, tuple[int, int]]] = [("light", DESKTOP), ("dark", PHONE)]
    for theme, size in looks:
        visitor = arrive(reader, theme, size)
        page = visitor.open(f"/keys/{key['id']}/edit")
        page.get_by_role("heading", name=NASTY).wait_for()
        visitor.check_accessibility()
        visitor.check_width()
        page.get_by_label("Tokens a month").fill("1200")
        page.get_by_role("button", name="Save changes").click()
        page.get_by_text("The key is saved.").wait_for()
        page.get_by_text("1,200 tokens a month").first.wait_for(state="attached")


def test_a_key_is_replaced_and_revoked(reader: Reader) -> None:
    old = create(reader, name=NASTY, mode="test")
    page = reader.get("/keys").text
    assert NASTY not in page
    replace = re.search(r'action="(/keys/\d+/rotate)"', page)
    assert replace
    answer = reader.post(replace[1], {"overlap_days": "1"})
    new = _KEY.search(answer.text)
    assert new
    for key in (old, new[1]):
        data(Client(reader.server, key).get("/agents"))
    for revoke in re.findall(r'action="(/keys/\d+/revoke)"', reader.get("/keys").text):
        assert reader.post(revoke).status_code == 303
    ends(reader, new[1])


def test_errors_are_shown_beside_their_field(reader: Reader) -> None:
    answer = reader.post("/keys", {"name": "office", "mode": "live", "access": "some", "networks": "the office"})
    assert answer.status_code == 400
    assert 'id="problem-networks"' in answer.text
    assert 'id="problem-scopes"' in answer.text
    assert 'value="office"' in answer.text
    assert 'value="the office"' in answer.text


def test_keys_of_others_are_not_there(reader: Reader, stranger: Client) -> None:
    key = data(stranger.post("/keys", {"name": "of a stranger"}), 201)
    assert "of a stranger" not in reader.get("/keys").text
    assert reader.get(f"/keys/{key['id']}/edit").status_code == 404
    assert reader.post(f"/keys/{key['id']}/edit", {"name": "mine now"}).status_code == 404
    for verb in ("rotate", "revoke"):
        assert reader.post(f"/keys/{key['id']}/{verb}", {"overlap_days": "0"}).status_code == 404
    data(Client(reader.server, key["key"]).get("/agents"))


@ONE_DATABASE
def test_in_a_browser(reader: Reader, user: User, arrive: Arrive) -> None:
    visitor = arrive(reader)
    page = visitor.page
    page.goto(f"{reader.server.url}/keys/new")
    page.get_by_label("Name").fill("from a browser")
    page.get_by_label("Only what I choose").check()
    page.get_by_role("group", name="Scopes").get_by_label("Read").first.check()
    page.get_by_role("button", name="Create key").click()
    key = page.locator("#new-key").inner_text()
    data(Client(reader.server, key).get("/agents"))
    page.get_by_role("link", name="I have copied it").click()
    page.get_by_role("button", name="Revoke from a browser").click()
    page.get_by_role("dialog").get_by_role("button", name="Revoke").click()
    page.get_by_text("The key is revoked.").wait_for()
    ends(reader, key)


def test_a_budget_in_usd_is_shown_and_kept(reader: Reader, client: Client) -> None:
    key = data(client.post("/keys", {"name": "robot", "monthly_cost_usd": "12.50"}), 201)
    assert "$12.50 a month" in reader.get("/keys").text
    assert (
        'name="monthly_cost_usd" inputmode="decimal" maxlength="20" value="12.50"'
        in reader.get(f"/keys/{key['id']}/edit").text
    )
    assert "$0.00 of $12.50 used" in reader.get(f"/keys/{key['id']}/edit").text
    reader.post(f"/keys/{key['id']}/edit", {"name": "robot", "monthly_cost_usd": "12.50"})
    assert "$12.50 a month" in reader.get("/keys").text
    wrong = reader.post(f"/keys/{key['id']}/edit", {"name": "robot", "monthly_cost_usd": "much"})
    assert wrong.status_code == 400
    assert "problem-monthly_cost_usd" in wrong.text
