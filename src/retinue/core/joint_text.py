"""Several statements for PostgreSQL as the text of one, in which the others are WITH queries."""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from retinue.core.statements import Statement

_PARAMETER = re.compile(r"\$(\d+)")
_MOST = 1024


class Company(NamedTuple):
    """Statements that go together. That at the place `adding` adds a row.

    `named` holds for each which of its parameters, from 0, are the id of that row: they are no parameters of the whole.
    """

    statements: tuple[Statement, ...]
    named: tuple[tuple[int, ...], ...]
    adding: int | None


@lru_cache(_MOST)
def led_by_last(statements: tuple[Statement, ...]) -> str:
    """The result is that of the last one. The parameters of each follow those of the one before."""
    *others, last = _numbered(Company(statements, ((),) * len(statements), None))
    return _with(others, last)


@lru_cache(_MOST)
def answering(company: Company, told: tuple[int, ...], demanded: tuple[int, ...]) -> str:
    """The result is one row: the one that is added, then the one value that each of those at the places `told` returns.

    Where one at the places `demanded` finds no row, it is a division by zero: that undoes all of them.
    """
    added = [] if company.adding is None else [f"s{company.adding}.*"]
    values = [f"(SELECT * FROM s{place})" for place in told]  # noqa: S608 - a number
    demands = [f"1 / (SELECT count(*) FROM s{place})" for place in demanded]  # noqa: S608 - a number
    source = "" if company.adding is None else f" FROM s{company.adding}"
    return _with(_numbered(company), f"SELECT {', '.join(added + values + demands)}{source}")


def _numbered(company: Company) -> list[str]:
    texts: list[str] = []
    before = 0
    for statement, named in zip(company.statements, company.named, strict=True):
        compiled = statement.compiled("postgresql")
        texts.append(_renumbered(compiled.sql, before, named, f"(SELECT id FROM s{company.adding})"))  # noqa: S608
        before += compiled.parameters - len(named)
    return texts


def _renumbered(text: str, before: int, named: Sequence[int], its_id: str) -> str:
    def parameter(found: re.Match[str]) -> str:
        place = int(found[1]) - 1
        return its_id if place in named else f"${before + place + 1 - sum(one < place for one in named)}"

    return _PARAMETER.sub(parameter, text)


def _with(others: Sequence[str], last: str) -> str:
    return f"WITH {', '.join(f's{place} AS ({text})' for place, text in enumerate(others))} {last}" if others else last
