"""An asynchronous client for many concurrent requests to a server that may be killed at any moment."""

from typing import Any

import aiohttp

Json = dict[str, Any]


class ServerGone(Exception):
    """The connection closed before the response was complete."""


class Api:
    """Sends requests with one key."""

    def __init__(self, session: aiohttp.ClientSession, url: str, key: str) -> None:
        self._session = session
        self._url = f"{url}/api/v1"
        self._headers = {"Authorization": f"Bearer {key}"}
        self.answered = 0
        """The number of calls that received a JSON response."""

    async def call(self, method: str, path: str, body: Json | None = None, idempotency_key: str | None = None) -> Any:
        """Return the status and the JSON body. Raises `ServerGone`."""
        headers = self._key(idempotency_key)
        try:
            async with self._session.request(method, self._url + path, json=body, headers=headers) as response:
                answer = response.status, await response.json()
        except (aiohttp.ClientError, OSError) as error:
            raise ServerGone from error
        self.answered += 1
        return answer

    def _key(self, idempotency_key: str | None) -> dict[str, str]:
        return self._headers | ({"Idempotency-Key": idempotency_key} if idempotency_key else {})

    async def data(self, method: str, path: str, body: Json | None = None, key: str | None = None) -> Any:
        """Return the `data` of a successful response. Fails on any other response."""
        status, answer = await self.call(method, path, body, key)
        assert status < 300, (method, path, body, status, answer)
        return answer["data"]

    async def upload(self, name: str, content: bytes, idempotency_key: str | None = None) -> Any:
        """Upload a file. Returns the status and the JSON body. Raises `ServerGone`."""
        url = f"{self._url}/files"
        headers = self._key(idempotency_key)
        try:
            async with self._session.post(url, params={"name": name}, data=content, headers=headers) as response:
                return response.status, await response.json()
        except (aiohttp.ClientError, OSError) as error:
            raise ServerGone from error

    async def stream(self, path: str, body: Json) -> str:
        """Return a complete stream. Raises `ServerGone` if it ends early."""
        try:
            async with self._session.post(self._url + path, json=body, headers=self._headers) as response:
                text = await response.text()
                assert response.status == 200, text
        except (aiohttp.ClientError, OSError) as error:
            raise ServerGone from error
        if not text.endswith("data: [DONE]\n\n"):
            raise ServerGone(text[-1000:])
        return text

    async def pages(self, path: str) -> list[Json]:
        """Return all records of a list."""
        records: list[Json] = []
        while True:
            _, answer = await self.call("GET", f"{path}?per_page=100&page={len(records) // 100 + 1}")
            records += answer["data"]
            if not answer["data"] or len(records) == answer["meta"]["total"]:
                return records
