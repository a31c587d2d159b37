"""The agent loop: calls the model and the tools it requests until the model replies without a tool call."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import Protocol

from retinue.core.errors import Unavailable, ValidationFailed
from retinue.core.runtime.clock import now
from retinue.knowledge.retrieval import Retriever
from retinue.models.base import (
    ContextExceeded,
    FinishReason,
    Message,
    Model,
    ModelRequest,
    Persona,
    ProviderFailed,
    ToolCall,
    ToolOffer,
)
from retinue.runs.context_window import (
    OVER,
    RESULT_CHARACTERS,
    AttachedFiles,
    RunConversation,
    StepCall,
    images_of,
    parsed_arguments,
    read_history,
    resume,
    with_attachments,
)
from retinue.runs.execution import knowledge, long_results
from retinue.runs.execution.attachments import Attachments, read_attached, read_images
from retinue.runs.execution.broadcast import retry_chunk
from retinue.runs.execution.client_calls import ClientCalls
from retinue.runs.execution.compaction import compact
from retinue.runs.execution.memory import Memory, remembers, with_facts
from retinue.runs.execution.model_calls import call_model, measured_scale
from retinue.runs.execution.prompts import NAME, system_prompt
from retinue.runs.execution.structured_output import read_output
from retinue.runs.execution.tool_calls import Say, ToolCalls
from retinue.runs.execution.verdict import find_problem, truncation_error
from retinue.runs.journal import MOST_ROWS, Journal
from retinue.runs.model_answer import ModelAnswer, utc_text
from retinue.runs.run_journal import RunJournal
from retinue.runs.run_options import ATTACHMENT, CLIENT_RESULT, ClientTool, Run, RunOptions
from retinue.runs.tables import HistoryRow, JournalRow
from retinue.runs.tool_selection.resources import RunResources, ToolExecutor
from retinue.runs.tool_selection.run_tools import ToolSelector
from retinue.usage.budgets import Budgets

_DEFAULT_REPLY_TOKENS = 4096
"""Tokens that a reply is assumed to take of the window if the model's maximum is unknown."""
_LONG_HISTORY = MOST_ROWS * 9 // 10
"""Number of messages from which a conversation gets a summary although it fits into the window."""
_SHORTER, _EXCESS = 2, 1.25
"""How often to shorten a prompt that the provider finds too long, and by how much it is then taken to exceed the
window at least."""
_PATIENCE_S = (1, 2, 4, 8, 15, 30, 30, 30)
"""Delays between a background run's retries of an unavailable model."""


class ModelSource(Protocol):
    """Finds models by their public names."""

    async def pick(self, account_id: int, name: str, fallbacks: Sequence[str] = (), *, sandbox: bool = False) -> Model:
        """Return the model for an account's run. Raises `Unavailable`."""
        ...


class AgentLoop:
    """Drives runs. It holds no state of a run: that is in the run's journal and thread."""

    def __init__(
        self,
        journal: Journal,
        models: ModelSource,
        offers: ToolSelector,
        tools: ToolExecutor,
        calls: ToolCalls,
        attachments: Attachments,
        budgets: Budgets,
        retriever: Retriever,
    ) -> None:
        self._journal = journal
        self._models = models
        self._offers = offers
        self._tools = tools
        self._calls = calls
        self._attachments = attachments
        self._budgets = budgets
        self._retriever = retriever
        self._memory = Memory(journal.database)
        self._client_calls = ClientCalls(journal.database)

    async def drive(self, journal: RunJournal, say: Say) -> None:
        """Execute a run from the end of its journal until it completes.

        Raises `TimeoutError` after the budget's seconds, `ValidationFailed` once its steps, tokens or credits are
        used up, and `RateLimited` once a monthly budget or the plan's quota of tool executions is.
        """
        run = journal.run
        options = run.options
        model = await self._models.pick(run.account_id, run.model, options.fallback_models, sandbox=options.sandbox)
        thread = await self._recall(journal, model)
        async with asyncio.timeout(options.budget.seconds):
            done = False
            while not done:
                if await self._end_step(journal, thread, say):
                    return
                thread.own += [Message("user", text) for text in await journal.read_inbox()]
                _check_budget(journal, thread)
                await self._budgets.check(run.spenders, journal.tokens_used, journal.spending.known)
                answer = await self._ask_patiently(journal, thread, model, say)
                done = await _conclude(journal, thread, answer, say)

    async def _end_step(self, journal: RunJournal, thread: RunConversation, say: Say) -> bool:
        """Carry out the calls of the last step. Calls of the client's tools end the run, after all others of the step,
        unless it waits for their results. A tool that gives the reply ends it too.

        Returns True if the run has ended. It goes on if it has received a message that its model has not seen: then
        the calls of the client's tools are refused.
        """
        theirs = client_calls(journal.run.options, thread)
        if theirs and journal.run.options.waits_for_client:
            await self._wait_for_client(journal, thread, theirs, say)
        elif theirs:
            await self._calls.carry_out(journal, thread, say, [item.seq for item in theirs])
            finish: FinishReason = "length" if any(item.cut is not None for item in theirs) else "stop"
            if await journal.hand_back(thread.last_text, [item.call for item in theirs], finish):
                return True
        if not thread.calls:
            return False
        await self._calls.carry_out(journal, thread, say)
        return journal.tool_reply is not None and await _end_with_tool_reply(journal, say)

    async def _wait_for_client(
        self, journal: RunJournal, thread: RunConversation, theirs: Sequence[StepCall], say: Say
    ) -> None:
        """Hand calls to the client, carry out the others, and take the results. Raises `RunPaused` before that."""
        await self._client_calls.hand_out(journal, theirs)
        await self._calls.carry_out(journal, thread, say, [item.seq for item in theirs])
        while waiting := [item for item in theirs if item.state not in OVER]:
            await self._client_calls.take_results(journal, waiting)
        journal.note_untrusted(CLIENT_RESULT)

    async def _recall(self, journal: RunJournal, model: Model) -> RunConversation:
        run, limit = journal.run, min(RESULT_CHARACTERS, model.context_tokens)
        rows = await self._journal.of_run(run.id) if run.epoch > 1 or run.options.forked_from else []
        earlier = await self._journal.history(run)
        sent = [*run.options.all_attachments, *(file_id for row in earlier for file_id in row.attachments or ())]
        attached = await read_attached(self._attachments, run.account_id, sent, model)
        returned = [file_id for row in (*earlier, *rows) for file_id in images_of(row)]
        sees_images = "image" in model.input
        images = await read_images(self._attachments, run.account_id, returned, sees_images=sees_images)
        before, request, after = _read_request(run, attached)
        history = [*before, *read_history(earlier, attached, limit, images=images)]
        await knowledge.retrieve(self._retriever, journal, history, model)
        await self._memory.recall(journal, model.context_tokens)
        if not model.uses_resources:
            content = knowledge.with_passages(request, journal.passages)
            request = replace(request, content=with_facts(content, journal.facts, run))
            journal.remembers = remembers(run)
        thread = RunConversation(
            system_prompt(run.options, [] if model.uses_resources else await self._offers.skills(run)),
            history,
            [request, *after],
            run_id=run.id,
            limit=limit,
            sees_images=sees_images,
            images=images,
        )
        thread.is_long = len(earlier) > _LONG_HISTORY
        if thread.is_long or thread.size() > model.context_tokens // 2:
            summary = await self._journal.summary(run)
            thread.history = [*before, *read_history(earlier, attached, limit, summary, images)]
            thread.is_long = len(thread.history) > _LONG_HISTORY
        thread.shortened = any(row.role == "tool" and len(row.content) > limit for row in earlier)
        resume(thread, rows)
        journal.resume(rows)
        await self._note_untrusted(journal, earlier, sent)
        await self._note_tools(journal, rows)
        return thread

    async def _note_tools(self, journal: RunJournal, rows: Sequence[JournalRow]) -> None:
        """Count the tools that the run used before this process continued it."""
        run = journal.run
        theirs = {one.name for one in run.options.client_tools}
        for row in rows:
            if row.role != "tool" or not row.tool_name or row.state == "waiting":
                continue
            if row.tool_name in theirs:
                journal.note_untrusted(CLIENT_RESULT)
            elif row.state == "done":
                journal.use_tool(row.tool_name, await self._offers.credits_of(run, row.tool_name))

    async def _note_untrusted(
        self, journal: RunJournal, earlier: Sequence[HistoryRow], attachments: Sequence[str]
    ) -> None:
        """Record the untrusted content of the conversation. Runs of earlier versions only left its traces in rows."""
        journal.note_untrusted(earlier[0].untrusted if earlier else None)
        journal.note_untrusted(ATTACHMENT if attachments else None)
        for row in earlier:
            if journal.run.untrusted:
                return
            if row.role == "tool" and row.tool_name and row.state == "done":
                arguments = parsed_arguments(row.tool_arguments)
                journal.note_untrusted(await self._offers.untrusted_source(journal.run, row.tool_name, arguments))

    async def _ask_patiently(self, journal: RunJournal, thread: RunConversation, model: Model, say: Say) -> ModelAnswer:
        """Call the model. A background run retries while the model is unavailable; an attached run does not."""
        for pause in () if journal.run.attached else _PATIENCE_S:
            try:
                return await self._ask_within_window(journal, thread, model, say)
            except Unavailable as error:
                if isinstance(error, ProviderFailed) and not error.may_retry:
                    raise
                next_attempt_at = now() + timedelta(seconds=pause)
                await journal.call_failed(error.message, next_attempt_at)
                say(retry_chunk(error.message, utc_text(next_attempt_at)))
                await asyncio.sleep(pause)
        return await self._ask_within_window(journal, thread, model, say)

    async def _ask_within_window(
        self, journal: RunJournal, thread: RunConversation, model: Model, say: Say
    ) -> ModelAnswer:
        """Call the model. If its provider finds the prompt too long, make the prompt shorter and try again.

        Raises `ContextExceeded` if the request alone is too long.
        """
        for _ in range(_SHORTER):
            try:
                return await self._ask(journal, thread, model, say)
            except ContextExceeded:
                if not (thread.history or thread.cuts):
                    raise
                size = max(thread.size() / thread.scale, 1)
                thread.scale = max(2 * thread.scale, _EXCESS * model.context_tokens / size)
        return await self._ask(journal, thread, model, say)

    async def _ask(self, journal: RunJournal, thread: RunConversation, model: Model, say: Say) -> ModelAnswer:
        """Make one model call."""
        resources = self._resources(journal, model)
        request = await self._request(journal, thread, model, resources)
        answer = await call_model(journal, model, request, say)
        thread.scale = max(thread.scale, measured_scale(request, answer.usage))
        offered = {tool.name for tool in request.tools} | (resources.offered if resources else set())
        calls = _with_single_call(answer.calls, journal.run.options)
        answer.calls = [replace(call, offered=call.name in offered) for call in calls]
        return answer

    def _resources(self, journal: RunJournal, model: Model) -> RunResources | None:
        run = journal.run
        usable = model.uses_resources and run.options.may_execute and run.options.tools != []
        facts = [row.text for row in journal.facts]
        return RunResources(run, self._offers, self._tools, journal.note_untrusted, facts) if usable else None

    async def _request(
        self, journal: RunJournal, thread: RunConversation, model: Model, resources: RunResources | None
    ) -> ModelRequest:
        run = journal.run
        tools = await self._tools_for(run, thread, model)
        most = run.options.max_output_tokens or model.max_output_tokens
        reply = min(most or _DEFAULT_REPLY_TOKENS, model.context_tokens // 4)
        window = model.context_tokens - sum(len(tool.description) // 4 + 80 for tool in tools)
        size = thread.size()
        if size > window - reply or thread.is_long:
            await compact(journal, thread, model, window - reply)
            size, thread.is_long = thread.size(), False
        if most and not run.options.max_output_tokens:  # Providers refuse more than their window.
            most = max(min(most, window - size), reply)
        return ModelRequest(
            messages=thread.fit_into(window - reply),
            tools=tools,
            temperature=run.options.temperature,
            max_tokens=most,
            reasoning_effort=run.options.reasoning_effort,
            output_schema=run.options.output_schema,
            account=run.account_id,
            waited_for=run.attached,
            resources=resources,
            persona=_persona(run.options),
            excerpts=knowledge.excerpts(journal.passages),
            stop=run.options.stop,
            must_call=run.options.must_call and bool(tools),
            single_call=run.options.single_call and bool(tools),
        )

    async def _tools_for(self, run: Run, thread: RunConversation, model: Model) -> Sequence[ToolOffer]:
        if thread.steps >= run.options.budget.steps - 1:
            return []  # The last step is for the reply.
        if model.uses_resources:
            check_client_tools(model, run.options.client_tools)
            return await self._offers.named_tools(run)
        offers = [one.offer() for one in (*run.options.client_tools, *run.options.session_tools)]
        offered_names = {one.name for one in offers}
        own = await self._offers.to(run, thread, model.context_tokens)
        offers += [one for one in own if one.name not in offered_names]
        if run.options.knowledge:
            offers = [*(one for one in offers if one.name != knowledge.SEARCH_KNOWLEDGE), knowledge.OFFER]
        return [*offers, long_results.OFFER] if thread.shortened else offers


def _read_request(run: Run, attached: AttachedFiles) -> tuple[list[Message], Message, list[Message]]:
    """Return the run's message between the client's earlier and later messages, with their files."""
    options = run.options
    add_files = partial(with_attachments, attached=attached, verbatim=options.verbatim)
    before, after = (
        [add_files(one.message(), one.attachments) for one in messages] for messages in (options.before, options.after)
    )
    return before, add_files(Message("user", run.message), options.attachments), after


def _persona(options: RunOptions) -> Persona | None:
    """Return the agent that replies; None in a chat with a model."""
    if not options.agent_name:
        return Persona(NAME, "", options.instructions) if options.instructions else None
    return Persona(options.agent_name, options.task or "", options.instructions or "", options.in_fleet)


async def _conclude(journal: RunJournal, thread: RunConversation, answer: ModelAnswer, say: Say) -> bool:
    """Add an answer to the thread. Returns True if it is the reply and the run has ended.

    Raises if the answer is unusable for the second time, or cannot become usable.
    """
    if answer.calls:
        _go_on(journal, thread, answer)
        if thread.truncations > 1 and not client_calls(journal.run.options, thread):
            raise truncation_error(answer)
        return False
    output = None
    schema = journal.run.options.output_schema
    if schema is not None:
        answer.text, output, answer.errors = read_output(answer.text, schema)
    if problem := find_problem(answer):
        journal.defer_step(answer, rejected=True)
        await journal.save()
        thread.reject(answer.text, answer.errors)
        if not problem.may_retry or thread.rejections > 1:
            raise problem.error
        return False
    if schema is not None:
        journal.add_text(answer.text)
        say({"type": "text", "content": answer.text})
    journal.citations = knowledge.citations(answer.text, journal.passages)
    if await journal.finish("completed", answer=answer, output=output):
        return True
    _go_on(journal, thread, answer)
    await journal.save()
    return False


async def _end_with_tool_reply(journal: RunJournal, say: Say) -> bool:
    """End the run with the reply of a tool. Returns False if the run has received a message meanwhile."""
    if reply := journal.tool_reply:
        say({"type": "text", "content": reply})
    return await journal.finish_with_tool_reply()


def _go_on(journal: RunJournal, thread: RunConversation, answer: ModelAnswer) -> None:
    """Add an answer after which the run continues."""
    seq = journal.defer_step(answer)
    message = Message("assistant", answer.text, tuple(answer.calls), opaque=tuple(answer.opaque))
    thread.add_step(seq, message, answer.finish_reason, answer.usage.completion_tokens)


def check_client_tools(model: Model, tools: Sequence[ClientTool]) -> None:
    """Raise `ValidationFailed` if a model cannot call tools of the client."""
    if model.uses_resources and tools:
        raise ValidationFailed(
            "tools: the included small model cannot call tools that you bring. Leave tools out, or use the model of a "
            "provider."
        )


def _with_single_call(calls: Sequence[ToolCall], options: RunOptions) -> Sequence[ToolCall]:
    """Return the calls before the second one of the client's tools, if the client takes one call at a time.

    The model asks for the others again when it has the result of the first.
    """
    names = {one.name for one in options.client_tools} if options.single_call else set()
    theirs = [at for at, call in enumerate(calls) if call.name in names]
    return calls[: theirs[1]] if len(theirs) > 1 else calls


def client_calls(options: RunOptions, thread: RunConversation) -> list[StepCall]:
    """Return the open calls of the client's tools. A run that waits for results fails calls that were cut off."""
    names = {one.name for one in options.client_tools}
    calls = [item for item in thread.open_calls if item.call.name in names]
    return [item for item in calls if item.cut is None] if options.waits_for_client else calls


def _check_budget(journal: RunJournal, thread: RunConversation) -> None:
    budget = journal.run.options.budget
    if thread.steps >= budget.steps:
        raise ValidationFailed(f"The run reached its limit of {budget.steps} steps. Raise steps in its budget.")
    if journal.tokens_used >= budget.tokens:
        raise ValidationFailed(f"The run reached its limit of {budget.tokens:,} tokens. Raise tokens in its budget.")
    if budget.cost_usd is not None and journal.spending.known >= budget.cost_usd:
        raise ValidationFailed(f"The run reached its limit of {budget.cost_usd} USD. Raise cost_usd in its budget.")
