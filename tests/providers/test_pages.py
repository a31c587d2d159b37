"""The pages of models: add a provider, test it, choose the default, delete it."""

from collections.abc import Iterator

import pytest

from retinue.portal.models.vendors import VENDORS
from tests.conftest import User
from tests.portal.reader import Reader, reader_of, redirect
from tests.providers.support import KEY, names, provide, remote
from tests.support.client import Client, data
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
    assert data(client.get("/models/default")) == {"model": "mine/chat-1", "fallbacks": fallbacks, "shared": False}
    page = reader.get("/models").text
    assert '<option value="default/stand-in" selected>' in page
    assert KEY not in page + reader.get(path).text
    redirect(reader.post(f"{path}/edit", {"base_url": host.url, "key": ""}))
    assert data(client.get("/providers"))[0]["enabled"] is False
    assert "switched off" in reader.get(path).text
    assert redirect(reader.post(f"{path}/delete")) == "/models"
    assert "mine/chat-1" not in names(client)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"name": "Mine"}, "Mine"),
        ({"base_url": "ftp://example.com"}, "must be a URL"),
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
    for verb in ("edit", "test", "delete"):
        assert reader.post(f"{path}/{verb}").status_code == 404
