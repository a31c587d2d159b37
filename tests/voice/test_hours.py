"""Incoming calls within and outside an agent's hours, with no sound and a clock that the test sets."""

from collections.abc import AsyncIterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from retinue.voice.calls.destinations import Destination
from retinue.voice.calls.outbound import DialTarget, Outbound
from tests.conftest import NewDatabase
from tests.support.model_server import ModelServer
from tests.support.waiting import until
from tests.voice.calling import Exchange, running_exchange

pytestmark = pytest.mark.asyncio(loop_scope="module")

CLOSED = "We are closed."
HOURS: dict[str, Any] = {
    "timezone": "Europe/London",
    "windows": [
        {"days": ["mon", "tue", "wed", "thu", "fri"], "start": "09:00", "end": "17:00"},
        {"days": ["sat"], "start": "10:00", "end": "12:30"},
    ],
    "say": CLOSED,
}
DESK = {"name": "desk", "to": "+441632960123"}
FORWARDED = {"transfers": [DESK], "hours": {**HOURS, "transfer": "desk"}}
SUNDAY = "2027-01-10T12:00+00:00"


@pytest_asyncio.fixture(scope="module", loop_scope="module", params=["sqlite", "postgresql"])
async def exchange(
    request: pytest.FixtureRequest,
    tmp_path_factory: pytest.TempPathFactory,
    own_model: ModelServer,
    new_database: NewDatabase,
) -> AsyncIterator[Exchange]:
    folder: Path = tmp_path_factory.mktemp("exchange")
    url = new_database(request.param, folder / "home") if request.param == "postgresql" else None
    async with running_exchange(folder / "home", own_model.url, url) as made:
        yield made


def set_clock(monkeypatch: pytest.MonkeyPatch, moment: str) -> None:
    """Have calls arrive at a moment."""
    monkeypatch.setattr("retinue.voice.calls.driver.now", lambda: datetime.fromisoformat(moment))


@pytest.fixture
def destinations(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The destinations that were looked up; the operator allows all."""
    found: list[str] = []

    async def find(_: Outbound, destination: Destination, engine: str) -> DialTarget:
        found.append(destination.plain)
        return DialTarget(f"sip:{destination.plain}@trunk")

    monkeypatch.setattr(Outbound, "_find_target", find)
    return found


@pytest.mark.parametrize(
    ("moment", "is_open"),
    [
        ("2027-01-04T08:59:59+00:00", False),
        ("2027-01-04T09:00:00+00:00", True),
        ("2027-01-04T17:00:00+00:00", False),
        ("2027-01-09T12:29:59+00:00", True),
        ("2027-01-09T12:30:00+00:00", False),
        (SUNDAY, False),
        ("2027-07-05T08:00:00+00:00", True),  # Nine o'clock in summer time.
        ("2027-07-05T16:30:00+00:00", False),
    ],
)
async def test_an_agent_answers_within_its_hours_only(
    exchange: Exchange, model: ModelServer, monkeypatch: pytest.MonkeyPatch, moment: str, is_open: bool
) -> None:
    set_clock(monkeypatch, moment)
    line = await exchange.ring(greeting="Good day.", voice={"hours": HOURS})
    line.end()
    call = await exchange.finish(line)
    said, reason = ("Good day.", "other_side_hung_up") if is_open else (CLOSED, "outside_hours")
    assert (call.transcript, call.status, call.ended_reason) == (f"agent: {said}", "completed", reason)
    assert ("hangup_after" in [order["do"] for order in line.orders]) is not is_open


async def test_a_call_outside_the_hours_is_transferred_without_a_model(
    exchange: Exchange, model: ModelServer, destinations: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    set_clock(monkeypatch, SUNDAY)
    line = await exchange.ring(voice=FORWARDED)
    await until(lambda: any(order["do"] == "transfer" for order in line.orders))
    line.say("Hello?")
    line.press("5#")
    await until(lambda: exchange.has_said(line, "[pressed 5 #]"))
    line.tell("silent")
    line.end()
    call = await exchange.finish(line)
    assert call.transcript.split("\n") == [f"agent: {CLOSED}", "caller: Hello?", "caller: [pressed 5 #]"]
    assert (call.status, call.ended_reason, destinations) == ("completed", "transferred", [DESK["to"]])
    assert [event["type"] for event in await exchange.events(line)].count("transferred") == 1
    assert model.requests == []


async def test_a_caller_who_cannot_be_transferred_hears_an_apology(
    exchange: Exchange, model: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_clock(monkeypatch, SUNDAY)
    call = await exchange.finish(await exchange.ring(voice=FORWARDED))
    assert call.transcript.split("\n") == [
        f"agent: {CLOSED}", "agent: I am sorry, I cannot answer that right now.",
    ]  # fmt: skip
    assert (call.status, call.ended_reason) == ("completed", "outside_hours")


async def test_an_agent_calls_others_at_any_time(
    exchange: Exchange, model: ModelServer, destinations: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    set_clock(monkeypatch, SUNDAY)
    line = await exchange.call("+441632960123", {"hours": HOURS}, greeting="Good day.")
    await until(lambda: exchange.has_said(line, "agent: Good day."))
    line.end()
    assert (await exchange.finish(line)).ended_reason == "other_side_hung_up"
