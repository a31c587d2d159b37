"""The tools that a client has chosen by the query of its URL, and the pages of their list."""

from collections.abc import Sequence
from dataclasses import dataclass

from starlette.datastructures import QueryParams

from retinue.core.errors import ValidationFailed
from retinue.core.http.envelope import MAX_PAGE
from retinue.core.runtime.whole_numbers import parse_whole_number
from retinue.interop.mcp.messages import INVALID_PARAMS, ProtocolError

_MOST = 200


@dataclass(frozen=True, slots=True)
class Selection:
    """`tools` and `agents` are what the client chose by name and by id; None if it chose nothing.

    `whole_catalogue` adds every tool to the list.
    """

    tools: Sequence[str] | None = None
    agents: Sequence[int] | None = None
    whole_catalogue: bool = False

    @property
    def is_chosen(self) -> bool:
        """True if the client may only use what it has chosen."""
        return self.tools is not None or self.agents is not None


def read_selection(query: QueryParams) -> Selection:
    """Return the selection of a URL. Raises `ValidationFailed`."""
    tools, agents = _names(query, "tools"), _names(query, "agents")
    if tools == ["all"]:
        return Selection(whole_catalogue=True)
    ids = None if agents is None else [parse_whole_number(one) for one in agents]
    if ids and None in ids:
        raise ValidationFailed("agents: list the ids of agents, separated by commas.")
    return Selection(tools, None if ids is None else [one for one in ids if one is not None])


def _names(query: QueryParams, name: str) -> list[str] | None:
    if name not in query:
        return None
    names = [one.strip() for one in query[name].split(",") if one.strip()]
    if len(names) > _MOST:
        raise ValidationFailed(f"{name}: name at most {_MOST}.")
    return names


def read_cursor(cursor: object, parts: Sequence[str]) -> tuple[str, int]:
    """Return the part of a list and the page in it, by default the first. Raises `ProtocolError`."""
    if cursor is None:
        return parts[0], 1
    part, _, number = cursor.partition(":") if isinstance(cursor, str) else ("", "", "")
    page = parse_whole_number(number, MAX_PAGE)
    if part not in parts or not page:
        raise ProtocolError(INVALID_PARAMS, "params.cursor is not one that this server returned.")
    return part, page
