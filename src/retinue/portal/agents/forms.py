"""Forms for agents."""

import json
from collections.abc import Mapping

from retinue.agents.definition import RunBudget
from retinue.agents.schemas import AgentCreate, AgentUpdate
from retinue.agents.tables import AgentRow
from retinue.language.translation import gettext_noop
from retinue.portal.agents.form_values import decimal_number, json_object
from retinue.portal.agents.voice_form import fields_of_voice, voice_of_form
from retinue.portal.forms import BUDGETS, Form, InvalidForm, budgets_of, form_number, parse

ROLES = {
    "leader": gettext_noop("Leader: plans the work of a fleet and merges the results"),
    "specialist": gettext_noop("Specialist: works on its part, with its skills"),
    "generalist": gettext_noop("Generalist: takes any task"),
    "reviewer": gettext_noop("Reviewer: reviews the work of others"),
}
"""The roles and their meanings."""

APPROVALS = {
    "": gettext_noop("Decide by its tools"),
    "none": gettext_noop("Never"),
    "tainted": gettext_noop("Ask before it acts on what it read from outside"),
    "required": gettext_noop("Ask before it deletes, overwrites or reaches out"),
}
"""The choices of when a person must approve a call. The first leaves it to the default."""


MEMORIES = {
    "none": gettext_noop("Nothing"),
    "user": gettext_noop("Facts about each user, for that user alone"),
    "agent": gettext_noop("Facts of all its conversations, for everybody"),
}
"""The choices of what an agent remembers."""


EFFORTS = {
    "none": gettext_noop("None"),
    "low": gettext_noop("Low"),
    "medium": gettext_noop("Medium"),
    "high": gettext_noop("High"),
}
"""How much a reasoning model may think."""

LIMITS = {
    "steps": (gettext_noop("Steps"), "50"),
    "tokens": (gettext_noop("Tokens"), gettext_noop("No limit")),
    "seconds": (gettext_noop("Seconds"), "600"),
    "credits": (gettext_noop("Credits"), gettext_noop("No limit")),
    "cost_usd": ("USD", gettext_noop("No limit")),
}
"""The limits of one run: label and default."""

AMOUNTS = {
    "steps": gettext_noop("%(count)s steps"),
    "tokens": gettext_noop("%(count)s tokens"),
    "seconds": gettext_noop("%(count)s seconds"),
    "credits": gettext_noop("%(count)s credits"),
}
"""The limits of one run with their values, without the price."""


def creation_of(form: Form) -> AgentCreate:
    """Parse the form of a new agent. Raises `InvalidForm`."""
    return parse(AgentCreate, _fields(form))


def changes_of(form: Form) -> AgentUpdate:
    """Parse the changes to an agent. Fields that the form lacks remain unchanged. Raises `InvalidForm`."""
    return parse(AgentUpdate, _fields(form))


def _fields(form: Form) -> dict[str, object]:
    return {
        "agent_name": form.text("agent_name"),
        "agent_role": form.text("agent_role"),
        "instructions": form.optional("instructions"),
        "task": form.optional("task"),
        "model": form.optional("model"),
        "fallback_models": form.list("fallback_models"),
        "temperature": decimal_number(form.text("temperature")),
        "max_output_tokens": form_number(form.text("max_output_tokens")),
        "reasoning_effort": form.optional("reasoning_effort"),
        "output_schema": json_object(form, "output_schema"),
        "budget": _run_budget(form),
        "metadata": json_object(form, "metadata"),
        "agents": [form_number(one) for one in form.list("agents")],
        "knowledge": [form_number(one) for one in form.list("knowledge")],
        "agent_skills": [form_number(one) for one in form.list("agent_skills")],
        "memory": form.optional("memory"),
        "greeting": form.optional("greeting"),
        "skills": form.list("skills"),
        "fleet_id": form_number(form.text("fleet_id")),
        "approval": form.optional("approval"),
        "voice_enabled": "voice_enabled" in form,
        "voice_engine": form.text("voice_engine"),
        **({"voice": voice_of_form(form)} if "voice_speed" in form else {}),
        **budgets_of(form),
    }


def _run_budget(form: Form) -> dict[str, object] | None:
    """Parse the limits of one run; None if there are none. Raises `InvalidForm`."""
    texts = {name: form.text(f"budget_{name}") for name in LIMITS}
    limits: dict[str, object] = {name: form_number(text) for name, text in texts.items() if text}
    if "seconds" in limits:
        limits["seconds"] = decimal_number(texts["seconds"])
    if "cost_usd" in limits:
        limits["cost_usd"] = texts["cost_usd"]
    try:
        return parse(RunBudget, limits).model_dump(exclude_none=True) or None
    except InvalidForm as error:
        fields = {f"budget_{name}": text for name, text in error.fields.items()}
        raise InvalidForm(f"budget: {error.message}", fields) from error


def form_of(agent: AgentRow) -> Form:
    """Return a form filled in with an agent."""
    names = (
        "agent_name", "agent_role", "instructions", "task", "skills", "model", "fallback_models", "temperature",
        "max_output_tokens", "reasoning_effort", "agents", "knowledge", "agent_skills", "memory", "greeting",
        "fleet_id", "voice_enabled", "voice_engine", *BUDGETS,
    )  # fmt: skip
    values = {name: getattr(agent, name) for name in names}
    values |= {name: _json_text(getattr(agent, name)) for name in ("output_schema", "metadata")}
    values |= fields_of_voice(agent.voice)
    values |= {f"budget_{name}": value for name, value in (agent.budget or {}).items()}
    return Form.of({**values, "approval": "" if agent.approval_derived else agent.approval})


def _json_text(value: Mapping[str, object] | None) -> str | None:
    return json.dumps(value, indent=2, ensure_ascii=False) if value else None
