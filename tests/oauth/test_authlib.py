"""A third-party client, Authlib's, completes every grant."""

import pytest
from authlib.integrations.requests_client import OAuth2Session

from tests.auth.signing_in import give_password
from tests.conftest import User
from tests.oauth.protocol import CALLBACK, Browser, Pkce, create_app
from tests.support.client import data, fetch


@pytest.mark.parametrize("method", ["client_secret_basic", "client_secret_post", "none"])
def test_authorization_code_refresh_and_revocation(user: User, method: str) -> None:
    owner = give_password(user.server, user.email)
    app, pkce = create_app(owner, public=method == "none"), Pkce()
    server = fetch(user.server, "/.well-known/oauth-authorization-server").json()
    client = OAuth2Session(
        app["client_id"],
        app["client_secret"],
        token_endpoint_auth_method=method,
        revocation_endpoint_auth_method=method,
        scope="agents:read usage:read",
        redirect_uri=CALLBACK,
        code_challenge_method="S256",
    )
    client.trust_env = False
    url, state = client.create_authorization_url(server["authorization_endpoint"], code_verifier=pkce.verifier)
    browser = Browser(user.server)
    page = browser.sign_in(browser.session.get(url, timeout=60), user.email)
    answer = browser.submit(page, decision="allow").headers["Location"]
    token = client.fetch_token(
        server["token_endpoint"], authorization_response=answer, state=state, code_verifier=pkce.verifier
    )
    assert token["scope"] == "agents:read usage:read"
    assert client.get(f"{user.server.url}/api/v1/agents").json()["data"] == []
    newer = client.refresh_token(server["token_endpoint"])
    assert newer["refresh_token"] != token["refresh_token"]
    assert client.get(f"{user.server.url}/api/v1/usage").status_code == 200
    assert client.revoke_token(server["revocation_endpoint"], newer["refresh_token"]).status_code == 200
    assert data(owner.get("/oauth/grants")) == []
    owner.close()


def test_client_credentials_and_introspection(user: User) -> None:
    app = create_app(user.client())
    server = fetch(user.server, "/.well-known/oauth-authorization-server").json()
    client = OAuth2Session(app["client_id"], app["client_secret"], scope="usage:read")
    client.trust_env = False
    token = client.fetch_token(server["token_endpoint"], grant_type="client_credentials")
    assert client.get(f"{user.server.url}/api/v1/usage").status_code == 200
    known = client.introspect_token(server["introspection_endpoint"], token["access_token"]).json()
    assert (known["active"], known["scope"]) == (True, "usage:read")
