"""Refreshing twice: in parallel, after a lost answer, on another node and after a crash. Later reuse revokes."""

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
import requests

from tests.auth.signing_in import give_password
from tests.conftest import DATABASES, StartServer, User
from tests.oauth.protocol import (
    Browser,
    Pkce,
    answer_of,
    ask_token,
    consent,
    create_app,
    exchange,
    refused_as,
    tokens_of,
)
from tests.support.client import Client, data, refuse
from tests.support.server import Server
from tests.support.sql import execute
from tests.support.waiting import eventually

KEY = "a2V5a2V5a2V5a2V5a2V5a2V5a2V5a2V5a2V5a2V5a2U="
LATER = "UPDATE oauth_tokens SET replaced_at = '2026-01-01T00:00:00.000000Z' WHERE replaced_at IS NOT NULL"
"""Ends every grace period."""


def renewal(tokens: Mapping[str, Any], **changes: str) -> dict[str, str]:
    """Return the form that uses a refresh token."""
    return {"grant_type": "refresh_token", "refresh_token": str(tokens["refresh_token"]), **changes}


def first_tokens(server: Server, app: Mapping[str, Any], email: str) -> dict[str, Any]:
    """Let a user allow an app. Returns the app's tokens."""
    pkce = Pkce()
    return tokens_of(server, app, exchange(consent(server, app, email, pkce)["code"], pkce))


def status_with(server: Server, tokens: Mapping[str, Any]) -> int:
    """Return the status of a request with an access token."""
    client = Client(server, str(tokens["access_token"]))
    status = client.get("/usage").status_code
    client.close()
    return status


def test_parallel_refreshes_continue_one_family(user: User) -> None:
    owner = give_password(user.server, user.email)
    app = create_app(owner)
    tokens = first_tokens(user.server, app, user.email)
    with ThreadPoolExecutor(8) as pool:
        for _ in range(3):
            used = renewal(tokens)
            answers: list[requests.Response] = list(
                pool.map(lambda form: ask_token(user.server, app, form), [used] * 12)
            )
            assert [answer.status_code for answer in answers] == [200] * 12
            given = [answer.json() for answer in answers]
            assert len({one["refresh_token"] for one in given}) == 1
            assert len({one["access_token"] for one in given}) == 12
            tokens = given[0]
    assert {status_with(user.server, one) for one in given} == {200}
    assert len(data(owner.get("/oauth/grants"))) == 1
    owner.close()


def test_a_repeated_refresh_may_ask_for_fewer_scopes_but_not_for_more(user: User) -> None:
    owner = give_password(user.server, user.email)
    app = create_app(owner)
    tokens = first_tokens(user.server, app, user.email)
    tokens_of(user.server, app, renewal(tokens))
    assert tokens_of(user.server, app, renewal(tokens, scope="usage:read offline_access"))["scope"] == "usage:read"
    refused_as(ask_token(user.server, app, renewal(tokens, scope="agents:write")), "invalid_scope")
    refused_as(ask_token(user.server, create_app(owner, name="Other"), renewal(tokens)), "invalid_grant")
    data(owner.delete(f"/oauth/grants/{data(owner.get('/oauth/grants'))[0]['id']}"))
    refused_as(ask_token(user.server, app, renewal(tokens)), "invalid_grant")
    owner.close()


@pytest.mark.slow
@pytest.mark.parametrize("database", DATABASES)
def test_a_lost_answer_is_repeated_after_a_crash_and_a_later_reuse_revokes_the_family(
    start_server: StartServer, database: str
) -> None:
    server = start_server(database, RETINUE_MASTER_KEY=KEY)
    email = server.new_user()
    owner = give_password(server, email)
    app = create_app(owner)
    first, other = (first_tokens(server, app, email) for _ in range(2))
    lost = tokens_of(server, app, renewal(first))
    server.kill()
    server.start()
    again = tokens_of(server, app, renewal(first))
    assert again["refresh_token"] == lost["refresh_token"]
    if database == "postgresql":
        node = start_server(RETINUE_MASTER_KEY=KEY, RETINUE_DATABASE_URL=server.env["RETINUE_DATABASE_URL"])
        assert tokens_of(node, app, renewal(first))["refresh_token"] == lost["refresh_token"]
    second = tokens_of(server, app, renewal(again))
    assert status_with(server, second) == 200
    server.stop()
    execute(server, LATER)
    server.start()
    refused_as(ask_token(server, app, renewal(first)), "invalid_grant")
    eventually(lambda: status_with(server, second) == 401, within=2)
    refused_as(ask_token(server, app, renewal(second)), "invalid_grant")
    assert status_with(server, other) == 200, "the user's other device has a family of its own"
    owner.close()


def test_an_expired_access_token_is_refused_as_expired_unless_it_was_replaced(start_server: StartServer) -> None:
    server = start_server(RETINUE_MASTER_KEY=KEY)
    email = server.new_user()
    owner = give_password(server, email)
    app = create_app(owner)
    expired, replaced = (Client(server, first_tokens(server, app, email)["access_token"]) for _ in range(2))
    assert replaced.get("/agents").status_code == 200
    server.stop()
    execute(
        server,
        "UPDATE oauth_tokens SET expires_at = '2020-01-01T00:00:00.000000Z'",
        "UPDATE oauth_tokens SET replaced_at = '2020-01-01T00:00:00.000000Z' WHERE id = "
        "(SELECT max(id) FROM oauth_tokens WHERE kind = 'access')",
    )
    server.start()
    refuse(expired.get("/agents"), 401, "access token has expired")
    refuse(replaced.get("/agents"), 401, "unknown, expired or revoked")
    for client in (expired, replaced, owner):
        client.close()


def test_a_new_consent_extends_the_grant(user: User) -> None:
    owner = give_password(user.server, user.email)
    app, browser = create_app(owner), Browser(user.server)
    page = browser.sign_in(browser.open(app, Pkce(), scope="agents:read"), user.email)
    answer_of(browser.submit(page, decision="allow"))
    (grant,) = data(owner.get("/oauth/grants"))
    assert grant["scopes"] == ["agents:read"]
    pkce = Pkce()
    code = answer_of(browser.submit(browser.open(app, pkce, scope="usage:read"), decision="allow"))["code"]
    (extended,) = data(owner.get("/oauth/grants"))
    assert (extended["id"], extended["scopes"]) == (grant["id"], ["agents:read", "usage:read"])
    assert tokens_of(user.server, app, exchange(code, pkce))["scope"] == "usage:read"
    owner.close()
