"""Builds the system prompt of a run."""

from collections.abc import Sequence

import orjson

from retinue.core.database.statements import Row
from retinue.runs.run_options import RunOptions
from retinue.skills.tools import describe_skills

ASSISTANT = "You are a helpful, concise assistant."
NAME = "Alfred"
"""The name used if there is no agent. Without one, small models give the name of their vendor or of another model."""

_ROLES = {
    "leader": (
        "You lead. Break the request into parts, decide who or which tool does each, and bring the results together "
        "into one answer that stands on its own."
    ),
    "specialist": "You are a specialist. Work on your part in depth, with your tools, and report results with figures.",
    "generalist": "You take any part of the work and carry it to its end.",
    "reviewer": (
        "You review. Check what you are given for errors and gaps, correct them, and say plainly what you changed."
    ),
}


def system_prompt(options: RunOptions, skills: Sequence[Row] = ()) -> str:
    """Return the system message of a run: the agent's instructions, or else its role, then name, task, skills and
    context.

    The day comes last. Until then, all runs of an agent with the same context begin with the same bytes.
    """
    if options.verbatim:
        return options.instructions or ""
    name = options.agent_name or NAME
    if options.instructions:
        parts = [options.instructions]
        if name.lower() not in options.instructions.lower():
            parts.append(f"Your name is {name}.")
    else:
        parts = [ASSISTANT, f"Your name is {name}."]
        if options.role:
            parts.append(_ROLES[options.role])
    if options.task:
        parts.append(f"Your task: {options.task}")
    if skills:
        parts.append(describe_skills(skills))
    if options.context:
        parts.append(f"Context of this request, as JSON: {orjson.dumps(options.context).decode()}")
    if options.day:
        parts.append(f"Today is {options.day}.")
    return "\n".join(parts)
