"""Receive events, verify their signatures and ignore repeats.

    WEBHOOK_SECRET=whsec_… python webhook_receiver.py

Reads PORT, 9000 by default. Create the endpoint with `POST /api/v1/webhooks`, whose response has the secret. The
server only delivers to public addresses, unless its operator allows others with RETINUE_ALLOWED_NETWORKS.
"""

import os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from retinue_client import WebhookVerificationError, webhooks

SECRET = os.environ["WEBHOOK_SECRET"]
LARGEST = 1 << 20

handled: set[str] = set()
"""IDs of the events that were handled. A real receiver keeps them in its database."""


class Receiver(BaseHTTPRequestHandler):
    """Answers within the 15 seconds that the server waits, and works afterwards."""

    def do_POST(self) -> None:
        """Verify a delivery over its raw body, acknowledge it, then handle its event."""
        length = int(self.headers.get("Content-Length", 0))
        if length > LARGEST:
            return self.answer(413)
        try:
            event = webhooks.verify(self.rfile.read(length), dict(self.headers), SECRET)
        except WebhookVerificationError as error:
            print(f"refused: {error}", flush=True)
            return self.answer(400)
        self.answer(204)
        if event.id not in handled:
            handled.add(event.id)
            print(event.event, event.data.to_dict(), flush=True)
        return None

    def answer(self, status: int) -> None:
        """Send a response without a body."""
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Print nothing for each request."""


if __name__ == "__main__":
    server = ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "9000"))), Receiver)
    print(f"Listening on port {server.server_port}", flush=True)
    server.serve_forever()
