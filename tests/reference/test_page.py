"""The pages of the reference are complete, small, self-contained and accessible, and their examples work."""

import re
import subprocess
from collections.abc import Mapping
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import requests

from retinue.app import operations
from retinue.openapi.examples import BODIES
from retinue.reference.guide import NAMES
from tests.auth.signing_in import give_password
from tests.conftest import ONE_DATABASE, NewUser, User
from tests.oauth.protocol import create_app, tokens_of
from tests.reference.html_page import Page, read
from tests.support.api_document import api_document
from tests.support.client import data
from tests.support.server import Server
from tests.support.waiting import eventually

pytestmark = pytest.mark.either_database

Json = dict[str, Any]


def get(server: Server, path: str, **headers: str) -> requests.Response:
    return requests.get(server.url + path, headers=headers, timeout=60, allow_redirects=False)


MOST_BYTES = 200_000
"""The first load of a page, compressed, with all that it loads."""


def page_at(server: Server, path: str) -> Page:
    response = get(server, path)
    assert response.status_code == 200
    return read(response.text)


@pytest.fixture
def page(server: Server) -> Page:
    return page_at(server, "/docs")


@pytest.fixture
def pages(server: Server) -> dict[str, Page]:
    paths = ["/docs", *(f"/docs/api/{name}" for name in resources()), "/docs/api/events"]
    return {path: page_at(server, path) for path in paths}


def resources() -> list[str]:
    return [tag["name"] for tag in api_document()["tags"]]


def examples(pages: Mapping[str, Page]) -> list[tuple[str, str]]:
    return [example for page in pages.values() for example in page.examples()]


def test_the_document_is_served_as_it_is_built(server: Server) -> None:
    response = get(server, "/api/v1/openapi.json")
    assert response.status_code == 200
    assert response.headers["Content-Type"] == "application/json"
    assert response.json() == api_document()


@pytest.mark.parametrize(
    "path", ["/docs", "/docs/api/agents", "/docs/style.css", "/docs/search.json", "/api/v1/openapi.json"]
)
def test_a_cached_response_is_not_sent_again(server: Server, path: str) -> None:
    tag = get(server, path).headers["ETag"]
    again = get(server, path, **{"If-None-Match": f'"other", W/{tag}'})
    assert (again.status_code, again.content, again.headers["ETag"]) == (304, b"", tag)
    assert get(server, path, **{"If-None-Match": '"other"'}).status_code == 200


@pytest.mark.parametrize("path", ["/docs/missing", "/doc", "/docs/../etc"])
def test_an_unknown_page_is_the_standard_error(server: Server, path: str) -> None:
    response = get(server, path)
    assert response.status_code == 404
    assert response.json()["error"]["code"] == "resource_not_found"


def test_nothing_comes_from_elsewhere(server: Server, pages: Mapping[str, Page]) -> None:
    policy = get(server, "/docs").headers["Content-Security-Policy"]
    assert policy.startswith("default-src 'none'; style-src 'self'")
    for page in pages.values():
        loads = set(files_of(page))
        own = {re.sub(r"\?v=[0-9a-f]{16}$", "", path) for path in loads if path.startswith("/docs/")}
        assert {"/docs/style.css", "/docs/search.js"} <= own
        shared = {re.sub(r"^/static/[0-9a-f]{12}/", "", path) for path in loads if path.startswith("/static/")}
        assert shared == {"favicon.svg", "fonts.css", "theme.js"}
        assert len(own) + len(shared) == len(loads)
        assert page.all("style", "img", "iframe") == []
        assert not [name for e in page.elements for name in e.attributes if name.startswith("on") or name == "style"]
        assert all(element.attributes["href"].startswith(("#", "/")) for element in page.all("a"))
    style = get(server, "/docs/style.css")
    assert style.headers["Content-Type"].startswith("text/css")
    assert "url(" not in style.text
    assert "@import" not in style.text


def files_of(page: Page) -> list[str]:
    """The files that a page loads."""
    return [e.attributes.get("src") or e.attributes.get("href", "") for e in page.all("script", "link")]


def bytes_of(server: Server, path: str) -> int:
    """The bytes that a browser receives for a file."""
    response = requests.get(server.url + path, headers={"Accept-Encoding": "gzip"}, timeout=60, stream=True)
    assert response.status_code == 200
    return len(response.raw.read(decode_content=False))


@ONE_DATABASE
def test_the_first_load_of_a_page_is_small(server: Server, pages: Mapping[str, Page]) -> None:
    files = {path for page in pages.values() for path in files_of(page)}
    fonts = [path for path in files if path.endswith("/fonts.css")]
    folder = fonts[0].removesuffix("fonts.css")
    in_fonts = re.findall(r"url\(([^)]+)\)", get(server, fonts[0]).text)
    assert len(in_fonts) == 2
    sizes = {path: bytes_of(server, path) for path in files} | {
        name: bytes_of(server, folder + name) for name in in_fonts
    }
    for path, page in pages.items():
        every = bytes_of(server, path) + sum(sizes[name] for name in (*files_of(page), *in_fonts))
        assert every < MOST_BYTES, (path, every)


@pytest.mark.parametrize(
    "path", ["/docs", "/docs/api/agents", "/docs/search.js", "/docs/search.json", "/api/v1/openapi.json"]
)
def test_compression_is_negotiated(server: Server, path: str) -> None:
    plain = get(server, path, **{"Accept-Encoding": "identity"})
    packed = get(server, path, **{"Accept-Encoding": "br;q=1.0, gzip;q=0.8"})
    refused = get(server, path, **{"Accept-Encoding": "gzip;q=0"})
    assert packed.headers["Content-Encoding"] == "gzip"
    assert not any("Content-Encoding" in answer.headers for answer in (plain, refused))
    assert plain.content == packed.content == refused.content
    assert all("Accept-Encoding" in answer.headers["Vary"] for answer in (plain, packed, refused))
    assert plain.headers["ETag"] == refused.headers["ETag"] != packed.headers["ETag"]


def test_every_operation_is_on_the_page_of_its_resource(pages: Mapping[str, Page]) -> None:
    ids = {path: ids_of(page) for path, page in pages.items()}
    assert all(len(found) == len(set(found)) for found in ids.values())
    document = api_document()
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            where = f"/docs/api/{operation['tags'][0]}"
            assert operation["operationId"] in ids[where]
            routes = [
                element.text.split() for element in pages[where].elements if element.attributes.get("class") == "route"
            ]
            assert [method.upper(), path] in routes
    assert {operation.name for operation in operations()} <= {name for found in ids.values() for name in found}
    for path, page in pages.items():
        for link in page.all("a"):
            target, _, anchor = link.attributes["href"].partition("#")
            assert not anchor or anchor in ids[target or path], (path, link.attributes["href"])


def ids_of(page: Page) -> list[str]:
    return [element.attributes["id"] for element in page.elements if "id" in element.attributes]


def test_anchors_of_the_time_when_it_was_one_page_are_on_the_index_or_linked_from_it(page: Page) -> None:
    targets = {element.attributes["href"] for element in page.all("a")}
    linked = {target.partition("#")[2] for target in targets if target.startswith("/docs/api/")}
    events = {f"event-{name}" for name in api_document()["webhooks"]}
    assert {operation.name for operation in operations()} | events <= linked
    assert {f"tag-{name}" for name in resources()} | {"events", "errors", "limits"} <= set(ids_of(page))


def test_an_unknown_resource_is_the_standard_error(server: Server) -> None:
    response = get(server, "/docs/api/poems")
    assert response.status_code == 404
    assert "agents" in response.json()["error"]["message"]
    assert get(server, "/docs/api").headers["Location"] == "/docs"


def test_they_can_be_read_without_seeing_them(pages: Mapping[str, Page]) -> None:
    for page in pages.values():
        check_structure(page)
    titles = {path: page.all("title")[0].text for path, page in pages.items()}
    assert titles["/docs"] == "Retinue API reference"
    assert titles["/docs/api/agents"] == "Agents · Retinue API reference"
    assert len(set(titles.values())) == len(pages)


def check_structure(page: Page) -> None:
    (html,) = page.all("html")
    assert html.attributes["lang"] == "en"
    assert len(page.all("main")) == len(page.all("h1")) == 1
    assert all(element.text.strip() for element in page.all("a", "h1", "h2", "h3", "h4", "summary", "figcaption"))
    assert all(element.attributes.get("aria-label") for element in page.all("nav", "dialog"))
    named = set(ids_of(page))
    assert {element.attributes["aria-labelledby"] for element in page.all("section", "article")} <= named
    regions = [element for element in page.elements if element.attributes.get("role") == "region"]
    assert all(element.attributes["aria-label"] for element in regions)
    assert all(element.attributes["scope"] in {"col", "row"} for element in page.all("th"))
    levels = [int(element.tag[1]) for element in page.all("h1", "h2", "h3", "h4")]
    main = levels[levels.index(1) :]
    assert all(below - above <= 1 for above, below in pairwise(main))


def test_the_search_finds_operations_events_and_sections_of_guides(server: Server, pages: Mapping[str, Page]) -> None:
    entries = get(server, "/docs/search.json").json()
    by_address = {address: (title, note, words.split()) for title, note, address, words in entries}
    title, note, words = by_address["/docs/api/agents#create_agent"]
    assert (title, note) == ("Create agent", "POST /agents")
    assert "instructions" in words
    assert "/docs/api/events#event-agent.created" in by_address
    assert {f"/docs/guides/{name}" for name in NAMES} <= by_address.keys()
    anchors = {path: ids_of(page) for path, page in pages.items()}
    anchors |= {f"/docs/guides/{name}": ids_of(page_at(server, f"/docs/guides/{name}")) for name in NAMES}
    for address in by_address:
        path, _, anchor = address.partition("#")
        assert not anchor or anchor in anchors[path], address


def test_they_tell_limits_errors_directives_and_events(pages: Mapping[str, Page]) -> None:
    text = "".join(pages[path].all("main")[0].text for path in ("/docs", "/docs/api/events"))
    for told in ("10,000", "X-RateLimit-Remaining", "insufficient_scope", "[[tool:NAME", "[[fail-after:N]]"):
        assert told in text
    for event in ("agent.created", "agent.deployed", "agent.completed", "agent.error", "tool.executed"):
        assert event in text


def test_each_request_is_shown_in_three_languages(pages: Mapping[str, Page]) -> None:
    titles = [title for title, _ in examples(pages)]
    requests = [at for at, title in enumerate(titles) if title in ("Request", "Request, streamed")]
    assert len(requests) > len(operations())
    for at in requests:
        ending = titles[at].removeprefix("Request")
        assert titles[at + 1 : at + 3] == [f"Python request{ending}", f"JavaScript request{ending}"]


def test_examples_name_the_address_that_was_asked(server: Server, pages: Mapping[str, Page]) -> None:
    commands = [text for title, text in examples(pages) if title.startswith("Request")]
    assert len(commands) > len(operations())
    assert all(f"{server.url}/" in command for command in commands)
    strange = get(server, "/docs", Host='evil.example"><script>')
    assert strange.status_code in {200, 400}
    assert "evil.example" not in strange.text


def test_the_operator_may_tell_the_address(start_server: Any) -> None:
    server = start_server(RETINUE_PUBLIC_URL="https://agents.example.com/")
    page = page_at(server, "/docs/api/agents")
    commands = [text for title, text in page.examples() if title.startswith("Request")]
    assert all("https://agents.example.com/" in command for command in commands)


class Records:
    """Records of a sandbox under the page's variable names, in lower case. Each is created at its first use."""

    path = "/usr/bin:/bin"
    participant_id = 1

    def __init__(self, user: User) -> None:
        self._client, self._live = user.client(test=True), user.client()
        self.retinue_key = self._client.key

    def _create(self, path: str, body: Json) -> Any:
        return data(self._client.post(path, body), 201)["id"]

    def _remove_earlier(self, path: str) -> None:
        """Make room: accounts may only have a few records of some kinds."""
        for earlier in data(self._client.get(path)):
            self._client.delete(f"{path}/{earlier['id']}")

    @cached_property
    def agent_id(self) -> Any:
        return self._create("/agents", {"agent_name": "A", "agent_role": "leader"})

    @cached_property
    def publishable_key_id(self) -> Any:
        return self._create("/publishable-keys", {"agent_id": self.agent_id})

    @cached_property
    def run_id(self) -> Any:
        return data(self._client.post(f"/agents/{self.agent_id}/execute", {"message": "hello"}))["run_id"]

    @cached_property
    def approval_id(self) -> Any:
        wanted = {"agent_name": "B", "agent_role": "leader", "skills": ["web_extract_links"], "approval": "required"}
        asked = {"message": '[[tool:web_extract_links {"html": "<p>Hello</p>"}]]'}
        data(self._client.post(f"/agents/{self._create('/agents', wanted)}/execute", asked), 202)
        return data(self._client.get("/approvals"))[0]["id"]

    @cached_property
    def schedule_id(self) -> Any:
        yearly = {"name": "S", "cron": "0 0 1 1 *", "agent_id": self.agent_id, "message": "hello"}
        return self._create("/schedules", yearly)

    @cached_property
    def conversation_id(self) -> Any:
        return data(self._client.post("/chat", {"message": "hello"}))["conversation_id"]

    @cached_property
    def fleet_id(self) -> Any:
        fleet = self._create("/fleets", {"name": "F"})
        data(self._client.put(f"/agents/{self.agent_id}", {"fleet_id": fleet}))
        return fleet

    @cached_property
    def deployment_id(self) -> Any:
        return data(self._client.post(f"/fleets/{self.fleet_id}/deploy", {"task": "hello"}))["deployment_id"]

    @cached_property
    def file_id(self) -> Any:
        return data(self._client.request("POST", "/files", files={"file": ("report.txt", b"{}")}), 201)["id"]

    @cached_property
    def webhook_id(self) -> Any:
        self._remove_earlier("/webhooks")
        return self._create("/webhooks", {"url": "https://receiver.invalid/hook"})

    @cached_property
    def delivery_id(self) -> Any:
        return data(self._client.post(f"/webhooks/{self.webhook_id}/test"), 202)["id"]

    @cached_property
    def connection_id(self) -> Any:
        """Beside it, there is the connection that the example of a source names."""
        self._remove_earlier("/connections")
        pets = {"name": BODIES["update_source"]["connection"], "settings": {"base_url": "https://example.com"}}
        self._create("/connections", {**NOWHERE, **pets})
        return self._create("/connections", NOWHERE)

    @cached_property
    def provider_id(self) -> Any:
        self._remove_earlier("/providers")
        return self._create("/providers", {**BODIES["create_provider"], "name": "other"})

    @cached_property
    def fact_id(self) -> Any:
        return self._create("/memory", {**BODIES["add_memory"], "agent_id": self.agent_id})

    @cached_property
    def skill_id(self) -> Any:
        self._remove_earlier("/skills")
        return self._create("/skills", {"text": BODIES["import_skill"]["text"].replace("our-tone", "other-tone")})

    @cached_property
    def collection_id(self) -> Any:
        return self._create("/knowledge/collections", BODIES["create_collection"])

    @cached_property
    def document_id(self) -> Any:
        return self._create(f"/knowledge/collections/{self.collection_id}/documents", BODIES["add_document"])

    @cached_property
    def collection_source_id(self) -> Any:
        path = f"/knowledge/collections/{self.collection_id}/sources"
        return self._create(path, BODIES["add_collection_source"])

    @cached_property
    def source_id(self) -> Any:
        self._remove_earlier("/tools/sources")
        source = self._create("/tools/sources", {**BODIES["import_tools"], "name": "other"})
        assert self.connection_id
        return source

    @cached_property
    def call_id(self) -> Any:
        """Calls of a sandbox end at once."""
        call = self._create("/voice/calls", BODIES["start_call"])
        eventually(lambda: data(self._client.get(f"/voice/calls/{call}"))["ended_at"])
        return call

    @cached_property
    def batch_id(self) -> Any:
        """A draft."""
        return self._create("/voice/batches", BODIES["create_batch"])

    @cached_property
    def simulation_id(self) -> Any:
        return self._create("/simulations", {**BODIES["create_simulation"], "agent_id": self.agent_id})

    @cached_property
    def entry_id(self) -> Any:
        self._remove_earlier("/voice/do-not-call")
        return self._create("/voice/do-not-call", BODIES["add_do_not_call"])

    @cached_property
    def room_id(self) -> Any:
        return self._create("/voice/rooms", BODIES["create_room"])

    @cached_property
    def closed_room_id(self) -> Any:
        room = self._create("/voice/rooms", BODIES["create_room"])
        data(self._client.delete(f"/voice/rooms/{room}"))
        return room

    @cached_property
    def item_id(self) -> Any:
        poet = {**BODIES["publish_item"], "slug": f"poet-{self.run_id}"}
        mine = [one["id"] for one in data(self._client.get("/marketplace?search=haiku")) if one["status"] == "pending"]
        return mine[0] if mine else data(self._live.post("/marketplace", poet), 201)["id"]  # test keys cannot publish

    @cached_property
    def installation_id(self) -> Any:
        return data(self._live.post(f"/marketplace/{self.item_id}/install"), 201)["id"]

    @cached_property
    def request_id(self) -> Any:
        return self._client.get("/models").headers["X-Request-ID"]

    def environment(self, command: str, given: Mapping[str, str]) -> dict[str, str]:
        """Return `given`, the search path, and a value for every other variable in a command."""
        named = {"PATH", *VARIABLE.findall(command)} - given.keys()
        return {**given, **{name: str(getattr(self, name.lower())) for name in named}}


NOWHERE = {
    "name": "other",
    "kind": "http",
    "settings": {"base_url": "http://127.0.0.1:9"},
    "secret": {"value": "some token"},
}

VARIABLE = re.compile(r"\$([A-Z_]+)")


OWN_VALUES = {
    "/api/auth.php": 401,
    "/api/auth/link": 401,
    "/api/auth/sign-up": 403,
    "/account/totp/confirm": 400,
    "/rating": 400,
    "/moderate": 403,
    "/models/local": 403,
    "/account/totp/recovery-codes": 400,
    "/account/totp/disable": 400,
    "/participants/": 404,
    "$RUN_ID/messages": 400,
    "$BATCH_ID/pause": 400,
    "$BATCH_ID/resume": 400,
    "$CALL_ID/hold": 400,
    "$CALL_ID/resume": 400,
    "$CALL_ID/dtmf": 400,
    "$CALL_ID/transfer": 400,
}
"""The statuses of examples whose values the user must replace, by path.

They need a password, a code, another author, the operator, a participant in a room, an own collection, a batch
that is running or paused, or a run or a call in progress (those of the sandbox end at once).
"""


CHANGES = re.compile(r"-X (?!GET)| -[dF] | --(?!fail)")
"""An example that is no plain reading has records and credentials of its own, as far as it names them."""

DELETES_USER = re.compile(r"/account\s.*-X DELETE", re.DOTALL)
"""The example that deletes its user, so it gets a user of its own."""


def credentials(user: User) -> dict[str, str]:
    """Return a session and an API key of the user, under the page's variable names."""
    client = give_password(user.server, user.email, BODIES["start_totp"]["password"])
    app = create_app(client)
    tokens_of(user.server, app, {"grant_type": "client_credentials"})
    variables = {
        "RETINUE_KEY": client.key or "",
        "RETINUE_SESSION": client.key or "",
        "SESSION_ID": str(data(client.get("/sessions"))[0]["id"]),
        "EXPORT_ID": str(data(client.post("/account/export"), 202)["id"]),
        "KEY_ID": str(data(client.post("/keys"), 201)["id"]),
        "APP_ID": str(app["id"]),
        "GRANT_ID": str(data(client.get("/oauth/grants"))[0]["id"]),
    }
    client.close()
    return variables


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.needs_program("curl")
def test_every_example_works_when_it_is_pasted(
    pages: Mapping[str, Page], user: User, new_user: NewUser, tmp_path: Path
) -> None:
    (tmp_path / "report.txt").write_text("a report")
    commands = [text for title, text in examples(pages) if title.startswith("Request")]
    own, shared = credentials(user), Records(user)
    shared.environment(" ".join(commands), own)
    for command in sorted(commands, key=lambda text: bool(CHANGES.search(text))):  # first those that change nothing
        strict = command.replace("curl -", "curl --fail-with-body -", 1)
        strict = strict.replace("$ROOM_ID/events", "$CLOSED_ROOM_ID/events")  # The stream of an open room does not end.
        whose = new_user(user.server) if DELETES_USER.search(command) else user
        of_credentials = any(part in command for part in ("/keys", "/sessions", "/account", "/oauth/", "/marketplace"))
        records, given = shared, own if of_credentials else {}
        if CHANGES.search(command):
            records, given = Records(whose), credentials(whose) if of_credentials else {}
        ended = subprocess.run(
            ["bash", "-c", strict],
            env=records.environment(strict, given),
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        if refusal := next((OWN_VALUES[path] for path in OWN_VALUES if path in command), None):
            assert f"error: {refusal}" in ended.stderr, f"{command}\n{ended.stdout}{ended.stderr}"
            continue
        assert ended.returncode == 0, f"{command}\n{ended.stdout}{ended.stderr}"
        assert ended.stdout.startswith("{") or ended.stdout.endswith("data: [DONE]\n\n"), command
