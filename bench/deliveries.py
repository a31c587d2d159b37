"""Measure webhook deliveries a second, from the events of a burst to the last endpoint's answer.

The whole platform works as in the server. The endpoints are addresses of one receiver that answers at once. Runs in
the server's own environment; `python -m bench.deliveries RECEIVER_URL [POSTGRES_URL]` prints JSON.
"""

import asyncio
import sys
import time

import orjson
import sqlalchemy as sa
import uvloop

from bench.inside import new_caller, platform_on
from retinue.agents.events import AgentCreated
from retinue.auth.caller import Caller
from retinue.core.database.interface import Tx
from retinue.core.database.statements import Statement
from retinue.core.runtime import log
from retinue.core.work.events import emit
from retinue.core.work.notifier import wait
from retinue.platform.platform import Platform
from retinue.webhooks.schemas import WebhookCreate
from retinue.webhooks.service import Webhooks
from retinue.webhooks.tables import deliveries

ENDPOINTS = 8
EVENTS = 250
_WARM_UP = 10
_IN_ONE_COMMIT = 10
_LOOK_S = 0.5
_PAUSE_S = 0.05
"""Pause between two polls, so that polling costs little."""

_DELIVERED = Statement(sa.select(sa.func.count().label("number")).where(deliveries.c.status == "delivered"))


async def measure(receiver: str, url: str) -> dict[str, float]:
    """Measure on PostgreSQL at `url`, or on SQLite if it is empty."""
    async with platform_on(url, allowed_networks="127.0.0.1/32") as platform:
        caller = await new_caller(platform)
        for number in range(ENDPOINTS):
            await platform.services.of(Webhooks, caller).create(WebhookCreate(url=f"{receiver}/{number}", events=None))
        await _deliver(platform, caller, _WARM_UP, 0)
        began, cpu = time.perf_counter(), time.process_time()
        await _deliver(platform, caller, EVENTS, _WARM_UP * ENDPOINTS)
        took, cpu = time.perf_counter() - began, time.process_time() - cpu
    number = EVENTS * ENDPOINTS
    return {"per_s": round(number / took, 1), "cpu_ms": round(cpu / number * 1000, 3)}


async def _deliver(platform: Platform, caller: Caller, events: int, before: int) -> None:
    """Emit `events` events and wait until all endpoints have received them. `before` deliveries already exist."""

    async def write(tx: Tx) -> None:
        for number in range(_IN_ONE_COMMIT):
            event = AgentCreated(agent_id=number, agent_name="bench", agent_role="leader", fleet_id=None)
            await emit(tx, caller.account_id, event)

    await asyncio.gather(*(platform.database.transact(write) for _ in range(events // _IN_ONE_COMMIT)))
    due = before + events * ENDPOINTS
    with platform.notifier.waiting("deliveries") as something:
        while (await platform.database.query(_DELIVERED))[0].number < due:
            await wait(something, _LOOK_S)
            await asyncio.sleep(_PAUSE_S)


if __name__ == "__main__":
    log.configure("warning")
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        figures = runner.run(measure(sys.argv[1], "".join(sys.argv[2:])))
    sys.stdout.write(orjson.dumps(figures).decode())
