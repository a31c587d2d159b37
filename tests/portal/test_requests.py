"""The pages of the request log: filters, a request, what comes live, and the way there from an error."""

import re

import pytest
from playwright.sync_api import expect

from tests.conftest import ONE_DATABASE, User
from tests.portal.chromium import PHONE, Theme
from tests.portal.conftest import Arrive
from tests.portal.reader import Reader
from tests.portal.test_xss import HARMFUL
from tests.support.client import Client, data

pytestmark = pytest.mark.either_database

NASTY = "<img src=x onerror=alert(1)>"


def rows(reader: Reader, query: str = "") -> list[str]:
    """The rows of the table."""
    page = reader.get(f"/requests{query}")
    assert page.status_code == 200, page.text
    return re.findall(r"<tr><td>.*?</tr>", page.text, re.DOTALL)


def test_requests_are_listed_and_filtered(reader: Reader, client: Client) -> None:
    client.get("/agents/999999")
    client.get(f"/{NASTY}")
    newest, older = rows(reader)
    assert "&lt;img src=x" in newest
    assert "GET /api/v1/agents/999999" in older
    assert "404" in older
    assert len(rows(reader, "?path=/api/v1/agents/{id}")) == 1
    assert "No results" in reader.get("/requests?status=5xx").text
    assert "No results" in reader.get("/requests?since=2999-01-01").text


def test_older_requests_are_a_page_further(reader: Reader, client: Client) -> None:
    for _ in range(32):
        client.get("/models")
    first = reader.get("/requests?status=2xx").text
    older = re.search(r'href="(/requests\?status=2xx&amp;before=\d+)"', first)
    assert older
    assert len(rows(reader, older[1].removeprefix("/requests").replace("&amp;", "&"))) == 2


def test_a_request_shows_its_outcome(reader: Reader, client: Client) -> None:
    response = client.get("/agents/999999")
    page = reader.get(f"/requests/{response.headers['X-Request-ID']}").text
    assert response.json()["error"]["message"] in page
    assert "/api/v1/agents/{id}" in page
    assert "127.0.0.1" in page
    mine = client.get("/models", headers={"X-Request-ID": "mine/<b>1"})
    assert "mine/&lt;b&gt;1" in reader.get("/requests/mine%2F%3Cb%3E1").text
    assert mine.status_code == 200


def test_a_request_leads_to_its_run_and_back(reader: Reader, client: Client, user: User) -> None:
    shop = user.with_key(data(client.post("/keys", {"name": "Shop"}), 201)["key"])
    response = shop.post("/chat", {"message": "hello"})
    run, request = data(response)["run_id"], response.headers["X-Request-ID"]
    assert f'href="/runs/{run}"' in rows(reader, "?path=/api/v1/chat")[0]
    assert f'href="/runs/{run}"' in reader.get(f"/requests/{request}").text
    page = reader.get(f"/runs/{run}").text
    assert f'href="/requests/{request}"' in page
    assert "Shop" in page
    listed = reader.get("/requests").text
    key = re.search(r'<option value="(key:\d+)">Shop</option>', listed)
    assert key
    (only,) = rows(reader, f"?credential={key[1]}")
    assert ">Shop</td>" in only
    assert f'href="/runs/{run}"' not in reader.get(f"/requests/{shop.get('/models').headers['X-Request-ID']}").text


def test_requests_of_others_are_not_found(reader: Reader, stranger: Client) -> None:
    response = stranger.get("/models")
    assert reader.get(f"/requests/{response.headers['X-Request-ID']}").status_code == 404
    assert rows(reader) == []


def test_requests_of_test_keys_have_a_list_of_their_own(reader: Reader, sandbox: Client) -> None:
    response = sandbox.get("/models")
    assert rows(reader) == []
    assert len(rows(reader, "?mode=test")) == 1
    address = f"/requests/{response.headers['X-Request-ID']}"
    assert reader.get(address).status_code == 404
    assert reader.get(f"{address}?mode=test").status_code == 200


def test_errors_are_shown_beside_their_field(reader: Reader) -> None:
    answer = reader.get("/requests?since=yesterday&credential=my+key&status=999")
    assert answer.status_code == 400
    for name in ("since", "credential", "status"):
        assert f'id="problem-{name}"' in answer.text
    assert 'value="my key"' in answer.text


def test_an_error_leads_to_its_request(reader: Reader) -> None:
    answer = reader.post("/agents/999999/delete")
    assert answer.status_code == 404
    link = re.search(r'href="(/requests/[^"]+)"', answer.text)
    assert link
    page = reader.get(link[1]).text
    assert "POST /agents/999999/delete" in page
    assert "resource_not_found" in page
    assert "/requests/" not in reader.get("/agents/999999").text


@ONE_DATABASE
@pytest.mark.needs_program("chromium")
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_in_a_browser(reader: Reader, client: Client, arrive: Arrive, theme: Theme) -> None:
    client.get(f"/{NASTY}")
    visitor = arrive(reader, theme)
    page = visitor.open("/requests")
    expect(page.locator("tbody tr")).to_have_count(1)
    response = client.get("/agents/999999")
    expect(page.locator("tbody tr")).to_have_count(2)
    assert page.evaluate(HARMFUL) == 0
    visitor.check_accessibility()
    page.get_by_role("link", name="/api/v1/agents/999999").click()
    page.wait_for_url(f"**/requests/{response.headers['X-Request-ID']}")
    visitor.check_accessibility()
    page.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
    visitor.check_width()
    visitor.open("/requests")
    visitor.check_width()
    assert data(client.get("/requests?per_page=1"))[0]["status"] == 404
