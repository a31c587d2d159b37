"""Uses connections in every way, then searches everything stored, shown or sent for their secrets."""

import itertools
import json
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

import pytest

from retinue.tools.verification.mock_servers import listening
from tests.conftest import User
from tests.connections.echo import Echo
from tests.connections.support import Json, connect, describe, execute
from tests.runs.test_runs import start
from tests.support.client import Client, data
from tests.support.model_server import ModelServer
from tests.support.server import Server
from tests.support.waiting import eventually

_numbers = itertools.count(1)


@dataclass(frozen=True)
class Use:
    """A connection, a tool that uses it, and the parts of its secret that must not appear anywhere."""

    connection: Json
    tool: str
    args: Json
    secrets: tuple[str, ...]


def word() -> str:
    """Return a unique secret."""
    return f"sesame-{next(_numbers)}-7f3a9c"


def uses(echo: Echo, smtp: int, imap: int) -> Iterator[Use]:
    """Yield a use for each kind of connection and each place of a secret in a request. The server echoes it."""
    places: list[dict[str, str]] = [{}, {"type": "header", "name": "X-Key"}, {"type": "query", "name": "k"}]
    for place in places:
        secret, kind = word(), place.get("type", "bearer")
        connection = {"kind": "http", "settings": {"base_url": echo.url(), **place}, "secret": {"value": secret}}
        args = {"url": echo.url("/a"), "method": "POST", "json_body": {"a": 1}}
        yield Use({"name": f"api-{kind}", **connection}, "http_send_request", args, (secret,))
    secret = word()
    settings = {"base_url": echo.url(), "type": "basic", "name": "ann"}
    basic = {"name": "api-basic", "kind": "http", "settings": settings, "secret": {"value": secret}}
    yield Use(basic, "graphql_send_query", {"url": echo.url("/q"), "query": "{a}"}, (secret,))
    servers: Json = {
        name: {"host": "127.0.0.1", "port": port, "security": "none"} for name, port in (("smtp", smtp), ("imap", imap))
    }
    for name, password in (("mail", MAIL_PASSWORD), ("wrong-mail", word())):
        account = {"user": "ann@example.com", **servers}
        mail = {"name": name, "kind": "mail", "settings": account, "secret": {"password": password}}
        message = {"to": ["bob@example.net"], "subject": "a", "text": "b"}
        yield Use(mail, "email_send_smtp", message, (password,))
        yield Use({**mail, "name": f"{name}-box"}, "email_list_imap", {}, (password,))
    secret = word()
    bot = {"kind": "telegram", "settings": {"api_url": echo.url()}, "secret": {"token": f"1:{secret}"}}
    yield Use({"name": "bot", **bot}, "notify_telegram", {"chat_id": "1", "text": "a"}, (secret,))
    for service in ("slack", "discord", "teams"):
        secret = word()
        chat = {"kind": "chat_webhook", "settings": {"service": service}, "secret": {"url": echo.url(f"/{secret}")}}
        yield Use({"name": service, **chat}, f"notify_{service}_webhook", {"text": "a"}, (secret,))
    secret, key = word(), word()
    hook = {"kind": "webhook", "secret": {"url": echo.url(f"/{secret}"), "signing_key": key}}
    yield Use({"name": "hook", **hook}, "notify_webhook", {"payload": {"a": 1}}, (secret, key))
    secret = word()
    push = {"kind": "ntfy", "settings": {"server": echo.url()}, "secret": {"token": secret}}
    yield Use({"name": "push", **push}, "notify_ntfy", {"topic": "t", "text": "a"}, (secret,))


MAIL_PASSWORD = f"app-{word()}"


@pytest.fixture
def every(echo: Echo) -> Iterator[list[Use]]:
    """Run the servers of all uses. Yields the uses."""
    login = {"login": f"ann@example.com {MAIL_PASSWORD}"}
    with ExitStack() as stack:
        smtp = stack.enter_context(listening("smtp", login))
        imap = stack.enter_context(listening("imap", {**login, "folders": "INBOX"}))
        yield list(uses(echo, smtp, imap))


def answers(client: Client, use: Use) -> Iterator[str]:
    """Yield the responses of every way to use a tool: directly, by an agent, in a chat, and after an approval."""
    args = {**use.args, "connection": use.connection["name"]}
    yield client.post(f"/tools/{use.tool}/execute", {"args": args}, headers={"Idempotency-Key": use.tool}).text
    asked = f"[[tool:{use.tool} {json.dumps(args)}]]"
    agent = {"agent_name": "a", "agent_role": "leader", "skills": [use.tool]}
    path = f"/agents/{data(client.post('/agents', agent), 201)['id']}"
    yield client.post(f"{path}/execute", {"message": asked}).text
    with client.stream(f"{path}/execute", {"message": asked, "stream": True}) as stream:
        yield "".join(stream.payloads())
    yield end(client, start(client, path, asked))
    chat = data(client.post("/chat", {"message": asked, "tools": [use.tool]}))
    yield str(chat)
    yield client.get(f"/chat/{chat['conversation_id']}").text
    yield from approve(client, {**agent, "approval": "required"}, asked)


def approve(client: Client, agent: Json, asked: str) -> Iterator[str]:
    """Yield the responses when a person approves the call."""
    path = f"/agents/{data(client.post('/agents', agent), 201)['id']}"
    run = data(client.post(f"{path}/execute", {"message": asked}), 202)
    (approval,) = data(client.get("/approvals?status=pending"))
    yield str(approval)
    yield client.post(f"/approvals/{approval['id']}", {"decision": "approve"}).text
    yield end(client, f"/runs/{run['id']}")


def end(client: Client, run: str) -> str:
    """Wait until a run has ended, and return it with its steps."""

    def over() -> Json | None:
        found: Json = data(client.get(run))
        return found if found["ended_at"] else None

    found = eventually(over, within=30)
    assert any(step["type"] == "tool" for step in found["steps"]), found
    return str(found)


def keep(server: Server) -> bytes:
    """Return everything stored on the disk, including the log and the database."""
    files = [path.read_bytes() for path in server.home.rglob("*") if path.is_file()]
    return b"".join([*files, server.dump(), server.log.read_bytes()])


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.parametrize("test_key", [True, False], ids=["test key", "live key"])
def test_secrets_are_nowhere(
    user: User, server: Server, echo: Echo, every: list[Use], model: ModelServer, test_key: bool
) -> None:
    client = user.client(test=test_key)
    hook = data(client.post("/webhooks", {"url": echo.url("/events")}), 201)
    told = []
    for use in every:
        record = connect(client, use.connection)
        told.append(str(record))
        told += answers(client, use)
        if use.connection["kind"] not in ("webhook", "chat_webhook"):
            told.append(client.post(f"/connections/{record['id']}/test").text)
    told += imported_source(client, echo, every[0])
    told.append(client.get("/connections").text)
    eventually(lambda: sum(sent["path"] == "/events" for sent in echo.received) > len(every), within=30)
    deliveries = data(client.get(f"/webhooks/{hook['id']}/deliveries?per_page=100"))
    told += [client.get(f"/webhooks/{hook['id']}/deliveries/{one['id']}").text for one in deliveries]
    sent = [str(request) for request in echo.received if request["path"] == "/events"]
    places = {"answers": told, "events": sent, "prompts": [json.dumps(model.requests)], "kept": [repr(keep(server))]}
    secrets = {secret for use in every for secret in use.secrets}
    arrived = [any(secret in str(request) for request in echo.received) for secret in web_secrets(every)]
    assert arrived == [not test_key] * len(arrived), "the sandbox must not send requests"
    assert [(place, secret) for place, texts in places.items() for secret in secrets if secret in "".join(texts)] == []
    assert ("[secret of connection bot]" in "".join(told)) is not test_key


def web_secrets(every: list[Use]) -> list[str]:
    """Return the secrets that the echo server must have received unencoded. Otherwise the test proves nothing."""
    return [
        use.secrets[0]
        for use in every
        if use.connection["kind"] != "mail" and use.connection.get("settings", {}).get("type") != "basic"
    ]


def imported_source(client: Client, echo: Echo, use: Use) -> Iterator[str]:
    """Yield the responses about a source that uses a connection, and about its tool."""
    wanted: dict[str, Any] = {"kind": "openapi", "name": "echo", "document": describe(echo)}
    yield client.post("/tools/sources", {**wanted, "connection": use.connection["name"]}).text
    yield str(execute(client, "echo_look"))
    (source,) = data(client.get("/tools/sources"))
    yield client.post(f"/tools/sources/{source['id']}/refresh", {"document": describe(echo)}).text
    yield client.delete(f"/connections/{use_id(client, use)}").text


def use_id(client: Client, use: Use) -> int:
    """Return the id of a connection."""
    records = data(client.get("/connections?per_page=100"))
    return int(next(record["id"] for record in records if record["name"] == use.connection["name"]))
