"""A reader of the portal who speaks HTTP as a browser does: cookies, Origin, and forms."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import requests

from retinue.auth.sessions.browser import COOKIE
from tests.auth.signing_in import PASSWORD
from tests.conftest import User
from tests.support.server import Server

_TIMEOUT_S = 60.0
_TITLE = re.compile(r"<title>(.*?)</title>")
Fields = Mapping[str, str | Sequence[str]]


class Reader:
    """Follows no redirect unless it is told to, so that each answer is seen."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.session = requests.Session()
        self.session.trust_env = False
        self.session.headers["Accept"] = "text/html,application/xhtml+xml"

    def get(self, path: str, **options: Any) -> requests.Response:
        """GET a page."""
        return self._send("GET", path, **options)

    def post(self, path: str, form: Fields | None = None, **options: Any) -> requests.Response:
        """Send a form as a page of the server itself does."""
        headers = {"Origin": self.server.url, **options.pop("headers", {})}
        body = {"data": dict(form or {}), **options} if "json" not in options else options
        if not form and "json" not in options:
            headers["Content-Type"] = "application/x-www-form-urlencoded"
        return self._send("POST", path, headers=headers, **body)

    def ask(self, method: str, path: str, headers: Mapping[str, str]) -> requests.Response:
        """Send a request as a script of the server's own pages does."""
        return self.ask_with(method, path, headers, "")

    def ask_with(self, method: str, path: str, headers: Mapping[str, str], body: str) -> requests.Response:
        """As `ask`, with a body."""
        every = {"Accept": "*/*", "Origin": self.server.url, **headers}
        return self._send(method, path, headers=every, data=body.encode() or None)

    def sign_in_by_link(self, email: str, password: str = PASSWORD) -> "Reader":
        """Use a one-time link of the user, with a new password."""
        token = self.server.ask("users.link", email=email)
        answer = self.post("/sign-in/link", {"token": token, "password": password})
        assert answer.status_code == 303, answer.text
        assert self.token.startswith("sess_")
        return self

    @property
    def token(self) -> str:
        """The session's token in the cookie; empty where there is none."""
        return self.session.cookies.get(COOKIE) or ""

    def close(self) -> None:
        """Let go of connections."""
        self.session.close()

    def _send(self, method: str, path: str, **options: Any) -> requests.Response:
        options = {"allow_redirects": False, **options}
        return self.session.request(method, self.server.url + path, timeout=_TIMEOUT_S, **options)


def reader_of(user: User) -> Reader:
    """A reader who is signed in as the user."""
    return Reader(user.server).sign_in_by_link(user.email)


def title(response: requests.Response) -> str:
    """The title of a page."""
    found = _TITLE.search(response.text)
    assert found, response.text[:500]
    return found[1].removesuffix(" · Retinue")


def redirect(response: requests.Response) -> str:
    """Where a form that was carried out leads."""
    assert response.status_code == 303, (response.status_code, response.text[:2000])
    return response.headers["Location"]
