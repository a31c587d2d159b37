"""Gives an account's tools access to the platform beyond its workspace."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeVar, get_args

from pydantic import BaseModel, ValidationError

from retinue.agents.schemas import ExecuteRequest
from retinue.agents.views import AgentViews
from retinue.agents.work import AgentWork
from retinue.auth.caller import Caller
from retinue.core.errors import ValidationFailed
from retinue.core.http.envelope import Page
from retinue.fleets.deployments import Deployments
from retinue.fleets.schemas import DeploymentView, FleetDeploy, FleetView, Strategy
from retinue.fleets.service import Fleets
from retinue.runs.views import RunViews
from retinue.tools.authoring.tool import Tool
from retinue.tools.imports.account_catalogue import AccountCatalogue
from retinue.usage.service import UsageReport
from retinue.workspace.tool_context import RunAncestry

_EXAMPLES = 2
_Model = TypeVar("_Model", bound=BaseModel)


@dataclass(frozen=True)
class AccountPlatformApi:
    """The platform as one account may use it. See `retinue.workspace.tool_context.PlatformApi`.

    `work` starts runs as descendants of the current run, and fleets deployed with `ancestry` do the same.
    """

    caller: Caller
    ancestry: RunAncestry
    work: AgentWork
    all_fleets: Fleets
    runs: RunViews
    directory: AccountCatalogue
    report: UsageReport
    agent_views: AgentViews

    async def agents(self, most: int, skipped: int) -> tuple[list[dict[str, Any]], int]:
        """See `PlatformApi`."""
        self.caller.require("agents:read")
        views, total = await self.agent_views.page(_page(most, skipped))
        return [view.model_dump(mode="json") for view in views], total

    async def begin_run(self, agent_id: int, message: str, tools: Sequence[str] | None) -> dict[str, Any]:
        """See `PlatformApi`."""
        self.caller.require("agents:write")
        fields = {"message": message, "tools": list(tools) if tools is not None else None}
        request = _validate(ExecuteRequest, fields)
        run = await self.work.execute_in_background(agent_id, request)
        return (await self.runs.one(run)).model_dump(mode="json")

    async def ask_agent(self, agent_id: int, message: str) -> dict[str, Any]:
        """See `PlatformApi`. The owner of the calling agent allowed it, so that no further scope is needed."""
        live = await self.work.ask(agent_id, message)
        if live.error:
            raise live.error
        run = live.journal.run
        return {
            "reply": live.journal.reply,
            "run_id": run.id,
            "status": str(live.outcome),
            "untrusted": run.untrusted,
        }

    async def run(self, run_id: int) -> dict[str, Any]:
        """See `PlatformApi`."""
        self.caller.require("agents:read")
        return (await self.runs.get(run_id)).model_dump(mode="json")

    async def fleets(self, most: int, skipped: int) -> tuple[list[dict[str, Any]], int]:
        """See `PlatformApi`."""
        self.caller.require("fleets:read")
        rows, total = await self.all_fleets.page(_page(most, skipped))
        return [_view_of(FleetView, row) for row in rows], total

    async def deploy(self, fleet_id: int, task: str, strategy: str) -> dict[str, Any]:
        """See `PlatformApi`."""
        self.caller.require("fleets:write")
        if strategy not in get_args(Strategy):
            raise ValidationFailed(f"strategy must be one of {', '.join(get_args(Strategy))}.")
        order = _validate(FleetDeploy, {"task": task, "strategy": strategy})
        begun = await Deployments(self.all_fleets, self.ancestry).deploy(fleet_id, order)
        return await self.deployment(fleet_id, begun.deployment_id)

    async def deployment(self, fleet_id: int, deployment_id: int) -> dict[str, Any]:
        """See `PlatformApi`."""
        self.caller.require("fleets:read")
        details = await Deployments(self.all_fleets).details(fleet_id, deployment_id)
        return _view_of(DeploymentView, details)

    async def find_tools(self, question: str, category: str | None, most: int) -> list[dict[str, object]]:
        """See `PlatformApi`."""
        self.caller.require("tools:read")
        known = await self.directory.of(self.caller.account_id)
        found = known.find(question, category, None, 0, most)[1]
        return [{"name": tool.name, "description": tool.description, "category": tool.category} for tool in found]

    async def tool(self, name: str) -> dict[str, Any]:
        """See `PlatformApi`."""
        self.caller.require("tools:read")
        return _describe_tool(await self.directory.tool(self.caller.account_id, name))

    async def usage(self) -> dict[str, Any]:
        """See `PlatformApi`."""
        self.caller.require("usage:read")
        return (await self.report.summary()).model_dump()


def _validate(model: type[_Model], values: dict[str, Any]) -> _Model:
    """Build a request from arguments of a tool. Raises `ValidationFailed`, as the same request to the API would."""
    try:
        return model.model_validate(values)
    except ValidationError as error:
        problems = (f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors(include_url=False))
        raise ValidationFailed("; ".join(problems)) from error


class _ListSlice(Page):
    """Part of a list with an arbitrary offset."""

    skipped: int
    per_page: int

    @property
    def offset(self) -> int:
        """The number of records before this part."""
        return self.skipped


def _page(most: int, skipped: int) -> Page:
    return _ListSlice(skipped=skipped, per_page=most)


def _view_of(view: type[BaseModel], record: Any) -> dict[str, Any]:
    fields: dict[str, Any] = view.model_validate(record).model_dump(mode="json")
    return fields


def _describe_tool(tool: Tool) -> dict[str, object]:
    fields = ("name", "description", "category", "tier", "credits", "read_only", "destructive", "input_schema")
    examples = [example["args"] for example in tool.examples if "result" in example]
    return {**{name: getattr(tool, name) for name in fields}, "examples": examples[:_EXAMPLES]}
