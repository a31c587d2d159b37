"""A fake provider of embeddings, by the protocols of OpenAI and of Gemini."""

import json
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import ThreadingHTTPServer
from typing import Any

from tests.support.http_server import QuietHandler, running

MODELS = ("text-embedding-small", "text-embedding-large", "chatty")
SYNONYMS = {"automobile": "car", "cars": "car", "physician": "doctor"}


@dataclass
class EmbeddingServer:
    """Texts with the same words, or synonyms of them, have the same vector.

    `failures` are the statuses of the next answers. The model `refused` only answers to the word `ready`.
    """

    url: str
    failures: list[int] = field(default_factory=list)
    refused: str = ""
    requests: list[dict[str, Any]] = field(default_factory=list)

    def texts(self, model: str) -> list[str]:
        """Return all texts that a model was sent."""
        return [text for body in self.requests if body.get("model") == model for text in body["input"]]


def vector_of(text: str, dimensions: int) -> list[float]:
    """Return the counts of words, each in a place of its own, more or less."""
    vector = [0.01] * dimensions
    for word in text.lower().replace(".", " ").replace("?", " ").split():
        vector[zlib.crc32(SYNONYMS.get(word, word).encode()) % dimensions] += 1.0
    return vector


@contextmanager
def running_embedding_server() -> Iterator[EmbeddingServer]:
    """Serve embeddings on a free port."""

    class Handler(QuietHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self.respond_json({"object": "list", "data": [{"id": one} for one in MODELS]})

        def do_POST(self) -> None:
            body = json.loads(self.read_body())
            server.requests.append(body)
            if server.failures:
                self.respond_json({"error": {"message": "told to fail"}}, server.failures.pop(0))
            elif server.refused and body.get("model") == server.refused and body["input"] != ["ready"]:
                self.respond_json({"error": {"message": "told to refuse"}}, 401)
            elif self.path.endswith(":batchEmbedContents"):
                texts = [one["content"]["parts"][0]["text"] for one in body["requests"]]
                self.respond_json({"embeddings": [{"values": vector_of(text, 96)} for text in texts]})
            elif self.path == "/v1/embeddings" and "embedding" in body["model"]:
                size = 256 if "large" in body["model"] else 128
                data = [{"index": at, "embedding": vector_of(text, size)} for at, text in enumerate(body["input"])]
                self.respond_json({"data": data[::-1], "usage": {"prompt_tokens": 7, "total_tokens": 7}})
            else:
                self.respond_json({"error": {"message": "this model makes no embeddings"}}, 400)

    with running(ThreadingHTTPServer(("127.0.0.1", 0), Handler)) as listener:
        server = EmbeddingServer(f"http://127.0.0.1:{listener.server_port}/v1")
        yield server
