"""The limits of calls at once, while many calls begin at the same moment."""

import asyncio
from collections import Counter
from collections.abc import Awaitable
from typing import Any

import pytest
import sqlalchemy as sa

from retinue.core.database.interface import Database
from retinue.core.database.statements import Statement
from retinue.core.errors import RateLimited
from retinue.voice.calls.inbound import Inbound
from retinue.voice.calls.schemas import CallCreate
from retinue.voice.calls.tables import calls
from retinue.voice.trunks import Trunks
from tests.voice.dialling import NewSwitchboard, Quotas, calls_of

BURST = 12
NUMBER = CallCreate(to="+441632960123")
CREDENTIALS = Statement(sa.select(calls.c.credential))


async def outcomes(work: list[Awaitable[object]]) -> Counter[str]:
    """Do everything at the same time, and count the results by type."""
    return Counter(type(result).__name__ for result in await asyncio.gather(*work, return_exceptions=True))


async def test_a_credential_has_a_limit_of_calls_in_a_burst(
    database: Database, new_switchboard: NewSwitchboard
) -> None:
    service = calls_of(new_switchboard(calls_per_key=2), database)
    counted = await outcomes([service.start(NUMBER) for _ in range(BURST)])
    assert counted == {"CallView": 2, "RateLimited": BURST - 2}


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
    assert counted == {"CallView": 3, "Unavailable": BURST - 3}


async def test_a_call_that_is_refused_takes_no_place(database: Database, new_switchboard: NewSwitchboard) -> None:
    switchboard = new_switchboard(calls=2, calls_per_key=1)
    service = calls_of(switchboard, database)
    await service.start(NUMBER)
    for _ in range(2):
        with pytest.raises(RateLimited):
            await service.start(NUMBER)
    assert (await calls_of(switchboard, database, "key:2").start(NUMBER)).status == "queued"
