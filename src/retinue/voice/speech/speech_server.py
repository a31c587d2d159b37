"""HTTP client for a server with OpenAI's audio API. The operator configures it, so its address may be private."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from retinue.voice.speech.options import INSTALL, EngineMissing, SpeechFailed, SpeechServer

_CONNECT_S = 5.0
_ERROR_BYTES = 500


class SpeechClient:
    """Sends requests with the operator's key. It follows no redirects, so the key reaches no other host."""

    def __init__(self, server: SpeechServer) -> None:
        try:
            import urllib3
        except ImportError as error:
            raise EngineMissing(f"The client for speech servers is not installed. {INSTALL}") from error
        self._errors = urllib3.exceptions.HTTPError
        timeout = urllib3.Timeout(connect=_CONNECT_S, read=server.timeout_s)
        self._pool = urllib3.PoolManager(timeout=timeout, retries=False, maxsize=8)
        self._base = server.url.rstrip("/")
        self._headers = {"Authorization": f"Bearer {server.key}"} if server.key else {}

    @contextmanager
    def post(self, path: str, **content: Any) -> Iterator[Any]:
        """Send a POST request and yield the response as a stream. Raises `SpeechFailed` unless the status is 200."""
        url = f"{self._base}{path}"
        try:
            answer = self._pool.request("POST", url, headers=self._headers, preload_content=False, **content)
            try:
                if answer.status != 200:
                    said = answer.read(_ERROR_BYTES).decode(errors="replace")
                    raise SpeechFailed(f"The speech server responded with status {answer.status}: {said}")
                yield answer
            finally:
                # urllib3 reuses the connection only if the response was read to its end.
                answer.close()
        except self._errors as error:
            raise SpeechFailed(f"The speech server did not respond: {error}") from error
