"""Checks and executes the tool calls of a run, and records their results."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

import orjson
import structlog

from retinue.core.errors import InternalError, RetinueError, ValidationFailed
from retinue.core.runtime.clock import now
from retinue.models.base import ToolCall
from retinue.runs.approvals.suspension import Pauses, wants_approval
from retinue.runs.context_window import Thread, Unfinished, parsed_arguments
from retinue.runs.execution.broadcast import Chunk
from retinue.runs.run_journal import RunJournal, ToolOutcome
from retinue.runs.run_options import Run
from retinue.runs.tool_selection.resources import Toolbox, behalf_of
from retinue.runs.tool_selection.run_tools import Offers
from retinue.tools.base import Tool
from retinue.tools.events import ToolExecuted
from retinue.tools.trust import untrusted_source
from retinue.usage.budgets import Budgets

Say = Callable[[Chunk], None]
_log = structlog.get_logger()

_AT_ONCE_S = 0.05
"""How long the journal waits for a tool's result before it writes the requesting model step without it."""


class ToolCalls:
    """Executes the tool calls that models request."""

    def __init__(
        self,
        pauses: Pauses,
        offers: Offers,
        tools: Toolbox,
        budgets: Budgets,
        check_quota: Callable[[int], Awaitable[None]],
    ) -> None:
        """`check_quota` raises `RateLimited` if the account with this id has used up its tool executions."""
        self._pauses = pauses
        self._offers = offers
        self._tools = tools
        self._budgets = budgets
        self._check_quota = check_quota

    async def carry_out(self, journal: RunJournal, thread: Thread, item: Unfinished, say: Say) -> None:
        """Execute one tool call and record its result."""
        run, call, seq = journal.run, item.call, item.seq
        tool = await self._offers.find(run, call.name, offered=call.offered)
        if tool and seq is None and wants_approval(run, tool, call):
            await self._pauses.ask(journal, call)
        outcome = None
        if item.waiting and seq is not None:
            call, outcome = await self._apply_decision(run, call, seq)
        elif tool and seq is not None and not (tool.read_only or tool.idempotent):
            outcome = _failure("The tool was interrupted. It is not known whether it took effect.")
        elif tool and seq is None and (run.options.may_pause or not (run.attached or tool.read_only)):
            seq = await journal.tool_started(call)
        elif tool and not tool.read_only:
            await journal.save()
        began: Chunk = {"type": "tool_start", "tool": call.name}
        if outcome:
            say(began)
        else:
            outcome = await self._execute_openly(journal, call, tool, lambda: say(began))
        if tool and outcome.event:
            journal.note_untrusted(_untrusted_source(tool, call, outcome))
        await journal.tool_ended(call, outcome, seq)
        thread.add_result(call, orjson.dumps(outcome.result).decode())
        say({"type": "tool_end", "tool": call.name})

    async def _execute_openly(
        self, journal: RunJournal, call: ToolCall, tool: Tool | None, tell: Callable[[], None]
    ) -> ToolOutcome:
        """Execute a tool and publish that it has started.

        A fast tool saves a write, because its result is journalled together with the requesting step. For a slow
        tool, the step is written first, because followers on other nodes see only the journal.
        """
        if not journal.deferred:
            tell()
            return await self._execute(journal, call, tool)
        saving: asyncio.Task[None] | None = None

        def save() -> None:
            nonlocal saving
            saving = asyncio.create_task(_save_and(journal, tell))

        late = asyncio.get_running_loop().call_later(_AT_ONCE_S, save)
        try:
            outcome = await self._execute(journal, call, tool)
        finally:
            late.cancel()
            if saving:
                await saving
        if not saving:
            tell()
        return outcome

    async def _apply_decision(self, run: Run, call: ToolCall, seq: int) -> tuple[ToolCall, ToolOutcome | None]:
        """Return the call with its approved arguments, or with a failed outcome if it was denied."""
        decision = await self._pauses.decision(run, seq)
        if decision.decision == "denied":
            return call, _failure(f"A person did not allow this call: {decision.reason or 'no reason given'}.")
        await self._pauses.start(run, seq, decision.arguments)
        return replace(call, arguments=decision.arguments), None

    async def _execute(self, journal: RunJournal, call: ToolCall, tool: Tool | None) -> ToolOutcome:
        run = journal.run
        began, clock = now(), asyncio.get_running_loop().time
        if tool is None:
            return ToolOutcome({"error": await self._offers.refusal(run, call.name)}, False, began)
        start = clock()
        _check_credits(journal, tool)
        if not run.options.sandbox:
            await self._check_quota(run.account_id)
        await self._budgets.check(run.spenders, journal.tokens_used)
        try:
            arguments = _arguments(call)
            _check_unnamed(run, tool, arguments)
            behalf = behalf_of(run)
            result, ok = await self._tools.execute(tool, arguments, behalf), True
            journal.note_untrusted(behalf.notes.read)
        except InternalError as error:
            _log.error("tool.failed", tool=tool.name, run=run.id)
            result, ok = {"error": error.message}, False
        except RetinueError as error:
            result, ok = {"error": error.message}, False
        event = ToolExecuted(
            tool=tool.name,
            status="success" if ok else "error",
            execution_time_ms=round((clock() - start) * 1000),
            credits_used=tool.credits if ok else 0,
            run_id=run.id,
            agent_id=run.agent_id,
        )
        return ToolOutcome(result, ok, began, event)


def _untrusted_source(tool: Tool, call: ToolCall, outcome: ToolOutcome) -> str | None:
    """Describe the untrusted content in a result. The arguments of a failed call may not match the tool's schema."""
    return untrusted_source(tool, parsed_arguments(call.arguments) if outcome.ok else None)


async def _save_and(journal: RunJournal, tell: Callable[[], None]) -> None:
    await journal.save()
    tell()


def _check_credits(journal: RunJournal, tool: Tool) -> None:
    most = journal.run.options.budget.credits
    if most is not None and journal.credits_used + tool.credits > most:
        raise ValidationFailed(f"The call of {tool.name} would exceed the run's limit of {most:,} credits for tools.")


def _check_unnamed(run: Run, tool: Tool, arguments: dict[str, Any]) -> None:
    """Raise `ValidationFailed` for a destructive call, unless the caller named the tool."""
    if run.options.tools is None and not tool.read_only and tool.destroys(arguments):
        raise ValidationFailed(
            f"This call of {tool.name} would delete or overwrite what is there. Name the tool in `tools` to allow that."
        )


def _failure(message: str) -> ToolOutcome:
    return ToolOutcome({"error": message}, False, now())


def _arguments(call: ToolCall) -> dict[str, Any]:
    try:
        arguments = orjson.loads(call.arguments or "{}")
    except orjson.JSONDecodeError as error:
        raise ValidationFailed(f"The arguments are not valid JSON: {error}.") from error
    if not isinstance(arguments, dict):
        raise ValidationFailed("The arguments must be a JSON object.")
    return arguments
