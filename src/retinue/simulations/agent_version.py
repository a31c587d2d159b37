"""The fingerprint of an agent's settings, by which results of two versions of an agent can be told apart."""

import hashlib

import orjson

from retinue.agents.tables import AgentRecord

_SETTINGS = (
    "agent_name", "agent_role", "instructions", "task", "model", "fallback_models", "temperature", "max_output_tokens",
    "reasoning_effort", "output_schema", "agents", "knowledge", "agent_skills", "skills", "approval",
)  # fmt: skip
"""What determines the replies of an agent. Budgets do not, and memory has no part in simulations."""

_VOICE = ("voice_engine", "voice")
"""What also determines what is understood in a simulation with sound."""


def version_of(agent: AgentRecord, mode: str) -> str:
    """Return twelve hexadecimal digits that change with the settings that matter in this mode of a simulation."""
    names = (*_SETTINGS, *_VOICE) if mode == "sound" else _SETTINGS
    settings = orjson.dumps({name: getattr(agent, name) for name in names}, option=orjson.OPT_SORT_KEYS)
    return hashlib.sha256(settings).hexdigest()[:12]
