"""The OpenAPI check that every other test relies on detects violations."""

from typing import Any

import pytest
import requests

from tests.support.document import Document

THING = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
CONTENT = {
    "paths": {
        "/things/{id}": {
            "get": {
                "responses": {
                    "200": {
                        "headers": {"X-Count": {"$ref": "#/components/headers/Count"}},
                        "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Thing"}}},
                    },
                    "404": {"$ref": "#/components/responses/Missing"},
                }
            }
        },
        "/things/special": {"get": {"responses": {"200": {"content": {"text/event-stream": {}}}}}},
    },
    "components": {
        "schemas": {"Thing": THING},
        "headers": {"Count": {"required": True, "schema": {"type": "integer"}}},
        "responses": {"Missing": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Thing"}}}}},
    },
}


def response(path: str = "/things/1", status: int = 200, body: bytes = b'{"name": "a"}', **headers: str) -> Any:
    """Return a response as a client receives it."""
    made = requests.Response()
    made.status_code, made._content = status, body
    made.headers.update({"Content-Type": "application/json", "X-Count": "1"})
    made.headers.update({name.replace("_", "-"): value for name, value in headers.items()})
    made.request = requests.Request("GET", f"http://localhost{path}").prepare()
    return made


@pytest.mark.parametrize(
    "good",
    [
        response(),
        response(status=404),
        response("/things/special", Content_Type="text/event-stream"),
        response("/unknown", 404),
    ],
)
def test_documented_responses_pass(good: requests.Response) -> None:
    Document(CONTENT).check(good)


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        (response(status=201), "status 201"),
        (response(body=b"{}"), "name"),
        (response(body=b'{"name": 1}'), "name"),
        (response(body=b'{"name": "a", "more": 1}'), "more"),
        (response(Content_Type="text/html"), "text/html"),
        (response(X_Count="many"), "X-Count"),
        (response("/unknown"), "not in the OpenAPI document"),
        (response("/things/special"), "application/json"),
    ],
)
def test_undocumented_responses_fail(bad: requests.Response, words: str) -> None:
    with pytest.raises(AssertionError, match=words):
        Document(CONTENT).check(bad)


def test_a_missing_header_fails() -> None:
    bare = response()
    del bare.headers["X-Count"]
    with pytest.raises(AssertionError, match="X-Count is missing"):
        Document(CONTENT).check(bare)
