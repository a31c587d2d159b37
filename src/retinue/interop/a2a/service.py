"""Starts, continues, cancels and follows the tasks of one caller."""

from collections.abc import Sequence
from dataclasses import dataclass

from retinue.agents.run_of_agent import model_of
from retinue.agents.tables import AgentRecord
from retinue.auth.caller import Caller
from retinue.chat.service import Chats
from retinue.core.database.interface import Database, Tx, UniqueConflict
from retinue.core.database.statements import Row
from retinue.core.errors import NotFound, ValidationFailed
from retinue.core.idempotency.keys import note_effect
from retinue.interop.a2a import statements as a2a_sql
from retinue.interop.a2a.card import card_of
from retinue.interop.a2a.errors import TaskNotCancelable, UnsupportedOperation
from retinue.interop.a2a.events import TaskEvents
from retinue.interop.a2a.messages import Decision, decisions_of, files_of, text_of
from retinue.interop.a2a.push import PushConfigs
from retinue.interop.a2a.tasks import Tasks, context_of, is_over
from retinue.interop.a2a.wire import ListQuery, Message, PushConfig, PushQuery, SendRequest, Task, TaskQuery
from retinue.interop.agui.threads import Thread, Threads
from retinue.interop.attachments import Attachments
from retinue.interop.made_files import MadeFiles
from retinue.runs import statements as runs_sql
from retinue.runs.approvals import statements as approvals_sql
from retinue.runs.approvals.service import Approvals
from retinue.runs.approvals.service import Decision as Outcome
from retinue.runs.continuation import Continuations
from retinue.runs.run_options import ClientMessage
from retinue.runs.service import Runs
from retinue.runs.tables import RunRow
from retinue.sharing import statements as sharing_sql

BASE = "/a2a"


@dataclass(frozen=True)
class _Start:
    """A task to start. `waits` says whether its client waits for the end, which begins it at once on this node."""

    agent: AgentRecord
    context: str | None
    message: str
    files: list[str]
    pushed: PushConfig | None
    old: bool
    waits: bool


@dataclass(frozen=True)
class A2a:
    """The tasks and the cards of agents, for one caller."""

    caller: Caller
    database: Database
    chats: Chats
    runs: Runs
    continuations: Continuations
    attachments: Attachments
    approvals: Approvals
    push: PushConfigs
    made_files: MadeFiles
    public_url: str | None

    def tasks(self, address: str) -> Tasks:
        """Return the tasks as clients at `address` see them."""
        return Tasks(self.caller, self.database, self.made_files, address)

    async def agent(self, agent_id: int) -> AgentRecord:
        """Return the agent. Raises `NotFound`."""
        return await self.chats.work.agents.record(agent_id)

    async def send(self, tasks: Tasks, agent_id: int, request: SendRequest, *, old: bool = False) -> int:
        """Start a task, or continue the one that the message names. Returns the run's id. `old` clients speak 0.3."""
        self.caller.require("chat:write")
        agent, message = await self.agent(agent_id), request.message
        if pushed := request.configuration.task_push_notification_config:
            self.push.check(pushed)
        if message.role != "ROLE_USER":
            raise ValidationFailed("message.role: clients send messages with the role ROLE_USER (user in 0.3).")
        if message.task_id:
            return await self._continue(tasks, agent_id, message, pushed, old=old)
        await self.chats.models.check(self.caller.account_id, model_of(agent))
        await self.chats.work.check_budgets(agent_id)
        waits = not request.configuration.return_immediately
        text, files = text_of(message), files_of(message)
        incoming = ClientMessage(role="user", content=text, attachments=files)
        (stored,) = await self.attachments.store([incoming])
        for last in (False, True):
            try:
                started = _Start(agent, message.context_id, text or "(a file)", stored.attachments, pushed, old, waits)
                run = await self._start(started)
                break
            except UniqueConflict:  # another request has just opened the context
                if last:
                    raise
        if waits:
            self.chats.dispatch.begin(run)
        return int(run.id)

    async def wait(self, tasks: Tasks, agent_id: int, run_id: int) -> Row:
        """Wait until a task has ended or needs input."""
        if live := self.runs.runner.active.get(run_id):
            await live.wait_until_ended()
        row = await tasks.get(agent_id, str(run_id))
        if is_over(row):
            return row
        await self.runs.wait_until(run_id, is_over)
        return await tasks.get(agent_id, str(run_id))

    async def answer(self, tasks: Tasks, agent_id: int, request: SendRequest, *, old: bool = False) -> Task:
        """Send a message, and return the task when the request wants it."""
        run_id = await self.send(tasks, agent_id, request, old=old)
        return await self.result(tasks, agent_id, run_id, request)

    async def result(self, tasks: Tasks, agent_id: int, run_id: int, request: SendRequest) -> Task:
        """Return the task that a message started or continued, at once or when there is something to tell."""
        configuration = request.configuration
        if configuration.return_immediately:
            row = await tasks.get(agent_id, str(run_id))
        else:
            row = await self.wait(tasks, agent_id, run_id)
        return await tasks.describe(row, configuration.history_length)

    async def stream(self, tasks: Tasks, agent_id: int, request: SendRequest, *, old: bool = False) -> TaskEvents:
        """Send a message, and return the events of its task."""
        run_id = await self.send(tasks, agent_id, request, old=old)
        return TaskEvents(tasks, self.runs, await tasks.get(agent_id, str(run_id)))

    async def task(self, tasks: Tasks, agent_id: int, query: TaskQuery) -> Task:
        """Return a task. Raises `TaskNotFound`."""
        self.caller.require("agents:read")
        return await tasks.describe(await tasks.get(agent_id, query.id), query.history_length)

    async def subscribe(self, tasks: Tasks, agent_id: int, query: TaskQuery) -> TaskEvents:
        """Return the events of a task that has not ended."""
        self.caller.require("agents:read")
        row = await tasks.get(agent_id, query.id)
        if row.ended_at is not None:
            raise UnsupportedOperation(f"Task {row.id} has ended, so nothing more happens to it. Get it instead.")
        return TaskEvents(tasks, self.runs, row)

    async def page(self, tasks: Tasks, agent_id: int, query: ListQuery) -> dict[str, object]:
        """Return a page of tasks, most recently changed first."""
        self.caller.require("agents:read")
        agent = await self.agent(agent_id)
        rows: Sequence[Row] = ()
        token, total = "", 0
        conversation = await self._conversation(agent, query.context_id) if query.context_id else None
        if conversation is not None or not query.context_id:
            rows, token, total = await tasks.page(agent_id, query, conversation)
        length = query.history_length or 0
        described = [await tasks.describe(row, length, artifacts=query.include_artifacts) for row in rows]
        listed = [task.fields() for task in described]
        return {"tasks": listed, "nextPageToken": token, "pageSize": query.page_size, "totalSize": total}

    async def cancel(self, tasks: Tasks, agent_id: int, query: TaskQuery) -> Task:
        """Cancel a task. Raises `TaskNotCancelable` if it has ended."""
        self.caller.require("agents:write")
        row = await tasks.get(agent_id, query.id)
        if row.ended_at is None:
            await self.runs.cancel(row.id)
            row = await tasks.get(agent_id, query.id)
        elif row.status != "cancelled":
            raise TaskNotCancelable(f"Task {row.id} has ended, so it cannot be cancelled.")
        return await tasks.describe(row, None)

    async def set_push(self, tasks: Tasks, agent_id: int, config: PushConfig, *, old: bool = False) -> PushConfig:
        """Add a push notification config to a task that has not ended."""
        self.caller.require("agents:write")
        row = await tasks.get(agent_id, config.task_id or "")
        if row.ended_at is not None:
            raise UnsupportedOperation(f"Task {row.id} has ended, so there is nothing to be notified of.")
        return await self.push.set(row.id, context_of(row), config, old=old)

    async def push_configs(self, tasks: Tasks, agent_id: int, query: PushQuery) -> Sequence[PushConfig]:
        """Return the push notification configs of a task, or the one that the query names."""
        self.caller.require("agents:read")
        row = await tasks.get(agent_id, query.task_id)
        return [await self.push.get(row.id, query.id)] if query.id else await self.push.list(row.id)

    async def delete_push(self, tasks: Tasks, agent_id: int, query: PushQuery) -> None:
        """Delete a push notification config."""
        row = await tasks.get(agent_id, query.task_id)
        await self.push.delete(row.id, query.id)

    async def extended_card(self, agent_id: int, base: str) -> dict[str, object]:
        """Return the card of an agent with its tools."""
        self.caller.require("agents:read")
        agent = await self.agent(agent_id)
        known = await self.made_files.directory.of(self.caller.account_id)
        return card_of(agent, base, tools=[known.get(name) for name in agent.skills if name in known])

    async def _continue(
        self, tasks: Tasks, agent_id: int, message: Message, pushed: PushConfig | None, *, old: bool
    ) -> int:
        """Answer what a task waits for, or add a message that it sees at its next step."""
        self.caller.require("agents:write")
        row = await tasks.get(agent_id, str(message.task_id))
        if message.context_id not in (None, "", context_of(row)):
            raise ValidationFailed(f"message.contextId: task {row.id} is of the context {context_of(row)}.")
        if row.ended_at is not None:
            raise UnsupportedOperation(
                f"Task {row.id} has ended. Leave out taskId and send contextId to go on in the same context."
            )
        pending = await self.database.fetch(approvals_sql.PENDING_OF_RUN, run=row.id)
        is_asking = row.status == "waiting" and bool(pending)
        decided = _assign(decisions_of(message, pending), pending) if is_asking else {}
        if not is_asking and files_of(message):
            raise ValidationFailed("message.parts: files can only be sent with the message that starts a task.")
        if pushed:
            await self.push.set(row.id, context_of(row), pushed, old=old)
        for approval_id, decision in decided.items():
            await self._decide(approval_id, decision)
        if not is_asking:
            await self.continuations.send(row.id, text_of(message))
        return int(row.id)

    async def _decide(self, approval_id: int, decision: Decision) -> None:
        outcome: Outcome = "approve" if decision.approved else "deny"
        await self.approvals.decide(approval_id, outcome, decision.arguments, decision.reason, decision.answer)

    async def _start(self, start: _Start) -> RunRow:
        threads = Threads(self.caller, self.database, self.chats, self.runs, self.made_files, start.agent)
        found = await threads.find(start.context) if start.context else None
        dispatch = self.chats.dispatch

        async def write(tx: Tx) -> RunRow:
            if found is None:
                conversation, user = await self._open(tx, start.agent, start.context, start.message), None
            else:
                conversation, user = found.conversation_id, await self._lock(tx, found)
            create = dispatch.add_claimed if start.waits else dispatch.background
            options: dict[str, object] = {"user": user, "attachments": start.files}
            run = await self.chats.work.converse(tx, start.agent, start.message, conversation, create=create, **options)
            if start.pushed:  # in the same transaction, so that no state of the task is missed
                context_id = start.context or await self._public_id(tx, conversation)
                await self.push.create(tx, run.id, context_id, start.pushed, old=start.old)
            await note_effect(tx, self.caller.claim, {"run": run.id})
            return run

        return await self.database.transact(write)

    @staticmethod
    async def _public_id(tx: Tx, conversation_id: int) -> str:
        (row,) = await tx.all(a2a_sql.PUBLIC_ID, conversation=conversation_id)
        return str(row.public_id)

    async def _open(self, tx: Tx, agent: AgentRecord, context: str | None, message: str) -> int:
        """Create the conversation of a context, under the name that the client gave it, if any."""
        conversation = await self.chats.open(tx, message, agent)
        if context:
            thread = {"account_id": self.caller.account_id, "agent_id": agent.id, "visitor": "", "thread_id": context}
            opened = {"conversation_id": conversation.id, "day": "", "messages_today": 0}
            await tx.one(sharing_sql.INSERT_THREAD, **thread, **opened)
        return int(conversation.id)

    async def _lock(self, tx: Tx, thread: Thread) -> str | None:
        """Lock the conversation of a context without an open task. Returns who talks in it."""
        conversation = await self.chats.lock(tx, thread.public_id)
        if busy := await tx.all(runs_sql.OPEN_OF_CONVERSATION, conversation=thread.conversation_id):
            raise UnsupportedOperation(
                f"Task {busy[-1].id} of this context has not ended. Send the message to it with taskId, wait for its "
                "end, or cancel it."
            )
        person: str | None = conversation.person
        return person

    async def _conversation(self, agent: AgentRecord, context: str) -> int | None:
        threads = Threads(self.caller, self.database, self.chats, self.runs, self.made_files, agent)
        try:
            found = await threads.find(context)
        except NotFound:
            return None
        return found.conversation_id if found else None


def _assign(decisions: Sequence[Decision], pending: Sequence[Row]) -> dict[int, Decision]:
    """Return the decision about each approval. Raises `ValidationFailed` before any of them is carried out."""
    known = {str(one.id): int(one.id) for one in pending}
    assigned: dict[int, Decision] = {}
    for decision in decisions:
        if decision.approval_id is not None and decision.approval_id not in known:
            raise ValidationFailed(f"approvalId: the task does not wait for {decision.approval_id[:40]!r}.")
        for name in [decision.approval_id] if decision.approval_id else known:
            if known[name] in assigned:
                raise ValidationFailed(f"approvalId: the message decides about {name} twice. Send one decision.")
            assigned[known[name]] = decision
    return assigned
