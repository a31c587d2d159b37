"""The log by itself: it limits its rows and days, never delays a request, and its filters agree with Python's."""

import asyncio
import random
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import Any

import pytest

from retinue.core.database.interface import Database, DatabaseUnavailable, Tx
from retinue.core.errors import NotFound
from retinue.core.runtime.clock import now
from retinue.core.runtime.redaction import hide_secrets, hide_secrets_in
from retinue.core.work.notifier import Notifier
from retinue.request_log import writer as module
from retinue.request_log.entries import RequestLogEntry
from retinue.request_log.schemas import RequestQuery
from retinue.request_log.service import Requests, remove_requests
from retinue.request_log.writer import RequestWriter, requests_topic
from tests.request_log.conftest import caller_of, entry

BEGAN = now().replace(microsecond=0)


def log_of(database: Database, rows: int = 10_000) -> Requests:
    """Return the log of account 1."""
    return Requests(caller_of(1), database, RequestWriter(database, Notifier(), rows))


async def ids(log: Requests, **query: Any) -> list[str]:
    """Return the request ids of the page that a query selects."""
    rows, total = await log.page(RequestQuery(per_page=100, **query))
    assert total >= len(rows)
    return [row.request_id for row in rows]


async def test_a_full_log_loses_its_oldest_rows(database: Database) -> None:
    log = log_of(database, rows=300)
    for number in range(1000):
        log.writer.add(entry(request_id=str(number)))
        log.writer.add(entry(2, request_id="test"))
        if number % 100 == 99:
            await log.writer.flush()
    rows, total = await log.page(RequestQuery())
    assert rows[0].request_id == "999"
    assert 300 <= total <= 330
    assert (await log.page(RequestQuery(mode="test")))[1] in range(300, 331)


async def test_a_log_without_rows_is_off(database: Database) -> None:
    log = log_of(database, rows=0)
    log.writer.add(entry())
    assert await ids(log) == []


async def test_old_rows_are_removed(database: Database) -> None:
    log = log_of(database)
    for day in range(250):
        log.writer.add(entry(request_id=str(day), duration_ms=0.0, ended_at=BEGAN + timedelta(days=day)))
    await log.writer.flush()
    place, before = None, BEGAN + timedelta(days=220)
    for _ in range(3):
        place = await database.transact(partial(remove_requests, before=before, after=place))
    assert place is None
    assert await ids(log) == [str(day) for day in range(249, 219, -1)]


async def test_nothing_is_written_for_an_account_that_is_gone(database: Database) -> None:
    log = log_of(database)
    log.writer.add(entry(77))
    log.writer.add(entry(request_id="kept"))
    assert await ids(log) == ["kept"]
    assert (await Requests(caller_of(77), database, log.writer).page(RequestQuery()))[1] == 0


async def test_one_account_cannot_fill_the_memory(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MOST_PENDING_OF_ONE", 3)
    monkeypatch.setattr(module, "_MOST_PENDING", 4)
    log = log_of(database)
    for number in range(5):
        log.writer.add(entry(request_id=str(number)))
        log.writer.add(entry(2, request_id=str(number)))
    assert await ids(log) == ["1", "0"]
    assert await ids(log, mode="test") == ["1", "0"]


async def test_a_database_that_is_away_costs_rows_and_nothing_else(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(_work: Callable[[Tx], Any]) -> None:
        raise DatabaseUnavailable("It is away.")

    log = log_of(database)
    log.writer.add(entry(request_id="lost"))
    with monkeypatch.context() as patch:
        patch.setattr(database, "transact", fail)
        await log.writer.flush()
    log.writer.add(entry(request_id="kept"))
    assert await ids(log) == ["kept"]


async def test_a_reader_that_goes_away_does_not_take_rows_along(database: Database) -> None:
    log = log_of(database)
    log.writer.add(entry())
    flushing = asyncio.create_task(log.writer.flush())
    await asyncio.sleep(0)
    flushing.cancel()
    await asyncio.wait([flushing])
    assert await ids(log) == ["req_1"]


async def test_readers_are_woken(database: Database) -> None:
    notifier = Notifier()
    writer = RequestWriter(database, notifier, 100)
    with notifier.waiting(requests_topic(1)) as written, notifier.waiting(requests_topic(2)) as of_others:
        writer.add(entry())
        await writer.flush()
        assert written.is_set()
        assert not of_others.is_set()


STATUSES, METHODS, KEYS = (200, 201, 299, 400, 404, 499, 500), ("GET", "POST"), (5, 6)
PATHS = (("/api/v1/agents/1", "/api/v1/agents/{id}"), ("/api/v1/agents/2", "/api/v1/agents/{id}"), ("/api/v1/no", None))


def some_entries(chance: random.Random) -> list[RequestLogEntry]:
    """Return requests that share some of their values, one second apart."""
    made = []
    for number in range(60):
        path, route = chance.choice(PATHS)
        values: dict[str, Any] = {
            "method": chance.choice(METHODS),
            "status": chance.choice(STATUSES),
            "path": path,
            "route": route,
        }
        ended = BEGAN + timedelta(seconds=number)
        caller = caller_of(1, chance.choice(KEYS))
        made.append(
            entry(request_id=f"{number}-{number % 7}", caller=caller, ended_at=ended, duration_ms=0.0, **values)
        )
    return made


def some_query(chance: random.Random, made: Sequence[RequestLogEntry]) -> dict[str, Any]:
    """Return a random choice of filters."""
    filters = {
        "status": chance.choice(("2xx", "4xx", "5xx", "404", "200", "302")),
        "method": chance.choice((*METHODS, "PUT")),
        "path": chance.choice(("/api/v1/agents/1", "/api/v1/agents/{id}", "/api/v1/no", "/api/v1/agents")),
        "credential": chance.choice(("key:5", "key:6", "session:5")),
        "request_id": chance.choice(made).request_id,
        "since": BEGAN + timedelta(seconds=chance.randrange(60)),
        "until": BEGAN + timedelta(seconds=chance.randrange(60)),
    }
    return {name: value for name, value in filters.items() if chance.random() < 0.35}


def fits(one: RequestLogEntry, query: dict[str, Any]) -> bool:
    """Return whether the filters select a request."""
    status = str(one.status)
    began: datetime = one.row()["created_at"]
    return (
        (query.get("status") in (None, status, f"{status[0]}xx"))
        and query.get("method") in (None, one.method)
        and query.get("path") in (None, one.path, one.route)
        and query.get("credential") in (None, f"key:{one.caller.credential_id}")
        and query.get("request_id") in (None, one.request_id)
        and ("since" not in query or began >= query["since"])
        and ("until" not in query or began < query["until"])
    )


async def test_filters_agree_with_a_list_in_python(database: Database) -> None:
    chance = random.Random(7)
    log, made = log_of(database), some_entries(chance)
    for one in made:
        log.writer.add(one)
    for _ in range(300):
        query = some_query(chance, made)
        wanted = [one.request_id for one in reversed(made) if fits(one, query)]
        assert await ids(log, **query) == wanted, query
        if wanted:
            assert (await log.get(wanted[0])).request_id == wanted[0]
    with pytest.raises(NotFound):
        await log.get("no such request")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (f"/tools/ak_live_12345678_{'x' * 32}", "/tools/ak_live_12345678_…"),
        (f"/x/sess_{'x' * 43}/y", "/x/sess_…/y"),
        (f"aat_{'-' * 43}", "aat_…"),
        ("/tools/network_calculate_subnet_of_a_very_long_name_of_a_tool", None),
        ("/chat/conv_01k9z4m2n8q6r5t3v7w1x0y2za", None),
    ],
)
def test_credentials_are_cut(text: str, shown: str | None) -> None:
    assert hide_secrets(text) == (shown or text)
    assert hide_secrets_in(text.encode()).decode() == (shown or text)
