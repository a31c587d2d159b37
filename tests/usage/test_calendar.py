"""Months and periods of days: use at their edges, relative to the current date."""

from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from retinue.usage.periods import first_day, seconds_left
from tests.conftest import DATABASES, NewUser, StartServer, User
from tests.support.client import Client, data, refuse
from tests.support.server import Server
from tests.support.sql import execute, select
from tests.usage.test_usage import SUBNET, small_plans

_INSERT = "INSERT INTO {table} ({columns}) VALUES ({values})"
_AMOUNTS = {"count": 0, "errors": 0, "tokens": 0, "credits": 0, "milliseconds": 0}


@pytest.fixture(params=DATABASES)
def database(request: pytest.FixtureRequest) -> str:
    """The name of each database."""
    return str(request.param)


def add_use(server: Server, uses: dict[date, int]) -> None:
    """Add tool executions on some days to the newest account, while the server is stopped."""
    ((account,),) = select(server, "SELECT max(id) FROM accounts WHERE NOT sandbox")
    for day, count in uses.items():
        row = {**_AMOUNTS, "account_id": account, "day": f"'{day}'", "resource": "'tools'", "count": count}
        moment = {"created_at": f"'{day}T12:00:00.000000Z'"}
        for table, values in (("usage_days", row), ("ledger", {**row, **moment})):
            texts = map(str, values.values())
            execute(server, _INSERT.format(table=table, columns=", ".join(values), values=", ".join(texts)))


def after_use(user: User, uses: dict[date, int]) -> Client:
    """Add use on some days, and return a client of the user."""
    user.server.stop()
    add_use(user.server, uses)
    user.server.start()
    return user.client()


def test_a_month_begins_with_its_first_day_and_the_history_thirty_days_ago(
    database: str, start_server: StartServer, new_user: NewUser
) -> None:
    today = datetime.now(UTC).date()
    first = today.replace(day=1)
    edges = {first, first - timedelta(days=1), *(today - timedelta(days=back) for back in (0, 1, 28, 29, 30, 31, 365))}
    uses = {day: 2**place for place, day in enumerate(sorted(edges))}
    client = after_use(new_user(start_server(database)), uses)
    this_month = sum(count for day, count in uses.items() if f"{day:%Y-%m}" == f"{today:%Y-%m}")
    assert data(client.get("/usage"))["tools_executed"]["used"] == this_month

    def show(**query: str) -> set[date]:
        days = data(client.get("/usage/history", params=query))
        return {date.fromisoformat(day["date"]) for day in days}

    ago = {back: today - timedelta(days=back) for back in (1, 29, 30, 365)}
    assert show() == {day for day in edges if day >= ago[29]}
    assert show(end_date=str(ago[1])) == {day for day in edges if ago[30] <= day <= ago[1]}
    assert show(start_date=str(ago[30])) == {day for day in edges if day >= ago[30]}
    assert show(start_date=str(ago[365]), end_date=str(ago[30])) == {day for day in edges if day <= ago[30]}
    assert client.server.cli("check") == "All is well.\n"


def test_a_quota_counts_from_the_first_day_of_the_month(
    start_server: StartServer, new_user: NewUser, tmp_path: Path
) -> None:
    first = datetime.now(UTC).date().replace(day=1)
    server = start_server(RETINUE_PLANS_FILE=small_plans(tmp_path, tools=3))
    client = after_use(new_user(server), {first - timedelta(days=1): 1000, first: 2})
    call = (f"/tools/{SUBNET}/execute", {"args": {"cidr": "10.0.0.0/8"}})
    assert [client.post(*call).status_code for _ in range(2)] == [200, 429]


@pytest.mark.parametrize(
    ("moment", "first", "seconds"),
    [
        (datetime(2026, 1, 1, tzinfo=UTC), date(2026, 1, 1), 31 * 86_400),
        (datetime(2026, 1, 31, 23, 59, 59, tzinfo=UTC), date(2026, 1, 1), 1),
        (datetime(2026, 12, 31, 23, 59, 59, tzinfo=UTC), date(2026, 12, 1), 1),
        (datetime(2028, 2, 1, tzinfo=UTC), date(2028, 2, 1), 29 * 86_400),
    ],
)
def test_the_remaining_seconds_of_a_month(moment: datetime, first: date, seconds: int) -> None:
    assert first_day(moment.date()) == first
    assert seconds <= seconds_left(moment) <= seconds + 1
    earlier = moment - timedelta(microseconds=1)
    assert seconds_left(earlier) == 1 if earlier.month != moment.month else seconds < seconds_left(earlier)


def test_server_errors_do_not_count_as_calls(database: str, start_server: StartServer, new_user: NewUser) -> None:
    """A missing table makes one operation fail, and no other."""
    server = start_server(database)
    user = new_user(server)
    server.tolerated = ["request.failed", "approvals", "Traceback"]
    server.stop()
    execute(server, "ALTER TABLE approvals RENAME TO hidden_approvals")
    server.start()
    client = user.client()
    for _ in range(3):
        failed = client.get("/approvals")
        refuse(failed, 500, failed.headers["X-Request-ID"])
    assert client.get("/agents/9999999").status_code == 404
    assert data(client.get("/usage"))["api_calls"]["used"] == 1
    server.stop()
    execute(server, "ALTER TABLE hidden_approvals RENAME TO approvals")
    server.start()
    assert user.client().get("/approvals").status_code == 200
    assert data(user.client().get("/usage"))["api_calls"]["used"] == 3
