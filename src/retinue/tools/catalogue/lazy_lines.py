"""Read the lines of a file by name, each on request."""

import os
from collections.abc import Iterator, Mapping
from itertools import accumulate, pairwise
from weakref import finalize

SEPARATOR = b",\n"


class FileLines(Mapping[str, bytes]):
    """Holds the position of each line. It keeps the file open, so a later replacement of the file has no effect."""

    def __init__(self, file: int, start: int, lengths: Mapping[str, int]) -> None:
        """`lengths` are the bytes of consecutive lines, the first of which begins at byte `start` of an open file."""
        ends = accumulate((length + len(SEPARATOR) for length in lengths.values()), initial=start)
        self._spans = dict(zip(lengths, pairwise(ends), strict=True))
        self._file = os.dup(file)
        finalize(self, os.close, self._file)

    def __getitem__(self, name: str) -> bytes:
        start, end = self._spans[name]
        return os.pread(self._file, end - len(SEPARATOR) - start, start)

    def __iter__(self) -> Iterator[str]:
        return iter(self._spans)

    def __len__(self) -> int:
        return len(self._spans)
