"""What follows from a decision on a call, in sentences."""

from collections.abc import Mapping

from retinue.language.translation import gettext as _
from retinue.tools.authoring.tool import Tool


def consequences_of(tool: Tool | None, arguments: object) -> list[str]:
    """Return what the call does to data and to others. `tool` is None if it was deleted since the agent asked."""
    if tool is None:
        return [_("The tool no longer exists, so the call would fail.")]
    fields = arguments if isinstance(arguments, Mapping) else {}
    found = []
    if tool.destroys(fields):
        found.append(_("It deletes or overwrites data. That cannot be undone."))
    elif tool.read_only:
        found.append(_("It only reads: it changes no data."))
    else:
        found.append(_("It adds or changes data, and deletes none."))
    if tool.open_world:
        found.append(_("It reaches a system outside this server, which receives the values above."))
    return found
