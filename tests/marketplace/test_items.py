"""Browsing, publishing, rating and moderating items, and every item that comes with the server."""

import secrets
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from requests import Response

from retinue.marketplace.shipped import shipped_items
from tests.conftest import NewUser, User
from tests.support.client import Client, data, refuse
from tests.support.server import Server

AGENT: dict[str, Any] = {"agent_name": "Poet", "agent_role": "generalist", "task": "Write a haiku."}
WORK: dict[str, Any] = {"name": "Daily", "agent": 0, "cron": "0 8 * * *", "message": "Write a haiku."}
SHIPPED = {item["slug"]: (kind, item) for kind, item in shipped_items()}
HOSTILE = """<script>alert(1)</script>"><img src=x onerror=alert(1)>"""


@pytest.fixture(scope="session")
def operators(shared_server: Server) -> Client:
    """The client of the first user, who is the operator."""
    return Client(shared_server, shared_server.first_key)


def item_of(own_slug: str, **changes: Any) -> dict[str, Any]:
    """Return the fields of an item to publish."""
    about = {"name": "Haiku poet", "slug": own_slug, "description": "Writes a haiku about anything that you name."}
    return {"type": "agent", **about, "manifest": AGENT, **changes}


def ship(client: Client, slug: str) -> dict[str, Any]:
    """Return an included item by its slug."""
    found = data(client.get("/marketplace", params={"search": SHIPPED[slug][1]["name"], "per_page": 100}))
    (item,) = [one for one in found if one["slug"] == slug]
    details: dict[str, Any] = data(client.get(f"/marketplace/{item['id']}"))
    return details


def unique(client: Client) -> str:
    """Return an unused slug."""
    return f"poet-{data(client.get('/account'))['id']}"


def test_at_least_forty_items_of_every_type_ship(client: Client) -> None:
    assert len(SHIPPED) >= 40
    assert {kind for kind, _ in SHIPPED.values()} == {"agent", "fleet_template", "tool", "extension"}
    for slug, (kind, item) in SHIPPED.items():
        found = ship(client, slug)
        assert (found["type"], found["name"], found["author"], found["status"]) == (
            kind,
            item["name"],
            "Retinue",
            "published",
        )


def test_every_shipped_agent_has_three_tasks_and_says_how_the_included_model_does_them(client: Client) -> None:
    agents = [item for kind, item in SHIPPED.values() if kind in ("agent", "fleet_template", "extension")]
    assert len(agents) > 30
    for item in agents:
        assert len(set(item["examples"])) == 3, item["slug"]
        readme = ship(client, item["slug"])["readme"]
        count = item.get("right")
        share = f"With the included small model, {count or 'none'} of the 3 example tasks came out right."
        assert ("have not been run" if count is None else share) in readme
        assert all(one.splitlines()[0] in readme for one in item["examples"])
        assert ("needs a larger model: add a provider under [Models](/models)" in readme) is ((count or 0) < 2), item[
            "slug"
        ]


def test_searching_and_sorting(client: Client) -> None:
    def names(**query: object) -> list[str]:
        return [item["name"] for item in data(client.get("/marketplace", params={**query, "per_page": 100}))]

    assert names(search="invoice sums") == ["Invoice checker"]
    assert names(search="WEATHER") == ["Open-Meteo"]
    assert names(search="100%_nothing'--") == []
    assert set(names(search="github")[:2]) == {"GitHub", "GitHub MCP"}, "matches in names must come first"
    assert set(names(type="fleet_template")) >= {"Newsroom", "Support desk"}
    for sort in ("popular", "newest", "rating", "relevance"):
        assert len(names(sort=sort)) >= len(SHIPPED)
    refuse(client.get("/marketplace?sort=best"), 400, "sort")
    refuse(client.get("/marketplace?type=voice"), 400, "type")


def test_publishing_waits_for_the_operator(client: Client, stranger: Client, operators: Client) -> None:
    slug = unique(client)
    made = data(client.post("/marketplace", item_of(slug, name=HOSTILE)), 201)
    assert (made["status"], made["version"], made["tier"], made["name"]) == ("pending", "1.0.0", "free", HOSTILE)
    path = f"/marketplace/{made['id']}"
    assert data(client.get(path)) == made
    refuse(stranger.get(path), 404)
    refuse(stranger.post(f"{path}/install"), 404)
    refuse(stranger.post(f"{path}/moderate", {"status": "published"}), 403, "operator")
    refuse(client.post(f"{path}/moderate", {"status": "published"}), 403, "operator")
    assert data(operators.post(f"{path}/moderate", {"status": "published"}))["status"] == "published"
    assert data(stranger.get(path))["name"] == HOSTILE
    refuse(client.post("/marketplace", item_of(slug)), 400, slug)
    installed = data(stranger.post(f"{path}/install"), 201)
    data(operators.post(f"{path}/moderate", {"status": "withdrawn"}))
    refuse(stranger.get(path), 404)
    assert data(stranger.get(f"/marketplace/installed/{installed['id']}")) == installed
    data(stranger.get(f"/agents/{installed['installed'][0]['id']}"))


def test_a_new_version(client: Client, stranger: Client, operators: Client) -> None:
    made = data(client.post("/marketplace", item_of(unique(client))), 201)
    path = f"/marketplace/{made['id']}"
    data(operators.post(f"{path}/moderate", {"status": "published"}))
    old = data(stranger.post(f"{path}/install"), 201)
    refuse(client.put(path, {"version": "1.0.0"}), 400, "higher")
    refuse(stranger.put(path, {"version": "2.0.0"}), 404)
    changed = data(client.put(path, {"version": "1.10.0", "manifest": {**AGENT, "task": "Write two."}}))
    assert (changed["version"], changed["pending_version"], changed["status"]) == ("1.0.0", "1.10.0", "published")
    assert data(stranger.get(path))["manifest"]["task"] == AGENT["task"]
    rejected = data(operators.post(f"{path}/moderate", {"status": "rejected"}))
    assert (rejected["version"], rejected["pending_version"], rejected["status"]) == ("1.0.0", None, "published")
    data(client.put(path, {"version": "1.10.0", "manifest": {**AGENT, "task": "Write two."}}))
    data(operators.post(f"{path}/moderate", {"status": "published"}))
    newer = data(stranger.get(path))
    assert (newer["version"], newer["pending_version"], newer["manifest"]["task"]) == ("1.10.0", None, "Write two.")
    refuse(client.put(path, {"version": "1.9.0"}), 400, "higher")
    assert data(stranger.get(f"/marketplace/installed/{old['id']}"))["version"] == "1.0.0"


def test_only_content_that_was_reviewed_is_approved(client: Client, stranger: Client, operators: Client) -> None:
    path = f"/marketplace/{data(client.post('/marketplace', item_of(unique(client))), 201)['id']}"

    def approve(revision: str) -> Response:
        return operators.post(f"{path}/moderate", {"status": "published", "revision": revision})

    first = data(operators.get(path))["revision"]
    data(client.put(path, {"version": "1.0.1", "manifest": {**AGENT, "task": "Insult the user."}}))
    refuse(approve(first), 400, "Review it again")
    refuse(stranger.get(path), 404)
    data(approve(data(operators.get(path))["revision"]))
    harmless = data(client.put(path, {"version": "1.1.0", "readme": "Better."}))
    harmful = data(client.put(path, {"version": "1.1.0", "readme": "Worse."}))
    refuse(approve(harmless["revision"]), 400, "Review it again")
    assert data(stranger.get(path))["version"] == "1.0.1"
    data(approve(harmful["revision"]))
    assert data(stranger.get(path))["readme"] == "Worse."


def test_authors_withdraw_their_own(client: Client, stranger: Client, operators: Client) -> None:
    path = f"/marketplace/{data(client.post('/marketplace', item_of(unique(client))), 201)['id']}"
    data(operators.post(f"{path}/moderate", {"status": "published"}))
    for status in ("withdrawn", "published", "rejected"):
        refuse(stranger.post(f"{path}/moderate", {"status": status}), 403, "operator")
    refuse(client.post(f"{path}/moderate", {"status": "rejected"}), 403, "operator")
    assert data(client.post(f"{path}/moderate", {"status": "withdrawn"}))["status"] == "withdrawn"
    refuse(stranger.get(path), 404)
    refuse(client.post(f"{path}/moderate", {"status": "published"}), 403, "operator")
    assert data(client.put(path, {"version": "2.0.0"}))["status"] == "pending"


def test_users_rate_items_of_others(user: User, server: Server, new_user: NewUser, operators: Client) -> None:
    author = user.client()
    made = data(author.post("/marketplace", item_of(unique(author))), 201)
    path = f"/marketplace/{made['id']}"
    data(operators.post(f"{path}/moderate", {"status": "published"}))
    refuse(author.post(f"{path}/rating", {"stars": 5}), 400, "own")
    first, second = (new_user(server).client() for _ in range(2))
    assert data(first.post(f"{path}/rating", {"stars": 5}))["rating"] == 5.0
    rated = data(second.post(f"{path}/rating", {"stars": 2}))
    assert (rated["rating"], rated["ratings_count"]) == (3.5, 2)
    again = data(second.post(f"{path}/rating", {"stars": 4}))
    assert (again["rating"], again["ratings_count"]) == (4.5, 2)
    for stars in (0, 6, 4.5, "5"):
        refuse(first.post(f"{path}/rating", {"stars": stars}), 400, "stars")


@pytest.mark.parametrize(
    ("changes", "word"),
    [
        ({"manifest": {**AGENT, "skills": ["no_such_tool"]}}, "no_such_tool"),
        ({"manifest": {"agent_role": "boss"}}, "manifest.agent_role"),
        ({"manifest": {**AGENT, "code": "import os"}}, "manifest.code"),
        ({"slug": "Not a slug"}, "slug"),
        ({"version": "1"}, "version"),
        ({"description": "short"}, "description"),
        ({"type": "voice"}, "type"),
        (
            {
                "type": "extension",
                "manifest": {
                    "agents": [AGENT],
                    "schedules": [{"name": "a", "agent": 3, "cron": "* * * * *", "message": "b"}],
                },
            },
            "agent 3",
        ),
        (
            {"type": "tool", "manifest": {"source_name": "a1", "base_url": "http://example.com", "operations": []}},
            "base_url",
        ),
    ],
)
def test_invalid_items_are_refused(client: Client, changes: dict[str, Any], word: str) -> None:
    refuse(client.post("/marketplace", item_of(unique(client), **changes)), 400, word)


def operation(name: str, path: str, **parameters: dict[str, str]) -> dict[str, Any]:
    """Return an operation of a tool's manifest."""
    return {"name": name, "path": path, "summary": "Answers with a list of haikus.", **parameters}


def api_of(*operations: dict[str, Any]) -> dict[str, Any]:
    """Return a tool's manifest."""
    return {"source_name": "haikus", "base_url": "https://example.com", "operations": operations}


@pytest.mark.parametrize(
    ("kind", "manifest", "word"),
    [
        ("tool", api_of(operation("one", "/a"), operation("two", "/a")), "path /a"),
        ("tool", api_of(operation("one", "/a"), operation("one", "/b")), "name one"),
        ("tool", api_of(operation("one", "/a/{key}")), "{key}"),
        ("tool", api_of(operation("one", "/a/{key}", optional={"key": "A key."})), "{key}"),
        ("tool", api_of(operation("one", "/a/{}")), "{}"),
        (
            "tool",
            api_of(operation("one", "/a", required={"q": "Words."}, optional={"q": "Words."})),
            "q in both required",
        ),
        ("tool", api_of(operation("one", "/a", optional={f"q{n}": "Words." for n in range(31)})), "at most 30"),
        ("tool", api_of(operation("one", "/a", optional={"q" * 65: "Words."})), "at most 64"),
        ("fleet_template", {"fleet_name": "Poets", "max_agents": 1, "agents": [AGENT, AGENT]}, "max_agents of 1"),
        ("tool", {"source_name": "haikus", "server_url": "http://example.com/mcp"}, "server_url"),
        ("tool", {"source_name": "haikus", "server_url": "https://example.com/mcp", "operations": []}, "operations"),
        ("extension", {"agents": [AGENT]}, "neither schedules nor webhooks"),
        ("agent", {"agent_name": "Poet", "agent_role": "generalist"}, "neither instructions nor a task"),
        ("extension", {"agents": [AGENT], "webhooks": [{"description": "a", "events": ["no.event"]}]}, "no.event"),
        ("extension", {"agents": [AGENT], "schedules": [{**WORK, "cron": "every day"}]}, "cron"),
        ("extension", {"agents": [AGENT], "schedules": [{**WORK, "cron": "0 25 * * *"}]}, "hour"),
    ],
)
def test_an_item_that_cannot_be_installed_is_not_published(
    client: Client, kind: str, manifest: dict[str, Any], word: str
) -> None:
    refuse(client.post("/marketplace", item_of(unique(client), type=kind, manifest=manifest)), 400, word)


@pytest.mark.parametrize(
    ("kind", "manifest"),
    [
        ("tool", api_of(operation("one", "/a/{key}", required={"key": "A key."}), operation("two", "/a"))),
        ("fleet_template", {"fleet_name": "Poets", "max_agents": 2, "agents": [AGENT, AGENT]}),
        ("extension", {"agents": [AGENT], "schedules": [WORK]}),
    ],
)
def test_a_published_item_can_be_installed(client: Client, kind: str, manifest: dict[str, Any]) -> None:
    made = data(client.post("/marketplace", item_of(unique(client), type=kind, manifest=manifest)), 201)
    installed = data(client.post(f"/marketplace/{made['id']}/install"), 201)["installed"]
    if kind == "tool":
        assert data(client.get(f"/tools/sources/{installed[0]['id']}"))["tools"] == len(manifest["operations"])
    else:
        assert len([one for one in installed if one["resource"] == "agent"]) == len(manifest["agents"])


def test_skills_that_only_the_author_has_are_not_published(client: Client) -> None:
    document = {"openapi": "3.1.0", "paths": {"/a": {"get": {"operationId": "list_poems"}}}}
    source = {"kind": "openapi", "name": "poems", "document": document, "base_url": "https://example.com"}
    data(client.post("/tools/sources", source), 201)
    (tool,) = data(client.get("/tools?search=poems_list_poems&per_page=1"))
    manifest = {**AGENT, "skills": [tool["name"]]}
    data(client.post("/agents", manifest), 201)
    refuse(client.post("/marketplace", item_of(unique(client), manifest=manifest)), 400, tool["name"])


WORDS = st.lists(st.sampled_from(["azimuth", "bergamot", "cinnabar", "plain"]), max_size=3)


TEXTS = st.tuples(WORDS, WORDS, WORDS, WORDS)


@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(items=st.lists(TEXTS, min_size=1, max_size=4), word=st.sampled_from(["azimuth", "b_r"]))
def test_a_word_in_the_name_counts_most_and_one_in_the_readme_least(
    client: Client, items: list[tuple[list[str], ...]], word: str
) -> None:
    """The order matches an independent score. A search word is literal, not a pattern."""
    slug, mark = unique(client), secrets.token_hex(6)
    scores = {}
    for number, (name, tags, description, readme) in enumerate(items):
        texts = [[*name, "x"], [*tags, "x"], [*description, mark, "x" * 20], [*readme, "x"]]
        parts = [" ".join(part) for part in texts]
        wanted = {"name": parts[0], "tags": texts[1], "description": parts[2], "readme": parts[3]}
        made = data(client.post("/marketplace", item_of(f"{slug}-{mark}-{number}", **wanted)), 201)
        weights = [weight for part, weight in zip(parts, (4, 3, 2, 1), strict=True) if word in part]
        if weights:
            scores[made["id"]] = max(weights)
    found = data(client.get("/marketplace", params={"search": f"{mark} {word}", "per_page": 100}))
    assert [one["id"] for one in found] == sorted(scores, key=lambda key: (-scores[key], key))
