"""Which part of a list a page shows."""

from dataclasses import dataclass

from retinue.core.envelope import Page as Part

_ROWS = 25


@dataclass(frozen=True)
class Paging:
    """The part, and how many records and parts there are."""

    part: Part
    total: int = 0

    @property
    def pages(self) -> int:
        """How many parts there are, at least one."""
        return max(1, -(-self.total // self.part.per_page))

    @property
    def first(self) -> int:
        """The number of the first record that is shown; 0 in an empty list."""
        return min(self.part.offset + 1, self.total)

    @property
    def last(self) -> int:
        """The number of the last record that is shown."""
        return min(self.part.offset + self.part.per_page, self.total)

    def of(self, total: int) -> "Paging":
        """The same part of a list whose length is known now."""
        return Paging(self.part, total)


def paging_of(text: str, rows: int = _ROWS) -> Paging:
    """The part that a query names; the first where it names none that can be."""
    number = int(text) if text.isascii() and text.isdecimal() and len(text) < 10 else 1
    return Paging(Part(page=max(1, min(number, 2**31 - 1)), per_page=rows))
