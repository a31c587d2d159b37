"""Tool sources that use connections."""

import pytest

from tests.connections.echo import Echo
from tests.connections.support import SECRET, Json, api, connect, describe, execute
from tests.support.client import Client, data, refuse

MARK = "[secret of connection work-api]"


def import_source(client: Client, echo: Echo, **fields: object) -> Json:
    """Import the echo server's source. Returns its record."""
    wanted = {"kind": "openapi", "name": "echo", "document": describe(echo), "connection": "work-api", **fields}
    source: Json = data(client.post("/tools/sources", wanted), 201)
    return source


@pytest.mark.parametrize(
    ("settings", "header", "sent", "seen"),
    [
        ({}, "authorization", f"Bearer {SECRET}", f"Bearer {MARK}"),
        ({"type": "header", "name": "X-Key"}, "x-key", SECRET, MARK),
        ({"type": "basic", "name": "ann"}, "authorization", "Basic YW5uOnNlc2FtZS03ZjNhOWMtb3Blbg==", f"Basic {MARK}"),
    ],
)
def test_a_source_sends_the_secret_and_nobody_sees_it(
    client: Client, echo: Echo, settings: Json, header: str, sent: str, seen: str
) -> None:
    connect(client, api(echo.url(), settings=settings))
    assert import_source(client, echo)["connection"] == "work-api"
    answer = execute(client, "echo_look")
    assert echo.last()["headers"][header] == sent
    assert answer["body"]["headers"][header] == seen


def test_a_secret_in_the_query(client: Client, echo: Echo) -> None:
    connect(client, api(echo.url(), settings={"type": "query", "name": "key"}))
    import_source(client, echo)
    assert execute(client, "echo_look")["body"]["path"] == f"/v1/look?key={MARK}"
    assert echo.last()["path"] == f"/v1/look?key={SECRET}"


def test_a_connection_in_use_is_kept(client: Client, echo: Echo) -> None:
    path = f"/connections/{connect(client, api(echo.url()))['id']}"
    source = import_source(client, echo)
    refuse(client.delete(path), 400, "work-api", "the source echo")
    data(client.delete(f"/tools/sources/{source['id']}"))
    data(client.delete(path))


def test_a_new_secret_is_used_by_the_next_call(client: Client, echo: Echo) -> None:
    path = f"/connections/{connect(client, api(echo.url()))['id']}"
    import_source(client, echo)
    data(client.put(path, {"secret": {"value": "another-secret"}}))
    execute(client, "echo_look")
    assert echo.last()["headers"]["authorization"] == "Bearer another-secret"


def test_the_secret_goes_to_its_own_address_alone(client: Client, echo: Echo) -> None:
    path = f"/connections/{connect(client, api('https://example.com'))['id']}"
    wanted = {"kind": "openapi", "name": "echo", "document": describe(echo), "connection": "work-api"}
    refuse(client.post("/tools/sources", wanted), 400, "https://example.com", echo.url("/v1"))
    server = {"kind": "mcp", "name": "echo", "url": echo.url("/mcp"), "connection": "work-api"}
    refuse(client.post("/tools/sources", server), 400, "https://example.com", echo.url("/mcp"))
    data(client.put(path, {"settings": {"base_url": echo.url()}, "secret": {"value": SECRET}}))
    import_source(client, echo)
    data(client.put(path, {"settings": {"base_url": "https://example.com"}, "secret": {"value": SECRET}}))
    refuse(client.post("/tools/echo_look/execute", {"args": {}}), 400, "https://example.com")
    assert echo.received == []


def test_a_credential_or_a_connection(client: Client, echo: Echo) -> None:
    connect(client, api(echo.url()))
    credential = {"type": "bearer", "value": SECRET}
    wanted = {"kind": "openapi", "name": "echo", "document": describe(echo), "credential": credential}
    refuse(client.post("/tools/sources", {**wanted, "connection": "work-api"}), 400, "either")
    refuse(client.post("/tools/sources", {**wanted, "credential": None, "connection": "mine"}), 400, "work-api")
    assert data(client.post("/tools/sources", wanted), 201)["connection"] is None
    shown = execute(client, "echo_look")["body"]["headers"]["authorization"]
    assert shown == "Bearer [secret of source echo]"
