"""Every page of the portal opens, for an account with one of everything, for an empty one and for the operator.

A crawler follows each link, picture, live part and part of a page from the menu on. Templates are strict, so a field
that a template misspells makes its page an error as soon as there is a record to show.
"""

import html
import re
import secrets
from collections import Counter, deque
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field

import pytest
from starlette.routing import compile_path

from retinue.portal.routes import GROUPS
from tests.account_data.full_account import FullAccount, fill, settle
from tests.conftest import DATABASES, NewServer, User
from tests.portal.conftest import PAGES
from tests.portal.reader import Reader, reader_of
from tests.support.client import data
from tests.support.server import Server
from tests.support.waiting import eventually
from tests.voice.ports import free_sip_port
from tests.voice.telephone import voice_is_ready

pytestmark = [pytest.mark.slow, pytest.mark.timeout(400)]

_LINK = re.compile(r'(?:href|src|hx-get|data-live|data-src)="(/[^"#]*)')
_ACTION = re.compile(r'<form[^>]* method="post"[^>]* action="(/[^"]*)"')
_LIVE = "text/event-stream"
_FORKS = re.compile(r"/runs/\d+/fork")
"""Forms of the steps of a run. A reload leads to the run, because the address does not name the step."""

_SAMPLE = 12
"""How many addresses of one route are opened, unless it is crawled whole."""

ROUTES = [
    (declared.path, compile_path(declared.path)[0])
    for group in GROUPS
    for declared in group.declared
    if declared.method == "GET" and not declared.public
]
"""The pages for users who are signed in: path as declared, and the pattern of its addresses."""

OPERATOR_PAGES = {
    "/users",
    "/users/{id}",
    "/moderation",
    "/moderation/{id}",
    "/health",
    "/health/live",
    "/models/local/live",
}
UNLINKED = {"/", "/palette", "/palette?q=report", "/sources/progress", "/playground/conversations", "/playground/model"}
"""Pages that scripts request by themselves."""

PIXEL = b"\x89PNG\r\n\x1a\n"

SPOKEN = {"/calls/{id}/recording", "/voice-rooms/{id}/transcript"}
"""Pages of calls and rooms in which somebody spoke: tests/portal/test_voice.py opens them."""

STARTED = {"/start/documents/{id}", "/start/documents/{id}/live", "/start/model/{id}", "/sources/callback"}
"""Pages to which only a form of the first minute leads, and one to which only authorization servers do:
tests/portal/test_start.py and test_sources.py open them.
"""


@dataclass
class Crawl:
    """Follows the links of one reader. `whole` has the routes of which every address is opened.

    `pages` are the answers with HTML by their addresses.
    """

    reader: Reader
    whole: Collection[str] = ()
    opened: Counter[str] = field(default_factory=Counter)
    broken: dict[str, int] = field(default_factory=dict)
    pages: dict[str, str] = field(default_factory=dict)

    def run(self, starts: Collection[str]) -> "Crawl":
        """Open the addresses and all that they lead to."""
        seen, waiting = set(starts), deque(starts)
        while waiting:
            address = waiting.popleft()
            if not self._is_wanted(address):
                continue
            for link in self._open(address):
                if link not in seen:
                    seen.add(link)
                    waiting.append(link)
        return self

    def _is_wanted(self, address: str) -> bool:
        path = address.partition("?")[0]
        route = next((route for route, pattern in ROUTES if pattern.fullmatch(path)), None)
        if route is None:
            return False
        self.opened[route] += 1
        return route in self.whole or self.opened[route] <= _SAMPLE

    def _open(self, address: str) -> list[str]:
        with self.reader.get(address, stream=True) as answer:
            if answer.status_code >= 400:
                self.broken[address] = answer.status_code
            kind = answer.headers.get("Content-Type", "")
            if kind.startswith(_LIVE):
                text = next(answer.iter_content(65536), b"").decode()
            else:
                text = answer.text if kind.startswith("text/html") else ""
            self.pages[address] = text
        links = [html.unescape(link) for link in _LINK.findall(text)]
        return [*links, answer.headers["Location"]] if "Location" in answer.headers else links


@pytest.fixture(scope="module", params=DATABASES)
def server(request: pytest.FixtureRequest, new_server: NewServer) -> Iterator[Server]:
    """A server that can dial, so that there are calls."""
    sip = {"RETINUE_SIP": f"127.0.0.1:{free_sip_port()}", "RETINUE_SIP_DESTINATIONS": "sip:*@127.0.0.1:*"}
    started = new_server(request.param, RETINUE_ALLOWED_NETWORKS="127.0.0.1/32", **sip).start()
    voice_is_ready(started)
    yield started
    started.close()


@pytest.fixture(scope="module")
def full(server: Server) -> Iterator[FullAccount]:
    """An account with one of everything."""
    made = fill(User(server, server.new_user()), f"zq{secrets.token_hex(6)}", "http://127.0.0.1:9")
    settle(made)
    yield made
    made.close()
    made.user.close()


def _add_states(full: FullAccount) -> list[str]:
    """Start what has pages of its own only in some state: a call, an export, an approval. Returns their addresses."""
    client = full.live
    call = data(client.post("/voice/calls", {"to": "sip:nobody@127.0.0.1:9"}), 201)["id"]
    draft = {"name": "Later", "recipients": [{"to": "sip:nobody@127.0.0.1:9"}], "start": False}
    batch = data(client.post("/voice/batches", draft), 201)["id"]
    export = data(client.post("/account/export"), 202)["id"]
    simulation = data(client.get("/simulations"))[0]["id"]
    careful = {"skills": ["web_extract_links"], "approval": "required", "model": "default/stand-in"}
    agent = data(client.post("/agents", {"agent_name": "Careful", "agent_role": "leader", **careful}), 201)["id"]
    asked = '[[tool:web_extract_links {"html": "<p>Read</p>"}]]'
    run = data(client.post(f"/agents/{agent}/execute", {"message": asked, "background": True}), 202)["id"]
    begun = data(client.post("/chat", {"message": asked, "agent_id": agent}), 202)
    answer = f"/playground/conversations/{begun['conversation_id']}/answers/{begun['run_id']}"
    approval = eventually(lambda: data(client.get("/approvals")))[0]["id"]
    fleet = data(client.get("/fleets"))[0]["id"]
    deployment = data(client.get(f"/fleets/{fleet}/deployments"))[0]["deployment_id"]
    live = [
        f"/settings/export/{export}",
        f"/calls/{call}",
        f"/calls/batches/{batch}",
        f"/runs/{run}",
        f"/fleets/{fleet}/deployments/{deployment}",
        f"/simulations/{simulation}",
    ]
    pixel = client.request("POST", "/files", files={"file": ("pixel.png", PIXEL, "image/png")})
    return [
        f"/files/{(picture := data(pixel, 201)['id'])}/view",
        f"/files/previews?id={picture}",
        answer,
        *live,
        *(f"{path}/live" for path in live),
        f"/approvals/{approval}",
        f"/runs/{run}/steps/1",
    ]


@pytest.mark.either_database
def test_every_page_of_a_full_account_opens(server: Server, full: FullAccount) -> None:
    whole = ["/tools/{name}"] if "RETINUE_DATABASE_URL" not in server.env else []
    starts = [*PAGES, *UNLINKED, *_add_states(full), *(f"/tools/{name}" for name in _tools(full, whole))]
    crawl = Crawl(reader_of(full.user), whole).run(starts)
    assert crawl.broken == {}
    assert {route for route, _ in ROUTES} - OPERATOR_PAGES - SPOKEN - STARTED - crawl.opened.keys() == set()
    assert _lost_forms(crawl) == []


def test_every_page_of_an_empty_account_opens(server: Server) -> None:
    user = User(server, server.new_user())
    crawl = Crawl(reader_of(user)).run([*PAGES, *UNLINKED])
    assert crawl.broken == {}


def test_every_page_of_the_operator_opens(server: Server, full: FullAccount) -> None:
    assert full.item
    crawl = Crawl(Reader(server).sign_in_by_link("owner@localhost")).run([*PAGES, *OPERATOR_PAGES - _WITH_ID])
    assert crawl.broken == {}
    assert crawl.opened.keys() >= OPERATOR_PAGES
    assert _lost_forms(crawl) == []


def _lost_forms(crawl: Crawl) -> list[str]:
    """Return the addresses of forms where a reload leads to a page without the form."""
    actions = {html.unescape(action) for text in crawl.pages.values() for action in _ACTION.findall(text)}
    assert actions
    lost = []
    for action in sorted(actions):
        answer = crawl.reader.get(action, allow_redirects=True)
        is_kept = not answer.history or _FORKS.fullmatch(action) or html.escape(action) in answer.text
        if answer.status_code != 200 or not is_kept:
            lost.append(action)
    return lost


_WITH_ID = {path for path in OPERATOR_PAGES if "{" in path}


def _tools(full: FullAccount, whole: Collection[str]) -> list[str]:
    """Return the names of all tools, where every one is to be opened."""
    names: list[str] = []
    while whole:
        page = full.live.get(f"/tools?per_page=100&page={len(names) // 100 + 1}").json()
        names += [tool["name"] for tool in page["data"]]
        if len(page["data"]) < 100:
            break
    return names
