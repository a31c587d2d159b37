"""A client that follows a room."""

from typing import Any

from tests.support.client import Client, Stream


class Following:
    """A client that follows a room from its beginning."""

    def __init__(self, client: Client, path: str) -> None:
        self._client, self._path = client, f"{path}/events"
        self._seen: list[dict[str, Any]] = []
        self._chunks = self._read().chunks()

    def next(self, kind: str, **fields: str) -> dict[str, Any]:
        """The next event of a kind."""
        for event in self._chunks:
            self._seen.append(event)
            if event["type"] == kind and fields.items() <= event.items():
                return event
        raise AssertionError(f"the stream ended without {kind}: {self._seen}")

    def check_end(self) -> None:
        """Read to the end; a client that comes later, or comes back, sees the same."""
        self._seen += self._chunks
        assert [event["type"] for event in self._seen if event["type"] == "closed"] == ["closed"]
        again = self._read()
        assert list(again.chunks()) == self._seen
        assert again.ids == [str(number) for number in range(1, len(self._seen) + 1)]
        for last in (1, len(again.ids) - 1, len(again.ids)):
            assert list(self._read(str(last)).chunks()) == self._seen[last:]

    def _read(self, last: str | None = None) -> Stream:
        headers = {"Last-Event-ID": last} if last else {}
        return Stream(self._client.get(self._path, stream=True, headers=headers))
