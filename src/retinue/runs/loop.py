"""The agent loop: the model speaks or asks for tools, tools answer, until the model has nothing more to ask."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

import orjson
import structlog

from retinue.core.clock import now
from retinue.core.errors import InternalError, RetinueError, Unavailable, ValidationFailed
from retinue.models.base import Message, Model, ModelRequest, Text, ToolCall, ToolOffer, Usage
from retinue.runs.journal import Journal, ToolOutcome
from retinue.runs.live import Chunk
from retinue.runs.offers import Offers
from retinue.runs.options import Run
from retinue.runs.pauses import Pauses, wants_approval
from retinue.runs.prompts import system_prompt
from retinue.runs.resources import RunResources, Toolbox, behalf_of
from retinue.runs.thread import Thread, Unfinished, read_history, resume, with_attachments
from retinue.tools.base import Tool
from retinue.tools.events import ToolExecuted
from retinue.usage.budgets import Budgets

Say = Callable[[Chunk], None]
_log = structlog.get_logger()

_REPLY_TOKENS = 1024
_KEEP_S = 1.0
"""How often the unfinished reply of a streamed run is kept in the database."""
_CALLS_AT_ONCE = 16
_AT_ONCE_S = 0.05
"""How long the journal waits for a tool's result, to write it together with the model's step that asked for it."""
_ATTACHED_BYTES_A_TOKEN = 2
"""Bytes of attachments for each token of a model's window: at four bytes a token they fill half of it."""
_PATIENCE_S = (1, 2, 4, 8, 15, 30, 30, 30)
"""Pauses before a background run asks an unavailable model again."""


class Attachments(Protocol):
    """Reads the files that messages came with."""

    async def texts(self, account_id: int, ids: Sequence[str], room: int) -> dict[str, str]:
        """Each file as a model reads it, with at most `room` bytes of content in all."""
        ...


class ModelSource(Protocol):
    """Finds models by the names that callers use."""

    def pick(self, name: str, sandbox: bool) -> Model:
        """The model, or `Unavailable`."""
        ...


@dataclass
class _Step:
    """One model call as it comes in."""

    began: datetime
    calls: list[ToolCall]
    tokens: int = 0


class Loop:
    """Drives runs. It holds nothing of a run: everything is in the run, its thread and the journal."""

    def __init__(
        self,
        journal: Journal,
        pauses: Pauses,
        models: ModelSource,
        offers: Offers,
        tools: Toolbox,
        attachments: Attachments,
        budgets: Budgets,
    ) -> None:
        self._journal = journal
        self._pauses = pauses
        self._models = models
        self._offers = offers
        self._tools = tools
        self._attachments = attachments
        self._budgets = budgets

    async def drive(self, run: Run, say: Say) -> None:
        """Work on a run from where its journal ends until it is complete."""
        model = self._models.pick(run.model, run.options.sandbox)
        thread = await self._recall(run, model)
        async with asyncio.timeout(run.options.budget.seconds):
            done = False
            while not done:
                for item in list(thread.unfinished):
                    await self._use(run, thread, item, say)
                _check_budget(run, thread)
                await self._budgets.check(run.spenders, run.tokens_used)
                done = await self._ask_patiently(run, thread, model, say)

    async def _recall(self, run: Run, model: Model) -> Thread:
        rows = await self._journal.of_run(run.id) if run.epoch > 1 else []
        earlier = await self._journal.history(run)
        own = run.options.attachments
        sent = [*own, *(file_id for row in earlier for file_id in row.attachments or ())]
        texts = await self._attachments.texts(run.account_id, sent, model.context_tokens * _ATTACHED_BYTES_A_TOKEN)
        asked = with_attachments(Message("user", run.message), own, texts)
        thread = Thread(system_prompt(run.options), read_history(earlier, texts), [asked])
        resume(thread, rows)
        run.seq = max((row.seq for row in rows), default=0)
        run.tokens_used = sum(row.tokens for row in rows)
        for row in rows:
            if row.role == "tool" and row.state == "done":
                run.used(row.tool_name)
                run.credits_used += await self._offers.credits_of(run, row.tool_name)
        return thread

    async def _ask_patiently(self, run: Run, thread: Thread, model: Model, say: Say) -> bool:
        """Ask the model; a background run waits for a model that is away, one that a client waits for does not."""
        for pause in () if run.attached else _PATIENCE_S:
            try:
                return await self._ask(run, thread, model, say)
            except Unavailable:
                await asyncio.sleep(pause)
        return await self._ask(run, thread, model, say)

    async def _ask(self, run: Run, thread: Thread, model: Model, say: Say) -> bool:
        """One model call; True when the reply is complete and the run has ended."""
        step = _Step(began=now(), calls=[])
        request = await self._request(run, thread, model)
        await self._listen(run, model, request, step, say)
        run.tokens_used += step.tokens
        if not step.calls:
            await self._journal.finish(run, "completed", None, step.tokens, step.began)
            return True
        self._journal.model_step(run, step.calls, step.tokens, step.began)
        thread.add_step(run.reply, step.calls)
        return False

    async def _request(self, run: Run, thread: Thread, model: Model) -> ModelRequest:
        tools = await self._tools_for(run, thread, model)
        usable = run.options.may_execute and run.options.tools != []
        resources = RunResources(run, self._offers, self._tools) if model.uses_resources and usable else None
        taken = _REPLY_TOKENS + sum(len(tool.description) // 4 + 80 for tool in tools)
        return ModelRequest(
            messages=thread.fitted(model.context_tokens - taken),
            tools=tools,
            temperature=run.options.temperature,
            max_tokens=_REPLY_TOKENS,
            account=run.account_id,
            waited_for=run.attached,
            resources=resources,
        )

    async def _tools_for(self, run: Run, thread: Thread, model: Model) -> Sequence[ToolOffer]:
        if thread.steps >= run.options.budget.steps - 1:
            return []  # the last step is for the reply
        if model.uses_resources:
            return await self._offers.named(run)
        return await self._offers.to(run, thread, model.context_tokens)

    async def _listen(self, run: Run, model: Model, request: ModelRequest, step: _Step, say: Say) -> None:
        clock = asyncio.get_running_loop().time
        kept = clock()
        run.reply, run.reply_seq = "", run.seq + 1
        async with aclosing(model.stream(request)) as deltas:
            async for delta in deltas:
                match delta:
                    case Text(content):
                        content = content.replace("\x00", "")
                        run.reply += content
                        say({"type": "text", "content": content})
                        if run.attached and clock() - kept > _KEEP_S:
                            await self._journal.keep(run)
                            kept = clock()
                    case ToolCall():
                        step.calls.append(_with_unique_ids(delta, len(step.calls)))
                    case Usage(prompt, completion):
                        step.tokens = prompt + completion
        del step.calls[_CALLS_AT_ONCE:]

    async def _use(self, run: Run, thread: Thread, item: Unfinished, say: Say) -> None:
        """Run one tool that the model asked for, and note its result."""
        call, seq = item.call, item.seq
        tool = await self._offers.find(run, call.name)
        if tool and seq is None and wants_approval(run, tool, call):
            await self._pauses.ask(run, call)
        outcome = None
        if item.waiting and seq is not None:
            call, outcome = await self._apply_decision(run, call, seq)
        elif tool and seq is not None and not (tool.read_only or tool.idempotent):
            outcome = _failure("The tool was interrupted; whether it took effect is not known.")
        elif tool and seq is None and (run.options.approval or not (run.attached or tool.read_only)):
            seq = await self._journal.tool_started(run, call)
        elif tool and not tool.read_only:
            await self._journal.save(run)
        began: Chunk = {"type": "tool_start", "tool": call.name}
        if outcome:
            say(began)
        else:
            outcome = await self._execute_openly(run, call, tool, lambda: say(began))
        if outcome.ok:
            run.used(call.name)
        await self._journal.tool_ended(run, call, outcome, seq)
        thread.add_result(call, orjson.dumps(outcome.result).decode())
        say({"type": "tool_end", "tool": call.name})

    async def _execute_openly(
        self, run: Run, call: ToolCall, tool: Tool | None, tell: Callable[[], None]
    ) -> ToolOutcome:
        """Run a tool, and tell that it has begun.

        A tool that is done at once saves a write: the step that asked for it is journalled with its result. Otherwise
        the step comes first, since who follows the run from elsewhere hears of what the journal has.
        """
        if not run.unsaved:
            tell()
            return await self._execute(run, call, tool)
        saving: asyncio.Task[None] | None = None

        def save() -> None:
            nonlocal saving
            saving = asyncio.create_task(self._save_and(run, tell))

        late = asyncio.get_running_loop().call_later(_AT_ONCE_S, save)
        try:
            outcome = await self._execute(run, call, tool)
        finally:
            late.cancel()
            if saving:
                await saving
        if not saving:
            tell()
        return outcome

    async def _save_and(self, run: Run, tell: Callable[[], None]) -> None:
        await self._journal.save(run)
        tell()

    async def _apply_decision(self, run: Run, call: ToolCall, seq: int) -> tuple[ToolCall, ToolOutcome | None]:
        """The call as a person approved it, or with the outcome that they denied it."""
        decision = await self._pauses.decision(run, seq)
        if decision.decision == "denied":
            return call, _failure(f"A person did not allow this call: {decision.reason or 'no reason given'}.")
        await self._pauses.start(run, seq, decision.arguments)
        return ToolCall(call.id, call.name, decision.arguments), None

    async def _execute(self, run: Run, call: ToolCall, tool: Tool | None) -> ToolOutcome:
        began, clock = now(), asyncio.get_running_loop().time
        if tool is None:
            return ToolOutcome({"error": await self._offers.refusal(run, call.name)}, False, began)
        start = clock()
        _check_credits(run, tool)
        await self._budgets.check(run.spenders, run.tokens_used)
        try:
            arguments = _arguments(call)
            _check_unnamed(run, tool, arguments)
            result, ok = await self._tools.execute(tool, arguments, behalf_of(run)), True
        except InternalError as error:
            _log.error("tool.failed", tool=tool.name, run=run.id)
            result, ok = {"error": error.message}, False
        except RetinueError as error:
            result, ok = {"error": error.message}, False
        run.credits_used += tool.credits if ok else 0
        event = ToolExecuted(
            tool=tool.name,
            status="success" if ok else "error",
            execution_time_ms=round((clock() - start) * 1000),
            credits_used=tool.credits if ok else 0,
            run_id=run.id,
            agent_id=run.agent_id,
        )
        return ToolOutcome(result, ok, began, event)


def _check_budget(run: Run, thread: Thread) -> None:
    budget = run.options.budget
    if thread.steps >= budget.steps:
        raise ValidationFailed(f"The run used all of its {budget.steps} steps without coming to an end.")
    if run.tokens_used >= budget.tokens:
        raise ValidationFailed(f"The run used all of its {budget.tokens:,} tokens without coming to an end.")


def _check_credits(run: Run, tool: Tool) -> None:
    most = run.options.budget.credits
    if most is not None and run.credits_used + tool.credits > most:
        raise ValidationFailed(f"The run may use {most:,} credits on tools, and {tool.name} would go beyond them.")


def _check_unnamed(run: Run, tool: Tool, arguments: dict[str, Any]) -> None:
    """Refuse a call that destroys, unless the caller named the tool."""
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


def _with_unique_ids(call: ToolCall, index: int) -> ToolCall:
    """Model-made ids may be missing, too long or alike: give each call of a step one of its own."""
    return ToolCall(f"{call.id[:80] or 'call'}_{index}", call.name[:100], call.arguments.replace("\x00", ""))
