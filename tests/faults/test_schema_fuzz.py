"""Valid and invalid requests generated from the OpenAPI document, checked against the document."""

import os
import random
from collections import Counter
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, given, seed, settings
from hypothesis.errors import Unsatisfiable
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.core.result import Ok
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    negative_data_rejection,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from tests.conftest import StartServer
from tests.support.client import BASE, Client, data

EXAMPLES = int(os.environ.get("RETINUE_TEST_CASES", "1"))
"""The number of cases for each operation and kind."""

_AT_LEAST = EXAMPLES * 40
_CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    negative_data_rejection,
]


def checks_of(response: Any) -> list[Any]:
    """Return the checks that apply to a response: all except the known exceptions."""
    query = parse_qsl(urlsplit(response.request.url or "").query, keep_blank_values=True)
    excused: list[Any] = []
    if any(not value for _, value in query):
        excused.append(negative_data_rejection)  # An empty value counts as absent, whatever the parameter's type.
    if any("\x00" in name + value for name, value in query):
        excused.append(status_code_conformance)  # NUL is refused everywhere, before the path's parameters are known.
        assert response.status_code in {400, 401, 404, 405}
    if response.status_code == 503 and "does not fit the output schema" in response.text:
        excused.append(not_a_server_error)  # The test model only repeats the message.
    if "text/event-stream" in str(response.headers.get("content-type")):
        excused.append(response_schema_conformance)  # The document describes a stream as text, not as single events.
    return [check for check in _CHECKS if check not in excused]


def describe(failure: BaseException) -> list[str]:
    """Return a short text for each failed check."""
    parts = getattr(failure, "exceptions", None) or [failure]
    return [" ".join(str(part).split())[:600] for part in parts]


@pytest.mark.slow
@pytest.mark.timeout(400)
def test_every_operation_follows_its_document(start_server: StartServer) -> None:
    server = start_server()
    key = server.new_key(server.new_user(), test=True)
    client = Client(server, key)
    for number in range(3):
        data(client.post("/agents", {"agent_name": f"agent {number}", "agent_role": "leader"}), 201)
    schema = schemathesis.openapi.from_url(f"{server.url}{BASE}/openapi.json")
    cases: Counter[str] = Counter()
    broken: dict[str, list[str]] = {}
    for found in schema.get_all_operations():
        assert isinstance(found, Ok), found
        operation = found.ok()
        for mode in (GenerationMode.POSITIVE, GenerationMode.NEGATIVE):
            name = f"{operation.label} {mode.value}"
            if "/keys" in operation.path:  # It may delete the key that it is sent with.
                key = server.new_key(server.new_user(), test=True)
            try:
                _fuzz(operation, mode, server.url, key, cases)
            except Unsatisfiable:  # It has no input that could be invalid.
                assert mode is GenerationMode.NEGATIVE, name
                assert not operation.definition.raw.get("parameters"), name
            except (Exception, BaseExceptionGroup) as failure:  # noqa: BLE001 - one report covers all operations
                broken[name] = describe(failure)
    print(f"\n{cases.total()} cases over {len(cases)} operations")
    assert not broken, "\n".join(f"{name}: {reason}" for name, reasons in broken.items() for reason in reasons)
    assert cases.total() >= _AT_LEAST


def _fuzz(operation: Any, mode: GenerationMode, url: str, key: str, cases: Counter[str]) -> None:
    @seed(random.Random(operation.label).getrandbits(32))
    @settings(max_examples=EXAMPLES, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    @given(case=operation.as_strategy(generation_mode=mode))
    def check(case: Any) -> None:
        cases[operation.label] += 1
        response = case.call(base_url=url, session=session, headers={"Authorization": f"Bearer {key}"}, timeout=120)
        case.validate_response(response, checks=checks_of(response))

    with requests.Session() as session:
        session.trust_env = False  # Otherwise it looks for proxies before each request.
        check()
