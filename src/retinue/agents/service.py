"""Creates, reads and updates the agents of one account."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from retinue.agents import statements as sql
from retinue.agents.events import AgentCreated
from retinue.agents.schemas import AgentCreate, AgentUpdate
from retinue.auth.caller import Caller
from retinue.core.database import counters
from retinue.core.database.interface import Database, Tx
from retinue.core.database.statements import Row
from retinue.core.errors import NotFound, ValidationFailed
from retinue.core.http.envelope import Page, read_page
from retinue.core.idempotency.keys import note_effect
from retinue.core.runtime.clock import now
from retinue.core.work.events import emit
from retinue.runs.permissions import check_tools
from retinue.tools.account_catalogue import Directory


class Places(Protocol):
    """Reserves and releases fleet places, in the transaction that changes the agent."""

    async def take(self, tx: Tx, account_id: int, fleet_id: int) -> None:
        """Reserve a place. Raises `ValidationFailed` if the fleet does not exist or is full."""
        ...

    async def give_back(self, tx: Tx, account_id: int, fleet_id: int) -> None:
        """Release a place."""
        ...


@dataclass(frozen=True)
class Agents:
    """Creates, finds and updates agents. Every query is limited to the caller's account."""

    caller: Caller
    database: Database
    tools: Directory
    touched: set[int]
    places: Places

    async def create(self, new: AgentCreate) -> Row:
        """Create an agent. Raises `ValidationFailed` if the plan's quota is full."""
        await self.check_skills(new.skills or [])

        async def insert(tx: Tx) -> Row:
            agent = await self.add(tx, new)
            await note_effect(tx, self.caller.claim, {"agent": agent.id})
            return agent

        return await self.database.transact(insert)

    async def check_skills(self, skills: Sequence[str]) -> None:
        """Check that every skill is a tool that the caller's plan includes."""
        check_tools(self.caller, "skills", await self.tools.naming(self.caller.account_id, skills), skills)

    async def add(self, tx: Tx, new: AgentCreate) -> Row:
        """Create an agent in the caller's transaction. The caller must have checked its skills."""
        moment = now()
        if new.fleet_id is not None:
            await self.places.take(tx, self.caller.account_id, new.fleet_id)
        (agent,) = await tx.all(
            sql.INSERT, **new.model_dump(), account_id=self.caller.account_id, created_at=moment, updated_at=moment
        )
        held = await counters.bump(tx, self.caller.account_id, "agents", 1)
        self._check_quota(held)
        tx.after_commit(lambda: self.touched.add(self.caller.account_id))
        await emit(tx, self.caller.account_id, _created_event(agent))
        return agent

    async def page(self, page: Page) -> tuple[Sequence[Row], int]:
        """Return one page, newest first, and the total count."""
        rows = await read_page(self.database, sql.LIST, page, account=self.caller.account_id)
        return rows, await counters.read(self.database, self.caller.account_id, "agents")

    async def get(self, agent_id: int) -> Row:
        """Return one agent. Raises `NotFound`."""
        return _require(await self.database.lookup(sql.GET, agent=agent_id, account=self.caller.account_id), agent_id)

    async def record(self, agent_id: int) -> Row:
        """Return one agent with its run count and without its status. Raises `NotFound`."""
        return _require(await self.database.lookup(sql.RECORD, **self._key(agent_id)), agent_id)

    async def update(self, agent_id: int, changes: AgentUpdate) -> Row:
        """Change the fields that were sent. An update also clears the status `error`."""
        known = await self.tools.naming(self.caller.account_id, changes.sent_fields().get("skills", []))

        async def write(tx: Tx) -> Row:
            agent = await self.lock(tx, agent_id)
            fields = {name: value for name, value in changes.sent_fields().items() if value != getattr(agent, name)}
            added = [name for name in fields.get("skills", []) if name not in agent.skills]
            check_tools(self.caller, "skills", known, added)
            if "fleet_id" in fields:
                await self._move(tx, agent.fleet_id, fields["fleet_id"])
            await tx.run(sql.UPDATE, **_merge(agent, fields), **self._key(agent_id), moment=now())
            return await tx.one(sql.GET, **self._key(agent_id))

        return await self.database.transact(write)

    async def lock(self, tx: Tx, agent_id: int) -> Row:
        """Return the agent, locked for an update. Raises `NotFound`."""
        return _require(await tx.one(sql.LOCK, **self._key(agent_id)), agent_id)

    async def count_run(self, tx: Tx, agent_id: int) -> None:
        """Increment the agent's run count, in the transaction that adds the run. Raises `NotFound`."""
        if not await tx.run(sql.COUNT_RUN, **self._key(agent_id)):
            raise _unknown(agent_id)

    async def _move(self, tx: Tx, left: int | None, entered: int | None) -> None:
        if left is not None:
            await self.places.give_back(tx, self.caller.account_id, left)
        if entered is not None:
            await self.places.take(tx, self.caller.account_id, entered)

    def _key(self, agent_id: int) -> dict[str, int]:
        return {"agent": agent_id, "account": self.caller.account_id}

    def _check_quota(self, held: int) -> None:
        limit = self.caller.plan.quotas.get("agents_active")
        if limit is not None and held > limit:
            raise ValidationFailed(
                f"The quota agents_active of the plan {self.caller.plan_name} is full ({limit}). Delete an agent first."
            )


def _merge(agent: Row, fields: dict[str, Any]) -> dict[str, Any]:
    return {name: fields.get(name, getattr(agent, name)) for name in sql.CHANGEABLE}


def _created_event(agent: Row) -> AgentCreated:
    return AgentCreated(
        agent_id=agent.id, agent_name=agent.agent_name, agent_role=agent.agent_role, fleet_id=agent.fleet_id
    )


def _require(agent: Row | None, agent_id: int) -> Row:
    if agent is None:
        raise _unknown(agent_id)
    return agent


def _unknown(agent_id: int) -> NotFound:
    return NotFound(f"There is no agent {agent_id} in your account.")
