"""Paths, methods, request ids and the error envelope."""

import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from retinue.app import operations
from tests.conftest import User
from tests.support.client import BASE, Client, check, data, fetch, refuse
from tests.support.server import Server
from tests.support.waiting import eventually

pytestmark = pytest.mark.either_database

PATHS = sorted({operation.path for operation in operations()})


def concrete(path: str) -> str:
    """Return the path with values for its parameters."""
    return re.sub(r"\{[^}]+\}", "1", path)


def methods(path: str) -> set[str]:
    """Return the methods of the path."""
    return {operation.method for operation in operations() if operation.path == path}


def test_a_request_id_is_made(client: Client) -> None:
    ids = {client.get("/agents").headers["X-Request-ID"] for _ in range(3)}
    assert len(ids) == 3
    assert all(re.fullmatch(r"req_[0-9A-Za-z]{26}", value) for value in ids)


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(value=st.text(st.characters(min_codepoint=0x21, max_codepoint=0x7E), min_size=1, max_size=128))
def test_a_request_id_is_echoed(client: Client, value: str) -> None:
    assert client.get("/tools/categories", headers={"X-Request-ID": value}).headers["X-Request-ID"] == value


@pytest.mark.parametrize("value", ["", "x" * 129, "café", "tab\there"])
def test_a_request_id_that_is_not_one_is_replaced(client: Client, value: str) -> None:
    response = client.get("/agents", headers={"X-Request-ID": value.encode("latin-1")})
    assert response.headers["X-Request-ID"].startswith("req_")


def test_a_request_id_is_in_the_log_and_on_errors(client: Client) -> None:
    response = client.get("/agents/999999", headers={"X-Request-ID": "look-for-me"})
    assert response.headers["X-Request-ID"] == "look-for-me"
    eventually(lambda: '"request_id":"look-for-me"' in client.server.log.read_text())


@pytest.mark.parametrize(
    "path",
    [
        "/nothing",
        "/agents/1/nothing",
        "/agents/1/execute/more",
        "/agents//1",
        "/%2e%2e",
        "/%00",
        "/%ff%fe",
        "/" + "x" * 4000,
    ],
)
def test_an_unknown_path_is_not_found(client: Client, path: str) -> None:
    refuse(client.get(path), 404)


@pytest.mark.parametrize("path", ["/api", "/api/v2/agents", "/api/v10", "/nothing", "/api/v1x", "/healthz/x"])
def test_a_path_outside_the_api_is_not_found(server: Server, path: str) -> None:
    response = fetch(server, path)
    check(server, response)
    refuse(response, 404)


@pytest.mark.parametrize("number", ["0", "-1", "abc", "1.0", "1e3", "9223372036854775808", "٣", "%20", "+1", "1_0"])
def test_an_id_that_is_none_is_not_found(client: Client, number: str) -> None:
    for path in ("/agents/", "/runs/"):
        refuse(client.get(path + number), 404)
    refuse(client.put(f"/agents/{number}", {"wrong": 1}), 404)
    refuse(client.request("PUT", f"/agents/{number}", data=b"rubbish"), 404)


@pytest.mark.parametrize("spelling", ["{}.0", "+{}", "%20{}", "{}%20", "{}_0", "{}e0", "0x{:x}", "{}%00"])
def test_another_spelling_of_an_id_is_not_found(client: Client, spelling: str) -> None:
    agent = data(client.post("/agents", {"agent_name": "a", "agent_role": "leader"}), 201)
    refuse(client.get("/agents/" + spelling.format(agent["id"])), 404)


def test_the_greatest_id_is_looked_up(client: Client) -> None:
    refuse(client.get(f"/agents/{2**63 - 1}"), 404, str(2**63 - 1))


@pytest.mark.parametrize("path", PATHS)
def test_another_method_tells_all_that_are_allowed(client: Client, path: str) -> None:
    for method in {"GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "BREW"} - methods(path):
        response = client.request(method, concrete(path))
        refuse(response, 405)
        assert set(response.headers["Allow"].split(", ")) == allow(path), path


def allow(path: str) -> set[str]:
    """Return what `Allow` must list: the methods of a concrete path, or else of all operations whose path matches."""
    if path == concrete(path):
        return methods(path)
    fits = [other for other in PATHS if re.fullmatch(re.sub(r"\{[^}]+\}", "[^/]+", other), concrete(path))]
    return set().union(*(methods(other) for other in fits))


@pytest.mark.parametrize("path", [path for path in PATHS if "GET" in methods(path)])
def test_a_trailing_slash_is_the_same_resource(client: Client, path: str) -> None:
    plain, slashed = client.get(concrete(path)), client.get(concrete(path) + "/")
    assert slashed.status_code == plain.status_code
    assert slashed.history == []
    if path not in {"/usage", "/requests"}:  # Those two show these requests themselves.
        assert slashed.json() == plain.json()


def test_a_trailing_slash_on_post(client: Client) -> None:
    data(client.post("/agents/", {"agent_name": "a", "agent_role": "leader"}), 201)


def test_head_is_not_supported(client: Client) -> None:
    response = client.request("HEAD", "/agents")
    assert response.status_code == 405
    assert set(response.headers["Allow"].split(", ")) == {"GET", "POST"}


@pytest.mark.parametrize(
    "query", ["page=", "per_page=", "page=&per_page=", "unknown=1", "unknown", "&&&", "=", "page=&x=1"]
)
def test_empty_and_unknown_query_parameters_count_for_nothing(client: Client, query: str) -> None:
    assert client.get(f"/agents?{query}").json() == client.get("/agents").json()


@pytest.mark.parametrize(
    ("query", "named"),
    [
        ("page=0", ["page"]),
        ("page=1.0", ["page"]),
        ("per_page=%2B2", ["per_page"]),
        ("page=-1&per_page=0", ["page", "per_page"]),
        ("page=2147483648", ["page"]),
        ("per_page=101", ["per_page"]),
        ("page=one", ["page"]),
        ("page=1.5", ["page"]),
        ("page=%00", ["NUL"]),
        ("unknown=a%00b", ["NUL"]),
        ("per_page=99999999999999999999999999", ["per_page"]),
    ],
)
def test_a_wrong_page_is_named(client: Client, query: str, named: list[str]) -> None:
    for path in ("/agents", "/chat", "/tools", "/tools/categories", "/models"):
        refuse(client.get(f"{path}?{query}"), 400, *named)


@pytest.mark.parametrize("path", ["/agents", "/chat", "/tools", "/tools/categories", "/models"])
def test_a_page_past_the_end_is_empty(client: Client, path: str) -> None:
    body = client.get(f"{path}?page=2147483647&per_page=100").json()
    assert body["data"] == []
    total = client.get(path).json()["meta"]["total"]
    pages = -(-total // 100)
    assert body["meta"] == {"total": total, "page": 2147483647, "per_page": 100, "total_pages": pages}


def test_public_endpoints_need_no_credential(server: Server) -> None:
    for path in ("/healthz", "/readyz", BASE):
        response = fetch(server, path)
        assert response.status_code == 200
        assert response.headers["X-Request-ID"]


def test_credentials_in_a_request_are_not_logged(user: User) -> None:
    server, marker = user.server, "marks-the-end-of-this-test"
    key, session = server.new_key(user.email), f"sess_{'x' * 43}"
    nobody = Client(server, None)
    for secret in (key, session):
        refuse(nobody.get(f"/agents/{secret}", headers={"X-Request-ID": secret}), 401)
        for path in (f"/api/{secret}", f"/sign-in/link/{secret}?next={secret}", f"/oauth/authorize?code={secret}"):
            fetch(server, path)
    nobody.close()
    fetch(server, f"/{marker}")
    eventually(lambda: marker in server.log.read_text())
    log = server.log.read_text()
    assert f"/agents/{key[:16]}" in log
    assert key not in log
    assert session not in log
