"""Files of the account as resources of MCP."""

import base64
from collections.abc import Mapping
from dataclasses import dataclass

from retinue.core.database.statements import Row
from retinue.core.errors import NotFound
from retinue.core.http.envelope import Page
from retinue.core.runtime.executors import run_on_disk_thread
from retinue.files.service import Files
from retinue.interop.mcp.messages import INVALID_PARAMS, ProtocolError

SCHEME = "retinue://files/"
LISTED = 100
_MOST_BYTES = 4 << 20


@dataclass(frozen=True)
class OfferedFiles:
    """The files of one caller as an MCP client sees them."""

    files: Files

    async def page(self, number: int) -> tuple[list[Mapping[str, object]], bool]:
        """Return a page of the files, the newest first, and whether there are more."""
        rows, total = await self.files.page(Page(page=number, per_page=LISTED))
        return [_entry(row) for row in rows], number * LISTED < total

    async def read(self, uri: str) -> Mapping[str, object]:
        """Return the content of a file: text if it is UTF-8, else Base64. Raises `ProtocolError`."""
        try:
            row = await self.files.get(uri.removeprefix(SCHEME) if uri.startswith(SCHEME) else "")
            if row.size > _MOST_BYTES:
                raise ProtocolError(
                    INVALID_PARAMS, f"The file is larger than {_MOST_BYTES >> 20} MiB. Read it with a tool, by its id."
                )
            with await self.files.open(row.id) as file:
                content = await run_on_disk_thread(file.read)
        except NotFound as error:
            raise ProtocolError(INVALID_PARAMS, f"There is no resource {uri[:200]}.", {"uri": uri[:200]}) from error
        return {"contents": [content_entry(uri, row.media_type, content)]}


def _entry(row: Row) -> Mapping[str, object]:
    return {"uri": f"{SCHEME}{row.id}", "name": row.name, "mimeType": row.media_type, "size": row.size}


def content_entry(uri: str, media_type: str, content: bytes) -> Mapping[str, str]:
    """Return the content of a resource: text if it is UTF-8, else Base64."""
    about = {"uri": uri, "mimeType": media_type}
    try:
        return {**about, "text": content.decode()}
    except UnicodeDecodeError:
        return {**about, "blob": base64.b64encode(content).decode()}
