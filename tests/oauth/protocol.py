"""The OAuth protocol from the side of clients and browsers."""

import base64
import hashlib
import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, urlsplit

import requests

from tests.auth.signing_in import PASSWORD
from tests.support.client import Client, data
from tests.support.server import Server

CALLBACK = "https://example.com/callback"
SCOPES = ["agents:read", "usage:read"]
_TIMEOUT_S = 60.0
_HIDDEN = re.compile(r'<input type="hidden" name="([a-z_]+)" value="([^"]*)">')


def create_app(owner: Client, **fields: Any) -> dict[str, Any]:
    """Create a user's app. Returns it with its secret."""
    wanted = {"name": "Dashboard", "redirect_uris": [CALLBACK], "scopes": SCOPES, **fields}
    app: dict[str, Any] = data(owner.post("/oauth/apps", wanted), 201)
    return app


def post_form(server: Server, path: str, form: Any, **options: Any) -> requests.Response:
    """POST a form to an endpoint of the protocol."""
    with requests.Session() as session:
        session.trust_env = False
        return session.post(f"{server.url}/oauth/{path}", data=form, timeout=_TIMEOUT_S, **options)


def ask_token(server: Server, app: Mapping[str, Any], form: Mapping[str, str]) -> requests.Response:
    """Request tokens as an app."""
    secret = {"client_secret": app["client_secret"]} if app["client_secret"] else {}
    return post_form(server, "token", {"client_id": app["client_id"], **secret, **form})


def tokens_of(server: Server, app: Mapping[str, Any], form: Mapping[str, str]) -> dict[str, Any]:
    """Return the tokens that an app receives."""
    response = ask_token(server, app, form)
    assert response.status_code == 200, response.text
    assert response.headers["Cache-Control"] == "no-store"
    tokens: dict[str, Any] = response.json()
    return tokens


def refused_as(response: requests.Response, code: str, status: int = 400) -> None:
    """Check that the response is an error of RFC 6749, section 5.2."""
    assert response.status_code == status, response.text
    body = response.json()
    assert body.keys() == {"error", "error_description"}
    assert body["error"] == code, body
    assert response.headers["Cache-Control"] == "no-store"


@dataclass
class Pkce:
    """A verifier and its challenge (RFC 7636)."""

    verifier: str = field(default_factory=lambda: secrets.token_urlsafe(48))

    @property
    def challenge(self) -> str:
        """Return the challenge by the method S256."""
        digest = hashlib.sha256(self.verifier.encode()).digest()
        return base64.urlsafe_b64encode(digest).rstrip(b"=").decode()


class Browser:
    """A user's browser, which stores cookies but follows no redirects."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.session = requests.Session()
        self.session.trust_env = False

    def open(self, app: Mapping[str, Any], pkce: Pkce, **parameters: str | None) -> requests.Response:
        """Open the authorization page of an app. Parameters that are None are omitted."""
        query: dict[str, str | None] = {
            "response_type": "code",
            "client_id": app["client_id"],
            "redirect_uri": CALLBACK,
            "state": "a state",
            "code_challenge": pkce.challenge,
            "code_challenge_method": "S256",
            **parameters,
        }
        return self._send("GET", params={name: value for name, value in query.items() if value is not None})

    def submit(
        self, page: requests.Response, headers: Mapping[str, str] | None = None, **fields: str
    ) -> requests.Response:
        """Submit the form of a page."""
        hidden = {name: _unescape(value) for name, value in _HIDDEN.findall(page.text)}
        return self._send(
            "POST", data={**hidden, **fields}, headers={"Sec-Fetch-Site": "same-origin", **(headers or {})}
        )

    def sign_in(self, page: requests.Response, email: str, password: str = PASSWORD) -> requests.Response:
        """Sign in on a page. Returns the next page."""
        answer = self.submit(page, email=email, password=password)
        if answer.status_code != 303:
            return answer
        return self.session.get(self.server.url + answer.headers["Location"], allow_redirects=False, timeout=_TIMEOUT_S)

    def _send(self, method: str, **options: Any) -> requests.Response:
        address = f"{self.server.url}/oauth/authorize"
        return self.session.request(method, address, allow_redirects=False, timeout=_TIMEOUT_S, **options)


def answer_of(response: requests.Response) -> dict[str, str]:
    """Return the parameters that the redirect passes to the client."""
    assert response.status_code == 303, response.text
    parts = urlsplit(response.headers["Location"])
    assert f"{parts.scheme}://{parts.netloc}{parts.path}" == CALLBACK
    return {name: values[0] for name, values in parse_qs(parts.query, strict_parsing=True).items()}


def consent(server: Server, app: Mapping[str, Any], email: str, pkce: Pkce, **parameters: str) -> dict[str, str]:
    """Let a user sign in and allow an app. Returns the parameters for the client."""
    browser = Browser(server)
    page = browser.sign_in(browser.open(app, pkce, **parameters), email)
    answer = answer_of(browser.submit(page, decision="allow"))
    browser.session.close()
    return answer


def exchange(code: str, pkce: Pkce, **changes: str) -> dict[str, str]:
    """Return the form that exchanges a code."""
    form = {"grant_type": "authorization_code", "code": code, "redirect_uri": CALLBACK, "code_verifier": pkce.verifier}
    return {**form, **changes}


def _unescape(text: str) -> str:
    for entity, letter in (("&lt;", "<"), ("&gt;", ">"), ("&#34;", '"'), ("&#39;", "'"), ("&amp;", "&")):
        text = text.replace(entity, letter)
    return text
