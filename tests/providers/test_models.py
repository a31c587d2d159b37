"""Models of providers: live without a restart, shared ones, lists, tests, fallbacks and defaults."""

import base64

import pytest

from tests.auth.signing_in import give_password
from tests.conftest import ONE_DATABASE, StartServer, User
from tests.oauth.protocol import Pkce, consent, create_app, exchange, tokens_of
from tests.providers.support import KEY, names, provide, remote, say
from tests.support.client import Client, data, refuse
from tests.support.embedding_server import running_embedding_server
from tests.support.model_server import Answer, ModelServer
from tests.support.ports import free_port
from tests.support.waiting import eventually

INCLUDED = {"embedding": "alfred-embedding"}

OWNER = "owner@localhost"


def test_models_are_there_at_once_and_gone_at_once(client: Client, host: ModelServer) -> None:
    assert "mine/m1" not in names(client)
    query, headers = {"api-version": "2026-01"}, {"X-Org": "org-1"}
    path = f"/providers/{provide(client, remote(host.url, query=query, headers=headers))['id']}"
    assert "mine/m1" in names(client)
    assert say(client, "mine/m1")["reply"] == "You said: Hello"
    (request,) = host.requests
    assert request["model"] == "m1"
    assert host.headers[0]["Authorization"] == f"Bearer {KEY}"
    assert host.headers[0]["X-Org"] == "org-1"
    assert host.queries == [query]
    data(client.put(path, {"key": "another-key"}))
    say(client, "mine/m1")
    assert host.headers[1]["Authorization"] == "Bearer another-key"
    data(client.put(path, {"enabled": False}))
    assert "mine/m1" not in names(client)
    refuse(client.post("/chat", {"message": "Hello", "model": "mine/m1"}), 400, "no model 'mine/m1'")
    data(client.put(path, {"enabled": True}))
    say(client, "mine/m1")
    data(client.delete(path))
    refuse(client.post("/chat", {"message": "Hello", "model": "mine/m1"}), 400, "no model 'mine/m1'")


def test_an_unknown_model_is_refused_with_the_nearest_names(client: Client) -> None:
    provide(client, remote(models=[{"id": "gpt-5.5"}, {"id": "gpt-5.5-mini"}, {"id": "o9"}]))
    said = refuse(
        client.post("/chat", {"message": "Hello", "model": "mine/gpt5.5"}), 400, "mine/gpt-5.5", "GET /api/v1"
    )
    assert "mine/o9" not in said


def test_configured_values_of_a_model_are_listed_beside_known_ones(client: Client) -> None:
    given = {
        "id": "gpt-5",
        "context_tokens": 5000,
        "input": ["image"],
        "price": {"input": "1", "cached_input": "0.5", "output": "2"},
    }
    provide(client, remote("https://api.openai.com/v1", name="vendor", models=[given, {"id": "gpt-4o"}]))
    provide(client, remote())
    listed = {entry["name"]: entry for entry in data(client.get("/models?per_page=100"))}
    assert next(iter(listed)) == "alfred-default"
    assert [entry["default"] for entry in listed.values()].count(True) == 1
    own, known, unknown = (listed[name] for name in ("vendor/gpt-5", "vendor/gpt-4o", "mine/m1"))
    del given["id"]
    assert own == {
        **given,
        "name": "vendor/gpt-5",
        "default": False,
        "provider": "vendor",
        "max_output_tokens": 128_000,
        "input": ["text", "image"],
        "tools": True,
        "reasoning": True,
    }
    assert known["context_tokens"] == 128_000
    assert known["price"] is not None
    assert (unknown["context_tokens"], unknown["input"], unknown["price"]) == (32_768, ["text"], None)


def test_a_provider_without_a_list_is_asked_for_it(client: Client, host: ModelServer) -> None:
    host.models = ["chat-1", "text-embedding-3"]
    path = f"/providers/{provide(client, remote(host.url, models=None))['id']}"
    assert [entry["id"] for entry in data(client.get(f"{path}/models"))] == ["chat-1", "text-embedding-3"]
    assert {"mine/chat-1", "mine/text-embedding-3"} & {*names(client)} == {"mine/chat-1"}
    assert say(client, "mine/chat-1")["reply"] == "You said: Hello"
    refuse(client.post("/chat", {"message": "Hello", "model": "mine/chat-2"}), 400, "mine/chat-1")
    host.models = None
    refuse(client.get(f"{path}/models"), 503, "HTTP 404")


def test_a_test_makes_one_small_call(client: Client, sandbox: Client, host: ModelServer) -> None:
    host.models = ["text-embedding-3", "chat-1"]
    path = f"/providers/{provide(client, remote(host.url, models=None))['id']}"
    tested = data(client.post(f"{path}/test", {}))
    assert tested == {"ok": True, "model": "chat-1", "ms": tested["ms"], "error": None}
    assert [request["max_tokens"] for request in host.requests] == [64]
    host.answers.append(Answer("no such model", status=404))
    tested = data(client.post(f"{path}/test", {"model": "chat-9"}))
    assert (tested["ok"], tested["model"]) == (False, "chat-9")
    assert "no such model" in tested["error"]
    host.models = None
    nowhere = f"/providers/{provide(client, remote(f'http://127.0.0.1:{free_port()}/v1', name='nowhere'))['id']}"
    tested = data(client.post(f"{nowhere}/test", {}))
    assert (tested["ok"], tested["model"]) == (False, "m1")
    simulated = f"/providers/{provide(sandbox, remote(host.url))['id']}"
    calls = len(host.requests)
    assert data(sandbox.post(f"{simulated}/test", {})) == {"ok": True, "model": "m1", "ms": 0, "error": None}
    assert data(sandbox.get(f"{simulated}/models")) == []
    assert len(host.requests) == calls


@pytest.mark.parametrize("status", [408, 425, 429, 500, 503])
def test_a_refusal_is_tried_again(client: Client, host: ModelServer, status: int) -> None:
    provide(client, remote(host.url))
    host.answers.extend([Answer(status=status, headers={"Retry-After": "0"})] * 2)
    assert say(client, "mine/m1")["reply"] == "You said: Hello"
    assert len(host.requests) == 3


def test_the_next_model_answers_if_a_provider_is_away(client: Client, host: ModelServer, model: ModelServer) -> None:
    provide(client, remote(f"http://127.0.0.1:{free_port()}/v1", name="nowhere"))
    provide(client, remote(host.url))
    chosen = {"model": "nowhere/m1", "fallbacks": ["mine/m1", "default/stand-in"]}
    assert data(client.put("/models/default", chosen)) == {**chosen, **INCLUDED, "shared": False}
    assert say(client, "alfred-default", "Anyone?")["reply"] == "You said: Anyone?"
    host.answers.append(Answer("rejected", status=401))
    assert say(client, "alfred-default", "Anyone?")["reply"] == "You said: Anyone?"
    asked = [sum("Anyone?" in str(one["messages"]) for one in server.requests) for server in (host, model)]
    assert asked == [2, 1]


def test_an_account_chooses_its_default(
    client: Client, stranger: Client, host: ModelServer, model: ModelServer
) -> None:
    assert data(client.get("/models/default")) == {
        "model": "default/stand-in",
        "fallbacks": [],
        **INCLUDED,
        "shared": True,
    }
    refuse(client.put("/models/default", {"model": "mine/m1"}), 400, "no model 'mine/m1'")
    path = f"/providers/{provide(client, remote(host.url))['id']}"
    data(client.put("/models/default", {"model": "mine/m1"}))
    say(client, "alfred-default")
    say(stranger, "alfred-default")
    assert (len(host.requests), len(model.requests)) == (1, 1)
    assert data(client.get("/models"))[0]["provider"] == "mine"
    data(client.put(path, {"enabled": False}))
    say(client, "alfred-default")
    assert len(model.requests) == 2
    refuse(client.put("/models/default", {"model": "alfred-default", "fallbacks": ["alfred-default"]}), 400, "itself")
    refuse(client.put("/models/default", {"model": "stand-in", "fallbacks": ["stand-in"] * 6}), 400, "fallbacks")


def test_a_provider_in_use_is_not_deleted(client: Client, host: ModelServer) -> None:
    path = f"/providers/{provide(client, remote(host.url))['id']}"
    data(client.put("/models/default", {"model": "default/stand-in", "fallbacks": ["mine/m1"]}))
    agents = [
        data(client.post("/agents", {"agent_name": name, "agent_role": "specialist", **models}), 201)["id"]
        for name, models in (("Main", {"model": "mine/m1"}), ("Spare", {"fallback_models": ["mine/m1"]}))
    ]
    users = f"(2): Main ({agents[0]}), Spare ({agents[1]})."
    refuse(client.delete(path), 400, "provider mine cannot", "of your account is mine/m1", "PUT /api/v1/models", users)
    assert say(client, "mine/m1")["model"] == "mine/m1"
    data(client.put("/models/default", {"model": "alfred-default"}))
    data(client.put(f"/agents/{agents[0]}", {"model": None}))
    assert "default" not in refuse(client.delete(path), 400, f"(1): Spare ({agents[1]}).")
    data(client.put(f"/agents/{agents[1]}", {"fallback_models": []}))
    data(client.delete(path))


def test_a_provider_of_embeddings_is_not_deleted(client: Client) -> None:
    with running_embedding_server() as vectors:
        provider = {"name": "vectors", "kind": "openai", "base_url": vectors.url, "key": KEY}
        path = f"/providers/{provide(client, provider)['id']}"
        chosen = "vectors/text-embedding-small"
        data(client.put("/models/default", {"embedding": chosen}))
        made = data(client.post("/knowledge/collections", {"name": "Rules"}), 201)
        users = f"Collections that use its models (1): Rules ({made['id']})."
        refuse(client.delete(path), 400, f"embedding model of your account is {chosen}", users)
        data(client.put("/models/default", {"embedding": "alfred-embedding"}))
        data(client.delete(f"/knowledge/collections/{made['id']}"))
        data(client.delete(path))


def test_the_default_of_all_accounts_keeps_a_shared_provider(
    operator: Client, client: Client, host: ModelServer
) -> None:
    path = f"/providers/{provide(operator, remote(host.url, name='for-all', shared=True))['id']}"
    own = f"/providers/{provide(client, remote(host.url, name='for-me'))['id']}"
    data(operator.put("/models/default?shared=true", {"model": "for-all/m1"}))
    try:
        refuse(operator.delete(path), 400, "of all accounts is for-all/m1", "/api/v1/models/default?shared=true")
        data(client.delete(own))
    finally:
        data(operator.put("/models/default?shared=true", {"model": "alfred-default"}))
        data(operator.delete(path))


@ONE_DATABASE
def test_an_app_of_an_operator_cannot_change_shared_data(operator: Client, host: ModelServer) -> None:
    server, pkce = operator.server, Pkce()
    app = create_app(operator, scopes=["*"])
    give_password(server, OWNER).close()
    form = exchange(consent(server, app, OWNER, pkce, scope="*")["code"], pkce)
    program = Client(server, tokens_of(server, app, form)["access_token"])
    path = f"/providers/{provide(operator, remote(host.url, name='for-all', shared=True))['id']}"
    theirs = {"base_url": "https://attacker.example/v1", "key": "theirs", "headers": {}, "query": {}}
    try:
        refuse(program.put(path, theirs), 403, "operator")
        refuse(program.delete(path), 403, "operator")
        assert data(program.get(path))["base_url"].startswith(host.url)
    finally:
        data(operator.delete(path))
        program.close()


def test_a_shared_provider_serves_accounts_on_its_plans(
    user: User, client: Client, operator: Client, host: ModelServer, stranger: Client
) -> None:
    record = provide(operator, remote(host.url, name="for-all", shared=True, plans=["enterprise"]))
    path = f"/providers/{record['id']}"
    try:
        assert say(client, "for-all/m1")["reply"] == "You said: Hello"
        assert data(client.get("/providers")) == []
        refuse(client.get(path), 404)
        data(operator.put("/models/default?shared=true", {"model": "for-all/m1"}))
        assert data(stranger.get("/models/default")) == {
            "model": "for-all/m1",
            "fallbacks": [],
            **INCLUDED,
            "shared": True,
        }
        user.server.ask("users.plan", email=user.email, plan="free")
        eventually(lambda: "for-all/m1" not in names(client), within=2.0)
        assert data(client.get("/models/default"))["model"] == "default/stand-in"
        data(operator.put(path, {"shared": False, "plans": None}))
        assert "for-all/m1" not in names(stranger)
        refuse(operator.put("/models/default?shared=true", {"model": "for-all/m1"}), 400, "no model")
    finally:
        data(operator.put("/models/default?shared=true", {"model": "alfred-default"}))
        data(operator.delete(path))


def test_a_change_on_one_node_holds_on_the_other_within_a_second(start_server: StartServer, host: ModelServer) -> None:
    shared = {"RETINUE_ALLOWED_NETWORKS": "127.0.0.0/8", "RETINUE_MASTER_KEY": base64.b64encode(bytes(32)).decode()}
    one = start_server("postgresql", **shared)
    two = start_server(RETINUE_DATABASE_URL=one.env["RETINUE_DATABASE_URL"], **shared)
    client, elsewhere = Client(one, one.first_key), Client(two, one.first_key)
    assert "mine/m1" not in names(elsewhere)
    path = f"/providers/{provide(client, remote(host.url))['id']}"
    eventually(lambda: "mine/m1" in names(elsewhere), within=1.0)
    say(elsewhere, "mine/m1")
    data(client.put("/models/default", {"model": "mine/m1"}))
    eventually(lambda: data(elsewhere.get("/models"))[0]["provider"] == "mine", within=1.0)
    data(client.put("/models/default", {"model": "alfred-default"}))
    data(client.delete(path))
    eventually(lambda: "mine/m1" not in names(elsewhere), within=1.0)
    client.close()
    elsewhere.close()


def test_no_provider_reaches_this_machine_unless_the_operator_allows_it(
    start_server: StartServer, host: ModelServer
) -> None:
    server = start_server()
    client = Client(server, server.first_key)
    refuse(client.post("/providers", remote(host.url)), 400, "base_url", "RETINUE_ALLOWED_NETWORKS")
    client.close()
