"""Agents as tools of other agents: `agent_<id>` runs the agent with that id and returns its reply."""

from collections.abc import Sequence
from dataclasses import dataclass

from retinue.agents import statements as sql
from retinue.agents.tables import AgentBrief
from retinue.core.database.interface import Database
from retinue.tools.authoring.tool import Tool
from retinue.workspace.tool_context import ToolContext

_TIMEOUT_S = 3600.0
"""A safety net only: the budget of the called agent's run ends it earlier."""
_WAITS = "This agent waits until a person has approved one of its actions. Its reply will be in its run."
_INPUT = {
    "type": "object",
    "properties": {
        "message": {
            "type": "string",
            "minLength": 1,
            "maxLength": 10_000,
            "description": "Task for the agent, with all that it must know. It sees nothing else of the conversation.",
        }
    },
    "required": ["message"],
    "additionalProperties": False,
}
_RESULT = {
    "type": "object",
    "properties": {
        "reply": {"type": "string"},
        "run_id": {"type": "integer"},
        "status": {"enum": ["completed", "waiting"]},
    },
    "required": ["reply", "run_id", "status"],
}


@dataclass(frozen=True)
class AgentTools:
    """Finds the tools that stand for the agents of an account."""

    database: Database

    async def __call__(self, account_id: int, ids: Sequence[int]) -> list[Tool]:
        """Return the tools for the agents with these ids that exist."""
        return [_tool_of(row) for row in await self.database.fetch(sql.NAMED, these=list(ids), account=account_id)]


def _tool_of(agent: AgentBrief) -> Tool:
    about = (agent.task or agent.instructions or "")[:400]
    return Tool(
        name=f"agent_{agent.id}",
        description=f"Asks {agent.agent_name} ({agent.agent_role}) and returns the reply. {about}".strip(),
        category="workspace",
        tier="free",
        credits=1,
        input_schema=_INPUT,
        result_schema=_RESULT,
        tags=(),
        use_when=(),
        examples=(),
        module=__name__,
        read_only=False,
        destructive=False,
        idempotent=False,
        open_world=True,
        timeout_s=_TIMEOUT_S,
        memory_mb=0,
        inside=True,
        alias_of=call_agent.__name__,
        constants={"agent_id": agent.id},
    )


async def call_agent(context: ToolContext, agent_id: int, message: str) -> dict[str, object]:
    """Run an agent and return its reply. What its run read is untrusted for the calling run, too."""
    answer = await context.platform.ask_agent(agent_id, message)
    if untrusted := answer.pop("untrusted"):
        context.principal.notes.read = untrusted
    return {**answer, "reply": _WAITS} if answer["status"] == "waiting" else answer
