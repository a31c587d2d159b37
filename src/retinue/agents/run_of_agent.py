"""Turns an agent into the options of a run. Everything that runs an agent uses it."""

from collections.abc import Mapping
from typing import Any

from retinue.agents.tables import AgentRecord
from retinue.models.registry import DEFAULT
from retinue.runs.execution.create_run import NewRun
from retinue.runs.execution.memory import STORE
from retinue.runs.run_options import Budget, RunOptions, approval_options

_SETTINGS = (
    "instructions", "task", "temperature", "fallback_models", "max_output_tokens", "reasoning_effort", "output_schema",
)  # fmt: skip
"""Fields of an agent that are run options of the same name."""


def model_of(agent: AgentRecord | None, requested: str | None = None) -> str:
    """Return the name of the model for a run: the requested one, else the agent's, else the default."""
    return requested or (agent.model if agent else None) or DEFAULT


def run_of_agent(
    account_id: int,
    agent: AgentRecord,
    message: str,
    powers: Mapping[str, Any],
    *,
    model: str | None = None,
    conversation_id: int | None = None,
    **overrides: Any,
) -> NewRun:
    """Describe a run of an agent.

    `powers` are the permissions and the lineage of the caller. `overrides` are run options of the request: they
    replace the agent's, except that None leaves the agent's, and a budget replaces only the limits that it names. An
    empty list of tools also leaves out the agents that the agent may call.
    """
    values = {name: value for name, value in overrides.items() if value is not None}
    own = {name: value for name in _SETTINGS if (value := getattr(agent, name)) is not None}
    budget = Budget(**{**(agent.budget or {}), **values.pop("budget", {})})
    options = RunOptions(
        **{
            **own,
            "tools": _tools_of(agent),
            "knowledge": agent.knowledge,
            "agent_skills": agent.agent_skills,
            "memory": agent.memory,
            "agents": [] if values.get("tools") == [] else agent.agents,
            "agent_name": agent.agent_name,
            "role": agent.agent_role,
            **approval_options(agent, powers.get("untrusted")),
            **powers,
            **values,
            "budget": budget,
        }
    )
    return NewRun(account_id, message, model_of(agent, model), options, agent.id, conversation_id)


def _tools_of(agent: AgentRecord) -> list[str] | None:
    """Return the names of an agent's tools. One that remembers can always keep a fact on request."""
    if not agent.skills:
        return None
    return [*agent.skills, *([STORE] if agent.memory != "none" and STORE not in agent.skills else [])]
