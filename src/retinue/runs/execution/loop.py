"""The agent loop: calls the model and the tools it requests until the model replies without a tool call."""

import asyncio
from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Protocol

from retinue.core.database.statements import Row
from retinue.core.errors import Unavailable, ValidationFailed
from retinue.core.runtime.clock import now
from retinue.models.base import Message, Model, ModelRequest, Text, ToolCall, ToolOffer, Usage
from retinue.runs.context_window import Thread, parsed_arguments, read_history, resume, with_attachments
from retinue.runs.execution.prompts import system_prompt
from retinue.runs.execution.tool_calls import Say, ToolCalls
from retinue.runs.journal import Journal
from retinue.runs.run_journal import RunJournal
from retinue.runs.run_options import ATTACHMENT, Run
from retinue.runs.tool_selection.resources import RunResources, Toolbox
from retinue.runs.tool_selection.run_tools import Offers
from retinue.usage.budgets import Budgets

_DEFAULT_REPLY_TOKENS = 4096
"""Tokens that a reply is assumed to take of the window if the model's maximum is unknown."""
_KEEP_S = 1.0
"""Interval between saves of a streamed run's unfinished reply."""
_CALLS_AT_ONCE = 16
_ATTACHED_BYTES_A_TOKEN = 2
"""Bytes of attachments per token of the context window. At four bytes a token, they fill half of it."""
_PATIENCE_S = (1, 2, 4, 8, 15, 30, 30, 30)
"""Delays between a background run's retries of an unavailable model."""


class Attachments(Protocol):
    """Reads the files attached to messages."""

    async def texts(self, account_id: int, ids: Sequence[str], room: int) -> dict[str, str]:
        """Return each file's text for the model, by file id, with at most `room` bytes in total."""
        ...


class ModelSource(Protocol):
    """Finds models by their public names."""

    async def pick(self, account_id: int, name: str, fallbacks: Sequence[str] = (), *, sandbox: bool = False) -> Model:
        """Return the model for an account's run. Raises `Unavailable`."""
        ...


@dataclass
class _Step:
    """The tool calls and token count of one model call, filled while it streams."""

    began: datetime
    calls: list[ToolCall]
    tokens: int = 0


class Loop:
    """Drives runs. It holds no state of a run: that is in the run's journal and thread."""

    def __init__(
        self,
        journal: Journal,
        models: ModelSource,
        offers: Offers,
        tools: Toolbox,
        calls: ToolCalls,
        attachments: Attachments,
        budgets: Budgets,
    ) -> None:
        self._journal = journal
        self._models = models
        self._offers = offers
        self._tools = tools
        self._calls = calls
        self._attachments = attachments
        self._budgets = budgets

    async def drive(self, journal: RunJournal, say: Say) -> None:
        """Execute a run from the end of its journal until it completes.

        Raises `TimeoutError` after the budget's seconds, `ValidationFailed` once its steps, tokens or credits are
        used up, and `RateLimited` once a monthly budget or the plan's quota of tool executions is.
        """
        run = journal.run
        options = run.options
        model = await self._models.pick(run.account_id, run.model, options.fallback_models, sandbox=options.sandbox)
        thread = await self._recall(journal, model)
        async with asyncio.timeout(run.options.budget.seconds):
            done = False
            while not done:
                for item in list(thread.unfinished):
                    await self._calls.carry_out(journal, thread, item, say)
                _check_budget(journal, thread)
                await self._budgets.check(run.spenders, journal.tokens_used)
                done = await self._ask_patiently(journal, thread, model, say)

    async def _recall(self, journal: RunJournal, model: Model) -> Thread:
        run = journal.run
        rows = await self._journal.of_run(run.id) if run.epoch > 1 else []
        earlier = await self._journal.history(run)
        own = run.options.attachments
        sent = [*own, *(file_id for row in earlier for file_id in row.attachments or ())]
        texts = await self._attachments.texts(run.account_id, sent, model.context_tokens * _ATTACHED_BYTES_A_TOKEN)
        asked = with_attachments(Message("user", run.message), own, texts)
        thread = Thread(system_prompt(run.options), read_history(earlier, texts), [asked])
        resume(thread, rows)
        journal.resume(rows)
        await self._note_untrusted(journal, earlier, sent)
        for row in rows:
            if row.role == "tool" and row.state == "done":
                journal.use_tool(row.tool_name, await self._offers.credits_of(run, row.tool_name))
        return thread

    async def _note_untrusted(self, journal: RunJournal, earlier: Sequence[Row], attachments: Sequence[str]) -> None:
        """Record the untrusted content of the conversation. Runs of earlier versions only left its traces in rows."""
        journal.note_untrusted(earlier[0].untrusted if earlier else None)
        journal.note_untrusted(ATTACHMENT if attachments else None)
        for row in earlier:
            if journal.run.untrusted:
                return
            if row.role == "tool" and row.state == "done":
                arguments = parsed_arguments(row.tool_arguments)
                journal.note_untrusted(await self._offers.untrusted_source(journal.run, row.tool_name, arguments))

    async def _ask_patiently(self, journal: RunJournal, thread: Thread, model: Model, say: Say) -> bool:
        """Call the model. A background run retries while the model is unavailable; an attached run does not."""
        for pause in () if journal.run.attached else _PATIENCE_S:
            try:
                return await self._ask(journal, thread, model, say)
            except Unavailable:
                await asyncio.sleep(pause)
        return await self._ask(journal, thread, model, say)

    async def _ask(self, journal: RunJournal, thread: Thread, model: Model, say: Say) -> bool:
        """Make one model call. Returns True if the reply is complete and the run has ended."""
        step = _Step(began=now(), calls=[])
        resources = self._resources(journal, model)
        request = await self._request(journal.run, thread, model, resources)
        await _listen(journal, model, request, step, say)
        offered = {tool.name for tool in request.tools} | (resources.offered if resources else set())
        step.calls = [replace(call, offered=call.name in offered) for call in step.calls]
        if not step.calls:
            await journal.finish("completed", None, step.tokens, step.began)
            return True
        journal.defer_step(step.calls, step.tokens, step.began)
        thread.add_step(journal.reply, step.calls)
        return False

    def _resources(self, journal: RunJournal, model: Model) -> RunResources | None:
        run = journal.run
        usable = model.uses_resources and run.options.may_execute and run.options.tools != []
        return RunResources(run, self._offers, self._tools, journal.note_untrusted) if usable else None

    async def _request(self, run: Run, thread: Thread, model: Model, resources: RunResources | None) -> ModelRequest:
        tools = await self._tools_for(run, thread, model)
        most = run.options.max_output_tokens or model.max_output_tokens
        reply = min(most or _DEFAULT_REPLY_TOKENS, model.context_tokens // 4)
        taken = reply + sum(len(tool.description) // 4 + 80 for tool in tools)
        return ModelRequest(
            messages=thread.fit_into(model.context_tokens - taken),
            tools=tools,
            temperature=run.options.temperature,
            max_tokens=most,
            reasoning_effort=run.options.reasoning_effort,
            output_schema=run.options.output_schema,
            account=run.account_id,
            waited_for=run.attached,
            resources=resources,
        )

    async def _tools_for(self, run: Run, thread: Thread, model: Model) -> Sequence[ToolOffer]:
        if thread.steps >= run.options.budget.steps - 1:
            return []  # The last step is for the reply.
        if model.uses_resources:
            return await self._offers.named_tools(run)
        return await self._offers.to(run, thread, model.context_tokens)


async def _listen(journal: RunJournal, model: Model, request: ModelRequest, step: _Step, say: Say) -> None:
    clock = asyncio.get_running_loop().time
    kept = clock()
    journal.begin_reply()
    async with aclosing(model.stream(request)) as deltas:
        async for delta in deltas:
            match delta:
                case Text(content):
                    content = content.replace("\x00", "")
                    journal.add_text(content)
                    say({"type": "text", "content": content})
                    if journal.run.attached and clock() - kept > _KEEP_S:
                        await journal.keep()
                        kept = clock()
                case ToolCall():
                    step.calls.append(_with_unique_ids(delta, len(step.calls)))
                case Usage(prompt, completion):
                    step.tokens = prompt + completion
    del step.calls[_CALLS_AT_ONCE:]


def _check_budget(journal: RunJournal, thread: Thread) -> None:
    budget = journal.run.options.budget
    if thread.steps >= budget.steps:
        raise ValidationFailed(f"The run reached its limit of {budget.steps} steps.")
    if journal.tokens_used >= budget.tokens:
        raise ValidationFailed(f"The run reached its limit of {budget.tokens:,} tokens.")


def _with_unique_ids(call: ToolCall, index: int) -> ToolCall:
    """Give each call of a step a unique id. A model's ids may be missing, too long or duplicated."""
    return ToolCall(f"{call.id[:80] or 'call'}_{index}", call.name[:100], call.arguments.replace("\x00", ""))
