"""A revocation or change on one node takes effect on the others within a second, with or without Valkey."""

from functools import partial

import pytest

from tests.auth.signing_in import give_password
from tests.conftest import StartServer, User
from tests.oauth.protocol import Pkce, consent, create_app, exchange, tokens_of
from tests.support.client import Client, data
from tests.support.server import Server
from tests.support.waiting import eventually


@pytest.fixture
def nodes(start_server: StartServer, valkey: str) -> list[Server]:
    """Three nodes of one platform: two notify each other through PostgreSQL alone, one also has Valkey."""
    first = start_server("postgresql")
    shared = {"RETINUE_DATABASE_URL": first.env["RETINUE_DATABASE_URL"]}
    return [first, start_server(**shared), start_server(RETINUE_REDIS_URL=valkey, **shared)]


def have_plan(clients: list[Client], plan: str) -> bool:
    """Return whether every node sees the account on this plan."""
    return {data(client.get("/usage"))["plan"] for client in clients} == {plan}


def are_refused(clients: list[Client]) -> bool:
    """Return whether every node refuses the token."""
    return {client.get("/usage").status_code for client in clients} == {401}


@pytest.mark.slow
def test_a_change_on_one_node_holds_on_all_within_a_second(nodes: list[Server]) -> None:
    first, *_ = nodes
    user = User(first, first.new_user("free"))
    owner = give_password(first, user.email)
    app, pkce = create_app(owner), Pkce()
    key = data(owner.post("/keys"), 201)
    answer = consent(first, app, user.email, pkce, scope="usage:read")
    access = tokens_of(first, app, exchange(answer["code"], pkce))["access_token"]
    session = str(owner.key)

    def on_every_node(token: str) -> list[Client]:
        clients = [Client(node, token) for node in nodes]
        assert have_plan(clients, data(owner.get("/usage"))["plan"]), "every node must have the token in its cache"
        return clients

    by_key, by_app, by_session = on_every_node(key["key"]), on_every_node(access), on_every_node(session)
    first.ask("users.plan", email=user.email, plan="professional")
    for clients in (by_key, by_app, by_session):
        eventually(partial(have_plan, clients, "professional"), within=1.0)
    on_every_node(key["key"])
    data(owner.delete(f"/keys/{key['id']}"))
    eventually(partial(are_refused, by_key), within=1.0)
    on_every_node(access)
    (grant,) = data(owner.get("/oauth/grants"))
    data(owner.delete(f"/oauth/grants/{grant['id']}"))
    eventually(partial(are_refused, by_app), within=1.0)
    on_every_node(session)
    first.ask("users.revoke", email=user.email)
    eventually(partial(are_refused, by_session), within=1.0)
