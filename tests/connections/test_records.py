"""Connections: their records, refusals, access, and where their secrets appear."""

from typing import Any

import pytest

from tests.connections.echo import Echo
from tests.connections.support import SECRET, Json, api, connect, describe, execute
from tests.support.client import Client, data, refuse

MAIL: Json = {"user": "ann@example.com", "smtp": {"host": "mail.example.com"}}
PASSWORD = {"password": "app-password"}


def test_a_connection_shows_everything_but_its_secret(client: Client) -> None:
    record = connect(client, api())
    assert record == {
        "id": record["id"],
        "name": "work-api",
        "kind": "http",
        "settings": {"base_url": "https://example.com/v1", "type": "bearer", "name": ""},
        "created_at": record["created_at"],
        "updated_at": record["created_at"],
        "last_used_at": None,
        "last_test": None,
    }
    assert data(client.get(f"/connections/{record['id']}")) == record
    assert data(client.get("/connections")) == [record]
    assert data(client.delete(f"/connections/{record['id']}")) == {"id": record["id"], "deleted": True}
    refuse(client.get(f"/connections/{record['id']}"), 404)
    assert data(client.get("/connections")) == []


def test_a_create_sent_twice_under_one_key_is_one_connection(client: Client) -> None:
    headers = {"Idempotency-Key": "once"}
    first, second = (data(client.post("/connections", api(), headers=headers), 201) for _ in range(2))
    assert first == second
    assert len(data(client.get("/connections"))) == 1


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"name": "Work"}, ["name"]),
        ({"name": "9"}, ["name"]),
        ({"name": "a" * 65}, ["name"]),
        ({"kind": "ftp"}, ["kind", "http", "telegram"]),
        ({"settings": {}}, ["settings.base_url"]),
        ({"settings": {"base_url": "ftp://example.com"}}, ["settings.base_url"]),
        ({"settings": {"base_url": "https://a:b@example.com"}}, ["settings.base_url", "secret"]),
        ({"settings": {"base_url": "https://example.com?a=1"}}, ["settings.base_url", "query"]),
        ({"settings": {"base_url": "https://example.com", "type": "header"}}, ["settings", "name of the header"]),
        ({"settings": {"base_url": "https://example.com", "token": SECRET}}, ["settings.token"]),
        ({"secret": {}}, ["secret.value"]),
        ({"secret": {"value": "short"}}, ["secret.value", "at least 8 characters"]),
        ({"secret": {"value": f"{SECRET}\r\nX-More: 1"}}, ["secret.value"]),
        ({"secret": {"value": SECRET, "more": SECRET}}, ["secret.more"]),
        ({"secret": SECRET}, ["secret", "object"]),
        ({"kind": "mail", "settings": {"user": "ann"}, "secret": PASSWORD}, ["smtp, imap, or both"]),
        ({"kind": "telegram", "settings": {}, "secret": {"token": SECRET}}, ["secret.token"]),
        ({"kind": "webhook", "settings": {}, "secret": {"url": SECRET}}, ["secret.url"]),
        ({"kind": "chat_webhook", "settings": {}, "secret": {"url": "https://example.com/x"}}, ["settings.service"]),
    ],
)
def test_errors_name_the_field_and_not_the_secret(client: Client, changes: Json, words: list[str]) -> None:
    assert SECRET not in refuse(client.post("/connections", {**api(), **changes}), 400, *words)
    assert data(client.get("/connections")) == []


def test_a_name_is_taken_once_in_an_account(client: Client, sandbox: Client, stranger: Client) -> None:
    connect(client, api())
    refuse(client.post("/connections", api()), 400, "work-api", "PUT")
    connect(sandbox, api())
    connect(stranger, api())


def test_an_account_has_a_bounded_number_of_them(client: Client) -> None:
    for number in range(100):
        connect(client, api(name=f"api-{number}"))
    refuse(client.post("/connections", api(name="one-more")), 400, "100 connections")


def test_every_kind_describes_itself(client: Client) -> None:
    kinds = {kind["kind"]: kind for kind in data(client.get("/connections/kinds"))}
    assert list(kinds) == ["http", "mail", "telegram", "chat_webhook", "webhook", "ntfy", "s3"]
    assert kinds["http"]["settings"]["required"] == ["base_url"]
    assert kinds["mail"]["secret"]["required"] == ["password"]
    assert [name for name, kind in kinds.items() if not kind["testable"]] == ["chat_webhook", "webhook", "s3"]


def test_secrets_and_settings_are_replaced(client: Client, echo: Echo) -> None:
    path = f"/connections/{connect(client, api(echo.url()))['id']}"
    changed = data(client.put(path, {"secret": {"value": "another-secret"}}))
    assert changed["updated_at"] > changed["created_at"]
    execute(client, "http_send_request", url=echo.url("/a"), connection="work-api")
    assert echo.last()["headers"]["authorization"] == "Bearer another-secret"
    settings = {"base_url": echo.url(), "type": "header", "name": "X-Key"}
    assert data(client.put(path, {"settings": settings}))["settings"] == settings
    execute(client, "http_send_request", url=echo.url("/a"), connection="work-api")
    assert echo.last()["headers"]["x-key"] == "another-secret"
    assert "authorization" not in echo.last()["headers"]
    refuse(client.put(path, {"settings": {"base_url": "https://example.com"}}), 400, "secret", "again")
    refuse(client.put(path, {"secret": {"value": "short"}}), 400, "secret.value")
    record = data(client.get(path))
    assert data(client.put(path, {**record, "name": "other", "settings": settings}))["name"] == "work-api"
    assert data(client.put(path, {}))["settings"] == settings


@pytest.mark.parametrize(
    ("wanted", "settings"),
    [
        (api(), {"base_url": "https://example.com/"}),
        (api(), {"base_url": "http://example.com/v1"}),
        ({"name": "m", "kind": "mail", "settings": MAIL, "secret": PASSWORD}, {**MAIL, "smtp": {"host": "b.example"}}),
        (
            {"name": "m", "kind": "mail", "settings": MAIL, "secret": PASSWORD},
            {**MAIL, "smtp": {"host": "mail.example.com", "security": "none"}},
        ),
        (
            {"name": "t", "kind": "telegram", "settings": {}, "secret": {"token": "1:abcdefgh"}},
            {"api_url": "https://example.com"},
        ),
        (
            {"name": "n", "kind": "ntfy", "settings": {}, "secret": {"token": "tk_12345678"}},
            {"server": "https://example.com"},
        ),
    ],
)
def test_a_secret_goes_to_another_server_only_if_it_is_sent_again(client: Client, wanted: Json, settings: Json) -> None:
    path = f"/connections/{connect(client, wanted)['id']}"
    refuse(client.put(path, {"settings": settings}), 400, "secret: send it again")
    assert data(client.put(path, {"settings": settings, "secret": wanted["secret"]}))["settings"] != {}


def test_another_account_has_none_of_them(client: Client, sandbox: Client, stranger: Client, echo: Echo) -> None:
    path = f"/connections/{connect(client, api(echo.url()))['id']}"
    call = {"args": {"url": echo.url("/a"), "connection": "work-api"}}
    for other in (sandbox, stranger):
        refuse(other.post("/tools/http_send_request/execute", call), 400, "no connection work-api", "POST")
        refuse(other.put(path, {"secret": {"value": SECRET}}), 404)
        refuse(other.post(f"{path}/test"), 404)
        refuse(other.delete(path), 404)
        source = {"kind": "openapi", "name": "echo", "document": describe(echo), "connection": "work-api"}
        refuse(other.post("/tools/sources", source), 400, "no connection work-api")
    assert echo.received == []


def test_an_unknown_name_lists_those_of_the_kind(client: Client, echo: Echo) -> None:
    connect(client, api(echo.url(), name="first"))
    connect(client, api(echo.url(), name="second"))
    connect(client, {"name": "post", "kind": "mail", "settings": MAIL, "secret": PASSWORD})
    call: dict[str, Any] = {"url": echo.url("/a"), "connection": "third"}
    said = refuse(client.post("/tools/http_send_request/execute", {"args": call}), 400, "third", "first, second")
    assert "post" not in said
    wrong_kind = {"args": {**call, "connection": "post"}}
    refuse(client.post("/tools/http_send_request/execute", wrong_kind), 400, "post is of the kind mail")


def test_the_last_use_is_noted(client: Client, echo: Echo) -> None:
    path = f"/connections/{connect(client, api(echo.url()))['id']}"
    execute(client, "http_send_request", url=echo.url("/a"), connection="work-api")
    used = data(client.get(path))["last_used_at"]
    assert used >= data(client.get(path))["created_at"]
    execute(client, "http_send_request", url=echo.url("/a"), connection="work-api")
    assert data(client.get(path))["last_used_at"] == used


def test_tools_say_which_kind_they_take(client: Client) -> None:
    properties = data(client.get("/tools/email_send_smtp"))["input_schema"]["properties"]
    assert (properties["connection"]["type"], properties["connection"]["x-connection"]) == ("string", "mail")
    assert "password" not in str(properties)
