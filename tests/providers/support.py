"""Shared by the tests of providers."""

from typing import Any

from tests.support.client import Client, data

Json = dict[str, Any]
KEY = "sk-sesame-7f3a9c-open"


def remote(url: str = "https://example.com/v1", **fields: Any) -> Json:
    """Return the fields of a provider with the model `m1`."""
    return {"name": "mine", "kind": "openai", "base_url": url, "key": KEY, "models": [{"id": "m1"}], **fields}


def provide(client: Client, wanted: Json) -> Json:
    """Create a provider. Returns its record."""
    record: Json = data(client.post("/providers", wanted), 201)
    return record


def names(client: Client) -> list[str]:
    """Return the names of the models that the client sees."""
    return [entry["name"] for entry in data(client.get("/models?per_page=100"))]


def say(client: Client, model: str, message: str = "Hello") -> Json:
    """Send a chat message to a model. Returns the answer."""
    answer: Json = data(client.post("/chat", {"message": message, "model": model, "tools": []}))
    return answer
