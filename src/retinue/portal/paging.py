"""Pagination of lists."""

from dataclasses import dataclass

from retinue.core.errors import NotFound
from retinue.core.http.envelope import MAX_PAGE
from retinue.core.http.envelope import Page as Part
from retinue.core.runtime.whole_numbers import parse_whole_number

_ROWS = 25


class PageMissing(NotFound):
    """The list has become shorter: its last page is `last`."""

    def __init__(self, last: int) -> None:
        super().__init__(f"The list has only {last} pages.")
        self.last = last


@dataclass(frozen=True)
class Paging:
    """A page of a list, with the total number of records."""

    part: Part
    total: int = 0

    @property
    def pages(self) -> int:
        """The number of pages, at least 1."""
        return max(1, -(-self.total // self.part.per_page))

    @property
    def first(self) -> int:
        """The number of the first record on the page; 0 in an empty list."""
        return min(self.part.offset + 1, self.total)

    @property
    def last(self) -> int:
        """The number of the last record on the page."""
        return min(self.part.offset + self.part.per_page, self.total)

    def of(self, total: int) -> "Paging":
        """Return the same page with the total number of records. Raises `PageMissing` if it is after the last."""
        paging = Paging(self.part, total)
        if total and self.part.page > paging.pages:
            raise PageMissing(paging.pages)
        return paging


def paging_of(text: str, rows: int = _ROWS) -> Paging:
    """Parse a page number. Invalid numbers mean the first page."""
    return Paging(Part(page=parse_whole_number(text, MAX_PAGE) or 1, per_page=rows))
