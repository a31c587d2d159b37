"""Which statements go to PostgreSQL in one trip, and how they are written then."""

import re
from typing import Any

import pytest
import sqlalchemy as sa

from retinue.core.database import Later
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
        waiting.add(statement, values)
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
    waiting.add(*JOB, told=answers.append, error=gone)
    assert not waiting.leads(scratch.QUEUE)
    trip = waiting.depart()
    assert trip.text.endswith("SELECT (SELECT * FROM s1), 1 / (SELECT count(*) FROM s1)")
    assert (trip.parameters, trip.told, trip.error) == (["one", 1, 7], [answers.append], gone)


def test_a_row_that_is_added_stands_in_what_follows_and_comes_first() -> None:
    waiting = travelling()
    added, answers, gone = Later(), list[Any](), LookupError("gone")
    waiting.add(scratch.ADDED, ONE[1], later=added)
    assert not waiting.leads(scratch.QUEUE)
    waiting.add(scratch.QUEUE, {"account_id": added.id}, told=answers.append, error=gone)
    trip = waiting.depart()
    assert "INSERT INTO jobs (account_id) VALUES ((SELECT id FROM s0)" in trip.text
    assert trip.text.endswith("SELECT s0.*, (SELECT * FROM s1), 1 / (SELECT count(*) FROM s1) FROM s0")
    assert trip.parameters == ["one", 1]
    trip.tell((3, "one", 1, "", 9, 1))
    assert (added.id, added.row.name, answers) == (3, "one", [9])


def test_the_numbers_of_parameters_leave_out_what_is_named() -> None:
    waiting = travelling(JOB)
    added = Later()
    waiting.add(scratch.ADDED, ONE[1], later=added)
    named = Statement(sa.update(scratch.jobs), ["account_id", "lease_owner", "epoch"])
    assert not waiting.joins(named)
    waiting.add(named, {"account_id": added, "lease_owner": "a", "epoch": 2})
    trip = waiting.depart()
    assert re.findall(r"\$\d+|SELECT id", trip.text) == ["$1", "$2", "$3", "SELECT id", "$4", "$5"]
    assert sorted(map(str, trip.parameters)) == ["1", "2", "7", "a", "one"]


def test_a_row_that_has_come_stands_for_nothing() -> None:
    waiting = travelling()
    added = Later()
    waiting.add(scratch.ADDED, ONE[1], later=added)
    waiting.depart().tell((3, "one", 1, ""))
    waiting.add(scratch.QUEUE, {"account_id": added})
    assert waiting.depart().parameters == [3]
    assert waiting.lead(scratch.QUEUE, {"account_id": added})[1] == [3]


def test_no_two_of_those_that_may_fail_or_add_go_together() -> None:
    waiting = Travelling()
    waiting.add(*ONE, error=LookupError("gone"))
    assert waiting.joins(scratch.QUEUE)
    assert not waiting.joins(scratch.QUEUE, error=LookupError("gone"))
    adding = Travelling()
    adding.add(scratch.ADDED, ONE[1], later=Later())
    assert not adding.joins(scratch.QUEUE, later=Later())


def test_a_row_that_has_not_come_is_no_row() -> None:
    with pytest.raises(RuntimeError, match="not been carried out"):
        _ = Later().row


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
