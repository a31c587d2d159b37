"""Read the whole list of a server's tools, page by page, with limits on length and size."""

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from typing import BinaryIO

import orjson

from retinue.core.errors import Unavailable, ValidationFailed
from retinue.core.runtime.executors import run_on_disk_thread
from retinue.tools.imports.mcp.http_transport import McpEndpoint
from retinue.tools.imports.mcp.messages import Json
from retinue.tools.imports.mcp.refusals import result_of
from retinue.tools.imports.mcp.sessions import OPEN_S, McpSession, McpSessions
from retinue.tools.imports.source_limits import DOCUMENT_BYTES, MOST_TOOLS

LISTING_S = 60.0
"""Time limit in seconds for all pages together."""

_METHOD = "tools/list"
_MOST_PAGES = 500


class ToolListReader:
    """Reads lists of tools."""

    def __init__(self, sessions: McpSessions) -> None:
        self._sessions = sessions

    async def write(self, server: McpEndpoint, pages: BinaryIO, source_id: int | None = None) -> None:
        """Write a server's list of tools to a file, one page per line, each a JSON list.

        Uses the session stored for a source, or a temporary one without a source. Raises `ValidationFailed` or
        `Unavailable` if the server does not return its tools.
        """
        try:
            async with asyncio.timeout(LISTING_S):
                if source_id is not None:
                    ask = partial(self._sessions.ask, source_id, server, _METHOD, timeout_s=OPEN_S)
                    return await _write_all(ask, pages)
                session = await self._sessions.open(server)
                try:
                    await _write_all(partial(self._page, session), pages)
                finally:
                    await self._sessions.close(session)
        except TimeoutError as error:
            raise Unavailable(f"The MCP server did not list its tools within {LISTING_S:g} seconds.") from error

    async def _page(self, session: McpSession, params: Json) -> Json:
        return result_of(await self._sessions.send(session, _METHOD, params, OPEN_S))


async def _write_all(ask: Callable[[Json], Awaitable[Json]], pages: BinaryIO) -> None:
    """Write the tools of all pages; `ask` requests one page."""
    count = size = 0
    cursor: str | None = None
    for _ in range(_MOST_PAGES):
        page = await ask({"cursor": cursor} if cursor else {})
        listed = page.get("tools")
        tools = [tool for tool in listed if isinstance(tool, dict)] if isinstance(listed, list) else []
        count, size = count + len(tools), size + len(orjson.dumps(page))
        _check(count, size)
        await run_on_disk_thread(pages.write, orjson.dumps(tools) + b"\n")
        following = page.get("nextCursor")
        if not isinstance(following, str) or not following:
            return
        if following == cursor:
            break
        cursor = following
    raise ValidationFailed("The MCP server's list of tools does not end.")


def _check(tools: int, size: int) -> None:
    if tools > MOST_TOOLS:
        raise ValidationFailed(f"The MCP server has more than {MOST_TOOLS:,} tools.")
    if size > DOCUMENT_BYTES:
        raise ValidationFailed(f"The MCP server's list of tools is larger than {DOCUMENT_BYTES >> 20} MiB.")
