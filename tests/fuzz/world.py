"""A user with a record of every kind, and what the fuzzer has learnt of the server: paths of records, and forms."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html import unescape
from html.parser import HTMLParser
from random import Random
from typing import Any

import orjson

from retinue.app import operations, public_operations
from retinue.auth.sessions.browser import COOKIE
from retinue.core.errors import ValidationFailed
from retinue.core.http.operations import BASE
from retinue.tools.catalogue.catalogue import Catalogue
from tests.auth.crossings import Space
from tests.auth.signing_in import give_password
from tests.conftest import User
from tests.oauth.protocol import Pkce, consent, create_app, exchange, tokens_of
from tests.support.client import Client, data, fetch
from tests.support.server import Server
from tests.tools.hostile import corpus_of

OPERATIONS = [*operations(), *public_operations()]
RECORDS = {f"{one.path}" for one in OPERATIONS if one.path.endswith("}")}
"""Templates of the paths of records."""
_MOST = 60
"""Paths that are kept for each template: the newest, so that most still exist."""
_FILES = 40
_PAGE_AGAIN = 20
"""How many pages of one kind are not read again after each that is."""
KINDS = ("live", "sandbox", "session", "operator", "reader")
"""The kinds of credentials that can be replaced."""
_INNER = re.compile(r"\{[a-z_]+\}$")


@dataclass(frozen=True)
class Form:
    """A form of the portal: where it leads and what its fields contain."""

    action: str
    method: str
    fields: tuple[tuple[str, str], ...]
    is_upload: bool


class _Forms(HTMLParser):
    """Collects the forms and links of a page."""

    def __init__(self, path: str) -> None:
        super().__init__()
        self.path = path
        self.forms: list[Form] = []
        self.links: list[str] = []
        self._open: tuple[str, str, bool] | None = None
        self._fields: list[tuple[str, str]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note a link, or a form and its fields."""
        known = {name: value or "" for name, value in attrs}
        for name in ("href", "hx-get", "action"):
            if known.get(name, "").startswith("/"):
                self.links.append(unescape(known[name]))
        for name in ("hx-post", "action"):
            if name in known and tag == "form":
                upload = "multipart" in known.get("enctype", known.get("hx-encoding", ""))
                self._open = (known[name] or self.path, known.get("method", "post").upper(), upload)
        if "hx-post" in known and tag != "form":
            self.forms.append(Form(known["hx-post"], "POST", (), is_upload=False))
        if self._open and known.get("name") and tag in ("input", "textarea", "select", "button"):
            self._fields.append((known["name"], known.get("value", "")))
        if self._open and tag == "option" and self._fields:
            self._fields.append((self._fields[-1][0], known.get("value", "")))

    def handle_endtag(self, tag: str) -> None:
        """Note the end of a form."""
        if tag == "form" and self._open:
            action, method, upload = self._open
            self.forms.append(Form(action, method, tuple(self._fields), upload))
            self._open, self._fields = None, []


@dataclass
class World:
    """Credentials by kind, concrete paths by template, and forms by where they lead."""

    server: Server
    document: Mapping[str, Any]
    tokens: dict[str, str] = field(default_factory=dict)
    paths: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    pages: dict[str, None] = field(default_factory=dict)
    forms: dict[str, Form] = field(default_factory=dict)
    apps: list[dict[str, Any]] = field(default_factory=list)
    secrets: dict[str, str] = field(default_factory=dict)
    """Values that the server handed out: refresh tokens, room tickets, links."""
    email: str = ""
    _seen: Counter[str] = field(default_factory=Counter)

    @classmethod
    def of(cls, server: Server, chance: Random) -> "World":
        """Create a user with a record of every kind."""
        world = cls(server, orjson.loads(fetch(server, f"{BASE}/openapi.json").content))
        world.fill()
        world._upload(chance)
        return world

    def fill(self) -> None:
        """Add a new user. Its records and credentials are used from now on, beside those of earlier users."""
        self._new_user()
        user = User(self.server, self.email)
        live, sandbox = Space.both(user)
        for space in (live, sandbox):
            for template, ids in space.ids.items():
                for number in ids:
                    self.learn_path(template, template[: template.rindex("{")] + number)
        self._add_secrets(user, live.client, sandbox.client)
        user.close()

    def _new_user(self) -> None:
        self.email = self.server.new_user()
        for kind in KINDS:
            self._create(kind)

    def renew(self, kind: str) -> None:
        """Replace a credential. If its user is suspended or deleted, add a new user."""
        try:
            self._create(kind)
        except (AssertionError, ValidationFailed):
            self._new_user()

    def _create(self, kind: str) -> None:
        if kind in ("session", "operator"):
            session = give_password(self.server, "owner@localhost" if kind == "operator" else self.email)
            self.tokens[kind] = session.key or ""
            session.close()
        else:
            scopes = ["agents:read"] if kind == "reader" else ["*"]
            self.tokens[kind] = self.server.new_key(self.email, scopes, kind == "sandbox")

    def _add_secrets(self, user: User, live: Client, sandbox: Client) -> None:
        app = create_app(live)
        pkce = Pkce()
        tokens = tokens_of(self.server, app, exchange(consent(self.server, app, user.email, pkce)["code"], pkce))
        self.apps = [*self.apps[-3:], app]
        self.tokens["oauth"] = tokens["access_token"]
        self.secrets |= {"refresh_token": tokens.get("refresh_token", ""), "token": tokens["access_token"]}
        self.secrets |= {"code_verifier": pkce.verifier, "email": user.email, "client_id": app["client_id"]}
        self.secrets["client_secret"] = app["client_secret"]
        for client in (live, sandbox):
            room = data(client.post("/voice/rooms", {"name": "a"}), 201)["id"]
            ticket = data(client.post(f"/voice/rooms/{room}/join", {"name": "Ada"}))
            self.secrets[f"/rooms/{room}"] = str(ticket.get("token", ""))

    def _upload(self, chance: Random) -> None:
        """Upload files that tools can read."""
        client = Client(self.server, self.tokens["live"])
        for content in chance.sample(corpus_of(list(Catalogue.load())), _FILES):
            made = data(client.request("POST", "/files", files={"file": ("a", content, "text/plain")}), 201)
            self.learn_path("/files/{id}", f"/files/{made['id']}")
        client.close()

    @property
    def cookie(self) -> bytes:
        """The cookie of the user's session in the portal."""
        return f"{COOKIE}={self.tokens['session']}".encode()

    @property
    def operator_cookie(self) -> bytes:
        """The cookie of the operator's session."""
        return f"{COOKIE}={self.tokens['operator']}".encode()

    def learn_path(self, template: str, path: str) -> None:
        """Remember a record."""
        known = self.paths[template]
        if path not in known:
            known.append(path)
            del known[:-_MOST]

    def forget_path(self, template: str, path: str) -> None:
        """Forget a record that was deleted, and the records below it."""
        for known in [template, *self._inner(template)]:
            self.paths[known] = [one for one in self.paths[known] if one != path and not one.startswith(f"{path}/")]

    def ids(self, template: str) -> Sequence[str]:
        """Return the ids of the known records of a template."""
        return [path.rpartition("/")[2] for path in self.paths[template]]

    def learn_response(self, template: str, path: str, body: bytes) -> None:
        """Remember the records in a response of the API to a request for `path`."""
        for inner in self._inner(template):
            for number in _ids(body, inner):
                self.learn_path(inner, f"{path}/{number}")

    def _inner(self, template: str) -> Iterator[str]:
        return (one for one in RECORDS if _INNER.sub("", one) == f"{template}/")

    def learn_page(self, path: str, body: bytes) -> None:
        """Remember the links and forms of a page, if it is one of the first of its kind."""
        kind = re.sub(r"[0-9]+", "0", path)
        self._seen[kind] += 1
        if self._seen[kind] % _PAGE_AGAIN != 1:
            return
        reader = _Forms(path)
        reader.feed(body.decode("utf-8", "replace"))
        for link in reader.links:
            self.pages[link] = None
        for form in reader.forms:
            self.forms[f"{form.method} {re.sub(r'[0-9]+', '0', form.action)}"] = form
        while len(self.pages) > 3_000:
            del self.pages[next(iter(self.pages))]


def _ids(body: bytes, template: str) -> Iterator[str]:
    """Yield the ids of the records in a response."""
    try:
        found = orjson.loads(body)["data"]
    except (orjson.JSONDecodeError, KeyError, TypeError):
        return
    named = template[template.rindex("{") + 1 : -1]
    for record in found if isinstance(found, list) else [found]:
        if isinstance(record, dict):
            number = record.get(named, record.get("id"))
            if isinstance(number, int | str) and number not in ("", 0):
                yield str(number)
