"""Lists: all records of all pages, fetched on demand."""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from retinue_client._calls import Call
from retinue_client._records import build

T = TypeVar("T")


@dataclass(frozen=True)
class Page(Generic[T]):
    """A page of a list. `total` is the number of records on all pages."""

    data: list[T]
    total: int
    page: int
    per_page: int
    total_pages: int

    @classmethod
    def of(cls, body: dict[str, Any], kind: object) -> "Page[Any]":
        """Parse a page from a response body. Ignores unknown fields of `meta`."""
        meta = {name: body["meta"][name] for name in ("total", "page", "per_page", "total_pages")}
        return cls([build(kind, record) for record in body["data"]], **meta)


def _first_page(call: Call) -> int:
    return int((call.query or {}).get("page") or 1)


def _at_page(call: Call, number: int) -> Call:
    """Return the call of a page. What a search finds, which is a POST, is one page."""
    if call.method == "POST":
        return call
    return Call(call.method, call.path, query={**(call.query or {}), "page": number})


_IDS = ("id", "deployment_id", "conversation_id")
"""The fields that identify a record. Each record has at most one of them as its own ID, the first of these."""


def _id_of(record: object) -> object:
    """Return the ID of a record, or None for a record without one, such as a tool."""
    return next((getattr(record, name) for name in _IDS if hasattr(record, name)), None)


class _Repeats:
    """Drops the records at the beginning of a page that the previous one had, as new records shift the pages."""

    def __init__(self) -> None:
        self._seen: set[object] = set()

    def without(self, records: list[T]) -> list[T]:
        """Return the records of the next page that the previous page had not."""
        seen, self._seen = self._seen, {_id_of(record) for record in records} - {None}
        return [record for record in records if _id_of(record) not in seen]


class Listing(Generic[T]):
    """The records of a list. Iterate over it for all records, or fetch a single page.

    Pages are counted from the newest record, so records that are created or deleted meanwhile shift the pages. The
    iteration drops records that the previous page had. If a loop deletes records, collect the list first with
    `list(…)`.
    """

    def __init__(self, fetch: Callable[[Call], Page[T]], call: Call) -> None:
        self._fetch = fetch
        self._call = call

    def page(self, number: int | None = None) -> Page[T]:
        """Fetch a page. Defaults to the first one."""
        return self._fetch(_at_page(self._call, number or _first_page(self._call)))

    def pages(self) -> Iterator[Page[T]]:
        """Fetch one page after another."""
        number = _first_page(self._call)
        while True:
            page = self.page(number)
            yield page
            if number >= page.total_pages:
                return
            number += 1

    def __iter__(self) -> Iterator[T]:
        repeats = _Repeats()
        for page in self.pages():
            yield from repeats.without(page.data)


class AsyncListing(Generic[T]):
    """An asynchronous `Listing`: `async for record in listing`."""

    def __init__(self, fetch: Callable[[Call], Awaitable[Page[T]]], call: Call) -> None:
        self._fetch = fetch
        self._call = call

    async def page(self, number: int | None = None) -> Page[T]:
        """Fetch a page. Defaults to the first one."""
        return await self._fetch(_at_page(self._call, number or _first_page(self._call)))

    async def pages(self) -> AsyncIterator[Page[T]]:
        """Fetch one page after another."""
        number = _first_page(self._call)
        while True:
            page = await self.page(number)
            yield page
            if number >= page.total_pages:
                return
            number += 1

    async def __aiter__(self) -> AsyncIterator[T]:
        repeats = _Repeats()
        async for page in self.pages():
            for record in repeats.without(page.data):
                yield record
