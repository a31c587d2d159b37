"""A fake reranker, by the shapes of Cohere, Voyage and Text Embeddings Inference."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import ThreadingHTTPServer
from typing import Any, Literal

from tests.support.http_server import QuietHandler, running

Shape = Literal["cohere", "voyage", "tei"]


@dataclass
class RerankServer:
    """A text scores 0.9 if it has the word `best`, else 0.1. `failures` are the statuses of the next answers."""

    url: str
    shape: Shape = "cohere"
    failures: list[int] = field(default_factory=list)
    requests: list[dict[str, Any]] = field(default_factory=list)

    def answer(self, body: dict[str, Any]) -> tuple[Any, int]:
        """Return the answer to a request, and its status."""
        self.requests.append(body)
        if self.failures:
            return {"message": "told to fail"}, self.failures.pop(0)
        wanted = "texts" if self.shape == "tei" else "documents"
        if wanted not in body:
            return {"error": f"missing field `{wanted}`", "error_type": "Validation"}, 422
        scores = [0.9 if "best" in text else 0.1 for text in body[wanted]]
        name = "score" if self.shape == "tei" else "relevance_score"
        ranked = [{"index": at, name: scores[at]} for at in sorted(range(len(scores)), key=lambda at: -scores[at])]
        if self.shape == "tei":
            return ranked, 200
        return {"results" if self.shape == "cohere" else "data": ranked, "usage": {"total_tokens": 9}}, 200


@contextmanager
def running_rerank_server() -> Iterator[RerankServer]:
    """Serve a reranker on a free port."""

    class Handler(QuietHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.read_body())
            answer, status = server.answer(body) if self.path == "/v1/rerank" else ({"message": "not here"}, 404)
            self.respond_json(answer, status)

    with running(ThreadingHTTPServer(("127.0.0.1", 0), Handler)) as listener:
        server = RerankServer(f"http://127.0.0.1:{listener.server_port}/v1")
        yield server
