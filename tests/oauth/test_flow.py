"""The grants from end to end, their refusals, and the revocation of token families."""

import base64
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.auth.signing_in import give_password
from tests.conftest import User
from tests.oauth.protocol import (
    CALLBACK,
    SCOPES,
    Browser,
    Pkce,
    answer_of,
    ask_token,
    consent,
    create_app,
    exchange,
    post_form,
    refused_as,
    tokens_of,
)
from tests.support.client import Client, data, refuse
from tests.support.server import Server
from tests.support.waiting import eventually


@pytest.fixture
def owner(user: User) -> Iterator[Client]:
    """The session of a user with a password."""
    session = give_password(user.server, user.email)
    yield session
    session.close()


def test_a_code_gives_tokens_that_act_for_the_user(user: User, owner: Client) -> None:
    app, pkce = create_app(owner), Pkce()
    answer = consent(user.server, app, user.email, pkce, scope="agents:read")
    assert answer.keys() == {"code", "state", "iss"}
    assert (answer["state"], answer["iss"]) == ("a state", user.server.url)
    tokens = tokens_of(user.server, app, exchange(answer["code"], pkce))
    assert tokens.keys() == {"access_token", "token_type", "expires_in", "scope", "refresh_token"}
    assert (tokens["token_type"], tokens["expires_in"], tokens["scope"]) == ("Bearer", 3600, "agents:read")
    assert tokens["access_token"].startswith("aat_")
    assert len(tokens["access_token"]) == 47
    agent = data(owner.post("/agents", {"agent_name": "mine", "agent_role": "leader"}), 201)
    client = Client(user.server, tokens["access_token"])
    assert data(client.get("/agents")) == [agent]
    lacking = refuse(client.get("/usage"), 403, "Authorize the app again, with this scope")
    assert "usage:read" in lacking
    refuse(client.post("/agents", {"agent_name": "a", "agent_role": "leader"}), 403)
    unfit = refuse(client.get("/keys"), 403, "requires an API key or a session token")
    assert "scope" not in unfit
    refuse(client.get("/oauth/apps"), 403)
    (grant,) = data(owner.get("/oauth/grants"))
    assert (grant["client_id"], grant["scopes"], grant["kind"]) == (app["client_id"], ["agents:read"], "code")
    data(owner.delete(f"/oauth/grants/{grant['id']}"))
    eventually(lambda: client.get("/agents").status_code == 401, within=2)
    revoked = client.get("/agents")
    assert "retinue keys create" not in refuse(revoked, 401, "refresh token, or authorize again")
    assert 'error="invalid_token"' in revoked.headers["WWW-Authenticate"]
    refused_as(
        ask_token(user.server, app, {"grant_type": "refresh_token", "refresh_token": tokens["refresh_token"]}),
        "invalid_grant",
    )
    client.close()


def test_a_refresh_returns_the_scopes_that_it_asks_for(user: User, owner: Client) -> None:
    app, pkce = create_app(owner), Pkce()
    first = tokens_of(user.server, app, exchange(consent(user.server, app, user.email, pkce)["code"], pkce))
    renew = {"grant_type": "refresh_token"}
    second = tokens_of(user.server, app, {**renew, "refresh_token": first["refresh_token"], "scope": "usage:read"})
    assert second["scope"] == "usage:read"
    third = tokens_of(user.server, app, {**renew, "refresh_token": second["refresh_token"]})
    assert third["scope"] == " ".join(SCOPES)


def test_nul_is_no_part_of_a_parameter(server: Server) -> None:
    refused_as(post_form(server, "token", {"grant_type": "refresh_token", "client_id": "a\0"}), "invalid_request")


def test_a_suspension_does_not_use_up_refresh_tokens(user: User, owner: Client) -> None:
    app, pkce = create_app(owner), Pkce()
    first = tokens_of(user.server, app, exchange(consent(user.server, app, user.email, pkce)["code"], pkce))
    renew = {"grant_type": "refresh_token", "refresh_token": first["refresh_token"]}
    user.server.ask("users.suspend", email=user.email)
    for _ in range(2):
        refused_as(ask_token(user.server, app, renew), "invalid_grant")
    user.server.ask("users.restore", email=user.email)
    tokens_of(user.server, app, renew)


def test_a_code_works_once_however_many_use_it(user: User, owner: Client) -> None:
    app, pkce = create_app(owner), Pkce()
    form = exchange(consent(user.server, app, user.email, pkce)["code"], pkce)
    with ThreadPoolExecutor(8) as pool:
        responses = list(pool.map(lambda _: ask_token(user.server, app, form), range(8)))
    given = [response.json() for response in responses if response.status_code == 200]
    assert len(given) == 1
    client = Client(user.server, given[0]["access_token"])
    eventually(lambda: client.get("/agents").status_code == 401, within=2)
    client.close()


def test_client_credentials_act_for_the_owner(user: User, owner: Client) -> None:
    app = create_app(owner)
    tokens = tokens_of(user.server, app, {"grant_type": "client_credentials", "scope": "usage:read"})
    assert tokens.keys() == {"access_token", "token_type", "expires_in", "scope"}
    client = Client(user.server, tokens["access_token"])
    data(client.get("/usage"))
    refuse(client.get("/agents"), 403)
    data(owner.delete(f"/oauth/apps/{app['id']}"))
    eventually(lambda: client.get("/usage").status_code == 401, within=2)
    client.close()


def test_a_mistyped_scope_grants_nothing(user: User, owner: Client) -> None:
    app, pkce = create_app(owner), Pkce()
    ask = {"grant_type": "client_credentials"}
    refused = ask_token(user.server, app, {**ask, "scope": "agents:raed openid"})
    refused_as(refused, "invalid_scope")
    assert "agents:read usage:read" in refused.json()["error_description"]
    assert tokens_of(user.server, app, {**ask, "scope": "usage:read agents:raed"})["scope"] == "usage:read"
    tokens = tokens_of(user.server, app, exchange(consent(user.server, app, user.email, pkce)["code"], pkce))
    renewal = {"grant_type": "refresh_token", "refresh_token": tokens["refresh_token"]}
    refused_as(ask_token(user.server, app, {**renewal, "scope": "nope"}), "invalid_scope")
    assert tokens_of(user.server, app, {**renewal, "scope": "agents:read"})["scope"] == "agents:read"


@pytest.mark.parametrize("scope", [None, "offline_access", "openid profile email"])
def test_without_a_scope_of_the_server_an_app_asks_for_all_of_its_scopes(
    user: User, owner: Client, scope: str | None
) -> None:
    ask = {"grant_type": "client_credentials", **({"scope": scope} if scope else {})}
    assert tokens_of(user.server, create_app(owner), ask)["scope"] == " ".join(SCOPES)


def test_revoking_a_user_revokes_the_permissions_of_apps(user: User, owner: Client) -> None:
    app, pkce = create_app(owner), Pkce()
    consented = tokens_of(user.server, app, exchange(consent(user.server, app, user.email, pkce)["code"], pkce))
    own = tokens_of(user.server, app, {"grant_type": "client_credentials"})
    user.server.ask("users.revoke", email=user.email)
    clients = [Client(user.server, tokens["access_token"]) for tokens in (consented, own)]
    eventually(lambda: [client.get("/usage").status_code for client in clients] == [401, 401], within=2)
    renew = {"grant_type": "refresh_token", "refresh_token": consented["refresh_token"]}
    refused_as(ask_token(user.server, app, renew), "invalid_client", 401)
    refused_as(ask_token(user.server, app, {"grant_type": "client_credentials"}), "invalid_client", 401)


def test_revoking_and_introspecting(user: User, owner: Client) -> None:
    app, other, pkce = create_app(owner), create_app(owner, name="Other"), Pkce()
    tokens = tokens_of(user.server, app, exchange(consent(user.server, app, user.email, pkce)["code"], pkce))

    def look(client: dict[str, str], token: str) -> dict[str, object]:
        form = {"token": token}
        response = post_form(user.server, "introspect", form, auth=(client["client_id"], client["client_secret"]))
        assert response.status_code == 200, response.text
        found: dict[str, object] = response.json()
        return found

    known = look(app, tokens["access_token"])
    assert (known["active"], known["scope"], known["client_id"]) == (True, " ".join(SCOPES), app["client_id"])
    assert look(app, tokens["refresh_token"])["active"] is True
    assert look(other, tokens["access_token"]) == {"active": False}
    assert look(app, "aat_" + "A" * 43) == {"active": False}
    for client, token in ((other, tokens["refresh_token"]), (app, "rubbish")):
        auth = client["client_id"], client["client_secret"]
        assert post_form(user.server, "revoke", {"token": token}, auth=auth).status_code == 200
    assert look(app, tokens["access_token"])["active"] is True, "another client must not revoke the token"
    auth = app["client_id"], app["client_secret"]
    assert post_form(user.server, "revoke", {"token": tokens["refresh_token"]}, auth=auth).status_code == 200
    assert look(app, tokens["access_token"]) == {"active": False}


def test_a_public_client_needs_no_secret(user: User, owner: Client) -> None:
    app, pkce = create_app(owner, public=True), Pkce()
    assert app["client_secret"] is None
    code = consent(user.server, app, user.email, pkce)["code"]
    assert "refresh_token" in tokens_of(user.server, app, exchange(code, pkce))
    refused_as(ask_token(user.server, app, {"grant_type": "client_credentials"}), "unauthorized_client")
    refused_as(
        post_form(user.server, "introspect", {"client_id": app["client_id"], "token": "x"}), "invalid_client", 401
    )


@pytest.mark.parametrize(
    ("changes", "code", "named"),
    [
        ({"code_verifier": "A" * 43}, "invalid_grant", "code_verifier"),
        ({"code_verifier": ""}, "invalid_grant", "code_verifier"),
        ({"redirect_uri": CALLBACK + "/"}, "invalid_grant", "redirect_uri"),
        ({"redirect_uri": ""}, "invalid_grant", "redirect_uri"),
        ({"code": "aac_" + "A" * 43}, "invalid_grant", "code is unknown"),
        ({"grant_type": "password"}, "unsupported_grant_type", "grant_type"),
        ({"client_secret": "acs_" + "A" * 43}, "invalid_client", "secret"),
        ({"client_id": "app_unknown"}, "invalid_client", "client"),
    ],
)
def test_a_wrong_exchange_is_refused_with_the_parameter_that_is_wrong(
    user: User, owner: Client, changes: dict[str, str], code: str, named: str
) -> None:
    app, pkce = create_app(owner), Pkce()
    form = exchange(consent(user.server, app, user.email, pkce)["code"], pkce)
    response = ask_token(user.server, {**app}, {**form, **changes})
    refused_as(response, code, 401 if code == "invalid_client" else 400)
    assert named in response.json()["error_description"]
    assert ("WWW-Authenticate" in response.headers) == (code == "invalid_client")


def test_another_apps_code_and_token_are_worth_nothing(user: User, owner: Client) -> None:
    app, other, pkce = create_app(owner), create_app(owner, name="Other"), Pkce()
    form = exchange(consent(user.server, app, user.email, pkce)["code"], pkce)
    refused_as(ask_token(user.server, other, form), "invalid_grant")
    tokens = tokens_of(user.server, app, form)
    stolen = {"grant_type": "refresh_token", "refresh_token": tokens["refresh_token"]}
    refused_as(ask_token(user.server, other, stolen), "invalid_grant")
    assert tokens_of(user.server, app, stolen)


@pytest.mark.parametrize(
    "form", [b"grant_type=client_credentials&grant_type=client_credentials", b"a=1&" * 60, b"x" * 70_000], ids=len
)
def test_forms_that_are_refused(user: User, form: bytes) -> None:
    headers = {"Content-Type": "application/x-www-form-urlencoded"}
    refused_as(post_form(user.server, "token", form, headers=headers), "invalid_request")


def test_other_bodies_are_refused(user: User) -> None:
    refused_as(post_form(user.server, "token", b"{}", headers={"Content-Type": "application/json"}), "invalid_request")
    wrong = {"Content-Type": "application/x-www-form-urlencoded", "Authorization": "Bearer x"}
    refused_as(post_form(user.server, "token", b"a=b", headers=wrong), "invalid_client", 401)


@pytest.mark.parametrize(
    ("parameters", "code"),
    [
        ({"response_type": "token"}, "unsupported_response_type"),
        ({"code_challenge": None}, "invalid_request"),
        ({"code_challenge": "short"}, "invalid_request"),
        ({"code_challenge_method": "plain"}, "invalid_request"),
        ({"code_challenge_method": None}, "invalid_request"),
        ({"scope": "agents:write"}, "invalid_scope"),
        ({"scope": "*"}, "invalid_scope"),
        ({"scope": "nope"}, "invalid_scope"),
        ({"scope": "agents:raed openid"}, "invalid_scope"),
    ],
)
def test_errors_go_back_to_a_known_client(
    user: User, owner: Client, parameters: dict[str, str | None], code: str
) -> None:
    answer = answer_of(Browser(user.server).open(create_app(owner), Pkce(), **parameters))
    assert (answer["error"], answer["state"], answer["iss"]) == (code, "a state", user.server.url)


@pytest.mark.parametrize(
    "parameters",
    [
        {"client_id": "app_unknown"},
        {"client_id": None},
        {"redirect_uri": None},
        {"redirect_uri": CALLBACK + "/"},
        {"redirect_uri": CALLBACK + "?a=b"},
        {"redirect_uri": "https://example.com.evil.example/callback"},
        {"redirect_uri": "javascript:alert(1)"},
        {"redirect_uri": "http://127.0.0.1:5000/callback"},
    ],
    ids=str,
)
def test_nobody_is_sent_where_the_app_has_not_registered(
    user: User, owner: Client, parameters: dict[str, str | None]
) -> None:
    response = Browser(user.server).open(create_app(owner), Pkce(), **parameters)
    assert response.status_code == 400
    assert "Location" not in response.headers


def test_a_loopback_redirect_may_have_any_port(user: User, owner: Client) -> None:
    app = create_app(owner, redirect_uris=["http://127.0.0.1/callback"], public=True)
    page = Browser(user.server).open(app, Pkce(), redirect_uri="http://127.0.0.1:5123/callback")
    assert page.status_code == 200
    assert Browser(user.server).open(app, Pkce(), redirect_uri="http://127.0.0.1:5123/other").status_code == 400


@pytest.mark.parametrize("path", ["token", "revoke", "introspect"])
@pytest.mark.parametrize("identifier", ["a\0b", "\0", "%00", "a" * 5_000, "\u20ac"])
def test_a_strange_client_identifier_is_an_unknown_client(server: Server, path: str, identifier: str) -> None:
    header = base64.b64encode(f"{identifier}:secret".encode()).decode()
    response = post_form(server, path, {"token": "a"}, headers={"Authorization": f"Basic {header}"})
    refused_as(response, "invalid_client", 401)
