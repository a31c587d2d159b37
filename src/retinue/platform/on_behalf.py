"""Builds the services for work without a request: schedules, phone calls, rooms and tools."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from retinue.agents.service import Agents
from retinue.agents.work import AgentWork
from retinue.auth.caller import Caller
from retinue.auth.owners import caller_for
from retinue.chat.service import Chats
from retinue.core.database.statements import Row
from retinue.core.runtime.clock import now
from retinue.files.upload_commit import Shelf
from retinue.fleets.deployments import Deployments
from retinue.fleets.service import Fleets
from retinue.runs.service import Runs
from retinue.schedules.starting import Starter
from retinue.surroundings import Surroundings
from retinue.usage.service import UsageReport
from retinue.voice.calls.replies import Replies
from retinue.voice.rooms.replies import RoomReplies
from retinue.workspace.records import Records
from retinue.workspace.tool_context import Behalf, Desk, Lineage
from retinue.workspace.tree import Tree

if TYPE_CHECKING:
    from retinue.platform.platform import Platform


@dataclass(frozen=True)
class OnBehalf:
    """Acts for accounts, with the scopes of the credential that started the work."""

    platform: "Platform"

    async def caller(self, account_id: int, scopes: frozenset[str] = frozenset()) -> Caller:
        """Return the caller under which work for an account runs."""
        return await caller_for(self.platform.database, self.platform.plans, account_id, scopes)

    async def starter(self, schedule: Row) -> Starter:
        """Return the starter for the work of a schedule."""
        caller = await self.caller(schedule.account_id, frozenset(schedule.scopes))
        return self.starter_of(caller, Lineage(key_id=schedule.key_id))

    def starter_of(self, caller: Caller, lineage: Lineage) -> Starter:
        """Return a starter of runs and deployments that descend from `lineage`."""
        services = self.platform.services
        work = replace(services.of(AgentWork, caller), lineage=lineage)
        return Starter(work, Deployments(services.of(Fleets, caller), lineage))

    async def check_minutes(self, account_id: int) -> None:
        """Raise `QuotaExceeded` if the account's plan has no voice minutes left."""
        await self.platform.quotas.voice_seconds_left(await self.caller(account_id))

    async def check_tools(self, account_id: int, running: int = 0) -> None:
        """Raise `RateLimited` if the account's plan has no tool executions left. `running` are not counted yet."""
        await self.platform.quotas.check_tools(await self.caller(account_id), running)

    async def replies(self, call: Row) -> Replies:
        """Return the object that answers on a phone call."""
        services, caller = self.platform.services, await self.caller(call.account_id, frozenset(call.scopes))
        agent = await services.of(Agents, caller).record(call.agent_id) if call.agent_id else None
        return Replies(self.platform.database, services.of(Chats, caller), agent, call)

    async def room_replies(self, room: Row) -> RoomReplies | None:
        """Return the object that answers in a room, or None if the room has no agent."""
        if room.agent_id is None:
            return None
        services, caller = self.platform.services, await self.caller(room.account_id, frozenset(room.scopes))
        agent = await services.of(Agents, caller).record(room.agent_id)
        chats = services.of(Chats, caller)
        return RoomReplies(self.platform.database, self.platform.hall.feed, chats, agent, room)

    async def desk(self, behalf: Behalf) -> Desk:
        """Return the `Desk` for the tools of a run."""
        platform, caller = self.platform, await self.caller(behalf.account_id, behalf.scopes)
        records = Records(platform.database, self.shelf_of(caller), behalf.notes)
        tree = Tree(records, platform.store, platform.max_file_bytes)
        surroundings = self._surroundings(caller, behalf.lineage)
        return Desk(behalf, records, tree, platform.lender, surroundings, platform.bubbles, now)

    async def shelf(self, account_id: int) -> Shelf:
        """Return the storage of an account."""
        return self.shelf_of(await self.caller(account_id))

    def shelf_of(self, caller: Caller) -> Shelf:
        """Return the storage of a caller's account."""
        return Shelf(caller.account_id, caller.plan_name, caller.plan, self.platform.meter.touched)

    def _surroundings(self, caller: Caller, lineage: Lineage) -> Surroundings:
        services = self.platform.services
        work = replace(services.of(AgentWork, caller), lineage=lineage)
        fleets, runs, report = services.of(Fleets, caller), services.of(Runs, caller), services.of(UsageReport, caller)
        return Surroundings(caller, lineage, work, fleets, runs, self.platform.directory, report)
