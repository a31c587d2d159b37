"""Starts, resumes, follows and cancels the runs of front ends and visitors."""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

from retinue.agents.run_of_agent import model_of
from retinue.agents.tables import AgentRecord
from retinue.auth.caller import Caller
from retinue.chat.service import Chats
from retinue.core.database.interface import Database, Tx, UniqueConflict
from retinue.core.database.statements import Row
from retinue.core.errors import InsufficientScope, NotFound, RateLimited, RetinueError, Unavailable, ValidationFailed
from retinue.core.runtime.clock import now
from retinue.core.runtime.whole_numbers import parse_whole_number
from retinue.files.service import Files
from retinue.interop.agui.events import FAILED, RunEvents
from retinue.interop.agui.front_end_tools import read_results, read_tools
from retinue.interop.agui.schemas import ResumeEntry, RunInput
from retinue.interop.agui.threads import Thread, Threads
from retinue.interop.attachments import Attachments
from retinue.interop.made_files import MadeFiles
from retinue.runs.approvals.service import Approvals
from retinue.runs.continuation import Continuations
from retinue.runs.execution.broadcast import RunStream
from retinue.runs.run_options import ClientMessage
from retinue.runs.service import Runs
from retinue.runs.tables import ApprovalRow
from retinue.sharing import statements as sql
from retinue.sharing.service import PublishableKeys, today

VISITOR_SCOPES = frozenset({"tools:read", "tools:execute"})
"""What the run of a visitor may do: use the skills that the owner gave the agent."""

VISITOR = "a message of an anonymous visitor"
"""The untrusted source of a visitor's run."""

_VISITOR_TOKEN = re.compile(r"vis_[A-Za-z0-9_-]{32,100}")
_MESSAGE, _VISITOR_MESSAGE = 10_000, 4_000
_VISITOR_FILES = 3


@dataclass(frozen=True)
class AgUi:
    """AG-UI for one caller. `caller` has the scopes of the run; those of a visitor are `VISITOR_SCOPES`."""

    caller: Caller
    database: Database
    chats: Chats
    runs: Runs
    continuations: Continuations
    attachments: Attachments
    approvals: Approvals
    keys: PublishableKeys
    files: Files
    made_files: MadeFiles

    async def agent(self, agent_id: int) -> AgentRecord:
        """Return the agent. Raises `NotFound`, also for an agent that a publishable key is not for."""
        if self.caller.is_public and agent_id != self.caller.agent_id:
            raise NotFound("This publishable key is for another agent.")
        return await self.chats.work.agents.record(agent_id)

    async def threads(self, agent_id: int, token: str | None) -> Threads:
        """Return the threads with the agent that belong to the caller, or to the visitor with this token."""
        agent, needed = await self.agent(agent_id), (self.chats, self.runs, self.made_files)
        return Threads(self.caller, self.database, *needed, agent, self._visitor(token))

    async def artifact(self, threads: Threads, name: str, file_id: str) -> Row:
        """Return the record of a file that a tool made in a thread. Raises `NotFound` for any other file."""
        made = await threads.artifacts(await threads.get(name))
        found = [one for files in made.values() for one in files if one.id == file_id]
        if not found:
            raise NotFound("No tool made such a file in this thread.")
        return found[0]

    async def start(self, threads: Threads, found: Thread | None, body: RunInput) -> tuple[RunEvents, RunStream]:
        """Start a run for the user's message, in the thread that was found or in a new one."""
        agent = threads.agent
        message = body.last_message(_VISITOR_MESSAGE if self.caller.is_public else _MESSAGE)
        options = {
            **await self._options(agent, body),
            "attachments": await self._store(message.text(), message.files()),
        }
        for last in (False, True):
            try:
                thread, run = await self._create(
                    threads, found or body.threadId, agent, message.text() or "(a file)", options
                )
                return RunEvents(threads, run, thread, body.runId), self.chats.dispatch.begin(run)
            except UniqueConflict:  # another request has just opened the thread
                if last:
                    raise
                found = await threads.find(body.threadId)
        raise AssertionError("unreachable")

    async def continue_run(self, threads: Threads, thread: Thread, body: RunInput) -> tuple[RunEvents, str] | None:
        """Give results of the front end's tools, or the user's message, to the run of the thread that waits for them.

        Returns its events and the place after which they are new; None if no run of the thread waits.
        """
        if self.caller.is_public:
            return None
        for run in await threads.open_runs(thread):
            if waiting := await threads.waiting_calls(run):
                message = body.last_message(_MESSAGE) if body.messages and body.messages[-1].role == "user" else None
                if message and message.files():
                    raise ValidationFailed("messages: send files once the calls of your tools have results.")
                results = read_results(body, run.id, waiting)
                known = {*waiting, *(one.seq for one in await threads.pending(run.id))}
                await self.continuations.return_results(run.id, results, message.text() if message else None)
                return RunEvents(threads, run, thread, body.runId, known, body.results), f"{min(waiting)}-0"
        return None

    async def resume(self, threads: Threads, body: RunInput) -> tuple[RunEvents, str]:
        """Decide about interrupts and follow the run. Returns its events, and the place after which they are new."""
        if self.caller.is_public:
            raise InsufficientScope("Visitors cannot approve. The owner of the agent does it in the portal.")
        self.caller.require("agents:write")
        thread, entries = await threads.get(body.threadId), body.resume or []
        found = [await self._approval(thread, entry) for entry in entries]
        run = await self.runs.get(found[0].run_id)
        waiting = await threads.waiting_calls(run)
        known = {*waiting, *(one.seq for one in await threads.pending(run.id))}
        for entry, approval in zip(entries, found, strict=True):
            if approval.status == "pending":
                await self._decide(entry, approval.id)
        # What comes after a call that waits for the front end is not streamed before its result.
        place, stage = min([*((one.seq, 1) for one in found), *((seq, 0) for seq in waiting)])
        return RunEvents(threads, run, thread, body.runId, known, body.results), f"{place}-{stage}"

    async def appearance(self, agent_id: int) -> dict[str, object]:
        """Return what a widget shows before the first message."""
        agent = await self.agent(agent_id)
        key = await self.keys.get(self.caller.credential_id) if self.caller.is_public else None
        chosen: Mapping[str, object] = key.appearance if key else {}
        return {
            "title": chosen.get("title") or agent.agent_name,
            "subtitle": chosen.get("subtitle"),
            "greeting": chosen.get("greeting") or agent.greeting,
            "documents": bool(agent.knowledge),
            "suggestions": chosen.get("suggestions") or [],
            "color": chosen.get("color"),
            "theme": chosen.get("theme") or "auto",
            "position": chosen.get("position") or "right",
            "accepts_files": key.accepts_files if key else True,
        }

    async def cancel(self, threads: Threads, name: str) -> list[int]:
        """Cancel the open runs of a thread. Returns their ids."""
        runs = await threads.open_runs(await threads.get(name))
        for run in runs:
            await self.runs.cancel(run.id)
        return [run.id for run in runs]

    def refusal(self, error: RetinueError) -> RetinueError:
        """Return the error for the caller of a run that failed at once. Visitors are not told the reason."""
        return Unavailable(FAILED) if self.caller.is_public else error

    def _visitor(self, token: str | None) -> str:
        if not self.caller.is_public:
            return ""
        if token is None or not _VISITOR_TOKEN.fullmatch(token):
            raise ValidationFailed(
                "X-Visitor-Token: send a random text of your own with each request of a visitor, such as vis_ and 43 "
                "letters and digits. It opens the visitor's threads, so keep it in the visitor's browser."
            )
        return hashlib.sha256(token.encode()).hexdigest()

    async def _options(self, agent: AgentRecord, body: RunInput) -> dict[str, object]:
        """Return the run options. A visitor's run may use the agent's own skills only, and is untrusted."""
        await self.chats.models.check(self.caller.account_id, model_of(agent))
        try:
            await self.chats.work.check_budgets(agent.id)
        except RateLimited as error:
            if not self.caller.is_public:
                raise
            raise RateLimited(FAILED, int(error.headers["Retry-After"])) from error
        if not self.caller.is_public:
            return {
                "context": body.context_of_run(),
                "client_tools": read_tools(body) or None,
                "waits_for_client": bool(body.tools),
            }
        return {
            "tools": list(agent.skills),
            "agents": agent.agents,
            "untrusted": VISITOR,
            "ask_if_untrusted": agent.approval == "tainted" or agent.approval_derived,
        }

    async def _store(self, text: str, files: list[str]) -> list[str]:
        if files and self.caller.is_public:
            key = await self.keys.get(self.caller.credential_id)
            if not key.accepts_files:
                raise ValidationFailed("messages: this chat takes no files.")
            if len(files) > _VISITOR_FILES or not all(one.startswith("data:") for one in files):
                raise ValidationFailed(f"messages: attach at most {_VISITOR_FILES} files, each with its content.")
        (stored,) = await self.attachments.store([ClientMessage(role="user", content=text, attachments=files)])
        return stored.attachments

    async def _create(
        self, threads: Threads, target: Thread | str, agent: AgentRecord, message: str, options: Mapping[str, Any]
    ) -> tuple[Thread, Row]:
        """Create a run in a thread, or in a new one with this name."""

        async def write(tx: Tx) -> tuple[Thread, Row]:
            user = threads.user
            if isinstance(target, str):
                thread = await self._open(tx, threads, target, agent, message)
            else:
                thread, user = target, (await self.chats.lock(tx, target.public_id)).person
            run = await self.chats.work.converse(tx, agent, message, thread.conversation_id, user=user, **options)
            if self.caller.is_public:
                await self._count(tx, threads, thread, opened=isinstance(target, str))
            return thread, run

        return await self.database.transact(write)

    async def _open(self, tx: Tx, threads: Threads, name: str, agent: AgentRecord, message: str) -> Thread:
        conversation = await self.chats.open(tx, message, agent, user=threads.user)
        row = await tx.one(
            sql.INSERT_THREAD,
            account_id=self.caller.account_id,
            agent_id=agent.id,
            visitor=threads.visitor,
            thread_id=name,
            conversation_id=conversation.id,
            day="",
            messages_today=0,
        )
        if self.caller.is_public:
            await tx.run(sql.MARK, conversation=conversation.id, key=self.caller.credential_id)
        return Thread(name, conversation.public_id, conversation.id, row.id if row else None)

    async def _count(self, tx: Tx, threads: Threads, thread: Thread, *, opened: bool) -> None:
        """Count a visitor's message. Raises `RateLimited` once a limit of the day is reached."""
        moment, day = now(), today()
        midnight = (moment + timedelta(days=1)).replace(hour=0, minute=0, second=0, microsecond=0)
        wait = max(1, round((midnight - moment).total_seconds()))
        key = await tx.one(sql.LIMITS, key=self.caller.credential_id)
        spent = await tx.one(sql.VISITOR_TODAY, **threads.key, day=day)
        if key is None or (spent and spent.messages >= key.visitor_daily_messages):
            raise RateLimited("You have reached the number of messages for today. Please come back tomorrow.", wait)
        await tx.run(sql.COUNT_IN_THREAD, id=thread.id, day=day)
        counted = {"day": day, "moment": moment, "opened": int(opened)}
        if await tx.one(sql.COUNT_MESSAGE, key=self.caller.credential_id, **counted) is None:
            raise RateLimited(
                "This chat has reached its number of messages for today. Please come back tomorrow.", wait
            )

    async def _approval(self, thread: Thread, entry: ResumeEntry) -> ApprovalRow:
        number = entry.interruptId
        if (approval_id := parse_whole_number(number)) is None:
            raise ValidationFailed(f"resume: there is no interrupt {number!r}.")
        approval = await self.approvals.row(approval_id)
        run = await self.runs.get(approval.run_id)
        if run.conversation_id != thread.conversation_id:
            raise NotFound(f"There is no interrupt {number} in this thread.")
        return approval

    async def _decide(self, entry: ResumeEntry, approval_id: int) -> None:
        """Approve if the answer says so in plain words, else deny."""
        answer = entry.payload if isinstance(entry.payload, dict) else {}
        approved = entry.status == "resolved" and (entry.payload is True or answer.get("approved") is True)
        changed, reason, content = answer.get("arguments"), answer.get("reason"), answer.get("answer")
        await self.approvals.decide(
            approval_id,
            "approve" if approved else "deny",
            changed if approved and isinstance(changed, dict) else None,
            reason[:2000] if isinstance(reason, str) else None,
            content if approved and isinstance(content, dict) else None,
        )


def acting_caller(caller: Caller) -> Caller:
    """Return the caller with the scopes of its runs."""
    return replace(caller, scopes=VISITOR_SCOPES) if caller.is_public else caller
