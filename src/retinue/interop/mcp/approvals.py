"""Asks MCP clients about approvals: by `input_required` results (2026-07-28), or by requests in the stream of a call.

A decision is stored like one of the API, so the client's answer may reach any node.
"""

import asyncio
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from retinue.core.database.interface import Database
from retinue.core.database.statements import Row
from retinue.core.errors import NotFound, RetinueError, Unavailable, ValidationFailed
from retinue.interop.mcp.elicitation import Channel, action_of, content_of, form_params
from retinue.interop.mcp.messages import INVALID_PARAMS, ClientResponse, Message, ProtocolError
from retinue.interop.mcp.request_states import RequestStates
from retinue.interop.mcp.tools import Result, error_result, structured_result
from retinue.runs.approvals import statements as approvals_sql
from retinue.runs.approvals.service import Approvals, Decision
from retinue.runs.service import Runs
from retinue.runs.watching.event_stream import totals
from retinue.tools.imports.mcp.questions import ELICIT

_PREFIX = "approval_"
_REQUEST_ID = re.compile(rf"{_PREFIX}(\d{{1,18}})_([0-9a-f]{{64}})", re.ASCII)
_MOST_SHOWN = 2000
_DECISIONS: Mapping[str, Decision] = {"accept": "approve", "decline": "deny"}


@dataclass(frozen=True)
class ApprovalRequests:
    """Asks about the approvals of runs, and stores the answers."""

    states: RequestStates
    database: Database
    approvals: Approvals
    runs: Runs

    async def settle(self, message: Message, run_id: int, channel: Channel) -> Result:
        """Ask about the approvals that a run waits for. Returns the request for input, or the result of the run."""
        pending = await self._find_pending(run_id)
        if message.standalone and pending:
            return self._input_required(message, run_id, pending)
        return await self._follow(message, run_id, f"{pending[0].seq}-1" if pending else None, channel)

    async def resume(self, message: Message, channel: Channel) -> Result:
        """Decide as the client's user did, and go on with the run. Raises `ProtocolError` for another request state."""
        state = self.states.open(message)
        run_id, asked = state["run"], set(state["approvals"])
        pending = await self._find_pending(run_id)
        if {row.id for row in pending} & asked != asked:
            raise ProtocolError(INVALID_PARAMS, f"params.requestState was answered before. The run is {run_id}.")
        answers = message.mapping("inputResponses")
        actions = {number: action_of(answers.get(f"{_PREFIX}{number}")) for number in asked}
        for number, action in actions.items():
            if action and action in _DECISIONS:
                await self._decide(number, action, content_of(answers.get(f"{_PREFIX}{number}")))
        if "cancel" in actions.values():
            return _left(run_id)
        if None in actions.values():
            return self._input_required(message, run_id, await self._find_pending(run_id))
        return await self._follow(message, run_id, f"{pending[0].seq}-1", channel)

    async def take(self, response: ClientResponse) -> str | None:
        """Store the answer to a request in a stream. Returns the key of the call if the approval is left pending.

        An answer that comes too late, and one to no request of this server, are ignored.
        """
        asked = _REQUEST_ID.fullmatch(response.id) if isinstance(response.id, str) else None
        if asked is None:
            return None
        action = action_of(response.result)
        if action is None or action not in _DECISIONS:
            return asked[2]
        with suppress(NotFound, ValidationFailed):
            await self._decide(int(asked[1]), action, content_of(response.result))
        return None

    async def _decide(self, approval_id: int, action: str, content: Mapping[str, object] | None) -> None:
        """Decide as the user did. What the form contains answers the question of a tool's server."""
        asks = (await self.approvals.get(approval_id)).question is not None
        await self.approvals.decide(approval_id, _DECISIONS[action], None, None, content if asks else None)

    async def _follow(self, message: Message, run_id: int, after: str | None, channel: Channel) -> Result:
        """Follow a run to its end. Asks about each approval that it comes to wait for. Cancelling this cancels it."""
        following = asyncio.ensure_future(self._ask_until_end(message, run_id, after, channel))
        try:
            ends: set[asyncio.Future[Any]] = {following, channel.left}
            await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
            return following.result() if following.done() else _left(run_id)
        except asyncio.CancelledError:
            with suppress(RetinueError):
                await self.runs.cancel(run_id)
            raise
        finally:
            following.cancel()

    async def _ask_until_end(self, message: Message, run_id: int, after: str | None, channel: Channel) -> Result:
        asked: set[int] = set()

        def ask(pending: Sequence[Row]) -> None:
            for row in pending:
                if row.id not in asked:
                    channel.ask(f"{_PREFIX}{row.id}_{channel.key}", ELICIT, _question(row))
            asked.update(row.id for row in pending)

        if not message.standalone:
            ask(await self._find_pending(run_id))
        async for _, chunk in self.runs.events(await self.runs.get(run_id), after):
            if chunk["type"] == "tool_start":
                channel.report(f"Uses {chunk['tool']}")
            elif chunk["type"] == "waiting":
                pending = await self._find_pending(run_id)
                if message.standalone and pending:
                    return self._input_required(message, run_id, pending)
                ask(pending)
            elif chunk["type"] in ("done", "error"):
                break
        return await self._result(run_id)

    async def _result(self, run_id: int) -> Result:
        row = await self.runs.get(run_id)
        if row.status != "completed":
            return error_result(Unavailable(row.error or f"The run {run_id} was {row.status}."))
        return structured_result(
            {"reply": row.reply, "status": row.status, "run_id": run_id, **totals(row)}, row.reply or ""
        )

    async def _find_pending(self, run_id: int) -> Sequence[Row]:
        return await self.database.fetch(approvals_sql.PENDING_OF_RUN, run=run_id)

    def _input_required(self, message: Message, run_id: int, pending: Sequence[Row]) -> Result:
        return {
            "resultType": "input_required",
            "inputRequests": {f"{_PREFIX}{row.id}": {"method": ELICIT, "params": _question(row)} for row in pending},
            "requestState": self.states.seal(message, {"run": run_id, "approvals": [row.id for row in pending]}),
        }


def _question(row: Row) -> Mapping[str, object]:
    """Return the parameters of a request for a decision. Accepting the empty form approves the call."""
    if row.question:
        return form_params(row.question["message"], row.question["schema"])
    untrusted = f" It has read untrusted content: {row.untrusted}." if row.untrusted else ""
    call = f"{row.tool} with {(row.arguments or '{}')[:_MOST_SHOWN]}"
    message = f"The agent wants to use {call}.{untrusted} Accept to approve the call, or decline to deny it."
    return form_params(message, {"type": "object", "properties": {}})


def waiting_notice(run_id: int, questions: Sequence[tuple[str, str]] = ()) -> str:
    """Return the text for the client of a run that waits for an approval, or for the answers to `questions`."""
    if questions:
        listed = "\n\n".join(f"{tool} asks: {question}" for tool, question in questions)
        return f"{listed}\n\nAnswer in the portal under Approvals, and run {run_id} goes on in the background."
    return (
        f"Run {run_id} waits for an approval. Approve it in the portal under Approvals, and it goes on in the "
        "background."
    )


def _left(run_id: int) -> Result:
    """Return the result of a call whose user did not decide."""
    return structured_result({"status": "waiting", "run_id": run_id}, waiting_notice(run_id))
