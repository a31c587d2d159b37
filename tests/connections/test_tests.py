"""Testing connections."""

from contextlib import ExitStack

import pytest

from retinue.tools.verification.mock_servers import listening
from tests.connections.echo import Echo
from tests.connections.support import SECRET, Json, api, connect
from tests.support.client import Client, data, refuse

LOGIN = "ann@example.com app-password"


def outcome_of(client: Client, wanted: Json) -> tuple[bool, str]:
    """Create and test a connection. Returns whether it succeeded, and the message."""
    path = f"/connections/{connect(client, wanted)['id']}"
    outcome = data(client.post(f"{path}/test"))["last_test"]
    assert data(client.get(path))["last_test"] == outcome
    return outcome["ok"], outcome["message"]


@pytest.mark.parametrize(("status", "ok"), [(200, True), (404, True), (401, False), (403, False), (502, False)])
def test_an_api_is_asked_with_the_secret(client: Client, echo: Echo, status: int, ok: bool) -> None:
    echo.next_answers.append((status, {}))
    found, message = outcome_of(client, api(echo.url("/v1")))
    assert (found, str(status) in message) == (ok, True)
    assert echo.last()["headers"]["authorization"] == f"Bearer {SECRET}"


def test_a_bot_is_asked_for(client: Client, echo: Echo) -> None:
    bot = {"name": "bot", "kind": "telegram", "settings": {"api_url": echo.url()}, "secret": {"token": "1:abcdefgh"}}
    assert outcome_of(client, bot)[0] is True
    assert echo.last()["path"] == "/bot1:abcdefgh/getMe"


def test_an_account_of_ntfy_is_asked_for(client: Client, echo: Echo) -> None:
    echo.next_answers.append((401, {}))
    wanted = {"name": "n", "kind": "ntfy", "settings": {"server": echo.url()}, "secret": {"token": "tk_12345678"}}
    assert outcome_of(client, wanted) == (False, "The server responded with 401 Unauthorized.")
    assert (echo.last()["path"], echo.last()["headers"]["authorization"]) == ("/v1/account", "Bearer tk_12345678")


@pytest.mark.parametrize(("password", "ok"), [("app-password", True), ("the-wrong-one", False)])
def test_mail_servers_are_logged_in_to(client: Client, password: str, ok: bool) -> None:
    with ExitStack() as stack:
        ports = {
            "smtp": stack.enter_context(listening("smtp", {"login": LOGIN})),
            "imap": stack.enter_context(listening("imap", {"login": LOGIN, "folders": "INBOX"})),
        }
        servers = {name: {"host": "127.0.0.1", "port": port, "security": "none"} for name, port in ports.items()}
        settings = {"user": "ann@example.com", **servers}
        wanted = {"name": "m", "kind": "mail", "settings": settings, "secret": {"password": password}}
        found, message = outcome_of(client, wanted)
    assert found is ok
    assert ("Logged in" if ok else "Check the user and the app password") in message


def test_a_connection_that_cannot_be_tested_says_so(client: Client) -> None:
    wanted = {"name": "h", "kind": "webhook", "secret": {"url": "https://example.com/hook/secret"}}
    path = f"/connections/{connect(client, wanted)['id']}"
    refuse(client.post(f"{path}/test"), 400, "webhook", "by using it")


def test_an_address_within_the_machine_is_not_reached(client: Client) -> None:
    ok, message = outcome_of(client, api("http://10.0.0.1/"))
    assert (ok, "not a public address" in message) == (False, True)


def test_a_change_forgets_the_outcome(client: Client, echo: Echo) -> None:
    path = f"/connections/{connect(client, api(echo.url()))['id']}"
    assert data(client.post(f"{path}/test"))["last_test"]["ok"] is True
    assert data(client.put(path, {"secret": {"value": "another-secret"}}))["last_test"] is None
