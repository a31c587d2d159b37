"""No request body makes the server fail. An invalid one gets a clear error."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.support.client import Client, data, refuse
from tests.support.raw import send_raw

pytestmark = pytest.mark.either_database

JSON = {"Content-Type": "application/json"}
GOOD = {"agent_name": "a", "agent_role": "leader"}


def post(client: Client, body: bytes, path: str = "/agents", **headers: str) -> Any:
    """POST bytes as JSON."""
    return client.request("POST", path, data=body, headers={**JSON, **headers})


@pytest.mark.parametrize("kind", ["application/json", "application/json; charset=utf-8", "Application/JSON ;x=y"])
def test_json_may_have_parameters(client: Client, kind: str) -> None:
    data(client.request("POST", "/agents", data=json.dumps(GOOD), headers={"Content-Type": kind}), 201)


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "", "json", "application/jsonp"])
def test_another_content_type_is_refused(client: Client, kind: str) -> None:
    response = client.request("POST", "/agents", data=json.dumps(GOOD), headers={"Content-Type": kind})
    refuse(response, 400, "Content-Type", "application/json")


def test_a_missing_content_type_is_refused(client: Client) -> None:
    refuse(client.request("POST", "/agents", data=json.dumps(GOOD).encode()), 400, "Content-Type")


def test_an_empty_body_is_an_empty_object(client: Client) -> None:
    text = {"Content-Type": "text/plain"}
    for options in ({}, {"data": b""}, {"data": b" \n", "headers": JSON}, {"data": b" ", "headers": text}):
        refuse(client.request("POST", "/agents", **options), 400, "agent_name", "agent_role")
    agent = data(client.post("/agents", GOOD), 201)
    assert data(client.request("PUT", f"/agents/{agent['id']}"))["agent_name"] == "a"


@pytest.mark.parametrize(
    "body",
    [
        b"{",
        b"}",
        b"nonsense",
        b"{'a': 1}",
        b'{"a": 1,}',
        b"\xff\xfe",
        b'{"agent_name": "\xc3"}',
        b'{"a": 1} x',
        b"\x00",
    ],
)
def test_malformed_json_is_refused(client: Client, body: bytes) -> None:
    refuse(post(client, body), 400, "JSON")


@pytest.mark.parametrize("body", [b"[]", b'"text"', b"1", b"null", b"true", b"[{}]"])
def test_values_other_than_objects_are_refused(client: Client, body: bytes) -> None:
    refuse(post(client, body), 400, "object")


@pytest.mark.parametrize(
    "body",
    [
        b'{"agent_name": "\\u0000", "agent_role": "leader"}',
        b'{"agent_name": "a\\u0000b", "agent_role": "leader"}',
        b'{"\\u0000": 1}',
        b'{"skills": ["\\u0000"]}',
        b'{"a": {"b": [{"c\\u0000": 1}]}}',
    ],
)
def test_nul_is_refused(client: Client, body: bytes) -> None:
    refuse(post(client, body), 400, "NUL")


def test_an_escaped_backslash_before_u0000_is_text(client: Client) -> None:
    agent = data(post(client, b'{"agent_name": "\\\\u0000", "agent_role": "leader"}'), 201)
    assert agent["agent_name"] == "\\u0000"


@pytest.mark.parametrize("text", [b"\\ud800", b"\\udfff", b"\\ud800\\ud800", b"\\udc00\\ud800", b"\xed\xa0\x80"])
def test_a_lone_surrogate_is_refused(client: Client, text: bytes) -> None:
    refuse(post(client, b'{"agent_name": "' + text + b'", "agent_role": "leader"}'), 400)


@pytest.mark.parametrize("number", [b"NaN", b"Infinity", b"-Infinity", b"1e999", b"-1e999", b"01", b"0x1", b"1."])
@pytest.mark.parametrize("where", [b'"temperature"', b'"message"', b'"unknown"'])
def test_numbers_that_json_does_not_have_are_refused(client: Client, number: bytes, where: bytes) -> None:
    refuse(post(client, b'{"message": "Hello", ' + where + b": " + number + b"}", "/chat"), 400)


@pytest.mark.parametrize("number", [b"1e999", b"-1e999"])
def test_numbers_beyond_every_double_are_refused_where_any_value_may_stand(client: Client, number: bytes) -> None:
    refuse(post(client, b'{"args": {"cidr": ' + number + b"}}", "/tools/network_calculate_subnet/execute"), 400)
    agent = data(client.post("/agents", GOOD), 201)
    body = b'{"message": "Hello", "context": {"deep": [' + number + b"]}}"
    refuse(post(client, body, f"/agents/{agent['id']}/execute"), 400, "number")


@pytest.mark.parametrize("number", [2**63, 2**64, 10**30, -(2**63) - 1, 10**300, 10**400])
def test_huge_integers_are_refused(client: Client, number: int) -> None:
    refuse(post(client, b'{"agent_name": "a", "agent_role": "leader", "fleet_id": %d}' % number), 400)


@pytest.mark.parametrize(
    "body",
    [
        b"[" * 100_000,
        b'{"a":' * 100_000,
        b'{"agent_name": ' + b"[" * 500_000 + b"]" * 500_000 + b"}",
        b'{"context": ' + b'{"a":' * 900 + b"1" + b"}" * 900 + b', "message": "\\u0000"}',
    ],
    ids=["open lists", "open objects", "closed lists", "within the parser's limit"],
)
def test_deep_nesting_is_refused(client: Client, body: bytes) -> None:
    refuse(post(client, body), 400)


@pytest.mark.parametrize("depth", [1, 62, 63, 253, 254, 500, 998, 1022, 1024])
def test_no_depth_makes_the_server_fail(client: Client, depth: int) -> None:
    deep = b"[" * depth + b"]" * depth
    agent = data(client.post("/agents", GOOD), 201)
    executed = post(
        client, b'{"message": "Hello", "context": {"deep": ' + deep + b"}}", f"/agents/{agent['id']}/execute"
    )
    assert executed.status_code == (200 if depth <= 62 else 400), executed.text
    tool = post(client, b'{"args": {"cidr": ' + deep + b"}}", "/tools/network_calculate_subnet/execute")
    refuse(tool, 400)


def test_a_body_of_a_mebibyte_is_read_and_a_larger_one_refused(client: Client) -> None:
    rest = len(json.dumps({"message": ""}))
    refuse(post(client, json.dumps({"message": "x" * ((1 << 20) - rest)}).encode(), "/chat"), 400, "10,000")
    refuse(post(client, json.dumps({"message": "x" * ((1 << 20) - rest + 1)}).encode(), "/chat"), 400, "1 MiB")


def test_a_large_body_without_a_length_is_refused(client: Client) -> None:
    def pieces() -> Iterator[bytes]:
        for _ in range(40):
            yield b"x" * 65_536

    refuse(client.request("POST", "/chat", data=pieces(), headers=JSON), 400, "1 MiB")


def test_a_large_body_is_refused_and_the_server_goes_on(client: Client) -> None:
    refuse(post(client, b"x" * (8 << 20), "/chat"), 400, "1 MiB")
    assert client.get("/agents").status_code == 200


def test_a_body_without_a_length_is_read(client: Client) -> None:
    def pieces() -> Iterator[bytes]:
        for byte in json.dumps(GOOD).encode():
            yield bytes([byte])

    data(client.request("POST", "/agents", data=pieces(), headers=JSON), 201)


def test_a_body_on_get_and_delete_is_ignored(client: Client) -> None:
    agent = data(client.post("/agents", GOOD), 201)
    assert client.request("GET", f"/agents/{agent['id']}", data=b"rubbish").status_code == 200
    assert client.request("DELETE", f"/agents/{agent['id']}", data=b"rubbish").status_code == 200


@pytest.mark.parametrize(
    "request_bytes",
    [
        b"rubbish\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"\x00" * 1000,
        b"GET / HTTP/9.9\r\n\r\n",
        b"GET /api/v1/agents HTTP/1.1\r\n\r\n",
        b"GET /api/v1/agents HTTP/1.1\r\nHost: a\r\nX: " + b"x" * 1_000_000 + b"\r\n\r\n",
        b"POST /api/v1/chat HTTP/1.1\r\nHost: a\r\nContent-Length: 99\r\n\r\n{}",
        b"POST /api/v1/chat HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n{}",
        b"POST /api/v1/chat HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"GET /api/v1/agents HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \xff\xfe\r\n\r\n",
        b"GET /api/v1/agents?api_key=%ff&%zz=\xff HTTP/1.1\r\nHost: a\r\n\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"GET http://elsewhere/api/v1/agents HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
        b"OPTIONS * HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
        b"CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n",
    ],
)
def test_rubbish_on_the_socket_harms_no_one(client: Client, request_bytes: bytes) -> None:
    answer = send_raw(client.server, request_bytes)
    assert b" 500 " not in answer.partition(b"\r\n")[0]
    assert client.get("/agents").status_code == 200


def test_a_client_that_leaves_in_the_middle_of_its_body_harms_no_one(client: Client) -> None:
    head = f"POST /api/v1/chat HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {client.key}\r\nContent-Length: 99\r\n\r\n"
    send_raw(client.server, head.encode() + b'{"message":')
    assert client.get("/agents").status_code == 200


@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(body=st.binary(max_size=300))
def test_random_bytes_are_refused(client: Client, body: bytes) -> None:
    refuse(post(client, body), 400)


VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=10), inner, max_size=4),
    max_leaves=10,
)
NAMES = st.sampled_from(
    ["agent_name", "agent_role", "task", "skills", "fleet_id", "voice_enabled", "voice_engine", "message", "tools",
     "context", "stream", "background", "conversation_id", "model", "temperature", "args", "id", "status"]
)  # fmt: skip


@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(body=st.dictionaries(NAMES | st.text(max_size=10), VALUES, max_size=8))
def test_no_json_makes_the_server_fail(client: Client, body: dict[str, Any]) -> None:
    agent = data(client.post("/agents", GOOD), 201)["id"]
    paths = [("POST", "/agents"), ("PUT", f"/agents/{agent}"), ("POST", f"/agents/{agent}/execute"), ("POST", "/chat")]
    for method, path in [*paths, ("POST", "/tools/network_calculate_subnet/execute")]:
        response = client.request(method, path, data=json.dumps(body), headers=JSON)
        assert response.status_code in {200, 201, 202, 400, 404}, (method, path, response.text)
