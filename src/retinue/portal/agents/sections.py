"""The folded sections of the agent's form, each with a line that says what is set in it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import get_args

from retinue.agents.schemas import Engine
from retinue.core.runtime.whole_numbers import parse_whole_number
from retinue.language.formats import format_number
from retinue.language.translation import gettext as _
from retinue.language.translation import gettext_noop, ngettext, pgettext
from retinue.portal.agents.forms import AMOUNTS, APPROVALS, EFFORTS, LIMITS, ROLES
from retinue.portal.agents.voice_form import LANGUAGE_CHOICES, fields_of_voice
from retinue.portal.forms import BUDGETS, Form
from retinue.portal.templating import engine_label, role_label

_MONTHLY = {
    "monthly_tokens": gettext_noop("%(count)s tokens a month"),
    "monthly_credits": gettext_noop("%(count)s credits a month"),
    "monthly_cost_usd": gettext_noop("$%(count)s a month"),
}
_LONGEST = 60
"""Maximum characters of a value in a line: forms that were refused may hold anything."""


@dataclass(frozen=True)
class Section:
    """`fields` are the names of its inputs: the section is open if one of them was refused."""

    title: str
    summary: str
    fields: Sequence[str]


def sections_of(form: Form, fleets: Mapping[str, str]) -> dict[str, Section]:
    """Return the sections by name. `fleets` are the names of the fleets by id."""
    limits = [f"budget_{limit}" for limit in LIMITS]
    model = ["fallback_models", "temperature", "max_output_tokens", "reasoning_effort"]
    voice = ["voice_enabled", "voice_engine", "greeting", *fields_of_voice(None)]
    return {
        "task": Section(_("Task and approval"), _join(_task(form)), ["task", "approval"]),
        "team": Section(_("Team"), _join(_team(form, fleets)), ["agent_role", "fleet_id", "agents"]),
        "model": Section(
            _("Model settings"), _join(_model(form)) or _("As the provider of the model sets them"), model
        ),
        "reply": Section(
            _("Form of the reply"),
            _("JSON that fits a schema") if form.text("output_schema") else _("Plain words"),
            ["output_schema"],
        ),
        "limits": Section(
            _("Limits and budgets"), _join(_limits(form)) or _("The usual limits of a run"), [*limits, *BUDGETS]
        ),
        "voice": Section(_("Telephone and voice"), _join(_voice(form)), voice),
        "metadata": Section(
            _("Metadata"),
            pgettext("metadata", "Set") if form.text("metadata") else pgettext("metadata", "None"),
            ["metadata"],
        ),
    }


def _join(parts: Sequence[str]) -> str:
    text = ", ".join(parts)
    return text[:1].upper() + text[1:]


def _value(form: Form, name: str) -> str:
    text = form.text(name)
    if (number := parse_whole_number(text)) is not None:
        return format_number(number)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST].rstrip()}…"


def _task(form: Form) -> list[str]:
    parts = [_(APPROVALS.get(form.text("approval"), APPROVALS[""]))]
    return [*parts, _("task: {task}").format(task=_value(form, "task"))] if form.text("task") else parts


def _team(form: Form, fleets: Mapping[str, str]) -> list[str]:
    role, fleet, callable_agents = form.text("agent_role"), form.text("fleet_id"), len(form.list("agents"))
    parts = [role_label(role)] if role in ROLES else []
    if fleet in fleets:
        parts.append(_("in the fleet {name}").format(name=fleets[fleet]))
    if callable_agents:
        said = ngettext("may call {count} agent", "may call {count} agents", callable_agents)
        parts.append(said.format(count=callable_agents))
    return parts


def _model(form: Form) -> list[str]:
    parts, fallbacks = list[str](), len(form.list("fallback_models"))
    if form.text("temperature"):
        parts.append(_("temperature {value}").format(value=_value(form, "temperature")))
    if form.text("max_output_tokens"):
        parts.append(_("replies of up to {count} tokens").format(count=_value(form, "max_output_tokens")))
    if form.text("reasoning_effort") in EFFORTS:
        parts.append(_("reasoning: {effort}").format(effort=_(EFFORTS[form.text("reasoning_effort")])))
    if fallbacks:
        parts.append(ngettext("{count} fallback", "{count} fallbacks", fallbacks).format(count=fallbacks))
    return parts


def _limits(form: Form) -> list[str]:
    parts = [
        f"${_value(form, f'budget_{limit}')}"
        if limit == "cost_usd"
        else _(AMOUNTS[limit]) % {"count": _value(form, f"budget_{limit}")}
        for limit in LIMITS
        if form.text(f"budget_{limit}")
    ]
    run = [_("{limits} a run").format(limits=", ".join(parts))] if parts else []
    return run + [_(words) % {"count": _value(form, name)} for name, words in _MONTHLY.items() if form.text(name)]


def _voice(form: Form) -> list[str]:
    takes = _("Takes calls") if "voice_enabled" in form else _("Takes no calls")
    engine, language = form.text("voice_engine"), form.text("voice_language")
    spoken = [_("speaks with {engine}").format(engine=engine_label(engine))] if engine in get_args(Engine) else []
    return [takes, *spoken, *([_(LANGUAGE_CHOICES[language])] if language and language in LANGUAGE_CHOICES else [])]
