"""Reading the whole list of a server's tools: page after page, of bounded length and size."""

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial

import orjson

from retinue.core.errors import Unavailable, ValidationFailed
from retinue.tools.imports.documents import DOCUMENT_BYTES
from retinue.tools.imports.mcp.messages import Json
from retinue.tools.imports.mcp.refusals import result_of
from retinue.tools.imports.mcp.sessions import OPEN_S, Session, Sessions
from retinue.tools.imports.mcp.wire import Endpoint
from retinue.tools.imports.openapi import MOST_TOOLS

LISTING_S = 60.0
"""How long all pages together may take."""

_METHOD = "tools/list"
_MOST_PAGES = 500
_AT_ONCE = 4
"""Lists that are read at once: each may take memory in proportion to its size."""


class Listings:
    """Reads lists of tools."""

    def __init__(self, sessions: Sessions) -> None:
        self._sessions = sessions
        self._turn = asyncio.Semaphore(_AT_ONCE)

    async def of(self, server: Endpoint, source_id: int | None = None) -> list[Json]:
        """The tools of a server as it tells of them, in the session that is kept for a source or in one for this alone.

        Raises `ValidationFailed` or `Unavailable` where it does not tell.
        """
        try:
            async with self._turn, asyncio.timeout(LISTING_S):
                if source_id is not None:
                    return await _all(lambda params: self._sessions.ask(source_id, server, _METHOD, params, OPEN_S))
                session = await self._sessions.open(server)
                try:
                    return await _all(partial(self._page, session))
                finally:
                    await self._sessions.close(session)
        except TimeoutError as error:
            raise Unavailable(f"The MCP server did not list its tools within {LISTING_S:g} seconds.") from error

    async def _page(self, session: Session, params: Json) -> Json:
        return result_of(await self._sessions.send(session, _METHOD, params, OPEN_S))


async def _all(ask: Callable[[Json], Awaitable[Json]]) -> list[Json]:
    """What all pages hold; `ask` gets one."""
    found: list[Json] = []
    size = 0
    cursor: str | None = None
    for _ in range(_MOST_PAGES):
        page = await ask({"cursor": cursor} if cursor else {})
        tools, last = page.get("tools"), cursor
        found += [tool for tool in tools if isinstance(tool, dict)] if isinstance(tools, list) else []
        size += len(orjson.dumps(page))
        _check(len(found), size)
        cursor = page.get("nextCursor")
        if not isinstance(cursor, str) or not cursor:
            return found
        if cursor == last:
            break
    raise ValidationFailed("The MCP server's list of tools does not come to an end.")


def _check(tools: int, size: int) -> None:
    if tools > MOST_TOOLS:
        raise ValidationFailed(f"The MCP server has more than {MOST_TOOLS:,} tools.")
    if size > DOCUMENT_BYTES:
        raise ValidationFailed(f"The MCP server's list of tools is larger than {DOCUMENT_BYTES >> 20} MiB.")
