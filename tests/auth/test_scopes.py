"""Authorization of every operation, generated from the table of operations so that new endpoints are covered.

The scopes are compared with `scopes.txt`, which is maintained by hand.
"""

import secrets
from collections.abc import Callable
from pathlib import Path

import pytest

from retinue.app import operations
from retinue.auth.caller import SCOPES
from retinue.core.http.operations import Operation
from retinue.openapi.examples import BODIES
from tests.auth.signing_in import post_sign_in
from tests.conftest import User
from tests.oauth.protocol import create_app, tokens_of
from tests.support.client import Client, data, refuse

OPERATIONS = operations()
DECIDED = Path(__file__).with_name("scopes.txt")
RECORDS = [operation for operation in OPERATIONS if "{" in operation.path]
PLACEHOLDERS = {
    "{id}": "1",
    "{conversation_id}": "conv_1",
    "{deployment_id}": "1",
    "{delivery_id}": "dlv_1",
    "{request_id}": "req_1",
    "{participant_id}": "1",
    "{name}": "network_calculate_subnet",
}
SHARED = ("/tools/{name}",)
"""Paths of shared records."""
FOR_OPERATORS = ("/models/local",)
"""Paths that only operators of the server can call."""
SIMULATED = ("/voice/calls/{id}", "/voice/batches/{id}")
"""Paths of records that this server creates only in the sandbox, because it cannot dial."""
OF_THE_USER = ("/keys/{id}", "/sessions/{id}", "/oauth/", "/marketplace/{id}")
"""Paths of a user's records. Live credentials reach those of every account of the user."""


IMPLIED_BY = {"marketplace:publish": {"marketplace:write"}}
"""Scopes of API keys that include another one."""


def sandbox_of(owner: Client) -> Client:
    """Create a client for the same user's sandbox."""
    return Client(owner.server, owner.server.new_key(data(owner.get("/account"))["email"], test=True))


def _agent(owner: Client) -> object:
    return data(owner.post("/agents", {"agent_name": "a", "agent_role": "leader"}), 201)["id"]


def _fleet(owner: Client) -> object:
    return data(owner.post("/fleets", {"name": "a"}), 201)["id"]


def _run(owner: Client) -> object:
    return data(owner.post(f"/agents/{_agent(owner)}/execute", {"message": "Hello"}))["run_id"]


def _conversation(owner: Client) -> object:
    return data(owner.post("/chat", {"message": "Hello"}))["conversation_id"]


def _file(owner: Client) -> object:
    return data(owner.request("POST", "/files", files={"file": ("a.txt", b"text", "text/plain")}), 201)["id"]


def _webhook(owner: Client) -> object:
    return data(owner.post("/webhooks", {"url": "https://receiver.invalid/hook"}), 201)["id"]


def _schedule(owner: Client) -> object:
    wanted = {"name": "a", "cron": "0 0 1 1 *", "agent_id": _agent(owner), "message": "Hello"}
    return data(owner.post("/schedules", wanted), 201)["id"]


def _approval(owner: Client) -> object:
    """Create a run that waits for an approval. Returns the approval's id."""
    wanted = {"agent_name": "a", "agent_role": "leader", "skills": ["web_extract_links"], "approval": "required"}
    agent = data(owner.post("/agents", wanted), 201)["id"]
    asked = {"message": '[[tool:web_extract_links {"html": "<p>Hello</p>"}]]'}
    data(owner.post(f"/agents/{agent}/execute", asked), 202)
    return data(owner.get("/approvals?per_page=1"))[0]["id"]


def _source(owner: Client) -> object:
    document = {"openapi": "3.1.0", "paths": {"/a": {"get": {}}}}
    wanted = {"kind": "openapi", "name": "mine", "document": document, "base_url": "https://example.com"}
    return data(owner.post("/tools/sources", wanted), 201)["id"]


def _key(owner: Client) -> object:
    return data(owner.post("/keys"), 201)["id"]


def _publishable_key(owner: Client) -> object:
    return data(owner.post("/publishable-keys", {"agent_id": _agent(owner)}), 201)["id"]


def _session(owner: Client) -> object:
    link = owner.server.ask("users.link", email=data(owner.get("/account"))["email"])
    token = post_sign_in(owner.server, "/auth/link", {"token": link}).json()["data"]["token"]
    session = Client(owner.server, token)
    ids = [one["id"] for one in data(session.get("/sessions")) if one["current"]]
    session.close()
    return ids[0]


def _call(owner: Client) -> object:
    return data(owner.post("/voice/calls", {"to": "+441632960123"}), 201)["id"]


def _batch(owner: Client) -> object:
    body = {"name": "a", "recipients": [{"to": "+441632960123"}], "start": False}
    return data(owner.post("/voice/batches", body), 201)["id"]


def _simulation(owner: Client) -> object:
    scenario = {"name": "a", "persona": "A customer.", "goal": "A refund."}
    return data(owner.post("/simulations", {"agent_id": _agent(owner), "scenarios": [scenario]}), 201)["id"]


def _do_not_call(owner: Client) -> object:
    return data(owner.post("/voice/do-not-call", {"number": "+441632960199"}), 201)["id"]


def _room(owner: Client) -> object:
    return data(owner.post("/voice/rooms", {"name": "a"}), 201)["id"]


def _connection(owner: Client) -> object:
    bot = {"name": "my-bot", "kind": "telegram", "secret": {"token": "123456:ABC-DEF"}}
    return data(owner.post("/connections", bot), 201)["id"]


def _provider(owner: Client) -> object:
    return data(owner.post("/providers", {"name": "my-host", "kind": "openai", "key": "sk-123456"}), 201)["id"]


def _collection(owner: Client) -> object:
    return data(owner.post("/knowledge/collections", {"name": "handbook"}), 201)["id"]


def _skill(owner: Client) -> object:
    text = "---\nname: our-tone\ndescription: How we write.\n---\nWrite short sentences.\n"
    return data(owner.post("/skills", {"text": text}), 201)["id"]


def _fact(owner: Client) -> object:
    return data(owner.post("/memory", {"agent_id": _agent(owner), "text": "The shop opens at nine."}), 201)["id"]


def _app(owner: Client) -> object:
    return create_app(owner)["id"]


def _grant(owner: Client) -> object:
    tokens_of(owner.server, create_app(owner), {"grant_type": "client_credentials"})
    return data(owner.get("/oauth/grants?per_page=1"))[0]["id"]


def _item(owner: Client) -> object:
    """Publish an item, which only live credentials may."""
    if (owner.key or "").startswith("ak_test_"):
        owner = Client(owner.server, owner.server.new_key(data(owner.get("/account"))["email"]))
    poet = {**BODIES["publish_item"], "slug": f"poet-{secrets.token_hex(8)}"}
    return data(owner.post("/marketplace", poet), 201)["id"]


def _installation(owner: Client) -> object:
    return data(owner.post(f"/marketplace/{_item(owner)}/install"), 201)["id"]


def _export(owner: Client) -> object:
    return data(owner.post("/account/export"), 202)["id"]


def _request(owner: Client) -> object:
    return owner.get("/models").headers["X-Request-ID"]


MAKERS: dict[str, Callable[[Client], object]] = {
    "/account/export/{id}": _export,
    "/agents/{id}": _agent,
    "/simulations/{id}": _simulation,
    "/fleets/{id}": _fleet,
    "/schedules/{id}": _schedule,
    "/runs/{id}": _run,
    "/approvals/{id}": _approval,
    "/chat/{conversation_id}": _conversation,
    "/files/{id}": _file,
    "/webhooks/{id}": _webhook,
    "/tools/sources/{id}": _source,
    "/keys/{id}": _key,
    "/publishable-keys/{id}": _publishable_key,
    "/sessions/{id}": _session,
    "/connections/{id}": _connection,
    "/providers/{id}": _provider,
    "/knowledge/collections/{id}": _collection,
    "/memory/{id}": _fact,
    "/skills/{id}": _skill,
    "/voice/calls/{id}": _call,
    "/voice/batches/{id}": _batch,
    "/voice/do-not-call/{id}": _do_not_call,
    "/voice/rooms/{id}": _room,
    "/marketplace/{id}": _item,
    "/marketplace/installed/{id}": _installation,
    "/oauth/apps/{id}": _app,
    "/oauth/grants/{id}": _grant,
    "/requests/{request_id}": _request,
}
"""How to create another user's record, for each path with an id."""


def name_of(operation: Operation) -> str:
    """Return the test's id."""
    return f"{operation.method} {operation.path}"


def path_of(operation: Operation) -> str:
    """Return the path with values for its parameters."""
    path = operation.path
    for place, value in PLACEHOLDERS.items():
        path = path.replace(place, value)
    return path


def test_every_operation_needs_the_scope_that_was_decided() -> None:
    lines = [line.split() for line in DECIDED.read_text().splitlines() if not line.startswith("#")]
    decided = {(method, path): scope for method, path, scope in lines}
    assert {(operation.method, operation.path): operation.scope for operation in OPERATIONS} == decided


@pytest.mark.either_database
@pytest.mark.parametrize("operation", OPERATIONS, ids=name_of)
def test_without_a_credential_nothing_is_revealed(nobody: Client, operation: Operation) -> None:
    refuse(nobody.request(operation.method, path_of(operation)), 401, "ak_live_")


@pytest.mark.either_database
@pytest.mark.parametrize("operation", OPERATIONS, ids=name_of)
def test_a_key_without_the_scope_is_refused(user: User, operation: Operation) -> None:
    others = sorted(SCOPES - {"*", operation.scope} - IMPLIED_BY.get(operation.scope, set()))
    suits = not operation.credentials or "key" in operation.credentials
    missing = operation.scope if suits else "session token"
    refuse(user.client(others).request(operation.method, path_of(operation)), 403, missing)


@pytest.mark.parametrize("operation", OPERATIONS, ids=name_of)
def test_a_key_with_just_the_scope_is_admitted(user: User, operation: Operation) -> None:
    response = user.client([operation.scope]).request(operation.method, path_of(operation))
    if operation.credentials and "key" not in operation.credentials:
        refuse(response, 403, "session token")
        return
    if operation.path.startswith(FOR_OPERATORS):
        refuse(response, 403, "operator")
        return
    assert response.status_code in {200, 201, 202, 400, 404}, response.text


@pytest.mark.parametrize("operation", RECORDS, ids=name_of)
@pytest.mark.parametrize("body", [None, {"wrong": 1}], ids=["no body", "wrong body"])
def test_another_users_record_is_not_found(
    client: Client, stranger: Client, operation: Operation, body: dict[str, object] | None
) -> None:
    if operation.path.startswith(SHARED):
        assert client.request(operation.method, path_of(operation), json={}).status_code in {200, 400}
        return
    if operation.path.startswith(FOR_OPERATORS):
        refuse(client.request(operation.method, path_of(operation)), 403, "operator")
        return
    prefix = operation.path[: operation.path.index("}") + 1]
    owner = sandbox_of(stranger) if operation.path.startswith(SIMULATED) else stranger
    record = MAKERS[prefix](owner)
    path = operation.path.replace(prefix, prefix[: prefix.index("{")] + str(record))
    options = {} if body is None or operation.method in {"GET", "DELETE"} else {"json": body}
    refuse(client.request(operation.method, path, **options), 404)
    assert owner.get(prefix[: prefix.index("{")] + str(record)).status_code == 200


@pytest.mark.parametrize("operation", RECORDS, ids=name_of)
def test_a_sandbox_record_is_not_found_with_a_live_key(client: Client, sandbox: Client, operation: Operation) -> None:
    if operation.path.startswith(SHARED):
        assert sandbox.request(operation.method, path_of(operation), json={}).status_code in {200, 400}
        return
    if operation.path.startswith(FOR_OPERATORS):
        refuse(sandbox.request(operation.method, path_of(operation)), 403, "operator")
        return
    if operation.path.startswith(OF_THE_USER):
        return
    prefix = operation.path[: operation.path.index("}") + 1]
    path = operation.path.replace(prefix, prefix[: prefix.index("{")] + str(MAKERS[prefix](sandbox)))
    refuse(client.request(operation.method, path), 404)
