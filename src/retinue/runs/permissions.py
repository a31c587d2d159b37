"""Checks the tools that a request for a run names."""

from collections.abc import Sequence

from retinue.auth.caller import Caller
from retinue.core.errors import ValidationFailed
from retinue.tools.account_catalogue import AnyCatalogue, Directory
from retinue.tools.service import check_plan


async def checked_tools(caller: Caller, directory: Directory, names: Sequence[str] | None) -> list[str] | None:
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
        raise ValidationFailed(f"{field} contains unknown tools: {', '.join(unknown)}. See GET /api/v1/tools.")
    for name in names:
        check_plan(caller, catalogue.get(name))
