"""Creates, reads and updates the agents of one account."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol, TypeVar

from retinue.agents import statements as sql
from retinue.agents.events import AgentCreated
from retinue.agents.schemas import AgentCreate, AgentUpdate
from retinue.agents.tables import AgentOverview, AgentRecord, AgentRow, AgentSkills, CountedAgent
from retinue.auth.caller import Caller
from retinue.core.database import counters
from retinue.core.database.interface import Database, Tx
from retinue.core.database.portable_sql import like_pattern
from retinue.core.errors import NotFound, Problems, ValidationFailed
from retinue.core.http.envelope import Page, read_page
from retinue.core.idempotency.keys import note_effect
from retinue.core.runtime.clock import now
from retinue.core.work.events import emit
from retinue.knowledge import statements as knowledge_sql
from retinue.models.registry import Models
from retinue.runs.permissions import check_tools
from retinue.skills import statements as skills_sql
from retinue.skills.tools import RUN_TOOL
from retinue.tools.catalogue.trust import combines_reading_and_acting
from retinue.tools.imports.account_catalogue import AccountCatalogue, AnyCatalogue

R = TypeVar("R")

_DEFAULTS: Mapping[str, object] = {
    "fallback_models": [], "agents": [], "knowledge": [], "agent_skills": [], "memory": "none", "metadata": {},
    "budget": None, "voice": None,
}  # fmt: skip


class FleetSeats(Protocol):
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
    tools: AccountCatalogue
    touched: set[int]
    places: FleetSeats
    models: Models

    async def create(self, new: AgentCreate) -> AgentRow:
        """Create an agent. Raises `ValidationFailed` if the plan's quota is full."""
        known = await self.tools.naming(self.caller.account_id, new.skills or [])
        unknown_models = await self._check_models(new.model, new.fallback_models or [])

        async def insert(tx: Tx) -> AgentRow:
            agent = await self.add(tx, new, known, unknown_models)
            await note_effect(tx, self.caller.claim, {"agent": agent.id})
            return agent

        return await self.database.transact(insert)

    async def check_skills(self, skills: Sequence[str]) -> AnyCatalogue:
        """Check that every skill is a tool that the caller's plan includes. Returns a catalogue with all of them."""
        known = await self.tools.naming(self.caller.account_id, skills)
        check_tools(self.caller, "skills", known, skills)
        return known

    async def add(self, tx: Tx, new: AgentCreate, known: AnyCatalogue, earlier: Sequence[str] = ()) -> AgentRow:
        """Create an agent in the caller's transaction.

        `known` is a catalogue with its skills. `earlier` are problems to report with those that are found here.
        """
        moment, skills = now(), new.skills or []
        fields = _with_defaults(new.model_dump())
        problems = Problems(earlier)
        with problems:
            check_tools(self.caller, "skills", known, skills)
        runs_scripts = await self._check_links(tx, problems, fields)
        if new.fleet_id is not None:
            with problems:
                await self.places.take(tx, self.caller.account_id, new.fleet_id)
        problems.raise_all()
        fields["approval_derived"] = new.approval is None
        fields["approval"] = new.approval or default_approval(known, skills, runs_scripts=runs_scripts)
        (agent,) = await tx.all(
            sql.INSERT, **fields, account_id=self.caller.account_id, created_at=moment, updated_at=moment
        )
        count = await counters.bump(tx, self.caller.account_id, "agents", 1)
        self._check_quota(count)
        tx.after_commit(lambda: self.touched.add(self.caller.account_id))
        await emit(tx, self.caller.account_id, _created_event(agent))
        return agent

    async def page(self, page: Page) -> tuple[Sequence[AgentRow], int]:
        """Return one page, newest first, and the total count."""
        rows = await read_page(self.database, sql.LIST, page, account=self.caller.account_id)
        return rows, await counters.read(self.database, self.caller.account_id, "agents")

    async def overview(self, page: Page) -> tuple[Sequence[AgentOverview], int]:
        """Return one page, newest first, with the times of the last runs, and the total count."""
        rows = await read_page(self.database, sql.OVERVIEW, page, account=self.caller.account_id)
        return rows, await counters.read(self.database, self.caller.account_id, "agents")

    async def search(self, name: str, most: int) -> list[AgentOverview]:
        """Return the newest agents whose name contains a text, with the times of their last runs."""
        pattern = like_pattern(name)
        return await self.database.query(sql.SEARCH, account=self.caller.account_id, pattern=pattern, most=most)

    async def get(self, agent_id: int) -> AgentRow:
        """Return one agent. Raises `NotFound`."""
        return _require(await self.database.lookup(sql.GET, agent=agent_id, account=self.caller.account_id), agent_id)

    async def using_skill(self, skill_id: int) -> list[AgentSkills]:
        """Return the agents that have a skill."""
        rows = await self.database.query(sql.USING_SKILLS, account=self.caller.account_id)
        return [row for row in rows if skill_id in row.agent_skills]

    async def count_by_skill(self) -> Counter[int]:
        """Return the number of agents that have each skill, by its id."""
        rows = await self.database.query(sql.USING_SKILLS, account=self.caller.account_id)
        return Counter(skill for row in rows for skill in row.agent_skills)

    async def record(self, agent_id: int) -> CountedAgent:
        """Return one agent with its run count and without its status. Raises `NotFound`."""
        return _require(await self.database.lookup(sql.RECORD, **self._key(agent_id)), agent_id)

    async def update(self, agent_id: int, changes: AgentUpdate) -> AgentRow:
        """Change the fields that were sent. An update also clears the status `error`."""
        sent = _with_defaults(changes.sent_fields())
        unknown_models = await self._check_new_models(agent_id, sent)
        derives = "agent_skills" in sent or ("approval" in sent and sent["approval"] is None)
        skills = (await self.record(agent_id)).skills if derives and "skills" not in sent else sent.get("skills", [])
        known = await self.tools.naming(self.caller.account_id, skills)

        async def write(tx: Tx) -> AgentRow:
            agent, problems = await self.lock(tx, agent_id), Problems(unknown_models)
            fields = {name: value for name, value in sent.items() if value != getattr(agent, name)}
            is_whole_record = not changes.model_fields_set.isdisjoint(changes.read_only)
            with problems:
                added = [name for name in fields.get("skills", []) if name not in agent.skills]
                check_tools(self.caller, "skills", known, added)
            runs_scripts = await self._check_links(tx, problems, fields, agent)
            if "fleet_id" in fields:
                with problems:
                    await self._move(tx, agent.fleet_id, fields["fleet_id"])
            problems.raise_all()
            fields |= _approval_fields(agent, sent if not is_whole_record else fields, known, runs_scripts=runs_scripts)
            await tx.run(sql.UPDATE, **_merge(agent, fields), **self._key(agent_id), moment=now())
            return _require(await tx.one(sql.GET, **self._key(agent_id)), agent_id)

        return await self.database.transact(write)

    async def lock(self, tx: Tx, agent_id: int) -> AgentRow:
        """Return the agent, locked for an update. Raises `NotFound`."""
        return _require(await tx.one(sql.LOCK, **self._key(agent_id)), agent_id)

    async def count_run(self, tx: Tx, agent_id: int) -> None:
        """Increment the agent's run count, in the transaction that adds the run. Raises `NotFound`."""
        if not await tx.run(sql.COUNT_RUN, **self._key(agent_id)):
            raise _unknown(agent_id)

    async def _check_models(self, model: str | None, fallbacks: Sequence[str]) -> Sequence[str]:
        """Return the problems of the models that the account does not have."""
        problems = Problems()
        for name in [*([model] if model else []), *fallbacks]:
            with problems:
                await self.models.check(self.caller.account_id, name)
        return problems.messages

    async def _check_new_models(self, agent_id: int, sent: Mapping[str, Any]) -> Sequence[str]:
        """Check the models that an update adds. One that the agent has may have disappeared since."""
        if sent.keys().isdisjoint(("model", "fallback_models")):
            return ()
        agent = await self.record(agent_id)
        model = sent.get("model") if sent.get("model") != agent.model else None
        fallbacks = [name for name in sent.get("fallback_models", []) if name not in agent.fallback_models]
        return await self._check_models(model, fallbacks)

    async def _check_links(
        self, tx: Tx, problems: Problems, fields: Mapping[str, Any], agent: AgentRow | None = None
    ) -> bool:
        """Check the agents, collections and Agent Skills that fields name. `agent` is the agent before an update.

        Returns whether the agent may run scripts of its Agent Skills.
        """
        with problems:
            await self._check_agents(tx, agent.id if agent else None, fields.get("agents", []))
        with problems:
            current = agent.knowledge if agent else ()
            await self._check_knowledge(tx, [one for one in fields.get("knowledge", []) if one not in current])
        with problems:
            has = agent.agent_skills if agent else ()
            return await self._check_agent_skills(tx, fields.get("agent_skills", has), has)
        return False

    async def _check_agents(self, tx: Tx, agent_id: int | None, called: Sequence[int]) -> None:
        """Raise `ValidationFailed` unless the agents that an agent may call are others of this account."""
        if agent_id in called:
            raise ValidationFailed("agents: an agent cannot call itself. Leave out its own id.")
        if not called:
            return
        found = {row.id for row in await tx.all(sql.NAMED, these=called, account=self.caller.account_id)}
        if unknown := [str(one) for one in called if one not in found]:
            raise ValidationFailed(f"agents: you have no agent {', '.join(unknown)}. See GET /api/v1/agents.")

    async def _check_knowledge(self, tx: Tx, collections: Sequence[int]) -> None:
        """Raise `ValidationFailed` unless the collections are this account's."""
        if not collections:
            return
        rows = await tx.all(knowledge_sql.NAMED, these=list(collections), account=self.caller.account_id)
        found = {row.id for row in rows}
        if unknown := [str(one) for one in collections if one not in found]:
            raise ValidationFailed(
                f"knowledge: you have no collection {', '.join(unknown)}. See GET /api/v1/knowledge/collections."
            )

    async def _check_agent_skills(self, tx: Tx, chosen: Sequence[int], current: Sequence[int] = ()) -> bool:
        """Return whether any of the chosen skills has scripts.

        Raises `ValidationFailed` if a new one is not this account's.
        """
        if not chosen:
            return False
        rows = await tx.all(skills_sql.CHOSEN, these=list(chosen), account=self.caller.account_id)
        found = {row.id for row in rows}
        if unknown := [str(one) for one in chosen if one not in found and one not in current]:
            raise ValidationFailed(f"agent_skills: you have no skill {', '.join(unknown)}. See GET /api/v1/skills.")
        return any(row.has_scripts for row in rows)

    async def _move(self, tx: Tx, left: int | None, entered: int | None) -> None:
        if left is not None:
            await self.places.give_back(tx, self.caller.account_id, left)
        if entered is not None:
            await self.places.take(tx, self.caller.account_id, entered)

    def _key(self, agent_id: int) -> dict[str, int]:
        return {"agent": agent_id, "account": self.caller.account_id}

    def _check_quota(self, count: int) -> None:
        limit = self.caller.plan.quotas.get("agents_active")
        if limit is not None and count > limit:
            raise ValidationFailed(
                f"The quota agents_active of the plan {self.caller.plan_name} is full ({limit}). Delete an agent first."
            )


def _with_defaults(fields: dict[str, Any]) -> dict[str, Any]:
    """Return fields in the form in which they are stored: null stands for the default."""
    for name, default in _DEFAULTS.items():
        if name in fields:
            fields[name] = fields[name] or default
    for name in ("agents", "knowledge", "agent_skills"):
        if name in fields:
            fields[name] = list(dict.fromkeys(fields[name]))
    return fields


def default_approval(
    known: AnyCatalogue, skills: Sequence[str], *, runs_scripts: bool = False
) -> Literal["none", "tainted"]:
    """Return the `approval` of an agent whose owner chose none. Skills that no longer exist do not count.

    `runs_scripts` says that it may run scripts of Agent Skills.
    """
    tools = [*(known.get(name) for name in skills if name in known), *([RUN_TOOL] if runs_scripts else [])]
    return "tainted" if combines_reading_and_acting(tools) else "none"


def _approval_fields(
    agent: AgentRecord, fields: Mapping[str, Any], known: AnyCatalogue, *, runs_scripts: bool
) -> dict[str, Any]:
    """Return the changes to `approval` that follow from the fields of an update.

    A chosen value stays until null is sent. An unchanged value in a whole record, which clients read, edit and send
    back, chooses nothing and must not be among the fields.
    """
    if fields.get("approval"):
        return {"approval_derived": False}
    derived = agent.approval_derived or "approval" in fields
    if not derived or fields.keys().isdisjoint({"approval", "skills", "agent_skills"}):
        return {}
    approval = default_approval(known, fields.get("skills", agent.skills), runs_scripts=runs_scripts)
    return {"approval_derived": True, "approval": approval}


def _merge(agent: AgentRecord, fields: dict[str, object]) -> dict[str, Any]:
    return {name: fields.get(name, getattr(agent, name)) for name in sql.CHANGEABLE}


def _created_event(agent: AgentRecord) -> AgentCreated:
    return AgentCreated(
        agent_id=agent.id, agent_name=agent.agent_name, agent_role=agent.agent_role, fleet_id=agent.fleet_id
    )


def _require(agent: R | None, agent_id: int) -> R:
    if agent is None:
        raise _unknown(agent_id)
    return agent


def _unknown(agent_id: int) -> NotFound:
    return NotFound(f"There is no agent {agent_id} in your account.")
