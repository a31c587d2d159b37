"""Quick samples of long series of tests. `make test` runs the samples, and `make test-all` runs every test."""

import zlib
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

import pytest

EXHAUSTIVE = pytest.mark.exhaustive
"""Marks tests whose kind has quicker tests, and tests of quality: `make test` leaves them to `make test-all`."""

ALSO_ON_POSTGRESQL = ("sqlite", pytest.param("postgresql", marks=EXHAUSTIVE))
"""Both databases as parameters. The test on PostgreSQL is exhaustive; its statements have tests on both."""


def sample(cases: Iterable[Any], every: int) -> Sequence[Any]:
    """Mark all but every n-th case as exhaustive. Cases are values or the result of `pytest.param`."""
    return [case if number % every == 0 else _exhaustive(case) for number, case in enumerate(cases)]


def choose_databases(items: Iterable[pytest.Item], databases: Sequence[str]) -> None:
    """Leave one database of each case to `make test-all`, if a test has several cases or takes long.

    So `make test` runs such a test on both databases, but each of its cases on one. The choice depends on the case's
    name alone.
    """
    cases: dict[str, dict[str, list[pytest.Function]]] = defaultdict(lambda: defaultdict(list))
    for item in items:
        if isinstance(item, pytest.Function) and (name := _database_of(item, databases)):
            case = item.nodeid.replace(name, "*")
            cases[case.partition("[")[0]][case].append(item)
    for family in cases.values():
        for case, on_both in family.items():
            is_long = any(item.get_closest_marker("slow") or item.get_closest_marker("long") for item in on_both)
            if len(on_both) == len(databases) and (is_long or len(family) > 1):
                on_both[zlib.crc32(case.encode()) % len(on_both)].add_marker(EXHAUSTIVE)


def _database_of(item: pytest.Function, databases: Sequence[str]) -> str:
    """Return the database on which a test runs; empty if it names none."""
    parameters = item.callspec.params.values() if hasattr(item, "callspec") else ()
    named = [value for value in parameters if isinstance(value, str)]
    return next((name for name in databases if name in named), "")


def _exhaustive(case: Any) -> Any:
    if isinstance(case, type(pytest.param())):
        return pytest.param(*case.values, id=case.id, marks=[*case.marks, EXHAUSTIVE])
    return pytest.param(case, marks=EXHAUSTIVE)
