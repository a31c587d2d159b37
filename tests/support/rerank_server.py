"""A fake reranker, by the shapes of Cohere, Voyage and Text Embeddings Inference."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any, Literal

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

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            answer, status = server.answer(body) if self.path == "/v1/rerank" else ({"message": "not here"}, 404)
            content = json.dumps(answer).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: object) -> None:
            pass

    running = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    running.daemon_threads = True
    server = RerankServer(f"http://127.0.0.1:{running.server_port}/v1")
    Thread(target=running.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
    yield server
    running.shutdown()
    running.server_close()
