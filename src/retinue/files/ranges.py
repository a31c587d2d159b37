"""Select the part of a file that a request asks for (RFC 9110, sections 13 and 14)."""

import re
from dataclasses import dataclass

from starlette.datastructures import Headers

from retinue.core.errors import RangeNotSatisfiable

_RANGE = re.compile(r"bytes=[ \t]*(?:([0-9]{1,1000})-([0-9]{0,1000})|-([0-9]{1,1000}))[ \t]*", re.IGNORECASE)
_TAG = re.compile(r'(?:W/)?("[\x21\x23-\x7e\x80-\xff]*")')


@dataclass(frozen=True, slots=True)
class ByteRange:
    """The bytes from `start` up to `end`, exclusive. `partial` if the request asked for a range."""

    start: int
    end: int
    partial: bool


def is_known(headers: Headers, tag: str) -> bool:
    """Return whether the client has the current version: `If-None-Match`, compared weakly (section 13.1.2)."""
    known = ",".join(headers.getlist("if-none-match"))
    return known.strip() == "*" or tag in _TAG.findall(known)


def part_of(headers: Headers, tag: str, size: int) -> ByteRange:
    """Return the part to send. Raises `RangeNotSatisfiable` for a range past the end.

    Serves a single range of bytes. Other kinds of ranges, and a range of a version other than the one in `If-Range`,
    get the whole file, as sections 14.2 and 13.1.5 permit.
    """
    entire = ByteRange(0, size, partial=False)
    found = _RANGE.fullmatch(headers.get("range", ""))
    if found is None or headers.get("if-range", tag).strip() != tag:
        return entire
    first, last, suffix = found.groups()
    if suffix is not None:
        return _suffix(int(suffix), size)
    start, end = int(first), min(int(last) + 1, size) if last else size
    if last and int(last) < start:
        return entire
    if start >= size:
        raise _past_the_end(size)
    return ByteRange(start, end, partial=True)


def _suffix(length: int, size: int) -> ByteRange:
    """Return the last bytes. An empty file has no such range."""
    if length == 0:
        raise _past_the_end(size)
    return ByteRange(max(size - length, 0), size, partial=size > 0)


def _past_the_end(size: int) -> RangeNotSatisfiable:
    return RangeNotSatisfiable(f"The range starts beyond the end of the file, which has {size:,} bytes.", size)
