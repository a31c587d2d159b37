"""Creates, reads, cancels and deletes the simulations of one caller."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TypedDict, cast

from retinue.agents.service import Agents
from retinue.auth.caller import Caller
from retinue.chat.service import Chats
from retinue.core.database import counters
from retinue.core.database.interface import Database, Tx
from retinue.core.errors import NotFound, ValidationFailed
from retinue.core.http.envelope import read_page
from retinue.core.idempotency.keys import note_effect
from retinue.core.runtime.clock import now
from retinue.models.registry import DEFAULT
from retinue.runs.permissions import powers_of
from retinue.simulations import statements as sql
from retinue.simulations.agent_version import version_of
from retinue.simulations.schemas import ConversationFilter, SimulationCreate, SimulationFilter
from retinue.simulations.simulator import TOPIC, Simulator
from retinue.simulations.summary import summarize
from retinue.simulations.tables import Line, Scenario, SimulationRow, Verdict

MOST_SIMULATIONS, MOST_OPEN = 1000, 20
"""Maximum number of simulations of an account, and of those in progress."""

_STATUSES = ("running", "completed", "needs_approval", "failed", "cancelled")


class SimulationRecord(TypedDict):
    """A simulation as the API lists it."""

    id: int
    name: str
    status: str
    agent_id: int
    agent_name: str
    agent_version: str
    scenarios: Sequence[Scenario]
    model: str
    mode: str
    tools: str
    max_turns: int
    repeat: int
    counts: Mapping[str, int]
    goal_reached: float | None
    created_at: datetime
    ended_at: datetime | None


class SimulationWithResults(SimulationRecord):
    """A simulation as the API shows it."""

    summary: Mapping[str, object]


class ConversationRecord(TypedDict):
    """A conversation as the API shows it."""

    number: int
    scenario: int
    scenario_name: str
    status: str
    ending: str | None
    turns: int
    goal_reached: bool | None
    reason: str | None
    verdicts: Sequence[Verdict] | None
    error: str | None
    transcript: Sequence[Line]
    conversation_id: str | None
    tokens_used: int
    cost_usd: str | None
    created_at: datetime
    ended_at: datetime | None


@dataclass(frozen=True)
class Simulations:
    """The simulations of one caller. Every query is limited to the caller's account."""

    caller: Caller
    database: Database
    agents: Agents
    chats: Chats
    simulator: Simulator

    async def create(self, order: SimulationCreate) -> SimulationWithResults:
        """Create a simulation, which starts at once.

        Raises `ValidationFailed` for an unknown agent or model, or if the account has too many simulations, and
        `RateLimited` if a monthly budget of the agent or of the API key is spent. Raises `Unavailable` if there is to
        be sound, and this server has no speech or not the agent's engine.
        """
        try:
            agent = await self.agents.record(order.agent_id)
        except NotFound as error:
            raise ValidationFailed(f"agent_id: {error.message}") from error
        model = order.model or DEFAULT
        await self.chats.models.check(self.caller.account_id, model)
        if order.mode == "sound":
            self.simulator.stage.check_ready(agent.voice_engine)
        if order.tools == "execute":
            self.caller.require("tools:execute")
        await self.chats.work.check_budgets(agent.id)
        fields = {
            **order.model_dump(include={"agent_id", "scenarios", "mode", "tools", "max_turns", "repeat"}),
            "account_id": self.caller.account_id,
            "name": order.name or agent.agent_name,
            "agent_name": agent.agent_name,
            "agent_version": version_of(agent, order.mode or "text"),
            "model": model,
            # The account's other work goes first.
            "powers": {**powers_of(self.caller), "priority": "low"},
            "status": "running",
            "total": len(order.scenarios) * (order.repeat or 1),
            "created_at": now(),
        }

        async def insert(tx: Tx) -> SimulationRow:
            await self._check_room(tx)
            (row,) = await tx.all(sql.INSERT, **fields)
            await note_effect(tx, self.caller.claim, {"simulation": row.id})
            tx.after_commit(lambda: self.simulator.notifier.wake(TOPIC))
            return row

        return await self._details(await self.database.transact(insert))

    async def page(self, wanted: SimulationFilter) -> tuple[Sequence[SimulationRecord], int]:
        """Return one page of simulations, newest first, and the total count."""
        key = {"account": self.caller.account_id, "agent": wanted.agent_id}
        (counted,) = await self.database.query(sql.COUNT, **key)
        rows = await read_page(self.database, sql.LIST, wanted, **key)
        return await self._views(rows), counted.listed

    async def get(self, simulation_id: int) -> SimulationWithResults:
        """Return one simulation with its results. Raises `NotFound`."""
        return await self._details(await self._row(simulation_id))

    async def conversations(
        self, simulation_id: int, wanted: ConversationFilter
    ) -> tuple[Sequence[ConversationRecord], int]:
        """Return one page of a simulation's conversations, in order, and the total count. Raises `NotFound`."""
        row = await self._row(simulation_id)
        found = await read_page(self.database, sql.CONVERSATIONS, wanted, simulation=row.id, state=wanted.status)
        (view,) = await self._views([row])
        counts = view["counts"]
        total = counts[wanted.status] if wanted.status else sum(counts[status] for status in _STATUSES)
        names = [scenario["name"] for scenario in row.scenarios]
        conversations = [
            {
                **one._asdict(),
                "scenario_name": names[one.scenario - 1],
                "transcript": [{"heard": None, **line} for line in one.transcript],
            }
            for one in found
        ]
        return cast("list[ConversationRecord]", conversations), total

    async def cancel(self, simulation_id: int) -> SimulationWithResults:
        """Cancel a simulation with its open conversations. One that has ended is not changed. Raises `NotFound`."""
        await self._row(simulation_id)
        await self.database.transact(lambda tx: self.simulator.cancel(tx, simulation_id))
        return await self.get(simulation_id)

    async def delete(self, simulation_id: int) -> None:
        """Cancel a simulation, and delete it with its chats. Raises `NotFound`."""
        await self.cancel(simulation_id)
        for row in await self.database.query(sql.CHATS, simulation=simulation_id):
            # There may be a thousand, so each is deleted in a transaction of its own.
            try:
                await self.chats.delete(row.conversation_id)
            except NotFound:
                continue
        await self.database.transact(lambda tx: tx.run(sql.DELETE, **self._key(simulation_id)))

    async def _check_room(self, tx: Tx) -> None:
        await counters.bump(tx, self.caller.account_id, "conversations", 0)  # Locks the account's simulations.
        (counted,) = await tx.all(sql.COUNT, account=self.caller.account_id, agent=None)
        if counted.open >= MOST_OPEN:
            raise ValidationFailed(f"You have {MOST_OPEN} simulations in progress. Wait for one, or cancel one.")
        if counted.held >= MOST_SIMULATIONS:
            raise ValidationFailed(f"You have {MOST_SIMULATIONS:,} simulations. Delete old ones first.")

    async def _details(self, row: SimulationRow) -> SimulationWithResults:
        results = await self.database.query(sql.RESULTS, simulation=row.id)
        (view,) = await self._views([row])
        return {**view, "summary": summarize(row.scenarios, results)}

    async def _views(self, rows: Sequence[SimulationRow]) -> list[SimulationRecord]:
        ids = [row.id for row in rows]
        held = {row.id: dict.fromkeys(_STATUSES, 0) for row in rows}
        reached = dict.fromkeys(ids, 0)
        for row in await self.database.query(sql.COUNTS, ids=ids) if ids else ():
            held[row.simulation_id][row.status] = row.held
            reached[row.simulation_id] += row.reached
        return [_view(row, held[row.id], reached[row.id]) for row in rows]

    async def _row(self, simulation_id: int) -> SimulationRow:
        row = await self.database.lookup(sql.GET, **self._key(simulation_id))
        if row is None:
            raise NotFound(f"There is no simulation {simulation_id} in your account.")
        return row

    def _key(self, simulation_id: int) -> dict[str, int]:
        return {"simulation": simulation_id, "account": self.caller.account_id}


def _view(row: SimulationRow, held: Mapping[str, int], reached: int) -> SimulationRecord:
    waiting = 0 if row.ended_at else row.total - sum(held.values())
    rated = held["completed"]
    counts = {"total": row.total, "waiting": waiting, **held}
    shares = {"goal_reached": reached / rated if rated else None}
    return cast("SimulationRecord", {**row._asdict(), "counts": counts, **shares})
