"""The limits of calls at once, while many calls begin at the same moment."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import pytest
import sqlalchemy as sa

from retinue.agents.tables import agents
from retinue.auth.caller import Caller
from retinue.auth.plans import Plan, RequestLimits
from retinue.auth.tables import accounts, users
from retinue.core.database import counters
from retinue.core.database.interface import Database, Tx
from retinue.core.database.statements import Row, Statement
from retinue.core.errors import RateLimited
from retinue.core.runtime.clock import now
from retinue.core.work.notifier import Notifier
from retinue.voice.calls.inbound import Inbound
from retinue.voice.calls.outbound import DialTarget
from retinue.voice.calls.schemas import CallCreate
from retinue.voice.calls.service import Calls
from retinue.voice.calls.switchboard import Switchboard
from retinue.voice.calls.tables import calls
from retinue.voice.options import VoiceOptions
from retinue.voice.trunks import Trunks

BURST = 12
NUMBER = CallCreate(to="+441632960123")
CREDENTIALS = Statement(sa.select(calls.c.credential))
PLAN = Plan(tools="free", requests=RequestLimits(minute=1, hour=1, day=1), keys=1, quotas={})


class Outbound:
    """Admits every call."""

    def __init__(self, options: VoiceOptions) -> None:
        self.options = options

    async def admit(self, destination: object, engine: str) -> DialTarget:
        """Dial nobody."""
        return DialTarget("sip:nobody@127.0.0.1")


class Quotas:
    """Limits nothing."""

    async def voice_seconds_left(self, caller: object) -> None:
        """No limit."""


class Media:
    """Keeps the orders to the media worker."""

    def __init__(self) -> None:
        self.orders: list[dict[str, Any]] = []

    def send(self, order: dict[str, Any]) -> None:
        """Keep an order."""
        self.orders.append(order)


async def add_account(tx: Tx) -> None:
    """Add an account with the agent 3, which takes calls."""
    user = {"id": 1, "email": "a@example.com", "plan": "free", "created_at": now()}
    await tx.run(Statement(sa.insert(users).values(**user)))
    await tx.run(Statement(sa.insert(accounts).values(id=1, user_id=1, sandbox=False)))
    await counters.start(tx, 1, "calls")
    agent = {"account_id": 1, "agent_name": "Bell", "agent_role": "generalist", "skills": [], "voice_enabled": True}
    agent |= {"voice_engine": "hibari", "created_at": now(), "updated_at": now()}
    await tx.run(Statement(sa.insert(agents).values(id=3, **agent)))


NewSwitchboard = Callable[..., Switchboard]


@pytest.fixture
async def new_switchboard(database: Database) -> AsyncIterator[NewSwitchboard]:
    """Make a switchboard with these limits, whose calls do not end."""
    await database.transact(add_account)
    made: list[Switchboard] = []
    unused: Any = None

    async def replies_of(_: Row) -> Any:
        await asyncio.Event().wait()

    def make(**limits: Any) -> Switchboard:
        outbound: Any = Outbound(VoiceOptions(**limits))
        media: Any = Media()
        made.append(Switchboard(database, Notifier(), "node", media, outbound, unused, unused, replies_of))
        return made[-1]

    yield make
    for switchboard in made:
        for task in switchboard._tasks.values():
            task.cancel()
        await asyncio.gather(*switchboard._tasks.values(), return_exceptions=True)


def calls_of(switchboard: Switchboard, database: Database, key: str = "key:1") -> Calls:
    """Return the calls of a credential."""
    caller = Caller(1, 1, False, key, "free", PLAN, frozenset({"*"}))
    quotas: Any = Quotas()
    unused: Any = None
    return Calls(caller, database, unused, quotas, switchboard, unused)


async def outcomes(work: list[Awaitable[object]]) -> Counter[str]:
    """Do everything at the same time, and count the results by type."""
    return Counter(type(result).__name__ for result in await asyncio.gather(*work, return_exceptions=True))


async def test_a_credential_has_a_limit_of_calls_in_a_burst(
    database: Database, new_switchboard: NewSwitchboard
) -> None:
    service = calls_of(new_switchboard(calls_per_key=2), database)
    counted = await outcomes([service.start(NUMBER) for _ in range(BURST)])
    assert counted == {"dict": 2, "RateLimited": BURST - 2}


async def test_an_agent_has_a_limit_of_calls_in_a_burst(database: Database, new_switchboard: NewSwitchboard) -> None:
    switchboard = new_switchboard(calls_per_key=2)
    quotas: Any = Quotas()
    unused: Any = None

    async def caller_for(*_: object) -> Any:
        return None

    inbound = Inbound(database, Trunks({}), switchboard, quotas, caller_for, unused)
    message = {"to": "<sip:agent-3@127.0.0.1>", "from": "<sip:bob@127.0.0.1>"}
    await asyncio.gather(*(inbound._receive({**message, "line": f"in-{number}"}) for number in range(BURST)))
    assert [row.credential for row in await database.fetch(CREDENTIALS)] == ["agent:3"] * 2
    media: Any = switchboard._media
    assert [order["do"] for order in media.orders] == ["reject"] * (BURST - 2)


async def test_a_server_has_a_limit_of_calls_in_a_burst(database: Database, new_switchboard: NewSwitchboard) -> None:
    service = calls_of(new_switchboard(calls=3, calls_per_key=BURST), database)
    counted = await outcomes([service.start(NUMBER) for _ in range(BURST)])
    assert counted == {"dict": 3, "Unavailable": BURST - 3}


async def test_a_call_that_is_refused_takes_no_place(database: Database, new_switchboard: NewSwitchboard) -> None:
    switchboard = new_switchboard(calls=2, calls_per_key=1)
    service = calls_of(switchboard, database)
    await service.start(NUMBER)
    for _ in range(2):
        with pytest.raises(RateLimited):
            await service.start(NUMBER)
    assert (await calls_of(switchboard, database, "key:2").start(NUMBER))["status"] == "queued"
