"""Executes, deploys, stops and deletes the agents of one account."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar

from retinue.agents import statements as sql
from retinue.agents.events import AgentDeployed
from retinue.agents.run_of_agent import run_of_agent
from retinue.agents.schemas import ExecuteRequest
from retinue.agents.service import Agents
from retinue.agents.tables import AgentRecord, AgentRow
from retinue.agents.uses import check_not_called
from retinue.auth.caller import Caller
from retinue.core.database import counters
from retinue.core.database.interface import Database, Tx
from retinue.core.errors import ValidationFailed
from retinue.core.http.envelope import read_page
from retinue.core.idempotency.keys import note_effect
from retinue.core.runtime.clock import now
from retinue.core.work.events import emit
from retinue.core.work.fair_leases import Priority
from retinue.core.work.notifier import Notifier
from retinue.files.file_access import FileAccess
from retinue.memory import statements as memory_sql
from retinue.runs import statements as runs_sql
from retinue.runs.cancel_accounting import record_cancelled
from retinue.runs.execution.broadcast import RunStream
from retinue.runs.execution.create_run import NewRun, RunCreator
from retinue.runs.listing import find_runs
from retinue.runs.permissions import checked_tools, powers_of
from retinue.runs.schemas import RunFilter
from retinue.runs.tables import RunRow
from retinue.usage.budgets import Budgets
from retinue.usage.ledger import BudgetOwners
from retinue.workspace.tool_context import RunAncestry

_T = TypeVar("_T")
Create = Callable[[Tx, NewRun], Awaitable[RunRow]]
"""Creates a run in a transaction: `RunCreator.add_attached` or `RunCreator.background`."""


@dataclass(frozen=True)
class AgentWork:
    """Executes, deploys, stops and deletes agents. `ancestry` is the lineage of the runs it starts."""

    caller: Caller
    database: Database
    agents: Agents
    dispatch: RunCreator
    notifier: Notifier
    file_access: FileAccess
    budgets: Budgets
    ancestry: RunAncestry = field(default_factory=RunAncestry)

    async def execute(self, agent_id: int, request: ExecuteRequest) -> RunStream:
        """Start a run that the caller waits for."""
        return self.dispatch.begin(await self._new_run(agent_id, request, self.dispatch.add_attached))

    async def execute_in_background(self, agent_id: int, request: ExecuteRequest) -> RunRow:
        """Create a run that outlives this request and this process."""
        return await self._new_run(agent_id, request, self.dispatch.background)

    async def _new_run(self, agent_id: int, request: ExecuteRequest, create: Create) -> RunRow:
        overrides = {
            "tools": await checked_tools(self.caller, self.agents.tools, request.tools),
            "attachments": await self.file_access.attachments(self.caller, request.attachments),
            "context": request.context,
            "priority": request.priority or "normal",
            "model": request.model,
            "temperature": request.temperature,
            "max_output_tokens": request.max_output_tokens,
            "output_schema": request.output_schema,
            "user": request.user,
            "budget": request.budget and request.budget.model_dump(exclude_none=True),
        }
        if request.model:
            await self.agents.models.check(self.caller.account_id, request.model)
        return await self.create_run(agent_id, request.message, create, **overrides)

    async def create_run(self, agent_id: int, message: str, create: Create, **overrides: Any) -> RunRow:
        """Create a run of an agent with `create`. `overrides` are options of the run, as for `run_of_agent`."""
        agent = await self.agents.record(agent_id)
        self._check_names(agent, overrides.get("tools"))
        await self.check_budgets(agent_id)

        async def write(tx: Tx) -> RunRow:
            run = await create(tx, self._run_of(agent, message, **overrides))
            await note_effect(tx, self.caller.claim, {"run": run.id})
            # Last, because this locks the agent's row until the commit, and other requests for the agent wait for it.
            await self.agents.count_run(tx, agent_id)
            return run

        return await self.database.transact(write)

    async def begin(self, tx: Tx, agent_id: int, message: str, priority: Priority = "normal") -> RunRow:
        """Start a background run in the caller's transaction. Raises `NotFound` before any write."""
        agent = await self.agents.lock(tx, agent_id)
        await self.agents.count_run(tx, agent_id)
        return await self.dispatch.background(tx, self._run_of(agent, message, priority=priority))

    async def converse(
        self,
        tx: Tx,
        agent: AgentRecord,
        message: str,
        conversation_id: int,
        *,
        create: Create | None = None,
        **overrides: object,
    ) -> RunRow:
        """Start a run of the agent that answers in a conversation. The caller must have locked the conversation.

        `overrides` are options of the run, as for `run_of_agent`. Without `create`, this process executes the run. A
        background run needs a conversation without open runs, because it does not wait for them.
        """
        new = self._run_of(agent, message, conversation_id=conversation_id, **overrides)
        run = await (create or self.dispatch.add_attached)(tx, new)
        await self.agents.count_run(tx, agent.id)
        return run

    async def ask(self, agent_id: int, message: str) -> RunStream:
        """Run the agent for another run that waits for the reply. If the waiting task is cancelled, so is the run."""
        agent = await self.agents.record(agent_id)
        await self.check_budgets(agent_id)

        async def write(tx: Tx) -> RunRow:
            run = await self.dispatch.add_attached(tx, self._run_of(agent, message))
            await self.agents.count_run(tx, agent_id)
            return run

        live = self.dispatch.begin(await self.database.transact(write))
        try:
            await live.wait_until_ended()
        except asyncio.CancelledError:
            await self.dispatch.runner.cancel(live.run.id)
            raise
        return live

    async def check_budgets(self, agent_id: int | None) -> None:
        """Raise `RateLimited` if a monthly budget of the agent or of the API key is spent."""
        await self.budgets.check(BudgetOwners(agent_id, self.caller.key_id or self.ancestry.key_id))

    async def deploy(self, agent_id: int, priority: Priority | None = None) -> AgentRow:
        """Start the agent on its task, or mark it as deployed if it has none. Returns the agent, working."""
        await self.agents.record(agent_id)
        await self.check_budgets(agent_id)

        async def write(tx: Tx) -> AgentRow:
            agent = await self.agents.lock(tx, agent_id)
            if agent.task:
                await self.begin(tx, agent_id, agent.task, priority or "normal")
            else:
                await tx.run(sql.STAND, **self._key(agent_id), moment=now())
            deployed = AgentDeployed(agent_id=agent.id, agent_name=agent.agent_name, fleet_id=agent.fleet_id)
            await emit(tx, self.caller.account_id, deployed)
            await note_effect(tx, self.caller.claim, {"agent": agent.id})
            return (await self.agents.lock(tx, agent_id))._replace(status="working")

        return await self.database.transact(write)

    async def stop(self, agent_id: int) -> AgentRow:
        """Cancel the agent's runs and end its deployment. Returns the agent, idle."""
        await self.agents.get(agent_id)

        async def write(tx: Tx) -> AgentRow:
            await self.agents.lock(tx, agent_id)
            await self._cancel_runs(tx, agent_id)
            await tx.run(sql.STOP, **self._key(agent_id), moment=now())
            return await self.agents.lock(tx, agent_id)

        return await self._end_runs(agent_id, write)

    async def delete(self, agent_id: int) -> None:
        """Cancel the agent's runs, then delete it. Raises `InUse`, before any write, if other agents may call it."""
        account = self.caller.account_id
        agent = await self.agents.get(agent_id)
        await self.database.transact(lambda tx: check_not_called(tx, account, agent_id, agent.agent_name))

        async def write(tx: Tx) -> None:
            agent = await self.agents.lock(tx, agent_id)
            await check_not_called(tx, account, agent_id, agent.agent_name)
            await self._cancel_runs(tx, agent_id)
            if agent.fleet_id is not None:
                await self.agents.places.give_back(tx, account, agent.fleet_id)
            await tx.run(sql.DELETE, **self._key(agent_id))
            await tx.run(sql.DROP_MEMORY_JOBS, **self._key(agent_id))
            await tx.run(memory_sql.DELETE_OF_AGENT, **self._key(agent_id))
            await counters.bump(tx, account, "agents", -1)

        await self._end_runs(agent_id, write)

    async def runs(self, agent_id: int, wanted: RunFilter) -> tuple[Sequence[RunRow], int]:
        """Return one page of the agent's runs, newest first, and the total count."""
        agent = await self.agents.record(agent_id)
        if wanted.is_filtered:
            return await find_runs(self.database, wanted, self.caller.account_id, agent_id)
        rows = await read_page(self.database, runs_sql.OF_AGENT, wanted, **self._key(agent_id))
        return rows, agent.runs_count

    def _run_of(self, agent: AgentRecord, message: str, **overrides: Any) -> NewRun:
        powers = powers_of(self.caller, self.ancestry)
        return run_of_agent(self.caller.account_id, agent, message, powers, **overrides)

    def _check_names(self, agent: AgentRecord, tools: Sequence[str] | None) -> None:
        """Raise `ValidationFailed` if a run that read untrusted content names other tools than the agent's skills."""
        if self.ancestry.untrusted and (others := sorted(set(tools or ()) - set(agent.skills))):
            raise ValidationFailed(
                f"tools: the run has read untrusted content ({self.ancestry.untrusted}), so it may only name skills of "
                f"the agent. Leave out {', '.join(others)}."
            )

    async def _end_runs(self, agent_id: int, write: Callable[[Tx], Awaitable[_T]]) -> _T:
        """Cancel this process's runs first, so that their replies so far are saved, and then all others by `write`.

        Runs that this process starts in between have lost their claims, so the second call only stops their tasks.
        """
        cancel = partial(self.dispatch.runner.cancel_all, lambda run: run.agent_id == agent_id)
        await cancel()
        result = await self.database.transact(write)
        await cancel()
        return result

    async def _cancel_runs(self, tx: Tx, agent_id: int) -> None:
        cancelled = await tx.all(
            runs_sql.CANCEL_OF_AGENT, **self._key(agent_id), reason="Stopped on request.", moment=now()
        )
        await record_cancelled(tx, cancelled)
        for run in cancelled:
            tx.after_commit(partial(self.notifier.wake, f"run:{run.id}"))
        if cancelled:
            tx.after_commit(partial(self.notifier.wake, "runs.stopped"))

    def _key(self, agent_id: int) -> dict[str, int]:
        return {"agent": agent_id, "account": self.caller.account_id}


def require_one_way(request: ExecuteRequest) -> None:
    """Raise `ValidationFailed` if a request asks for both streaming and background execution."""
    if request.stream and request.background:
        raise ValidationFailed("stream and background are mutually exclusive. Send only one of them.")
