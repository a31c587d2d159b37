"""Several statements for PostgreSQL as the text of one, in which the others are WITH queries."""

import re
from collections.abc import Sequence
from functools import lru_cache

from retinue.core.statements import Statement

_PARAMETER = re.compile(r"\$(\d+)")
_MOST = 1024


@lru_cache(_MOST)
def led_by_last(statements: tuple[Statement, ...]) -> str:
    """The result is that of the last one. The parameters of each follow those of the one before."""
    *others, last = _numbered(statements)
    return _with(others, last)


@lru_cache(_MOST)
def answering(statements: tuple[Statement, ...], told: tuple[int, ...], demanded: tuple[int, ...]) -> str:
    """The result is one row, with the one value that each of those at the places `told` returns.

    Where one at the places `demanded` finds no row, it is a division by zero: that undoes all of them.
    """
    values = [f"(SELECT * FROM s{place})" for place in told]  # noqa: S608 - a number
    demands = [f"1 / (SELECT count(*) FROM s{place})" for place in demanded]  # noqa: S608 - a number
    return _with(_numbered(statements), f"SELECT {', '.join(values + demands)}")


def _numbered(statements: Sequence[Statement]) -> list[str]:
    texts: list[str] = []
    before = 0
    for statement in statements:
        compiled = statement.compiled("postgresql")
        texts.append(_renumbered(compiled.sql, before))
        before += compiled.parameters
    return texts


def _renumbered(text: str, before: int) -> str:
    return _PARAMETER.sub(lambda found: f"${int(found[1]) + before}", text)


def _with(others: Sequence[str], last: str) -> str:
    return f"WITH {', '.join(f's{place} AS ({text})' for place, text in enumerate(others))} {last}" if others else last
