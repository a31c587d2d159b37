"""Calls of imported tools: the requests that they make, and what becomes of the answers."""

import gzip
from collections.abc import AsyncIterator
from ipaddress import ip_network

import pytest
from multidict import CIMultiDict

from retinue.core.errors import Unavailable
from retinue.core.network.http_client import AddressGuard
from retinue.tools.imports.client import OutsideClient
from tests.support.client import Client, data, refuse
from tests.support.waiting import eventually
from tests.tools.imports.pets import Json, execute, import_source
from tests.tools.imports.stand_in_api import Answer, StandInApi

pytestmark = pytest.mark.either_database

TEXT = {"Content-Type": "text/plain"}


@pytest.mark.parametrize(
    ("tool", "args", "request_line"),
    [
        ("pets_get_pet", {"id": 7}, "GET /v1/pets/7"),
        ("pets_delete_pet", {"id": 7}, "DELETE /v1/pets/7"),
        ("pets_list_pets", {}, "GET /v1/pets"),
        ("pets_list_pets", {"kind": "a b&c=ü"}, "GET /v1/pets?kind=a%20b%26c%3D%C3%BC"),
        ("pets_list_pets", {"tags": ["a", "b"]}, "GET /v1/pets?tags=a&tags=b"),
        ("pets_list_pets", {"ids": [1, 2]}, "GET /v1/pets?ids=1%2C2"),
        ("pets_list_pets", {"filter": {"age": 3, "old": True}}, "GET /v1/pets?filter%5Bage%5D=3&filter%5Bold%5D=true"),
        ("pets_list_pets", {"raw": {"a": [1]}}, "GET /v1/pets?raw=%7B%22a%22%3A%5B1%5D%7D"),
        ("pets_add_note", {"name": "a/../b c", "body": "x"}, "POST /v1/owners/a%2F..%2Fb%20c/notes"),
        ("pets_add_note", {"name": "50%", "body": "x"}, "POST /v1/owners/50%25/notes"),
    ],
)
def test_the_path_and_the_query(client: Client, api: StandInApi, tool: str, args: Json, request_line: str) -> None:
    import_source(client, api)
    assert execute(client, tool, **args)["body"] == {"ok": True}
    assert f"{api.last().method} {api.last().target}" == request_line


@pytest.mark.parametrize(
    ("tool", "args", "media_type", "body"),
    [
        ("pets_pets_add", {"name": "Tom", "tags": []}, "application/json", b'{"name":"Tom","tags":[]}'),
        ("pets_put_pets_id", {"id": 1, "id_body": "x"}, "application/json", b'{"id":"x"}'),
        ("pets_put_pets_id", {"id": 1}, "application/json", b"{}"),
        ("pets_add_many", {"body": [{"name": "Tom"}]}, "application/json", b'[{"name":"Tom"}]'),
        ("pets_add_note", {"name": "a", "body": "Grüße"}, "text/plain", "Grüße".encode()),
        ("pets_send_form", {"a": "1 2", "b": ["x", "y"]}, "application/x-www-form-urlencoded", b"a=1+2&b=x&b=y"),
    ],
)
def test_arguments_are_sent_in_the_body(
    client: Client, api: StandInApi, tool: str, args: Json, media_type: str, body: bytes
) -> None:
    import_source(client, api)
    execute(client, tool, **args)
    assert (api.last().headers["Content-Type"], api.last().body) == (media_type, body)


def test_a_multipart_body(client: Client, api: StandInApi) -> None:
    import_source(client, api)
    execute(client, "pets_upload", a="the text")
    assert api.last().headers["Content-Type"].startswith("multipart/form-data; boundary=")
    assert b'name="a"\r\n\r\nthe text\r\n' in api.last().body


def test_arguments_are_sent_as_headers(client: Client, api: StandInApi) -> None:
    import_source(client, api)
    execute(client, "pets_list_pets", **{"X-Trace": "a"})
    assert api.last().headers["X-Trace"] == "a"
    assert api.last().headers["User-Agent"].startswith("Retinue/")
    properties = data(client.get("/tools/pets_list_pets"))["input_schema"]["properties"]
    assert "Authorization" not in properties


@pytest.mark.parametrize(
    ("credential", "header", "value"),
    [
        ({"type": "bearer", "value": "abc"}, "Authorization", "Bearer abc"),
        ({"type": "header", "name": "X-Api-Key", "value": "a b"}, "X-Api-Key", "a b"),
        ({"type": "basic", "name": "user", "value": "word"}, "Authorization", "Basic dXNlcjp3b3Jk"),
        ({"type": "basic", "name": "user", "value": ""}, "Authorization", "Basic dXNlcjo="),
    ],
)
def test_credentials_in_headers(client: Client, api: StandInApi, credential: Json, header: str, value: str) -> None:
    import_source(client, api, credential=credential)
    execute(client, "pets_list_pets")
    assert api.last().headers[header] == value


def test_a_credential_in_the_query(client: Client, api: StandInApi) -> None:
    import_source(client, api, credential={"type": "query", "name": "key", "value": "a&b"})
    execute(client, "pets_list_pets", kind="cat")
    assert api.last().target == "/v1/pets?kind=cat&key=a%26b"
    assert "key" not in data(client.get("/tools/pets_list_pets"))["input_schema"]["properties"]


@pytest.mark.parametrize(
    ("answer", "status", "body"),
    [
        (Answer(b'{"error": "no such pet"}', 404), 404, {"error": "no such pet"}),
        (Answer(b'{"a": 1}', 500), 500, {"a": 1}),
        (Answer(b"", 204, {}), 204, None),
        (Answer(b"not json"), 200, "not json"),
        (Answer(b"plain", headers=TEXT), 200, "plain"),
        (Answer(b"\xff\xfe\x00", headers={"Content-Type": "image/png"}), 200, None),
        (Answer(b"[1]", headers={"Content-Type": "application/vnd.pets+json; charset=utf-8"}), 200, [1]),
        (Answer(gzip.compress(b"packed"), headers={**TEXT, "Content-Encoding": "gzip"}), 200, "packed"),
    ],
    ids=["404", "500", "empty", "not JSON", "text", "binary", "a kind of JSON", "compressed"],
)
def test_the_answer_of_an_api_is_the_result(
    client: Client, api: StandInApi, answer: Answer, status: int, body: object
) -> None:
    import_source(client, api)
    api.answers["/v1/pets/1"] = answer
    result = execute(client, "pets_get_pet", id=1)
    assert (result["status"], result["body"], result["truncated"]) == (status, body, False)


def test_a_long_header_is_cut(client: Client, api: StandInApi) -> None:
    import_source(client, api)
    api.answers["/v1/pets/1"] = Answer(b"{}", headers={"Link": "x" * 2001, "ETag": "y" * 2000, "X-Other": "z"})
    assert execute(client, "pets_get_pet", id=1)["headers"] == {"link": "x" * 2000, "etag": "y" * 2000}


@pytest.mark.parametrize("packed", [False, True])
def test_a_long_answer_is_cut(client: Client, api: StandInApi, packed: bool) -> None:
    import_source(client, api)
    long = ("ü" * (3 << 19)).encode()
    headers = {**TEXT, "Content-Encoding": "gzip"} if packed else TEXT
    api.answers["/v1/pets/1"] = Answer(gzip.compress(long) if packed else long, headers=headers)
    result = execute(client, "pets_get_pet", id=1)
    assert result["truncated"]
    assert result["body"] == "ü" * (1 << 19)


def test_no_more_of_an_answer_is_read_than_is_kept(client: Client, api: StandInApi) -> None:
    import_source(client, api)
    api.answers["/v1/pets/1"] = Answer(b"x" * 1000, headers=TEXT, times=100_000)
    result = execute(client, "pets_get_pet", id=1)
    assert (result["truncated"], result["body"]) == (True, "x" * (1 << 20))
    assert api.sent < 50_000_000, "beyond the buffers of the connection"


def test_redirects_are_answers(client: Client, api: StandInApi) -> None:
    import_source(client, api, credential={"type": "bearer", "value": "abc"})
    api.answers["/v1/pets/1"] = Answer(b"", 307, {"Location": api.url("/other"), "X-Secret": "1"})
    result = execute(client, "pets_get_pet", id=1)
    assert (result["status"], result["headers"]) == (307, {"location": api.url("/other")})
    assert [request.target for request in api.received] == ["/v1/pets/1"]


@pytest.mark.parametrize(
    ("tool", "args", "words"),
    [
        ("pets_get_pet", {}, "id"),
        ("pets_get_pet", {"id": "1"}, "id"),
        ("pets_get_pet", {"id": 1, "more": 2}, "more"),
        ("pets_pets_add", {"name": ""}, "name"),
        ("pets_pets_add", {"name": "a", "kind": "cow"}, "kind"),
        ("pets_add_note", {"name": "..", "body": ""}, "path"),
        ("pets_add_note", {"name": ".", "body": ""}, "path"),
        ("pets_add_note", {"name": "", "body": ""}, "name"),
        ("pets_list_pets", {"X-Trace": "a\r\nHost: b"}, "X-Trace"),
        ("pets_list_pets", {"kind": "a" * 20_000}, "address"),
    ],
)
def test_arguments_that_are_refused(client: Client, api: StandInApi, tool: str, args: Json, words: str) -> None:
    import_source(client, api)
    refuse(client.post(f"/tools/{tool}/execute", {"args": args}), 400, words)
    assert api.received == []


def test_an_api_that_is_away(client: Client, api: StandInApi) -> None:
    import_source(client, api, base_url="http://127.0.0.1:9")
    refuse(client.post("/tools/pets_get_pet/execute", {"args": {"id": 1}}), 503, "127.0.0.1")
    import_source(client, api, name="nowhere", base_url="http://pets.invalid")
    refuse(client.post("/tools/nowhere_get_pet/execute", {"args": {"id": 1}}), 503, "pets.invalid")


@pytest.fixture
async def impatient() -> AsyncIterator[OutsideClient]:
    """A client that waits for a tenth of a second."""
    client = OutsideClient(AddressGuard([ip_network("127.0.0.0/8")]), timeout_s=0.1)
    await client.start()
    yield client
    await client.stop()


async def test_an_api_that_takes_too_long(impatient: OutsideClient, api: StandInApi) -> None:
    api.answers["/slow"] = Answer(hangs=True)
    with pytest.raises(Unavailable, match=r"within 0\.1 seconds"):
        await impatient.call("GET", api.url("/slow"), CIMultiDict(), None)


def test_a_call_is_counted_and_told(client: Client, api: StandInApi) -> None:
    import_source(client, api)
    answer = data(client.post("/tools/pets_get_pet/execute", {"args": {"id": 1}}))
    assert (answer["tool"], answer["credits_used"]) == ("pets_get_pet", 1)
    assert data(client.get("/usage"))["tools_executed"]["used"] == 1


def test_the_sandbox_sends_nothing(sandbox: Client, api: StandInApi) -> None:
    import_source(sandbox, api)
    told = execute(sandbox, "pets_get_pet", id=1)["body"]
    assert told == {"simulated": True, "method": "GET", "url": api.url("/v1/pets/1")}
    told = execute(sandbox, "pets_pets_add", name="Tom")["body"]
    assert told == {"simulated": True, "method": "POST", "url": api.url("/v1/pets")}
    assert api.received == []


def test_an_agent_uses_them_as_skills(client: Client, api: StandInApi) -> None:
    import_source(client, api)
    wanted = {"agent_name": "a", "agent_role": "leader", "skills": ["pets_get_pet"]}
    agent = data(client.post("/agents", wanted), 201)
    reply = data(client.post(f"/agents/{agent['id']}/execute", {"message": '[[tool:pets_get_pet {"id": 3}]]'}))
    assert reply["tools_used"] == ["pets_get_pet"]
    assert [request.target for request in api.received] == ["/v1/pets/3"]


def test_a_chat_uses_those_that_it_names_alone(client: Client, api: StandInApi) -> None:
    import_source(client, api)
    message = '[[tool:pets_get_pet {"id": 3}]]'
    assert data(client.post("/chat", {"message": message, "tools": ["pets_list_pets"]}))["tools_used"] == []
    assert data(client.post("/chat", {"message": message}))["tools_used"] == []
    assert api.received == []
    named = {"message": message, "tools": ["pets_get_pet", "network_calculate_subnet"]}
    assert data(client.post("/chat", named))["tools_used"] == ["pets_get_pet"]
    assert len(api.received) == 1


def test_a_person_approves_a_call_with_other_arguments(client: Client, api: StandInApi) -> None:
    import_source(client, api)
    wanted = {"agent_name": "a", "agent_role": "leader", "skills": ["pets_get_pet"], "approval": "required"}
    agent = data(client.post("/agents", wanted), 201)["id"]
    run = data(client.post(f"/agents/{agent}/execute", {"message": '[[tool:pets_get_pet {"id": 3}]]'}), 202)
    approval = f"/approvals/{data(client.get('/approvals?per_page=1'))[0]['id']}"
    refuse(client.post(approval, {"decision": "approve", "arguments": {"id": "x"}}), 400, "id")
    data(client.post(approval, {"decision": "approve", "arguments": {"id": 4}}))
    path = f"/runs/{run.get('id') or run['run_id']}"
    assert eventually(lambda: data(client.get(path))["status"] == "completed")
    assert [request.target for request in api.received] == ["/v1/pets/4"]
