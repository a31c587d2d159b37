"""Which statements go to PostgreSQL in one trip, and how they are written then."""

import re

import pytest
import sqlalchemy as sa

from retinue.core.statements import Statement
from retinue.core.travelling import Travelling
from tests.core import scratch

_COUNT = Statement(
    sa.update(scratch.jobs).values(account_id=sa.select(sa.func.count(scratch.notes.c.id)).scalar_subquery())
)
_COPY = Statement(sa.insert(scratch.jobs).from_select(["account_id"], sa.select(scratch.notes.c.value)))
_READ = Statement(sa.select(scratch.jobs))


def test_statements_that_do_not_care_about_one_another_are_one_text() -> None:
    travelling = Travelling()
    travelling.add(scratch.ADD, {"name": "one", "value": 1})
    travelling.add(scratch.QUEUE, {"account_id": 7})
    text, parameters = travelling.depart()
    assert text.startswith("WITH s0 AS (INSERT INTO notes")
    assert ") INSERT INTO jobs" in text
    assert re.findall(r"\$\d+", text) == ["$1", "$2", "$3"]
    assert parameters == ["one", 1, 7]
    assert not travelling


def test_one_alone_stays_as_it_is() -> None:
    travelling = Travelling()
    travelling.add(scratch.QUEUE, {"account_id": 7})
    assert travelling.depart() == (scratch.QUEUE.compiled("postgresql").sql, [7])


@pytest.mark.parametrize(
    "second",
    [scratch.ADD, scratch.RAISE, scratch.BY_NAME, scratch.REMOVE_ALL, _COUNT, _COPY],
    ids=["adds", "changes", "reads", "removes", "reads in a value", "copies"],
)
def test_what_has_to_do_with_a_table_waits_until_it_is_written(second: Statement) -> None:
    travelling = Travelling()
    travelling.add(scratch.ADD, {"name": "one", "value": 1})
    assert not travelling.joins(second)


def test_what_only_reads_goes_alone() -> None:
    travelling = Travelling()
    travelling.add(scratch.ADD, {"name": "one", "value": 1})
    assert travelling.joins(scratch.QUEUE)
    assert not travelling.joins(_READ)
