"""What a run may do: the permissions of the caller who starts it, and checks of the tools that a request names."""

from collections.abc import Sequence
from dataclasses import asdict

from rapidfuzz import fuzz, process

from retinue.auth.caller import Caller
from retinue.core.errors import ValidationFailed
from retinue.tools.imports.account_catalogue import AccountCatalogue, AnyCatalogue
from retinue.tools.service import check_plan
from retinue.workspace.tool_context import RunAncestry

_FIRST = RunAncestry()
_NEAREST = 3
_MOST_SUGGESTED = 5
_ALIKE = 70.0
"""Least similarity, of 100, of a name that is suggested for an unknown one."""


def powers_of(caller: Caller, ancestry: RunAncestry = _FIRST) -> dict[str, object]:
    """Return the run options that follow from the caller. Descendant runs count against the first request's key."""
    return {
        "may_execute": caller.may("tools:execute"),
        "scopes": sorted(caller.scopes),
        "tier": caller.plan.tools,
        "sandbox": caller.sandbox,
        **asdict(ancestry),
        "key_id": caller.key_id or ancestry.key_id,
    }


async def checked_tools(caller: Caller, directory: AccountCatalogue, names: Sequence[str] | None) -> list[str] | None:
    """Return the named tools without duplicates.

    Raises if a tool does not exist, or if the caller's scope or plan does not allow it.
    """
    if names is None:
        return None
    if names:
        caller.require("tools:execute")
    check_tools(caller, "tools", await directory.naming(caller.account_id, names), names)
    return list(dict.fromkeys(names))


def check_tools(caller: Caller, field: str, catalogue: AnyCatalogue, names: Sequence[str]) -> None:
    """Raise `ValidationFailed` for unknown tools, and check that the caller's plan includes the others."""
    unknown = sorted({name for name in names if name not in catalogue})
    if unknown:
        if similar := _similar_names(catalogue.names(), unknown):
            raise ValidationFailed(
                f"{field} contains unknown tools: {', '.join(unknown)}. Similar tools are: {', '.join(similar)}. "
                "See GET /api/v1/tools."
            )
        raise ValidationFailed(f"{field} contains unknown tools: {', '.join(unknown)}. See GET /api/v1/tools.")
    for name in names:
        check_plan(caller, catalogue.get(name))


def _similar_names(names: Sequence[str], unknown: Sequence[str]) -> list[str]:
    """Return the names that are most like the unknown ones."""
    matches = [
        match
        for name in unknown[:_MOST_SUGGESTED]
        for match, *_ in process.extract(name, names, scorer=fuzz.ratio, limit=_NEAREST, score_cutoff=_ALIKE)
    ]
    return list(dict.fromkeys(matches))[:_MOST_SUGGESTED]
