"""Agents of the account as tools and as prompts of MCP."""

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from pydantic import ValidationError

from retinue.agents.schemas import ExecuteRequest
from retinue.agents.work import AgentWork
from retinue.core.database.statements import Row
from retinue.core.errors import NotFound, RetinueError, ValidationFailed
from retinue.core.http.envelope import Page
from retinue.core.http.validation_messages import describe_fields
from retinue.core.runtime.whole_numbers import parse_whole_number
from retinue.interop.mcp.approvals import ApprovalRequests, waiting_notice
from retinue.interop.mcp.elicitation import Channel
from retinue.interop.mcp.messages import INVALID_PARAMS, Message, ProtocolError
from retinue.interop.mcp.tools import Result, error_result, structured_result
from retinue.runs.execution.broadcast import RunStream
from retinue.runs.watching.sse_responses import figures

PREFIX = "agent_"
"""The prefix of the names of agents, followed by their ids."""

LISTED = 100
_SHOWN = 300

_INPUT = {
    "type": "object",
    "properties": {
        "message": {"type": "string", "description": "What the agent should do.", "maxLength": 10_000},
        "attachments": {
            "type": "array",
            "items": {"type": "string"},
            "description": "Ids of your files to attach to the message.",
        },
    },
    "required": ["message"],
}


def agent_id_of(name: str) -> int | None:
    """Return the id of the agent that a name stands for, or None."""
    return parse_whole_number(name.removeprefix(PREFIX)) if name.startswith(PREFIX) else None


@dataclass(frozen=True)
class OfferedAgents:
    """The agents of one caller as an MCP client sees them."""

    work: AgentWork

    async def describe(self, ids: Sequence[int]) -> list[Mapping[str, object]]:
        """Return the entries of agents in a list of tools. Raises `ProtocolError` for an unknown id."""
        return [_tool(await self._record(agent_id)) for agent_id in ids]

    async def page(self, number: int) -> tuple[list[Mapping[str, object]], bool]:
        """Return a page of the agents as tools, the newest first, and whether there are more."""
        rows, more = await self._rows(number)
        return [_tool(row) for row in rows], more

    async def prompts(self, number: int) -> tuple[list[Mapping[str, object]], bool]:
        """Return a page of the agents as prompts, and whether there are more."""
        rows, more = await self._rows(number)
        return [_prompt(row) for row in rows], more

    async def prompt(self, name: str, arguments: Mapping[str, object]) -> Mapping[str, object]:
        """Return the instructions of an agent with a message. Raises `ProtocolError`."""
        agent_id, message = agent_id_of(name), arguments.get("message")
        if agent_id is None:
            raise ProtocolError(INVALID_PARAMS, f"There is no prompt {name[:100]!r}. prompts/list names them.")
        if not isinstance(message, str):
            raise ProtocolError(INVALID_PARAMS, "arguments.message must be a string.")
        row = await self._record(agent_id)
        text = f"{row.instructions}\n\n{message}" if row.instructions else message
        content = {"type": "text", "text": text}
        return {"description": _description(row), "messages": [{"role": "user", "content": content}]}

    async def call(
        self, agent_id: int, message: Message, channel: Channel, requests: ApprovalRequests | None
    ) -> Result:
        """Run an agent and return its reply. Cancelling this cancels the run.

        `requests` asks the client about approvals; without it, the reply says that the run waits.
        """
        await self._record(agent_id)
        try:
            request = ExecuteRequest.model_validate(dict(message.mapping("arguments")))
        except ValidationError as error:
            return error_result(ValidationFailed(describe_fields(error)))
        try:
            if requests and "requestState" in message.params:
                return await requests.resume(message, channel)
            live = await self.work.execute(agent_id, request)
            await self._follow(live, channel)
            if requests and live.outcome == "waiting":
                return await requests.settle(message, live.run.id, channel)
        except RetinueError as error:
            return error_result(error)
        if live.error:
            return error_result(live.error)
        text = live.journal.reply
        if live.outcome == "waiting":
            text = f"{text}\n\n{waiting_notice(live.run.id, live.journal.questions)}".strip()
        return structured_result({"reply": text, "status": live.outcome, **figures(live)}, text)

    async def _follow(self, live: RunStream, channel: Channel) -> None:
        """Wait for the end of a run, and report its tools."""
        try:
            async for chunks in live.follow():
                for chunk in chunks:
                    if chunk["type"] == "tool_start":
                        channel.report(f"Uses {chunk['tool']}")
        except asyncio.CancelledError:
            with suppress(RetinueError):
                await self.work.dispatch.runner.cancel(live.run.id)
            raise

    async def _record(self, agent_id: int) -> Row:
        try:
            return await self.work.agents.record(agent_id)
        except NotFound as error:
            raise ProtocolError(INVALID_PARAMS, error.message) from error

    async def _rows(self, number: int) -> tuple[Sequence[Row], bool]:
        rows, total = await self.work.agents.page(Page(page=number, per_page=LISTED))
        return rows, number * LISTED < total


def _tool(row: Row) -> Mapping[str, object]:
    return {
        "name": f"{PREFIX}{row.id}",
        "title": row.agent_name,
        "description": _description(row),
        "inputSchema": _INPUT,
        "annotations": {"readOnlyHint": False, "destructiveHint": True, "idempotentHint": False, "openWorldHint": True},
    }


def _prompt(row: Row) -> Mapping[str, object]:
    message = {"name": "message", "description": "What to do.", "required": True}
    return {
        "name": f"{PREFIX}{row.id}",
        "title": row.agent_name,
        "description": _description(row),
        "arguments": [message],
    }


def _description(row: Row) -> str:
    about = row.task or row.instructions or ""
    short = about if len(about) <= _SHOWN else f"{about[:_SHOWN].rstrip()}…"
    return f"The agent {row.agent_name}. {short}".strip()
