"""Tells what a tool returned, without a model: a small one mistakes a slope for an intercept, and takes its time.

What the question speaks of stands by itself, the rest in a line below. Long results, and questions that want more than
values, are left to the model.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import orjson

from retinue.core.stems import stems
from retinue.models.leading import leading
from retinue.models.measured import label, measured, with_units
from retinue.models.shown import block, fits_inline, inline

_PROSE = re.compile(
    r"\b(?:explain|why|summari[sz]e|summary|describe|discuss|suggest|recommend|advi[cs]e|write (?:a|an|me|us)\b|draft"
    r"|compose|poem|story|in your own words|what do you think)",
    re.IGNORECASE,
)
_LONGEST = 4000
"""Characters of results; what is longer a reader wants told, not shown."""

_VALID = ("valid", "is valid")
_NAMELESS = ("value", "result", "answer")
"""Names of fields that say nothing about what stands in them."""

Json = Any


def report(question: str, results: Sequence[str], arguments: Sequence[str] = ()) -> str:
    """What `results` of calls with `arguments` say, all JSON, in Markdown; empty where the model has to tell it."""
    found = [one for one in map(_loaded, results) if one is not None]
    if not found or len(found) < len(results) or sum(map(len, results)) > _LONGEST or _PROSE.search(question):
        return ""
    errors = [str(one["error"]) for one in found if one.keys() == {"error"}]
    if len(errors) == len(found):
        return f"That did not work: {errors[-1]}"
    given = {name: value for one in arguments for name, value in (_loaded(one) or {}).items()}
    return "\n\n".join(_told(one, question, given) for one in found if one.keys() != {"error"})


def _loaded(text: str) -> Mapping[str, Json] | None:
    try:
        found = orjson.loads(text)
    except orjson.JSONDecodeError:
        return None
    return found if isinstance(found, dict) else None


def _told(result: Mapping[str, Json], question: str, given: Mapping[str, Json]) -> str:
    """The fields that lead; then the others, the short ones in one line, then long ones below their names."""
    fields = {name: value for name, value in with_units(result).items() if value not in (None, "", [], {})}
    as_json = "json" in stems(question)
    if not fields:
        return "Nothing was found." if result else "Done."
    if len(fields) == 1 and not isinstance(value := next(iter(fields.values())), bool):
        return inline(value) if fits_inline(value) else block(value, as_json)
    first = leading(fields, question, given)
    leads = [f"**{_field(name, fields[name])}**" for name in first if fits_inline(fields[name])]
    rest = [_field(name, value) for name, value in fields.items() if name not in first and fits_inline(value)]
    long = {name: _block(name, value, as_json) for name, value in fields.items() if not fits_inline(value)}
    asked = [told for name, told in long.items() if name in first]
    others = [told for name, told in long.items() if name not in first]
    return "\n\n".join(part for part in (_listed(leads), *asked, " · ".join(rest), *others) if part)


def _listed(lines: Sequence[str]) -> str:
    return lines[0] if len(lines) == 1 else "\n".join(f"- {line}" for line in lines)


def _block(name: str, value: Json, as_json: bool) -> str:
    return f"{label(name, value)}:\n\n{block(value, as_json)}"


def _field(name: str, value: Json) -> str:
    called = label(name, value)
    if value is False and called in _VALID:
        return "not valid"
    return measured(name, value) if called in _NAMELESS else f"{called}: {measured(name, value)}"
