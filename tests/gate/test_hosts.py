"""The Host header: exactly one, and by default only local names for a server that listens on a loopback address."""

import pytest
import requests

from retinue.core.errors import ValidationFailed
from retinue.gate.hosts import AllowedHosts
from tests.conftest import ONE_DATABASE, StartServer
from tests.support.raw import connect
from tests.support.server import Server

EVERYWHERE = "0.0.0.0"


def status_of(server: Server, *hosts: str, version: str = "1.1") -> int:
    """Return the status of a request with these Host headers."""
    lines = [f"GET /api/v1 HTTP/{version}", *(f"Host: {host}" for host in hosts), "Connection: close", "", ""]
    with connect(server) as connection, connection.makefile("rb") as answer:
        connection.sendall("\r\n".join(lines).encode())
        return int(answer.readline().split()[1])


def test_a_request_has_one_host(server: Server) -> None:
    assert status_of(server, "localhost") == 200
    assert status_of(server) == 400
    assert status_of(server, "localhost", "localhost") == 400
    assert status_of(server, "127.0.0.1", "evil.example") == 400
    assert status_of(server, version="1.0") == 200


def test_a_loopback_server_answers_for_local_names(server: Server) -> None:
    for host in ("127.0.0.1:8000", "[::1]:8000", "LOCALHOST:1", "app.localhost", "192.0.2.1", "retinue:8000"):
        assert status_of(server, host) == 200, host
    for host in (
        "evil.example",
        "evil.example:8000",
        "127.0.0.1.evil.example",
        "localhost.evil.example",
        "a.local.",
        "<script>",
        "a b",
    ):
        assert status_of(server, host) == 400, host
    refused = requests.get(
        f"{server.url}/.well-known/oauth-authorization-server", headers={"Host": "a.example"}, timeout=60
    )
    assert "RETINUE_ALLOWED_HOSTS=a.example" in refused.json()["error"]["message"]


@ONE_DATABASE
def test_a_wrong_host_is_refused_in_the_words_of_the_clients_protocol(shared_server: Server) -> None:
    for path, fields in (("models", {"message", "type", "param", "code"}), ("messages", {"type", "message"})):
        refused = requests.get(f"{shared_server.url}/v1/{path}", headers={"Host": "a.example"}, timeout=60)
        assert (refused.status_code, refused.json()["error"].keys()) == (400, fields)


def test_the_operator_chooses_names(start_server: StartServer) -> None:
    names = {"RETINUE_ALLOWED_HOSTS": "a.example, *.b.example", "RETINUE_PUBLIC_URL": "https://agents.example.com/"}
    server = start_server(**names)
    for host in ("a.example", "x.b.example:443", "agents.example.com", "127.0.0.1", "A.Example."):
        assert status_of(server, host) == 200, host
    for host in ("b.example", "x.a.example", "evilb.example"):
        assert status_of(server, host) == 400, host


@pytest.mark.parametrize(
    ("allowed", "listens_on", "answers"),
    [((), "127.0.0.1", False), ((), "::1", False), ((), "localhost", False), ((), EVERYWHERE, True),
     ((), "192.0.2.1", True), (("*",), "127.0.0.1", True), (("a.example",), EVERYWHERE, False)],
)  # fmt: skip
def test_who_answers_for_every_name(allowed: tuple[str, ...], listens_on: str, answers: bool) -> None:
    scope = {"headers": [(b"host", b"other.example:8000")], "http_version": "1.1"}
    hosts = AllowedHosts(allowed, None, listens_on)
    for _ in range(2):
        if answers:
            hosts.check(scope)
        else:
            with pytest.raises(ValidationFailed, match=r"other\.example"):
                hosts.check(scope)


@pytest.mark.parametrize(
    ("name", "value"),
    [("RETINUE_PUBLIC_URL", "javascript:alert(1)"), ("RETINUE_PUBLIC_URL", "agents.example.com"),
     ("RETINUE_PUBLIC_URL", "https://user@example.com"),
     ("RETINUE_PUBLIC_URL", "https://example.com/agents"), ("RETINUE_ALLOWED_HOSTS", "https://a.example")],
)  # fmt: skip
def test_wrong_addresses_are_refused_at_the_start(new_server: StartServer, name: str, value: str) -> None:
    server = new_server(**{name: value})
    told = server.cli("serve", status=1)
    assert name in told
    assert "Traceback" not in told
