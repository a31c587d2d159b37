"""Call the tools of MCP servers."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from retinue.connections.redaction import Redaction
from retinue.core.database.interface import Database
from retinue.core.errors import NotFound
from retinue.tools.catalogue.imported_tool import McpTool
from retinue.tools.execution.connection_arguments import redact
from retinue.tools.execution.output_files import Keep
from retinue.tools.imports import statements as sql
from retinue.tools.imports.credentials import Credential, SourceCredentials
from retinue.tools.imports.mcp.elicitation import Asked, StoredAnswers
from retinue.tools.imports.mcp.http_transport import McpEndpoint
from retinue.tools.imports.mcp.questions import ELICITED, InputRequired
from retinue.tools.imports.mcp.results import result
from retinue.tools.imports.mcp.sessions import McpSessions


@dataclass(frozen=True)
class McpCalls:
    """Calls the tools of MCP servers, with their sources' credentials."""

    database: Database
    credentials: SourceCredentials
    sessions: McpSessions

    async def execute(
        self, tool: McpTool, args: Mapping[str, object], account_id: int, keep: Keep, answers: Mapping[str, Any]
    ) -> dict[str, object]:
        """Return the server's answer to a call with validated arguments: text, structured, content.

        `answers` are those to the questions of earlier attempts (`questions.answer_fields`).

        Raises `ValidationFailed` if the tool fails or the server refuses the call, `NeedsAuthorization` if a person
        must connect the source, `InputRequired` if the server asks a person, and `Unavailable` if no answer arrives in
        time. The sandbox sends nothing: the result shows the call.
        """
        route = await self.database.lookup(sql.ROUTE, account=account_id, tool=tool.name)
        if route is None:
            raise NotFound(f"The source of the tool {tool.name} has been deleted.")
        theirs = {tool.call.arguments.get(name, name): value for name, value in args.items()}
        fields = dict(answers)
        stored = StoredAnswers(fields.pop(ELICITED, ()))
        params = {"name": tool.call.tool, "arguments": theirs, **fields}
        if route.sandbox:
            return {"text": "", "structured": {"simulated": True, **params}, "content": []}

        async def call(credential: Credential | None, redaction: Redaction) -> dict[str, object]:
            server = McpEndpoint(route.base_url, credential)
            try:
                asking = self.sessions.call(route.id, server, params, tool.call.headers, tool.timeout_s, stored.reply)
                return await redact(asking, redaction)
            except Asked as asked:
                raise InputRequired(tool.name, stored.question(asked, tool.name, redaction)) from asked

        return await result(await self.credentials.use(route, account_id, call), tool.name, keep)
