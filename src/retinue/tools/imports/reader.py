"""Read the sources of imported tools: documents, the lists of MCP servers, and the cards of agents.

The server fetches, one source of an account at a time, and a worker process parses: parsing untrusted content must
not block the server.
"""

import shutil
import tempfile
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import BinaryIO

import orjson

from retinue.connections.redaction import Redaction
from retinue.core.errors import Unavailable
from retinue.core.runtime.executors import run_on_disk_thread
from retinue.files.file_access import FORMAT
from retinue.tools.authoring.tool import Tool
from retinue.tools.execution.pool import ToolPool
from retinue.tools.imports.a2a.card import card_address
from retinue.tools.imports.a2a.endpoint import endpoint
from retinue.tools.imports.authorization.challenge import Challenge
from retinue.tools.imports.client import OutsideClient
from retinue.tools.imports.credentials import Credential
from retinue.tools.imports.import_queue import ImportQueue
from retinue.tools.imports.limits import RemainingRoom
from retinue.tools.imports.mcp.http_transport import McpEndpoint
from retinue.tools.imports.mcp.list_pages import ToolListReader
from retinue.tools.imports.mcp.programs import SCHEME, AllowedPrograms
from retinue.tools.imports.mcp.sessions import McpSessions
from retinue.tools.imports.progress import ActiveImport, ImportProgress
from retinue.tools.imports.source_limits import DOCUMENT, EARLIER

_PARSING = "retinue.tools.imports.parsing"
_PARSE_S, _PARSE_MB = 20.0, 512


@dataclass(frozen=True)
class SourceRequest:
    """A source to read, within the account's remaining `room`: the `document` itself, or one at an address.

    `source_id` is set when a source is read again; `earlier` are the current definitions of its tools. The hints of
    an MCP server count if it is `trusted`.
    """

    account_id: int
    room: RemainingRoom
    name: str
    category: str
    credential: Credential | None
    address: str | None
    document: dict[str, object] | str | None = None
    trusted: bool = False
    source_id: int | None = None
    earlier: Sequence[str] = field(default_factory=list)


@dataclass(frozen=True)
class ParsedSource:
    """The address of the API, the tools by name as JSON, and the bytes of all of them.

    `challenge` is set if a person must connect the MCP server before it lists its tools.
    """

    base_url: str | None
    tools: dict[str, str]
    size: int
    challenge: Challenge | None = None

    def without(self, redaction: Redaction) -> "ParsedSource":
        """Return a copy without the secret, which a server may have put into its descriptions."""
        tools = {name: redaction.text(definition) for name, definition in self.tools.items()}
        return replace(self, tools=tools, size=_size(tools))


class SourceReader:
    """Reads sources. Documents are in a folder below `scratch` until they are parsed."""

    def __init__(
        self, client: OutsideClient, sessions: McpSessions, programs: AllowedPrograms, pool: ToolPool, scratch: Path
    ) -> None:
        self.client = client
        self.programs = programs
        self.sessions = sessions
        self._listings = ToolListReader(sessions)
        self._pool = pool
        self._scratch = scratch
        self._turns = ImportQueue()
        self.progress = ImportProgress()

    async def start(self) -> None:
        """Remove the folders of an earlier process."""
        await run_on_disk_thread(shutil.rmtree, self._scratch, ignore_errors=True)
        await run_on_disk_thread(self._scratch.mkdir, parents=True, mode=0o700)

    async def describe(self, request: SourceRequest) -> ParsedSource:
        """Return the tools of an OpenAPI document."""
        place = request.credential.place if request.credential else ("", "")
        async with self._turn(request) as (progress, folder):
            encoding = await self._put(request, folder / DOCUMENT)
            progress.stage = "parsing"
            args = {"encoding": encoding, "address": request.address, "secret": place}
            return await self._parse("openapi_import", args, request, folder)

    async def describe_agent(self, request: SourceRequest) -> ParsedSource:
        """Return the tool of an agent, from its card."""
        async with self._turn(request) as (progress, folder):
            encoding = await self._put_card(request, folder / DOCUMENT)
            progress.stage = "parsing"
            return await self._parse("a2a_import", {"encoding": encoding}, request, folder)

    async def list_tools(self, request: SourceRequest) -> ParsedSource:
        """Return the tools of an MCP server."""
        address = str(request.address)
        args = {"trusted": request.trusted, "address": not address.startswith(SCHEME)}
        async with self._turn(request) as (progress, folder):
            with (folder / DOCUMENT).open("wb") as pages:
                await self._listings.write(McpEndpoint(address, request.credential), pages, request.source_id)
            progress.stage = "parsing"
            return await self._parse("mcp_import", args, request, folder)

    async def _put(self, request: SourceRequest, path: Path) -> str:
        """Write the document to `path`. Returns its compression as in `Content-Encoding`."""
        if request.address is not None:
            with path.open("wb") as file:
                return await self.client.fetch(request.address, file)
        document = request.document
        raw = orjson.dumps(document) if isinstance(document, dict) else str(document).encode()
        await run_on_disk_thread(path.write_bytes, raw)
        return ""

    async def _put_card(self, source: SourceRequest, path: Path) -> str:
        """Write the card to `path`, as `_put` does. An agent that is not public wants a credential for it."""
        if source.address is None or source.credential is None:
            return await self._put(replace(source, address=source.address and card_address(source.address)), path)
        address, request = endpoint(card_address(source.address), "GET", source.credential)
        with path.open("wb") as file:
            return await self.client.fetch(address, file, request.headers)

    async def _parse(
        self, function: str, args: Mapping[str, object], request: SourceRequest, folder: Path
    ) -> ParsedSource:
        """Parse the document in a folder in a worker process."""
        earlier = "\n".join(request.earlier).encode()
        await run_on_disk_thread((folder / EARLIER).write_bytes, earlier)
        tools: dict[str, str] = {}

        async def keep(name: str, content: BinaryIO) -> str:
            tools.update(await run_on_disk_thread(_definitions, content))
            return name

        source = {"name": request.name, "category": request.category}
        room = {"tools": request.room.tools, "bytes": request.room.size}
        found = await self._pool.execute(
            _parser(function),
            {**args, "source": source, "room": room},
            {name: folder / name for name in (DOCUMENT, EARLIER)},
            keep,
            request.account_id,
        )
        return ParsedSource(found.get("base_url"), tools, _size(tools))

    @asynccontextmanager
    async def _turn(self, request: SourceRequest) -> AsyncIterator[tuple[ActiveImport, Path]]:
        """Wait for the account's turn, and provide a temporary folder."""
        with self.progress.of(request.account_id, request.name) as progress:
            async with self._turns.of(request.account_id), self._folder() as folder:
                progress.read_into(folder / DOCUMENT)
                yield progress, folder

    @asynccontextmanager
    async def _folder(self) -> AsyncIterator[Path]:
        """A temporary folder for one import."""
        try:
            folder = Path(await run_on_disk_thread(tempfile.mkdtemp, dir=self._scratch))
        except OSError as error:
            raise _no_room(error) from error
        try:
            yield folder
        except OSError as error:
            raise _no_room(error) from error
        finally:
            await run_on_disk_thread(shutil.rmtree, folder, ignore_errors=True)


def _size(tools: Mapping[str, str]) -> int:
    """Return the bytes of the definitions of tools."""
    return sum(len(one.encode()) for one in tools.values())


def _definitions(content: BinaryIO) -> dict[str, str]:
    """Return the definitions of tools by name, from the output file of `parsing`."""
    return dict(line.decode().split("\t", 1) for line in content.read().splitlines())


def _no_room(error: OSError) -> Unavailable:
    return Unavailable(f"The document could not be stored for parsing ({error.strerror}). Try again.")


def _parser(function: str) -> Tool:
    """Return a function of the parsing module, in the form that workers call."""
    file_schema = {"type": "string", "format": FORMAT}
    return Tool(
        name=function,
        description="",
        category="",
        tier="free",
        credits=0,
        input_schema={},
        result_schema={"type": "object", "properties": {"tools": file_schema}},
        tags=(),
        use_when=(),
        examples=(),
        module=_PARSING,
        read_only=True,
        destructive=False,
        idempotent=True,
        open_world=False,
        timeout_s=_PARSE_S,
        memory_mb=_PARSE_MB,
    )
