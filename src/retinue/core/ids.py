"""Identifiers that are not database keys."""

import os
import time

_CROCKFORD = "0123456789abcdefghjkmnpqrstvwxyz"
_PAIRS = [first + second for first in _CROCKFORD for second in _CROCKFORD]


def ulid() -> str:
    """26 characters of Crockford's base 32, lower case: 48 bits of milliseconds, then 80 random bits (ULID)."""
    number = (time.time_ns() // 1_000_000 << 80) | int.from_bytes(os.urandom(10))
    return "".join([_PAIRS[number >> shift & 1023] for shift in range(120, -10, -10)])


def new_id(prefix: str) -> str:
    """An identifier such as `conv_01k…`: sortable by time, unguessable."""
    return f"{prefix}_{ulid()}"
