"""The pages of models: add a provider, test it, choose the default, delete it."""

from collections.abc import Iterator

import pytest

from retinue.portal.models.vendors import VENDORS
from tests.conftest import User
from tests.portal.reader import Reader, reader_of, redirect
from tests.providers.support import KEY, names, provide, remote, say
from tests.support.client import Client, data, refuse
from tests.support.embedding_server import running_embedding_server
from tests.support.model_server import Answer, ModelServer


@pytest.fixture
def reader(user: User) -> Iterator[Reader]:
    """The user, signed in to the portal."""
    made = reader_of(user)
    yield made
    made.close()


def test_every_vendor_can_be_picked(reader: Reader) -> None:
    chooser = reader.get("/models/new").text
    for name, vendor in VENDORS.items():
        assert f'href="/models/new?vendor={name}"' in chooser
        page = reader.get(f"/models/new?vendor={name}").text
        assert f'value="{vendor.base_url}"' in page
        assert f'value="{vendor.kind}" selected' in page


def test_a_provider_is_added_tested_made_the_default_and_deleted(
    reader: Reader, client: Client, host: ModelServer
) -> None:
    host.models = ["chat-1", "chat-2"]
    given = {"vendor": "other", "name": "mine", "kind": "openai", "base_url": host.url, "key": KEY}
    path = redirect(reader.post("/models", given))
    assert "mine/chat-2" in reader.get(path).text
    assert "chat-1 replied within" in reader.post(f"{path}/test").text
    host.answers.append(Answer("no credit", status=402))
    assert "It does not work." in reader.post(f"{path}/test").text
    chosen = {"model": "mine/chat-1", "fallbacks": ["mine/chat-2", "", "default/stand-in"]}
    assert redirect(reader.post("/models/default", chosen)) == "/models"
    fallbacks = ["mine/chat-2", "default/stand-in"]
    default = {"model": "mine/chat-1", "fallbacks": fallbacks, "embedding": "alfred-embedding", "shared": False}
    assert data(client.get("/models/default")) == default
    page = reader.get("/models").text
    assert '<option value="default/stand-in" selected>' in page
    assert KEY not in page + reader.get(path).text
    redirect(reader.post(f"{path}/edit", {"base_url": host.url, "key": ""}))
    assert data(client.get("/providers"))[0]["enabled"] is False
    assert "switched off" in reader.get(path).text
    refused = reader.post(f"{path}/delete")
    assert refused.status_code == 400
    assert "model of your account is mine/chat-1, mine/chat-2. Choose others on the page Models." in refused.text
    redirect(reader.post("/models/default", {"model": ""}))
    assert redirect(reader.post(f"{path}/delete")) == "/models"
    assert "mine/chat-1" not in names(client)


def test_a_refused_key_is_shown_until_a_call_succeeds(reader: Reader, client: Client, host: ModelServer) -> None:
    path = f"/models/{provide(client, remote(host.url))['id']}"
    assert "Key refused" not in reader.get("/models").text + reader.get(path).text
    host.answers.append(Answer("Wrong key", status=401))
    refuse(client.post("/chat", {"message": "Hello", "model": "mine/m1", "tools": []}), 503)
    assert f'<a href="{path}">Enter a new key</a>' in reader.get("/models").text
    assert 'href="#key">Settings' in reader.get(path).text
    (conversation,) = data(client.get("/chat"))
    chat = reader.get(f"/playground?conversation={conversation['conversation_id']}").text
    assert f'<a href="{path}">Open the provider mine</a>' in chat
    host.answers.append(Answer("Later", status=500))
    assert "It does not work." in reader.post(f"{path}/test").text
    assert "Key refused" in reader.get("/models").text
    assert "It works." in reader.post(f"{path}/test").text
    assert "Key refused" not in reader.get("/models").text + reader.get(path).text


def test_a_test_shows_a_refused_key_until_the_provider_is_changed(
    reader: Reader, client: Client, host: ModelServer
) -> None:
    path = f"/models/{provide(client, remote(host.url))['id']}"
    host.answers.append(Answer("Wrong key", status=403))
    tested = reader.post(f"{path}/test").text
    assert "It does not work." in tested
    assert "&#39;mine&#39;" in tested
    assert "Key refused" in reader.get(path).text
    redirect(reader.post(f"{path}/edit", {"base_url": host.url, "key": KEY, "enabled": "on", "models": "m1"}))
    assert "Key refused" not in reader.get(path).text


def test_the_agents_that_use_a_provider_are_linked(reader: Reader, client: Client) -> None:
    path = f"/models/{provide(client, remote())['id']}"
    agent = data(client.post("/agents", {"agent_name": "A & B", "agent_role": "leader", "model": "mine/m1"}), 201)
    refused = reader.post(f"{path}/delete")
    assert refused.status_code == 400
    assert f"Agents that use its models (1): A &amp; B ({agent['id']})." in refused.text
    assert f'<a href="/agents/{agent["id"]}/edit">A &amp; B</a>' in refused.text


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"name": "Mine"}, "Mine"),
        ({"base_url": "ftp://example.com"}, "ust be a URL"),
        ({"base_url": "http://10.1.2.3/v1"}, "RETINUE_ALLOWED_NETWORKS"),
        ({"kind": "ftp"}, "aria-invalid"),
    ],
)
def test_a_refused_form_is_shown_again_without_the_key(reader: Reader, changes: dict[str, str], words: str) -> None:
    given = {"vendor": "other", "name": "mine", "kind": "openai", "base_url": "https://example.com/v1", "key": KEY}
    answer = reader.post("/models", {**given, **changes})
    assert answer.status_code == 400
    assert words in answer.text
    assert KEY not in answer.text


def test_providers_of_others_are_not_there(reader: Reader, stranger: Client) -> None:
    path = f"/models/{provide(stranger, remote(name='of-another'))['id']}"
    assert "of-another" not in reader.get("/models").text
    assert reader.get(path).status_code == 404
    assert reader.get(f"{path}/model?id=m1").status_code == 404
    for verb in ("edit", "test", "delete", "model"):
        assert reader.post(f"{path}/{verb}").status_code == 404


def test_headers_and_models_of_a_provider_are_changed_in_the_form(
    reader: Reader, client: Client, host: ModelServer
) -> None:
    given = {"vendor": "other", "name": "mine", "kind": "openai", "base_url": host.url, "key": KEY}
    more = {
        "headers": "X-Team: blue\nX-Floor: 3:4",
        "query": "api-version: 7",
        "models": "chat-1\nchat-2",
        "concurrency": "3",
    }
    path = redirect(reader.post("/models", {**given, **more}))
    say(client, "mine/chat-1")
    assert (host.headers[-1]["X-Team"], host.headers[-1]["X-Floor"]) == ("blue", "3:4")
    assert host.queries[-1] == {"api-version": "7"}
    page = reader.get(path).text
    assert "Stored are X-Team, X-Floor" in page
    assert "blue" not in page
    price = {"price_input": "1.25", "price_output": "10", "context_tokens": "64000", "tools": "no"}
    assert redirect(reader.post(f"{path}/model", {"id": "chat-1", **price})) == path
    kept = {"base_url": host.url, "enabled": "on", "models": "chat-3 chat-1", "headers": "", "query": "none"}
    assert redirect(reader.post(f"{path}/edit", kept)) == path
    (provider,) = data(client.get("/providers"))
    assert [model["id"] for model in provider["models"]] == ["chat-3", "chat-1"]
    assert provider["models"][1]["price"] == {"input": "1.25", "cached_input": None, "output": "10"}
    assert provider["models"][1]["tools"] is False
    assert provider["secrets"] == ["key", "headers.X-Team", "headers.X-Floor"]
    assert provider["concurrency"] is None
    assert "$1.25 / $10.00" in reader.get(path).text


def test_a_model_that_the_provider_lists_is_changed(reader: Reader, client: Client, host: ModelServer) -> None:
    host.models = ["chat-1", "chat-2"]
    path = f"/models/{provide(client, remote(host.url, models=None))['id']}"
    assert f'href="{path}/model?id=chat-1"' in reader.get(path).text
    form = reader.get(f"{path}/model?id=chat-1").text
    assert "fixes the list of models to the 2" in form
    refused = reader.post(f"{path}/model", {"id": "chat-1", "price_input": "cheap", "price_output": "1"})
    assert refused.status_code == 400
    assert 'id="problem-price_input"' in refused.text
    assert 'value="cheap"' in refused.text
    assert data(client.get("/providers"))[0]["models"] is None
    assert redirect(reader.post(f"{path}/model", {"id": "chat-1", "input": ["text", "image"]})) == path
    assert [(one["id"], one["input"]) for one in data(client.get("/providers"))[0]["models"]] == [
        ("chat-1", ["text", "image"]),
        ("chat-2", None),
    ]
    assert reader.get(f"{path}/model?id=chat-9").status_code == 404
    assert reader.post(f"{path}/model", {"id": "chat-9", "tools": "yes"}).status_code == 404


def test_a_wrong_header_is_refused_without_showing_it(reader: Reader, client: Client) -> None:
    path = f"/models/{provide(client, remote())['id']}"
    answer = reader.post(f"{path}/edit", {"base_url": "https://example.com/v1", "models": "", "headers": KEY})
    assert answer.status_code == 400
    assert 'id="problem-headers"' in answer.text
    assert KEY not in answer.text


def test_the_embedding_model_is_chosen(reader: Reader, client: Client) -> None:
    with running_embedding_server() as vectors:
        provide(client, {"name": "vectors", "kind": "openai", "base_url": vectors.url, "key": KEY})
        assert '<option value="vectors/text-embedding-small">' in reader.get("/models").text
        assert redirect(reader.post("/models/embedding", {"embedding": "vectors/text-embedding-small"})) == "/models"
        assert data(client.get("/models/default"))["embedding"] == "vectors/text-embedding-small"
        assert '<option value="vectors/text-embedding-small" selected>' in reader.get("/models").text
        refused = reader.post("/models/embedding", {"other": "vectors/chatty"})
        assert (refused.status_code, "makes no embeddings" in refused.text) == (400, True)


def test_only_operators_share_a_provider_and_choose_for_everybody(
    reader: Reader, client: Client, host: ModelServer
) -> None:
    given = {"vendor": "other", "name": "theirs", "kind": "openai", "base_url": host.url, "key": KEY, "models": "m1"}
    shared = {"shared": "on", "plans": ["enterprise", "starter"]}
    assert 'name="shared"' not in reader.get("/models/new?vendor=other").text + reader.get("/models").text
    path = redirect(reader.post("/models", {**given, **shared}))
    assert data(client.get("/providers"))[0]["shared"] is False
    assert reader.post("/models/default", {"model": "theirs/m1", "shared": "on"}).status_code == 403
    redirect(reader.post(f"{path}/delete"))
    owner = Reader(reader.server).sign_in_by_link("owner@localhost")
    assert 'name="shared"' in owner.get("/models").text
    path = redirect(owner.post("/models", {**given, **shared}))
    assert 'name="plans" value="starter" checked' in owner.get(path).text
    assert "theirs/m1" in names(client)
    assert redirect(owner.post("/models/default", {"model": "theirs/m1", "shared": "on"})) == "/models"
    assert "Default (now theirs/m1)" in reader.get("/playground").text
    redirect(owner.post("/models/default", {"model": "", "shared": "on"}))
    redirect(owner.post(f"{path}/delete"))
    assert "Default (now default/stand-in)" in reader.get("/playground").text
    owner.close()


def test_pickers_show_models_with_window_price_and_abilities(reader: Reader, client: Client) -> None:
    price = {"input": "0.3", "output": "2.5"}
    model = {"id": "m1", "context_tokens": 131072, "input": ["text", "image"], "tools": True, "price": price}
    provide(client, remote(models=[model]))
    for path in ("/models", "/playground", "/agents/new"):
        page = reader.get(path).text
        assert '<optgroup label="mine">' in page
        assert '<option value="mine/m1">mine/m1</option>' in page
        rows = page.partition('<template id="model-rows">')[2].partition("</template>")[0]
        row = rows.partition('data-value="mine/m1"')[2]
        for words in ("128K window", "$0.30 / $2.50 per million", ">tools<", ">images<"):
            assert words in row, (path, words)
