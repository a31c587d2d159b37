"""A server that speaks OpenAI's audio API: by a voice, or a second of a constant for each text, in several forms."""

import json
import struct
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any, Self

from tests.support.http_server import QuietHandler


def sound(form: str) -> bytes:
    """A second of a constant: raw at 24 kHz, or as a WAV file of 16 kHz whose length is unknown."""
    if form == "pcm":
        return struct.pack("<h", 1000) * 24_000
    channels, unknown = 2 if form == "stereo" else 1, 0xFFFF_FFFF
    head = struct.pack("<4sI4s4sIHHIIHH", b"RIFF", unknown, b"WAVE", b"fmt ", 16, 1, channels, 16_000, 32_000, 2, 16)
    return head + struct.pack("<4sI", b"data", unknown) + struct.pack("<h", 1000) * 16_000


class SpeechServerStandIn:
    """Listens on a free port within a `with`. `requests` are what it got.

    `form` is pcm, wav, a way to fail, or a voice: it says a text as raw samples of 24 kHz.
    """

    def __init__(self, form: str | Callable[[str], bytes]) -> None:
        self.requests: list[dict[str, Any]] = []
        self.form = form
        stand_in = self

        class Handler(QuietHandler):
            def do_POST(self) -> None:
                stand_in.answer(self)

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)

    @property
    def options(self) -> dict[str, str]:
        """What a client is configured with."""
        return {"url": f"http://127.0.0.1:{self._server.server_port}/v1", "key": "sk-test"}

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        """Note a request, and send the sound or the text."""
        body = handler.rfile.read(int(handler.headers["Content-Length"]))
        is_json = handler.headers["Content-Type"] == "application/json"
        request = {"path": handler.path, "authorization": handler.headers["Authorization"]}
        self.requests.append({**request, "body": json.loads(body) if is_json else body})
        content = self._say(json.loads(body)["input"]) if is_json else b'{"text": " heard "}'
        handler.send_response(401 if self.form == "401" else 307 if self.form == "redirect" else 200)
        handler.send_header("Location", "/elsewhere")
        handler.send_header("Content-Length", str(len(content)))
        handler.end_headers()
        handler.wfile.write(content[:4001] if self.form == "broken" else content)

    def _say(self, text: str) -> bytes:
        return sound(self.form) if isinstance(self.form, str) else self.form(text)

    def __enter__(self) -> Self:
        Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *error: object) -> None:
        self._server.shutdown()
        self._server.server_close()
