"""Signs in like a client: outside the versioned API and without a credential. Every response is checked."""

from typing import Any

import requests

from tests.support.client import Client, check, data
from tests.support.server import Server

PASSWORD = "correct horse battery staple"
_TIMEOUT_S = 60.0


def post_sign_in(server: Server, path: str, body: Any, **headers: str) -> requests.Response:
    """POST to an endpoint under `/api`, such as `/auth.php`."""
    with requests.Session() as session:
        session.trust_env = False
        response = session.post(f"{server.url}/api{path}", json=body, headers=headers, timeout=_TIMEOUT_S)
    check(server, response)
    return response


def sign_in(server: Server, email: str, password: str = PASSWORD, code: str | None = None, **headers: str) -> Client:
    """Sign in. Returns a client with the new session."""
    code_or_none = {} if code is None else {"code": code}
    response = post_sign_in(server, "/auth.php", {"email": email, "password": password, **code_or_none}, **headers)
    return Client(server, data(response)["token"])


def give_password(server: Server, email: str, password: str = PASSWORD) -> Client:
    """Set a user's password by a one-time link. Returns a client with the session that the link opens."""
    link = server.ask("users.link", email=email)
    return Client(server, data(post_sign_in(server, "/auth/link", {"token": link, "password": password}))["token"])
