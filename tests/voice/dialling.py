"""Calls without a media worker: a switchboard that dials nobody, for one account."""

from collections.abc import Callable
from typing import Any

import sqlalchemy as sa

from retinue.agents.tables import agents
from retinue.auth.caller import Caller
from retinue.auth.plans import Plan, RequestLimits
from retinue.auth.tables import accounts, users
from retinue.core.database import counters
from retinue.core.database.interface import Database, Tx
from retinue.core.database.statements import Statement
from retinue.core.runtime.clock import now
from retinue.voice.calls.outbound import DialTarget
from retinue.voice.calls.service import Calls
from retinue.voice.calls.switchboard import Switchboard
from retinue.voice.options import VoiceOptions

PLAN = Plan(tools="free", requests=RequestLimits(minute=1, hour=1, day=1), keys=1, quotas={})


class Outbound:
    """Admits every call."""

    def __init__(self, options: VoiceOptions) -> None:
        self.options = options

    async def admit(self, account_id: int, destination: object, engine: str, *, simulated: bool) -> DialTarget:
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


def calls_of(switchboard: Switchboard, database: Database, key: str = "key:1") -> Calls:
    """Return the calls of a credential."""
    caller = Caller(1, 1, False, key, "free", PLAN, frozenset({"*"}))
    quotas: Any = Quotas()
    unused: Any = None
    return Calls(caller, database, unused, quotas, switchboard, unused)
