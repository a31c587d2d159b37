"""Agents as the API shows them, with what they have used of their budgets."""

from collections.abc import Sequence
from dataclasses import dataclass

from retinue.agents.schemas import AgentView
from retinue.agents.service import Agents
from retinue.agents.tables import AgentRow
from retinue.core.http.envelope import Page
from retinue.usage.budget_uses import BudgetUses


@dataclass(frozen=True)
class AgentViews:
    """Shows the agents of one account."""

    agents: Agents
    uses: BudgetUses

    async def get(self, agent_id: int) -> AgentView:
        """Return one agent. Raises `NotFound`."""
        return await self.one(await self.agents.get(agent_id))

    async def page(self, page: Page) -> tuple[list[AgentView], int]:
        """Return one page, newest first, and the total count."""
        rows, total = await self.agents.page(page)
        return await self.each(rows), total

    async def one(self, row: AgentRow) -> AgentView:
        """Return the view of an agent."""
        (view,) = await self.each([row])
        return view

    async def each(self, rows: Sequence[AgentRow]) -> list[AgentView]:
        """Return the views of agents."""
        uses = await self.uses.of([self.agents.caller.account_id], [row.id for row in rows])
        return [AgentView.of_row(row, **uses[row.id]) for row in rows]
