"""The sandbox and the live records of a user are isolated from each other in every operation."""

from collections.abc import Iterator

import pytest

from retinue.app import operations
from retinue.core.http.operations import Operation
from tests.auth.crossings import Space
from tests.auth.test_scopes import FOR_OPERATORS, MAKERS, RECORDS, SHARED, SIMULATED, name_of, path_of
from tests.conftest import NewUser, StartServer, User
from tests.support.client import Client, data, refuse
from tests.support.server import Server
from tests.webhooks.receiver import Receiver, running_receiver

OF_BOTH = ("/marketplace/{id}",)
"""Published items belong to the user. A test key sees them as everyone does."""
LISTS = [
    one for one in operations() if one.method == "GET" and f"{one.path}/{{id}}" in MAKERS and one.path != "/marketplace"
]
LIVE_SEES_BOTH = ("/keys", "/sessions", "/oauth/apps", "/oauth/grants")
"""Lists of a user's credentials: live keys also manage those of the sandbox."""


LIVE = [operation for operation in RECORDS if not operation.path.startswith(SIMULATED)]


@pytest.mark.parametrize("operation", LIVE, ids=name_of)
def test_a_live_record_is_not_found_with_a_test_key(client: Client, sandbox: Client, operation: Operation) -> None:
    if operation.path.startswith((*SHARED, *OF_BOTH)):
        assert sandbox.request(operation.method, path_of(operation), json={}).status_code in {200, 201, 400, 403, 404}
        return
    if operation.path.startswith(FOR_OPERATORS):
        refuse(sandbox.request(operation.method, path_of(operation)), 403, "operator")
        return
    prefix = operation.path[: operation.path.index("}") + 1]
    record = MAKERS[prefix](client)
    path = operation.path.replace(prefix, prefix[: prefix.index("{")] + str(record))
    for body in (None, {"wrong": 1}):
        options = {} if body is None or operation.method in {"GET", "DELETE"} else {"json": body}
        refuse(sandbox.request(operation.method, path, **options), 404)
    assert client.get(prefix[: prefix.index("{")] + str(record)).status_code == 200


@pytest.mark.parametrize("operation", LISTS, ids=name_of)
def test_lists_have_nothing_in_common(spaces: list[Space], operation: Operation) -> None:
    live, sandbox = spaces
    path = f"{operation.path}?per_page=100"
    shown = [{str(one["id"]) for one in data(space.client.get(path))} for space in (live, sandbox)]
    kind = f"{operation.path}/{{id}}"
    assert set(live.ids[kind]) <= shown[0]
    assert set(sandbox.ids[kind]) <= shown[1]
    assert not set(live.ids[kind]) & shown[1]
    if operation.path not in LIVE_SEES_BOTH:
        assert not shown[0] & shown[1]


@pytest.fixture(scope="module")
def spaces(shared_server: Server) -> Iterator[list[Space]]:
    """The live space and the sandbox of a user, with a record of each kind. Tests only read them."""
    user = User(shared_server, shared_server.new_user())
    yield Space.both(user)
    user.close()


def test_conversations_and_usage_have_nothing_in_common(spaces: list[Space]) -> None:
    live, sandbox = spaces
    talks = [{one["conversation_id"] for one in data(space.client.get("/chat"))} for space in spaces]
    assert talks[0]
    assert talks[1]
    assert not talks[0] & talks[1]
    assert data(sandbox.client.get("/usage/history")) == []
    assert data(live.client.get("/usage/history")) != []


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    """A webhook receiver."""
    with running_receiver() as running:
        yield running


def test_events_go_to_endpoints_of_their_own_side(
    start_server: StartServer, new_user: NewUser, receiver: Receiver
) -> None:
    user = new_user(start_server(RETINUE_ALLOWED_NETWORKS="127.0.0.1/32"))
    sides = {"/live": user.client(), "/test": user.client(test=True)}
    for path, side in sides.items():
        data(side.post("/webhooks", {"url": receiver.url(path), "events": ["agent.created"]}), 201)
    made = {
        path: data(side.post("/agents", {"agent_name": path, "agent_role": "leader"}), 201)["id"]
        for path, side in sides.items()
    }
    for path, agent in made.items():
        (request,) = receiver.receive(path, at_least=1)
        assert request.payload["data"]["agent_id"] == agent
