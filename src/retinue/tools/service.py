"""Executing tools: for callers, and for the runs of agents."""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from retinue.auth.caller import Caller
from retinue.core.database import Database, Tx
from retinue.core.errors import InsufficientScope, RetinueError
from retinue.core.events import emit
from retinue.tools.base import Tool
from retinue.tools.catalogue import Catalogue
from retinue.tools.events import ToolExecuted, tool_use
from retinue.tools.pool import ToolPool
from retinue.usage.ledger import record
from retinue.usage.quotas import Quotas


def check_plan(caller: Caller, tool: Tool) -> None:
    """Refuse a tool that the caller's plan does not include."""
    if not caller.plan.includes(tool.tier):
        plan = "professional" if tool.tier == "pro" else tool.tier
        raise InsufficientScope(
            f"The tool {tool.name} needs the plan {plan} or a higher one; yours is {caller.plan_name}."
        )


@dataclass(frozen=True)
class Toolbox:
    """Checks arguments and runs tools in the pool."""

    catalogue: Catalogue
    pool: ToolPool

    async def execute(self, tool: Tool, args: Mapping[str, Any]) -> dict[str, Any]:
        """The tool's result."""
        return await self.pool.execute(tool, self.catalogue.check(tool, args))


@dataclass(frozen=True)
class Tools:
    """The tools as one caller may use them."""

    caller: Caller
    database: Database
    toolbox: Toolbox
    quotas: Quotas

    async def execute(self, name: str, args: Mapping[str, Any]) -> dict[str, Any]:
        """Run one tool; every execution leaves its event."""
        tool = self.toolbox.catalogue.get(name)
        checked = self.toolbox.catalogue.check(tool, args)
        await self.quotas.check_tools(self.caller)
        began = time.perf_counter()
        try:
            result = await self.toolbox.pool.execute(tool, checked)
        except RetinueError:
            await self._tell(tool, began, "error", 0)
            raise
        return {
            "tool": tool.name,
            "result": result,
            "execution_time_ms": await self._tell(tool, began, "success", tool.credits),
            "credits_used": tool.credits,
        }

    def admit(self, name: str) -> Tool:
        """The tool, if it exists and the plan includes it."""
        tool = self.toolbox.catalogue.get(name)
        check_plan(self.caller, tool)
        return tool

    async def _tell(self, tool: Tool, began: float, status: Any, credits_used: int) -> int:
        milliseconds = round((time.perf_counter() - began) * 1000)
        event = ToolExecuted(
            tool=tool.name,
            status=status,
            execution_time_ms=milliseconds,
            credits_used=credits_used,
            run_id=None,
            agent_id=None,
        )

        async def write(tx: Tx) -> None:
            await emit(tx, self.caller.account_id, event)
            if not self.caller.sandbox:
                await record(tx, self.caller.account_id, tool_use(event))
                tx.after_commit(lambda: self.quotas.touched.add(self.caller.account_id))

        await self.database.transact(write)
        return milliseconds
