"""Operators on the command line: who may stop being one, and that at least one of them can always sign in."""

from tests.auth.signing_in import give_password
from tests.conftest import StartServer
from tests.support.client import Client, data


def owner_of(client: Client) -> str:
    """Return the e-mail address of the client's user."""
    email: str = data(client.get("/account"))["email"]
    return email


def test_an_operator_is_demoted_and_the_audit_log_says_so(start_server: StartServer) -> None:
    server = start_server()
    other = server.new_user()
    session = give_password(server, other)
    server.cli("users", "promote", other)
    assert data(session.get("/account"))["operator"] is True
    assert server.cli("users", "demote", other) == f"{other} is no longer an operator.\n"
    assert data(session.get("/account"))["operator"] is False
    assert data(session.get("/audit?action=user.demoted"))[0]["credential"] == "operator"
    assert "is not an operator" in server.cli("users", "demote", other, status=1)
    session.close()


def test_the_last_operator_is_neither_demoted_nor_suspended(start_server: StartServer) -> None:
    server = start_server()
    first = Client(server, server.first_key)
    email = owner_of(first)
    for verb in ("demote", "suspend"):
        refusal = server.cli("users", verb, email, status=1)
        assert "last operator" in refusal
        assert "retinue users promote" in refusal
    assert data(first.get("/account"))["operator"] is True
    first.close()


def test_a_suspended_operator_does_not_count(start_server: StartServer) -> None:
    server = start_server()
    first, other = Client(server, server.first_key), server.new_user()
    email = owner_of(first)
    server.cli("users", "promote", other)
    server.cli("users", "suspend", other)
    for verb in (("demote",), ("suspend",), ("delete", "--yes")):
        assert "last operator" in server.cli("users", *verb, email, status=1)
    server.cli("users", "restore", other)
    assert server.cli("users", "demote", email) == f"{email} is no longer an operator.\n"
    first.close()
