"""Words what a tool returned, without a model: a small one mistakes a slope for an intercept, and takes its time.

The reply has the value that was asked for, and at most three facts beside it; the whole result is among the run's
steps. Tables and texts of several lines stand in blocks. Long results, and requests that want more than values, are
left to the model.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from retinue.core.stems import stems
from retinue.models.assistant.headline import asked_fields, main_field
from retinue.models.assistant.markdown_values import block, fits_inline
from retinue.models.assistant.turn import Attempt, loaded
from retinue.models.assistant.units import label, measured, with_units

_PROSE = re.compile(
    r"\b(?:explain|why|summari[sz]e|summary|describe|discuss|suggest|recommend|advi[cs]e|write (?:a|an|me|us)\b|draft"
    r"|compose|poem|story|in your own words|what do you think)",
    re.IGNORECASE,
)
_LONGEST = 4000
"""Characters of results; what is longer a reader wants summed up, not shown."""
_RELATED = 3
"""Facts that may stand beside the value that was asked for."""
_VALID = ("valid", "is valid")
_NAMELESS = ("value", "result", "answer")
"""Names of fields that say nothing about what stands in them."""
_KEPT = ("title", "text", "name", "path", "key", "url", "value")
"""Fields by which a thing that was kept is known."""
_HOUSEKEEPING = frozenset(("id", "created_at", "updated_at", "total"))

Json = Any


def worded(attempt: Attempt, request: str) -> str:
    """What a tool returned, in Markdown; empty where the model has to word it."""
    result, given = loaded(attempt.result), loaded(attempt.arguments) or {}
    if result is None or len(attempt.result) > _LONGEST or _PROSE.search(request):
        return ""
    if {"id", "created_at"} <= result.keys() and not _is_reading(attempt.tool):
        return _kept(attempt.tool, result)
    return _values(_fields(result), request, given) or ("Nothing was found." if result else "Done.")


def headline_of(attempt: Attempt, request: str) -> str:
    """The one value of a result that a later request works on."""
    result, given = loaded(attempt.result) or {}, loaded(attempt.arguments) or {}
    if not (fields := _fields(result)):
        return attempt.result[:_LONGEST]
    name = (asked_fields(fields, request, given) or [main_field(fields, request, given)])[0]
    return measured(name, fields[name])


def _is_reading(tool: str) -> bool:
    return tool.endswith(("_read", "_show", "_get", "_info"))


def _kept(tool: str, result: Mapping[str, Json]) -> str:
    """That a thing was kept: what it is, and by what it is known."""
    known = next((str(result[name]) for name in _KEPT if result.get(name)), str(result["id"]))
    return f"Saved as {tool.partition('_')[0]}: {known}"


def _fields(result: Mapping[str, Json]) -> dict[str, Json]:
    fields = {name: value for name, value in with_units(result).items() if value not in (None, "", [], {})}
    return {name: value for name, value in fields.items() if name not in _HOUSEKEEPING} or fields


def _values(fields: Mapping[str, Json], request: str, given: Mapping[str, Json]) -> str:
    """The fields that were asked for; where the request names none, the main one and what is related to it."""
    if not fields:
        return ""
    as_json = "json" in stems(request)
    asked = asked_fields(fields, request, given)
    if not asked:
        main = main_field(fields, request, given)
        return _joined([main, *_related(fields, main, given)], fields, as_json, bare=len(fields) == 1)
    return _joined(asked, fields, as_json, bare=len(asked) == 1)


def _related(fields: Mapping[str, Json], main: str, given: Mapping[str, Json]) -> list[str]:
    """Other fields with short values that the arguments do not give; a table or text that is all there is counts."""
    others = [name for name, value in fields.items() if name != main and given.get(name) != value]
    return others[:_RELATED]


def _joined(names: Sequence[str], fields: Mapping[str, Json], as_json: bool, bare: bool) -> str:
    """Fields under one another. The value of a `bare` one needs no name."""
    short = [name for name in names if fits_inline(fields[name])]
    lines = [_field(name, fields[name], bare) for name in short]
    blocks = [
        block(fields[name], as_json) if bare else f"{label(name, fields[name])}:\n\n{block(fields[name], as_json)}"
        for name in names
        if name not in short
    ]
    head = [f"{lines[0]}" + (f" ({', '.join(lines[1:])})" if len(lines) > 1 else "")] if lines else []
    return "\n\n".join([*head, *blocks])


def _field(name: str, value: Json, bare: bool) -> str:
    called = label(name, value)
    if value is False and called in _VALID:
        return "not valid"
    if called in _NAMELESS or (bare and not isinstance(value, bool)):
        return measured(name, value)
    return f"{called}: {measured(name, value)}"
