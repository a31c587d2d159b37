"""The page of usage: charts, limits, tables, export."""

import csv
import io
from datetime import UTC, date, datetime

import pytest

from retinue.portal.templating import took
from retinue.portal.usage.report import Report, ReportFilter, next_period
from retinue.usage.schemas import HistoryView
from tests.conftest import User
from tests.portal.reader import Reader, reader_of
from tests.support.client import Client, data

pytestmark = pytest.mark.either_database


@pytest.fixture
def used(client: Client) -> str:
    """A day on which tools were used: two executions, one of them wrong."""
    tool = "/tools/network_calculate_subnet/execute"
    data(client.post(tool, {"args": {"cidr": "10.0.0.0/8"}}))
    client.post(tool, {"args": {"cidr": "10.0.0.1/8/9"}})
    return datetime.now(UTC).date().isoformat()


def test_an_empty_page_says_how_use_begins(reader: Reader) -> None:
    page = reader.get("/usage").text
    assert "Nothing was used in these days" in page
    assert 'href="/playground"' in page
    assert "Show 52 weeks" in page
    assert "Show 52 weeks" not in reader.get("/usage?days=364").text


def test_use_is_counted_by_day_and_resource(reader: Reader, used: str) -> None:
    page = reader.get("/usage").text
    assert f'<td class="day" title="{used}">' in page
    assert "<small>Tools</small>" in page
    assert "Tools 2" in page  # the tooltip of the bar
    assert 'aria-label="Operations a day by resource, 30 days"' in page
    assert 'aria-label="Operations a week by resource, 52 weeks"' in reader.get("/usage?days=364").text
    assert used not in reader.get("/usage?resource=chat").text
    assert used in reader.get("/usage?resource=tools&days=7").text


@pytest.mark.parametrize("query", ["days=x&resource=nothing", "days=-1", "days=9999999", "page=-3", "days=%00"])
def test_a_query_that_is_none_shows_the_usual_days(reader: Reader, used: str, query: str) -> None:
    answer = reader.get(f"/usage?{query}")
    assert answer.status_code == 200
    assert "Operations a day by resource, 30 days" in answer.text
    assert used in answer.text


def test_an_unknown_price_is_not_shown_as_zero(reader: Reader, client: Client, used: str) -> None:
    answer = data(client.post("/chat", {"message": "Hello", "tools": []}))
    assert answer["cost_usd"] is None
    page = reader.get("/usage").text
    assert used in page
    assert "$0.00" not in page
    assert '<td class="num">price unknown</td>' in page
    assert f"<b>price unknown</b><span>without {answer['tokens_used']} tokens of unknown price</span>" in page
    assert "price unknown" in reader.get(f"/runs/{answer['run_id']}").text


def test_operations_are_told_from_api_calls(reader: Reader, used: str) -> None:
    page = reader.get("/usage").text
    assert used in page
    assert "<h2>Operations</h2><p><b>2</b></p>" in page
    assert "API calls are the HTTP requests of your programs" in page
    assert "<h2>Requests</h2>" not in page + reader.get("/overview").text


def test_limits_of_the_plan_are_shown(reader: Reader, user: User, used: str) -> None:
    assert used
    user.server.ask("users.plan", email=user.email, plan="free")
    page = reader.get("/usage").text
    assert "of 1,000" in page
    assert '<progress max="1000" value="2" aria-label="Tools executed used">' in page


def test_the_days_are_exported(reader: Reader, client: Client, used: str) -> None:
    answer = reader.get("/usage/export?format=csv&days=7")
    assert answer.headers["Content-Disposition"] == 'attachment; filename="usage.csv"'
    assert answer.text == client.get("/usage/export", params={"format": "csv"}).text
    (row,) = csv.DictReader(io.StringIO(answer.text))
    assert (row["date"], row["resource_type"], row["count"]) == (used, "tools", "2")
    answer = reader.get("/usage/export?format=json&days=7")
    assert answer.headers["Content-Disposition"] == 'attachment; filename="usage.json"'
    assert answer.json()["data"] == data(client.get("/usage/export"))
    assert reader.get("/usage/export?format=json&resource=chat").json()["data"] == []


def test_the_use_of_others_is_not_there(user: User, used: str) -> None:
    other = reader_of(User(user.server, user.server.new_user()))
    assert used not in other.get("/usage").text
    assert other.get("/usage/export?format=json").json()["data"] == []
    other.close()


@pytest.mark.parametrize(("span", "bars"), [("7", 7), ("30", 30), ("90", 90), ("364", 52)])
def test_every_request_is_in_one_bar(span: str, bars: int) -> None:
    chosen = ReportFilter(span, "", date(2026, 3, 1))
    records = [
        HistoryView(
            date=day.isoformat(), resource_type="chat", count=3, errors=0, tokens=5, credits=0, seconds=0.5,
            usage=None, cost_usd=None, unpriced_tokens=5, key_id=None, agent_id=None, model=None, user=None,
        )
        for day in chosen.days
    ]  # fmt: skip
    report = Report(chosen, records)
    series = report.series("count")
    assert set(series) == {"Chat", "Agents", "Tools"}
    assert len(report.labels) == bars
    assert len(series["Chat"]) == bars
    assert sum(series["Chat"]) == report.total["count"] == 3 * int(span)
    assert report.by_kind[0]["tokens"] == 5 * int(span)


@pytest.mark.parametrize(
    ("today", "following"),
    [
        (date(2026, 1, 31), date(2026, 2, 1)),
        (date(2026, 12, 1), date(2027, 1, 1)),
        (date(2028, 2, 29), date(2028, 3, 1)),
    ],
)
def test_a_period_ends_with_its_month(today: date, following: date) -> None:
    assert next_period(today) == following


@pytest.mark.parametrize(
    ("milliseconds", "text"),
    [(3, "3 ms"), (1500, "1.5 s"), (119_700, "2 min 0 s"), (61_000, "1 min 1 s"), (3_599_900, "1 h 0 min")],
)
def test_durations_are_rounded_as_a_whole(milliseconds: float, text: str) -> None:
    assert took(milliseconds) == text
