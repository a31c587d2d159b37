"""Quick samples of long series of tests. `make test` runs the samples, and `make test-all` runs every test."""

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


def _exhaustive(case: Any) -> Any:
    if isinstance(case, type(pytest.param())):
        return pytest.param(*case.values, id=case.id, marks=[*case.marks, EXHAUSTIVE])
    return pytest.param(case, marks=EXHAUSTIVE)
