"""Call imported tools."""

from collections.abc import Mapping
from dataclasses import dataclass

import orjson

from retinue.core.database.interface import Database
from retinue.core.errors import NotFound
from retinue.tools.catalogue.imported_tool import ImportedTool
from retinue.tools.execution.connection_arguments import redact
from retinue.tools.imports import statements as sql
from retinue.tools.imports.client import ImportResponse, OutsideClient
from retinue.tools.imports.credentials import SourceCredentials
from retinue.tools.imports.requests import OutgoingRequest, outgoing

_SHOWN_HEADERS = ("Content-Type", "Link", "Location", "ETag", "Last-Modified", "Retry-After", "X-Total-Count")
_HEADER_CHARACTERS = 2000


@dataclass(frozen=True)
class ImportedCalls:
    """Sends the requests of imported tools, with their sources' credentials."""

    database: Database
    credentials: SourceCredentials
    client: OutsideClient

    async def execute(self, tool: ImportedTool, args: Mapping[str, object], account_id: int) -> dict[str, object]:
        """Return the API's answer to a call with validated arguments: status (any), headers, body, truncated.

        Raises `Unavailable` if no answer arrives in time, `ValidationFailed` for an address that may not be reached.
        The sandbox sends nothing: the result shows the request.
        """
        route = await self.database.lookup(sql.ROUTE, account=account_id, tool=tool.name)
        if route is None:
            raise NotFound(f"The source of the tool {tool.name} has been deleted.")
        request = outgoing(tool.call, args)
        if route.sandbox:
            preview = {"simulated": True, "method": request.method, "url": request.address(route.base_url)}
            return {"status": 200, "headers": {}, "body": preview, "truncated": False}
        credential, redaction = await self.credentials.of(route, account_id)
        if credential:
            credential.add_to(request)
        return await redact(self._send(request, request.address(route.base_url)), redaction)

    async def _send(self, request: OutgoingRequest, address: str) -> dict[str, object]:
        answer = await self.client.call(request.method, address, request.headers, request.body)
        headers = answer.headers
        listed = {name.lower(): headers[name][:_HEADER_CHARACTERS] for name in _SHOWN_HEADERS if name in headers}
        return {"status": answer.status, "headers": listed, "body": _body(answer), "truncated": answer.truncated}


def _body(answer: ImportResponse) -> object:
    """JSON as a value, other text as it is; None for any other content."""
    kind = answer.headers.get("Content-Type", "").partition(";")[0].strip().lower()
    if kind.endswith(("/json", "+json")) and not answer.truncated:
        try:
            return orjson.loads(answer.body)
        except orjson.JSONDecodeError:
            return _text(answer)
    return _text(answer)


def _text(answer: ImportResponse) -> str | None:
    """Return the body as UTF-8; a character divided by the cut is dropped."""
    try:
        text = answer.body.decode("utf-8", "ignore" if answer.truncated else "strict")
    except UnicodeDecodeError:
        return None
    return None if "\x00" in text else text or None
