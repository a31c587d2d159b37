"""Carries out the tool calls of a step: at the same time, each as a state machine.

    asked ─┬───────────────────────────────────────┬─▶ started ─▶ done or failed
           └─▶ waiting (a person must approve it) ─┘      └─▶ waiting (its server asks a person) ─▶ started
    started, found after a crash ─▶ started again if that is harmless, else unknown ─▶ failed

`CallState` names the states. A call's journal row is written when it begins to wait, when it starts if it may have an
effect, and when it ends.
"""

import asyncio
from collections.abc import Callable, Collection, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

import orjson
import structlog

from retinue.core.errors import InternalError, RetinueError, ValidationFailed
from retinue.core.http.json_body import find_problem
from retinue.core.runtime.clock import now
from retinue.core.runtime.tasks import cancel_all
from retinue.files.file_access import named_files
from retinue.knowledge.retrieval import Retriever
from retinue.models.base import ToolCall
from retinue.runs.approvals.suspension import Suspension, wants_approval
from retinue.runs.context_window import OVER, READ_RESULT, CallState, RunConversation, StepCall, parsed_arguments
from retinue.runs.execution.attachments import IMAGES_BYTES, Attachments, find_images, read_images
from retinue.runs.execution.broadcast import Chunk
from retinue.runs.execution.knowledge import SEARCH_KNOWLEDGE, search_more
from retinue.runs.execution.long_results import read_result
from retinue.runs.execution.memory import Memory
from retinue.runs.execution.session_tools import ToolSessions, find_session_tool
from retinue.runs.run_journal import RunJournal, ToolOutcome
from retinue.runs.run_options import Run
from retinue.runs.tool_ends import CONNECT_URL, tool_end
from retinue.runs.tool_selection.resources import ToolExecutor, principal_of
from retinue.runs.tool_selection.run_tools import ToolSelector
from retinue.skills.tools import RUN_SCRIPT
from retinue.tools.authoring.tool import Tool
from retinue.tools.catalogue.trust import is_imported, untrusted_source
from retinue.tools.events import ToolExecuted
from retinue.tools.imports.authorization.challenge import NeedsAuthorization
from retinue.tools.imports.mcp.questions import InputRequired, answer_fields
from retinue.usage.budgets import Budgets

Say = Callable[[Chunk], None]
_log = structlog.get_logger()

_AT_ONCE_S = 0.05
"""How long the journal waits for a tool's result before it writes the requesting model step without it."""


class CheckQuota(Protocol):
    """Checks a plan's quota of tool executions."""

    async def __call__(self, account_id: int, running: int) -> None:
        """Raise `RateLimited` if it is used up, where `running` executions are not counted yet."""
        ...


@dataclass(slots=True)
class _Call:
    """A call with its tool, which is None if the run may not use it. `outcome` is set if it needs no execution."""

    item: StepCall
    tool: Tool | None
    outcome: ToolOutcome | None = None
    answers: Mapping[str, object] = field(default_factory=dict)
    """What a person answered to the tool's server, as fields of the call."""


class _Starts:
    """Publishes that tools have started, once the requesting step is in the journal.

    A fast tool saves a write, because its result is journalled together with that step. For a slow tool, the step is
    written first, because followers on other nodes see only the journal.
    """

    def __init__(self, journal: RunJournal, say: Say) -> None:
        self._journal, self._say = journal, say
        self._unpublished: list[str] = []
        self._saving: asyncio.Task[None] | None = None
        self._late = asyncio.get_running_loop().call_later(_AT_ONCE_S, self._save) if journal.deferred else None

    def add(self, name: str) -> None:
        """Publish a start."""
        self._unpublished.append(name)
        if not self._journal.deferred:
            self.publish()

    def publish(self) -> None:
        """Publish all starts. The step must be in the journal."""
        for name in self._unpublished:
            self._say({"type": "tool_start", "tool": name})
        self._unpublished.clear()

    async def close(self) -> None:
        """Wait for the step to be written, if that has begun."""
        if self._late:
            self._late.cancel()
        if self._saving:
            await self._saving

    def _save(self) -> None:
        async def save() -> None:
            await self._journal.save()
            self.publish()

        self._saving = asyncio.create_task(save())


class ToolCalls:
    """Executes the tool calls that models request."""

    def __init__(
        self,
        pauses: Suspension,
        offers: ToolSelector,
        tools: ToolExecutor,
        files: Attachments,
        budgets: Budgets,
        check_quota: CheckQuota,
        retriever: Retriever,
        sessions: ToolSessions,
    ) -> None:
        self._sessions = sessions
        self._pauses = pauses
        self._files = files
        self._offers = offers
        self._tools = tools
        self._budgets = budgets
        self._check_quota = check_quota
        self._retriever = retriever

    async def carry_out(
        self, journal: RunJournal, thread: RunConversation, say: Say, others: Collection[int] = ()
    ) -> None:
        """Carry out the open calls of the last step but `others`, which are journal rows, and record their results.

        All of them were requested before any result was read, so what they may do is decided before the first one
        starts. Raises `RunPaused` if calls wait for approval, once the others have ended.
        """
        selected = [item for item in thread.open_calls if item.seq not in others]
        calls = [_Call(item, await self._find(journal.run, item.call)) for item in selected]
        for call in calls:
            call.outcome = _refusal_of(call)
        await self._request_approvals(journal, calls)
        while waiting_or_ready := [call for call in calls if call.item.state not in OVER]:
            for call in waiting_or_ready:
                if call.item.state is CallState.WAITING:
                    await self._apply_decision(journal.run, call)
            ready = [call for call in waiting_or_ready if call.item.state is not CallState.WAITING]
            if ready:
                await self._run_ready(journal, thread, ready, say)
            else:
                await self._pauses.pause(journal, {call.item.seq for call in waiting_or_ready})
        await self._end_step(journal.run, thread)

    async def _end_step(self, run: Run, thread: RunConversation) -> None:
        """Add the results to the thread, with the images that the tools returned."""
        images = [file_id for item in thread.calls for file_id in item.images]
        thread.images = await read_images(self._files, run.account_id, images, sees_images=thread.sees_images)
        thread.end_step()
        thread.trim_images(IMAGES_BYTES)

    async def _find(self, run: Run, call: ToolCall) -> Tool | None:
        """Return the tool of a call; None also for a tool of the run's session or a search of its collections."""
        if find_session_tool(run, call.name) or (run.options.knowledge and call.name == SEARCH_KNOWLEDGE):
            return None
        return await self._offers.find(run, call.name, offered=call.offered)

    async def _request_approvals(self, journal: RunJournal, calls: Sequence[_Call]) -> None:
        """Move the calls that need approval from asked to waiting."""
        unapproved = [
            call.item
            for call in calls
            if call.tool
            and call.item.state is CallState.ASKED
            and call.outcome is None
            and wants_approval(journal.run, call.tool, call.item.call)
        ]
        if not unapproved:
            return
        await self._pauses.ask(journal, [(item.seq, item.call) for item in unapproved])
        for item in unapproved:
            item.state, item.recorded = CallState.WAITING, True

    async def _apply_decision(self, run: Run, call: _Call) -> None:
        """Move a waiting call to started, with the approved arguments, or settle it if it was denied."""
        item = call.item
        decision = await self._pauses.decision(run, item.seq)
        if decision is None:
            return
        item.state = CallState.STARTED
        if decision.decision == "denied":
            refused = "answer the question of this call's server" if decision.question else "allow this call"
            call.outcome = _failure(f"A person did not {refused}: {decision.reason or 'no reason given'}.")
            return
        if decision.question:
            call.answers = answer_fields(decision.question, decision.answer or {})
        await self._pauses.start(run, item.seq, decision.arguments)
        item.call = replace(item.call, arguments=decision.arguments)

    async def _run_ready(self, journal: RunJournal, thread: RunConversation, ready: Sequence[_Call], say: Say) -> None:
        """Run the calls together that the run's limits admit, and then the others. Raises if a limit is reached."""
        starts = _Starts(journal, say)
        left = list(ready)
        try:
            while left:
                admitted, refusal = await self._admit(journal, left)
                if not admitted and refusal:
                    raise refusal
                await _run_together([self._carry_out(journal, thread, call, starts, say) for call in admitted])
                del left[: len(admitted)]
        finally:
            await starts.close()

    async def _admit(self, journal: RunJournal, calls: Sequence[_Call]) -> tuple[list[_Call], RetinueError | None]:
        """Return the calls, up to the first one that exceeds a limit if all before it succeed; and its error."""
        admitted: list[_Call] = []
        reserved = running = 0
        for call in calls:
            if call.tool and call.outcome is None:
                try:
                    await self._check_limits(journal, call.tool, reserved, running)
                except RetinueError as error:
                    return admitted, error
                reserved, running = reserved + call.tool.credits, running + 1
            admitted.append(call)
        return admitted, None

    async def _check_limits(self, journal: RunJournal, tool: Tool, reserved: int, running: int) -> None:
        run = journal.run
        most = run.options.budget.credits
        if most is not None and journal.credits_used + reserved + tool.credits > most:
            raise ValidationFailed(
                f"The call of {tool.name} would exceed the run's limit of {most:,} credits for tools. "
                "Raise credits in its budget."
            )
        if not run.options.sandbox:
            await self._check_quota(run.account_id, running)
        await self._budgets.check(run.spenders, journal.tokens_used, journal.spending.known, reserved=reserved)

    async def _carry_out(
        self, journal: RunJournal, thread: RunConversation, call: _Call, starts: _Starts, say: Say
    ) -> None:
        """Take one call to its end."""
        item, tool, outcome = call.item, call.tool, call.outcome
        unrecorded = tool and outcome is None and not item.recorded
        if tool and unrecorded and _needs_row(journal.run, tool):
            await journal.tool_started(item.call, item.seq)
            item.recorded = True
        elif tool and unrecorded and not tool.read_only:
            await journal.save()
        starts.add(item.call.name)
        if outcome is None:
            if tool and not tool.read_only:
                journal.note_action()
            item.state = CallState.STARTED
            try:
                outcome = await self._execute(journal, thread, call)
            except InputRequired as asked:
                await self._pauses.ask_person(journal, item, asked.question)
                return
        if tool and outcome.event:
            journal.note_untrusted(_untrusted_source(tool, item.call, outcome))
            if outcome.images and tool.inside:  # The tool made none of them: they may come from anywhere.
                journal.note_untrusted(f"result of {tool.name}")
        if outcome.reply is not None:
            journal.tool_reply = outcome.reply
        await journal.tool_ended(item.call, outcome, item.seq, recorded=item.recorded)
        item.end(
            CallState.DONE if outcome.ok else CallState.FAILED, orjson.dumps(outcome.result).decode(), outcome.images
        )
        starts.publish()
        say(tool_end(item.call.name, item.state.value, item.result))

    async def _execute(self, journal: RunJournal, thread: RunConversation, open_call: _Call) -> ToolOutcome:
        """Return the outcome of a call. Raises `InputRequired` if its server asks a person."""
        run, began, call, tool = journal.run, now(), open_call.item.call, open_call.tool
        if tool is None:
            return await self._execute_own(journal, thread, call)
        clock = asyncio.get_running_loop().time
        start = clock()
        result, ok = await self._call_tool(journal, tool, open_call)
        result = self._sessions.conceal(run, result)
        event = ToolExecuted(
            tool=tool.name,
            status="success" if ok else "error",
            execution_time_ms=round((clock() - start) * 1000),
            credits_used=tool.credits if ok else 0,
            run_id=run.id,
            agent_id=run.agent_id,
        )
        files = named_files(tool.result_schema, result) if ok and not is_imported(tool) else []
        return ToolOutcome(result, ok, began, event, await find_images(self._files, run.account_id, files))

    async def _execute_own(self, journal: RunJournal, thread: RunConversation, call: ToolCall) -> ToolOutcome:
        """Return the outcome of a call of a tool that only this run has, or that it was not offered."""
        run, began = journal.run, now()
        if find_session_tool(run, call.name):
            return await self._sessions.execute(run, call)
        if call.name == SEARCH_KNOWLEDGE and run.options.knowledge:
            return await search_more(self._retriever, journal, call)
        if call.name == READ_RESULT and thread.shortened:
            return await read_result(journal.journal, run, call, thread.limit)
        return ToolOutcome({"error": await self._offers.refusal(run, call.name)}, False, began)

    async def _call_tool(self, journal: RunJournal, tool: Tool, open_call: _Call) -> tuple[dict[str, object], bool]:
        """Return the result of a tool or its error, and whether it succeeded. Raises `InputRequired`."""
        run, call = journal.run, open_call.item.call
        try:
            arguments = _arguments(call)
            _check_unnamed(run, tool, arguments)
            memory = Memory(journal.journal.database)
            if memory.keeps(run, tool.name):
                result, untrusted = await memory.call(run, tool.name, arguments)
            else:
                principal = replace(principal_of(run), answers=open_call.answers)
                revealed = self._sessions.reveal(run, arguments)
                result, untrusted = await self._tools.execute(tool, revealed, principal), principal.notes.read
            journal.note_untrusted(untrusted)
        except InternalError as error:
            _log.error("tool.failed", tool=tool.name, run=run.id)
            return {"error": error.message}, False
        except InputRequired:
            raise
        except NeedsAuthorization as error:
            return {"error": error.message, CONNECT_URL: error.connect_url}, False
        except RetinueError as error:
            return {"error": error.message}, False
        return result, True


def _refusal_of(call: _Call) -> ToolOutcome | None:
    """Return the outcome of a call that must not be executed, or None."""
    item, tool = call.item, call.tool
    if item.cut is not None and item.state is CallState.ASKED:
        limit = f"at {item.cut:,} output tokens" if item.cut else "at the limit of output tokens"
        return _failure(
            f"The arguments of this call were cut off {limit}, so it was not executed. "
            "Send less at once, for example in several calls."
        )
    if item.state is CallState.STARTED and tool and not (tool.read_only or tool.idempotent):
        item.state = CallState.UNKNOWN
        return _failure("The tool was interrupted. It is not known whether it took effect.")
    return None


def _needs_row(run: Run, tool: Tool) -> bool:
    """Return whether a call gets its journal row before it starts."""
    return run.options.may_pause or not (run.attached or tool.read_only)


async def _run_together(work: Sequence[Coroutine[object, None, None]]) -> None:
    """Run coroutines at the same time. If one fails, cancel the others and raise its error."""
    if len(work) == 1:
        return await work[0]
    tasks = [asyncio.create_task(one) for one in work]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_EXCEPTION)
    finally:
        failed = [task for task in tasks if task.done() and not task.cancelled() and task.exception()]
        await cancel_all(tasks)
    for task in failed:
        task.result()
    return None


def _untrusted_source(tool: Tool, call: ToolCall, outcome: ToolOutcome) -> str | None:
    """Describe the untrusted content in a result. The arguments of a failed call may not match the tool's schema."""
    return untrusted_source(tool, parsed_arguments(call.arguments) if outcome.ok else None)


def _check_unnamed(run: Run, tool: Tool, arguments: dict[str, object]) -> None:
    """Raise `ValidationFailed` for a destructive call, unless the caller named the tool or chose the skill."""
    if run.options.tools is None and tool.name != RUN_SCRIPT and not tool.read_only and tool.destroys(arguments):
        raise ValidationFailed(
            f"This call of {tool.name} would delete or overwrite what is there. Name the tool in `tools` to allow that."
        )


def _failure(message: str) -> ToolOutcome:
    return ToolOutcome({"error": message}, False, now())


def _arguments(call: ToolCall) -> dict[str, object]:
    try:
        arguments = orjson.loads(call.arguments or "{}")
    except orjson.JSONDecodeError as error:
        raise ValidationFailed(f"The arguments are not valid JSON: {error}.") from error
    if not isinstance(arguments, dict):
        raise ValidationFailed("The arguments must be a JSON object.")
    if problem := find_problem(arguments, call.arguments.encode()):
        raise ValidationFailed(problem)
    return arguments
