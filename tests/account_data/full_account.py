"""A user with a record in every resource, and a marker in every text that the API accepts."""

from dataclasses import dataclass, field
from functools import partial
from typing import Any

import requests

from tests.auth.signing_in import PASSWORD, give_password
from tests.conftest import User
from tests.interop.agui import FrontEnd, create_key
from tests.oauth.protocol import Pkce, consent, create_app, exchange, tokens_of
from tests.support.client import Client, data
from tests.support.server import Server
from tests.support.waiting import eventually
from tests.workspace.support import finish

CRON = "0 0 1 1 *"


@dataclass
class FullAccount:
    """A user whose every text contains `marker`. `names` are the public names of the records, such as file ids."""

    user: User
    marker: str
    session: Client
    live: Client
    sandbox: Client
    id: int = 0
    item: int = 0
    names: set[str] = field(default_factory=set)

    @property
    def server(self) -> Server:
        """The user's server."""
        return self.user.server

    def text(self, words: str = "About") -> str:
        """Return a text with the marker."""
        return f"{words} {self.marker}"

    def delete(self) -> None:
        """Request the user's deletion."""
        answer = data(self.session.request("DELETE", "/account", json={"password": PASSWORD}))
        assert answer == {"id": self.id, "deleted": True}

    def close(self) -> None:
        """Close the session's connections."""
        self.session.close()


def fill(user: User, marker: str, hook_url: str) -> FullAccount:
    """Use every resource, in the live space and in the sandbox."""
    session = give_password(user.server, user.email)
    full = FullAccount(user, marker, session, user.client(), user.client(test=True))
    full.id = data(session.get("/account"))["id"]
    full.names |= {user.email, *((client.key or "").split("_")[2] for client in (full.live, full.sandbox))}
    data(session.put("/account", {"name": full.text("Ada")}))
    for client in (full.live, full.sandbox):
        _fill_account(full, client, hook_url)
    # The sandbox does not really dial.
    data(full.sandbox.post("/voice/calls", {"to": f"sip:{marker}@example.com"}), 201)
    recipient = {"to": f"sip:{marker}-b@example.com", "variables": {"about": full.text()}}
    data(full.sandbox.post("/voice/batches", {"name": full.text(), "recipients": [recipient], "start": False}), 201)
    _fill_user(full)
    return full


def _fill_account(full: FullAccount, client: Client, hook_url: str) -> None:
    """Create the records of one space."""
    data(client.post("/webhooks", {"url": f"{hook_url}/{full.marker}", "description": full.text()}), 201)
    fleet = data(client.post("/fleets", {"name": full.text(), "description": full.text()}), 201)["id"]
    wanted = {"agent_name": full.text("Agent"), "agent_role": "generalist", "task": full.text("Say"), "fleet_id": fleet}
    agent = data(client.post("/agents", wanted), 201)["id"]
    data(client.post(f"/agents/{agent}/execute", {"message": full.text("Say"), "context": {"about": full.text()}}))
    data(client.post(f"/fleets/{fleet}/deploy", {"task": full.text("Say")}))
    scenario = {name: full.text() for name in ("name", "persona", "goal", "opening")}
    data(client.post("/simulations", {"agent_id": agent, "name": full.text(), "scenarios": [scenario]}), 201)
    _add_schedules(full, client, agent)
    _share(full, client, agent)
    _converse(full, client)
    _store(full, client)
    _connect(full, client)
    data(client.post("/voice/rooms", {"name": full.text("Room")}), 201)
    data(client.post("/voice/do-not-call", {"number": f"sip:{full.marker}-c@example.com", "note": full.text()}), 201)


def _add_schedules(full: FullAccount, client: Client, agent: int) -> None:
    wanted = {"name": full.text(), "cron": CRON, "agent_id": agent, "message": full.text("Say")}
    schedule = data(client.post("/schedules", wanted), 201)["id"]
    data(client.post(f"/schedules/{schedule}/run", {}), 202)


def _share(full: FullAccount, client: Client, agent: int) -> None:
    """Share the agent, and have a visitor chat with it."""
    key = create_key(client, agent, name=full.text("Share"), appearance={"title": full.text()})
    full.names.add(key["key"])
    FrontEnd.of_visitor(client.server, key).run(full.text("Say"))


def _converse(full: FullAccount, client: Client) -> None:
    key = {"Idempotency-Key": full.marker}
    first = data(client.post("/chat", {"message": full.text("Say"), "tools": []}, headers=key))
    full.names.add(first["conversation_id"])
    item = {"type": "message", "role": "user", "content": full.text("Say")}
    made = requests.post(
        f"{client.server.url}/v1/conversations",
        json={"items": [item], "metadata": {"about": full.marker}},
        headers={"Authorization": f"Bearer {client.key}"},
        timeout=30,
    )
    full.names.add(made.json()["id"])


def _store(full: FullAccount, client: Client) -> None:
    """Store files, notes and knowledge in the workspace."""
    content = {"file": (f"{full.marker}.txt", full.text().encode(), "text/plain")}
    full.names.add(data(client.request("POST", "/files", files=content), 201)["id"])
    finish(client, "note_create", title=full.text("Note"), text=full.text(), tags=[full.marker])
    finish(client, "memory_store", text=full.text("Remember"))
    finish(client, "knowledge_add_document", title=full.text("Document"), text=full.text("The answer is"))
    collection = data(client.post("/knowledge/collections", {"name": full.text("Collection")}), 201)["id"]
    data(client.post(f"/knowledge/collections/{collection}/documents", {"text": full.text("The answer is")}), 201)
    folder = {"kind": "folder", "path": "/", "exclude": [full.text("/drafts")]}
    data(client.post(f"/knowledge/collections/{collection}/sources", folder), 201)
    front = f"---\nname: our-tone\ndescription: {full.text('Write as')}\n---\n"
    skill = data(client.post("/skills", {"text": front + full.text("Write")}), 201)["id"]
    for agent in data(client.get("/agents?per_page=1")):
        data(client.put(f"/agents/{agent['id']}", {"agent_skills": [skill]}))
        data(client.post("/memory", {"agent_id": agent["id"], "text": full.text("Remember")}), 201)
    finish(client, "file_write", path=f"folder/{full.marker}.txt", text=full.text())


def _connect(full: FullAccount, client: Client) -> None:
    """Create connections and imported tools."""
    settings = {"base_url": f"https://example.com/{full.marker}"}
    secret = {"name": f"to-{full.marker}", "kind": "http", "settings": settings, "secret": {"value": full.marker}}
    data(client.post("/connections", secret), 201)
    provider = {"name": f"a-{full.marker}".lower()[:40], "kind": "openai", "key": full.marker}
    made = data(client.post("/providers", {**provider, "models": [{"id": full.marker}]}), 201)
    data(client.put("/models/default", {"model": f"{made['name']}/{full.marker}"}))
    document = {
        "openapi": "3.1.0",
        "info": {"title": full.text(), "version": "1"},
        "paths": {f"/{full.marker}": {"get": {"operationId": "look", "summary": full.text("Look")}}},
    }
    wanted = {"kind": "openapi", "name": "mine", "document": document, "base_url": settings["base_url"]}
    data(client.post("/tools/sources", wanted), 201)


def _fill_user(full: FullAccount) -> None:
    """Create the records that belong to the user rather than to a space."""
    data(full.live.post("/keys", {"name": full.text("Key")}), 201)
    full.item = _publish(full, "shared")["id"]
    _publish(full, "private", readme=full.text("Read"))
    shipped = next(item for item in data(full.live.get("/marketplace?per_page=100")) if item["author"] == "Retinue")
    data(full.live.post(f"/marketplace/{shipped['id']}/rating", {"stars": 1}))
    data(full.live.post(f"/marketplace/{shipped['id']}/install", {}), 201)
    app = create_app(full.live, name=full.text("App"))
    pkce = Pkce()
    code = consent(full.server, app, full.user.email, pkce, scope="usage:read")["code"]
    tokens_of(full.server, app, exchange(code, pkce))
    full.names.add(app["client_id"])
    _ask_for_approval(full)
    full.names.add(str(full.server.ask("users.link", email=full.user.email)))
    data(full.live.post("/account/export"), 202)


def _ask_for_approval(full: FullAccount) -> None:
    """Start a run that waits for approval. The deletion happens while it waits."""
    skills = {"skills": ["web_extract_links"], "approval": "required"}
    agent = data(full.sandbox.post("/agents", {"agent_name": "Careful", "agent_role": "leader", **skills}), 201)["id"]
    asked = f'[[tool:web_extract_links {{"html": "<p>{full.marker}</p>"}}]]'
    data(full.sandbox.post(f"/agents/{agent}/execute", {"message": asked, "background": True}), 202)
    eventually(lambda: data(full.sandbox.get("/approvals")))


def _publish(full: FullAccount, which: str, **fields: Any) -> dict[str, Any]:
    manifest = {"agent_name": "Poet", "agent_role": "generalist", "task": "Write a haiku."}
    about = {"name": "Poet", "slug": f"{which}-{full.id}", "description": "Writes a haiku about anything."}
    item: dict[str, Any] = data(
        full.live.post("/marketplace", {"type": "agent", "manifest": manifest, **about, **fields}), 201
    )
    return item


def settle(full: FullAccount) -> None:
    """Wait until all work has ended."""
    for client in (full.live, full.sandbox):
        eventually(partial(_is_idle, client), within=120)


def _is_idle(client: Client) -> bool:
    agents, collections = data(client.get("/agents")), data(client.get("/knowledge/collections"))
    return all(one["status"] == "ready" for one in collections) and all(
        one["status"] == "idle" for one in agents if one["agent_name"] != "Careful"
    )
