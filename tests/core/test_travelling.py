"""Which statements go to PostgreSQL in one trip, and how they are written then."""

import re
from typing import Any

import pytest
import sqlalchemy as sa

from retinue.core.statements import Statement
from retinue.core.travelling import Travelling
from tests.core import scratch

_COUNTED = sa.select(sa.func.count(scratch.notes.c.id)).scalar_subquery()
_COUNT = Statement(sa.update(scratch.jobs).values(account_id=_COUNTED))
_COPY = Statement(sa.insert(scratch.jobs).from_select(["account_id"], sa.select(scratch.notes.c.value)))
_READ = Statement(sa.select(scratch.jobs))


def travelling(*statements: tuple[Statement, dict[str, Any]]) -> Travelling:
    """Statements that wait, none of which wants an answer."""
    waiting = Travelling()
    for statement, values in statements:
        waiting.add(statement, values, None, None)
    return waiting


ONE: tuple[Statement, dict[str, Any]] = (scratch.ADD, {"name": "one", "value": 1})
JOB: tuple[Statement, dict[str, Any]] = (scratch.QUEUE, {"account_id": 7})


def test_statements_that_do_not_care_about_one_another_are_one_text() -> None:
    waiting = travelling(ONE)
    assert waiting.leads(scratch.QUEUE)
    text, parameters = waiting.lead(*JOB)
    assert text.startswith("WITH s0 AS (INSERT INTO notes")
    assert ") INSERT INTO jobs" in text
    assert re.findall(r"\$\d+", text) == ["$1", "$2", "$3"]
    assert parameters == ["one", 1, 7]
    assert not waiting


def test_those_that_nobody_leads_are_told_in_one_row() -> None:
    waiting = travelling(ONE)
    answers: list[Any] = []
    gone = LookupError("gone")
    waiting.add(*JOB, answers.append, gone)
    assert not waiting.leads(scratch.QUEUE)
    trip = waiting.depart()
    assert trip.text.endswith("SELECT (SELECT * FROM s1), 1 / (SELECT count(*) FROM s1)")
    assert (trip.parameters, trip.told, trip.error) == (["one", 1, 7], [answers.append], gone)


def test_no_two_are_demanded_at_once() -> None:
    waiting = Travelling()
    waiting.add(*ONE, None, LookupError("gone"))
    assert waiting.joins(scratch.QUEUE)
    assert not waiting.joins(scratch.QUEUE, demanded=True)


def test_one_alone_stays_as_it_is() -> None:
    assert Travelling().lead(*JOB) == (scratch.QUEUE.compiled("postgresql").sql, [7])


@pytest.mark.parametrize(
    "second",
    [scratch.ADD, scratch.RAISE, scratch.BY_NAME, scratch.REMOVE_ALL, _COUNT, _COPY],
    ids=["adds", "changes", "reads", "removes", "reads in a value", "copies"],
)
def test_what_has_to_do_with_a_table_waits_until_it_is_written(second: Statement) -> None:
    assert not travelling(ONE).joins(second)


def test_what_only_reads_goes_alone() -> None:
    assert travelling(ONE).joins(scratch.QUEUE)
    assert not travelling(ONE).joins(_READ)
