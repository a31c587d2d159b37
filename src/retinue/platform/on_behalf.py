"""Builds the services for work without a request: schedules, phone calls, rooms and tools."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from retinue.agents.service import Agents
from retinue.agents.views import AgentViews
from retinue.agents.work import AgentWork
from retinue.auth.caller import Caller
from retinue.auth.owners import caller_for
from retinue.chat.service import Chats
from retinue.core.database.statements import Row
from retinue.core.errors import NotFound
from retinue.core.runtime.clock import now
from retinue.files.upload_commit import AccountStorage
from retinue.fleets.deployments import Deployments
from retinue.fleets.service import Fleets
from retinue.platform.platform_api import AccountPlatformApi
from retinue.runs.permissions import powers_of
from retinue.runs.views import RunViews
from retinue.schedules.starter import Starter
from retinue.usage.service import UsageReport
from retinue.voice.calls.replies import Replies
from retinue.voice.calls.service import Calls
from retinue.voice.rooms.replies import RoomReplies
from retinue.workspace.records import Records
from retinue.workspace.tool_context import Principal, RunAncestry, ToolContext
from retinue.workspace.tree import FileTree

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
        return self.starter_of(caller, RunAncestry(key_id=schedule.key_id))

    def starter_of(self, caller: Caller, ancestry: RunAncestry) -> Starter:
        """Return a starter of runs and deployments that descend from `ancestry`."""
        services = self.platform.services
        work = replace(services.of(AgentWork, caller), ancestry=ancestry)
        return Starter(work, Deployments(services.of(Fleets, caller), ancestry))

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
        platform, chats = self.platform, services.of(Chats, caller)
        return Replies(platform.database, chats, agent, call, platform.call_feed, platform.tool_sessions)

    async def calls_of_batch(self, batch: Row) -> Calls:
        """Return the calls of the credential that created a batch."""
        caller = await self.caller(batch.account_id, frozenset(batch.scopes))
        return self.platform.services.of(Calls, replace(caller, credential=batch.credential))

    async def analysis_options(self, call: Row) -> tuple[str | None, dict[str, object]]:
        """Return the model of a call's agent, and the options of a run that analyzes the call."""
        caller = await self.caller(call.account_id, frozenset(call.scopes))
        powers = powers_of(caller)
        if call.agent_id is None:
            return None, powers
        try:
            agent = await self.platform.services.of(Agents, caller).record(call.agent_id)
        except NotFound:
            return None, powers
        return agent.model, {**powers, "fallback_models": agent.fallback_models}

    async def room_replies(self, room: Row) -> RoomReplies | None:
        """Return the object that answers in a room, or None if the room has no agent."""
        if room.agent_id is None:
            return None
        services, caller = self.platform.services, await self.caller(room.account_id, frozenset(room.scopes))
        agent = await services.of(Agents, caller).record(room.agent_id)
        chats = services.of(Chats, caller)
        return RoomReplies(self.platform.database, self.platform.local_rooms.feed, chats, agent, room)

    async def context(self, principal: Principal) -> ToolContext:
        """Return the `ToolContext` for the tools of a run."""
        platform, caller = self.platform, await self.caller(principal.account_id, principal.scopes)
        records = Records(platform.database, self.storage_of(caller), principal.notes)
        tree = FileTree(records, platform.store, platform.max_file_bytes)
        platform_api = self._platform_api(caller, principal.ancestry)
        return ToolContext(principal, records, tree, platform.file_access, platform_api, platform.sandboxes, now)

    async def storage(self, account_id: int) -> AccountStorage:
        """Return the storage of an account."""
        return self.storage_of(await self.caller(account_id))

    async def tree(self, account_id: int) -> FileTree:
        """Return the files of an account's workspace."""
        records = Records(self.platform.database, await self.storage(account_id))
        return FileTree(records, self.platform.store, self.platform.max_file_bytes)

    def storage_of(self, caller: Caller) -> AccountStorage:
        """Return the storage of a caller's account."""
        return AccountStorage(caller.account_id, caller.plan_name, caller.plan, self.platform.meter.touched)

    def _platform_api(self, caller: Caller, ancestry: RunAncestry) -> AccountPlatformApi:
        services = self.platform.services
        work = replace(services.of(AgentWork, caller), ancestry=ancestry)
        fleets, runs, report = (
            services.of(Fleets, caller),
            services.of(RunViews, caller),
            services.of(UsageReport, caller),
        )
        directory, views = self.platform.directory, services.of(AgentViews, caller)
        return AccountPlatformApi(caller, ancestry, work, fleets, runs, directory, report, views)
