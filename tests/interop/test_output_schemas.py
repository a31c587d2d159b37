"""Output schemas that clients of the model endpoints send: an invalid one is refused before a model is asked."""

from collections.abc import Callable, Mapping
from typing import Any

import pytest
import requests

from tests.conftest import ONE_DATABASE
from tests.support.client import Client

QUESTION = [{"role": "user", "content": "Where?"}]
FORMS: Mapping[str, Callable[[object], dict[str, Any]]] = {
    "/v1/chat/completions": lambda schema: {
        "messages": QUESTION,
        "response_format": {"type": "json_schema", "json_schema": {"name": "place", "schema": schema}},
    },
    "/v1/responses": lambda schema: {
        "input": "Where?",
        "text": {"format": {"type": "json_schema", "name": "place", "schema": schema}},
    },
    "/v1/messages": lambda schema: {
        "messages": QUESTION,
        "max_tokens": 50,
        "output_config": {"format": {"type": "json_schema", "schema": schema}},
    },
}


@ONE_DATABASE
@pytest.mark.parametrize("path", FORMS)
@pytest.mark.parametrize("required", [[[None]], 5])
def test_an_invalid_schema_is_refused(client: Client, path: str, required: object) -> None:
    schema = {"type": "object", "properties": {"city": {"type": "string"}}, "required": required}
    body = {"model": "alfred-default", **FORMS[path]({**schema, "additionalProperties": False})}
    headers = {"Authorization": f"Bearer {client.key}"}
    answer = requests.post(f"{client.server.url}{path}", json=body, headers=headers, timeout=60)
    assert answer.status_code == 400, answer.text
    assert "is not a valid JSON Schema" in answer.json()["error"]["message"]
