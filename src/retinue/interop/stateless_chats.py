"""Answers conversations that the client keeps and sends whole with each request."""

from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby, takewhile
from typing import cast

from retinue.agents.run_counts import uncount_runs
from retinue.agents.work import AgentWork, Create
from retinue.auth.caller import Caller
from retinue.core.database.interface import Database, Tx
from retinue.core.database.statements import Row
from retinue.core.errors import NotFound, ValidationFailed
from retinue.core.http.envelope import Page
from retinue.core.idempotency.keys import note_effect
from retinue.core.runtime.whole_numbers import parse_whole_number
from retinue.interop.attachments import Attachments
from retinue.interop.handed_back import handed_back_calls, steps_of, stored_calls, with_own_calls
from retinue.models.base import FinishReason
from retinue.models.registry import Models
from retinue.runs import statements as runs_sql
from retinue.runs.approvals import statements as approvals_sql
from retinue.runs.execution.broadcast import Chunk, RunStream
from retinue.runs.execution.create_run import NewRun, RunCreator
from retinue.runs.execution.loop import check_client_tools
from retinue.runs.permissions import powers_of
from retinue.runs.run_journal import HandedBack, RunJournal
from retinue.runs.run_options import CLIENT_RESULT, ClientCall, ClientMessage, ClientTool, RunOptions
from retinue.runs.service import Runs
from retinue.runs.tables import RunRow

AGENT = "agent:"
"""The prefix of model names that stand for an agent, followed by its id."""

Note = Callable[[Tx, RunRow], Awaitable[None]]
"""Records something about a new run in its transaction."""

_LISTED = 100
_NEEDS_APPROVAL = "A person has to approve the next step first. After that, the work goes on in the background."
_NEEDS_ANSWER = "A person has to answer this first. After that, the work goes on in the background."


class ModelNotFound(NotFound):
    """The request names no model or agent of the account."""


@dataclass(frozen=True, slots=True)
class Conversation:
    """A conversation to answer.

    `model` is a name of GET /models, or `agent:` and the id of an agent. `system` is the text of the client's system
    messages. `messages` continue `earlier`, those of a stored answer. They name attachments by `data:` URL, http(s) URL
    or id of a file until `Attachments` has stored them. `options` are run options; None leaves the default. `stop` are
    texts before which a model ends its reply; agents ignore them, as they would cut the arguments of tools.
    """

    model: str
    system: str
    messages: Sequence[ClientMessage]
    tools: Sequence[ClientTool] = ()
    earlier: Sequence[ClientMessage] = ()
    options: Mapping[str, object] = field(default_factory=dict)
    stop: Sequence[str] = ()
    must_call: bool = False
    """Whether a model must call one of the tools. Agents choose among their own tools as well, and are free to."""
    untrusted: str | None = None
    """The untrusted source of a stored conversation that this one continues."""

    @property
    def whole(self) -> list[ClientMessage]:
        """All messages."""
        return [*self.earlier, *self.messages]

    def parts(self) -> tuple[str, dict[str, object]]:
        """Return the user's last message, and the run options that hold the messages around it and its attachments.

        Without a message of the user, the system text is the request. Raises `ValidationFailed` if there is neither.
        """
        messages = self.whole
        at = max((at for at, message in enumerate(messages) if message.role == "user"), default=-1)
        if at >= 0:
            request = messages[at]
            message_options = {"before": messages[:at], "after": messages[at + 1 :], "attachments": request.attachments}
            return request.content, message_options
        if not self.system:
            raise ValidationFailed("messages: send at least one message with the role user.")
        return self.system, {"before": [], "after": messages}


def waiting_notice(live: RunStream) -> str:
    """Return what a stream adds to the text of a run that waits for a person; empty for other runs.

    Users of the client's app may read it, so it names neither the run nor the portal. `waiting_fields` names the run.
    """
    if live.outcome != "waiting":
        return ""
    asked = [f"{tool} asks: {question}" for tool, question in live.journal.questions]
    notice = "\n\n".join([*asked, _NEEDS_ANSWER if asked else _NEEDS_APPROVAL])
    return f"\n\n{notice}" if any(chunk["type"] == "text" for chunk in live.chunks) else notice


def waiting_fields(live: RunStream) -> dict[str, object]:
    """Return the field with which an answer says what its run waits for; empty for other runs.

    The protocols have no such field, so it is an extension, of the same form in all of them.
    """
    return _waiting(live.run.id, live.journal.approval_ids) if live.outcome == "waiting" else {}


def _waiting(run_id: int, approval_ids: Sequence[int]) -> dict[str, object]:
    return {"waiting": {"run_id": run_id, "approval_ids": list(approval_ids)}}


def reply_of(live: RunStream) -> str:
    """Return the text of a run that has ended, with a notice if it waits for a person."""
    journal = live.journal
    text = journal.handed_back.text if journal.handed_back else journal.reply
    notice = waiting_notice(live)
    return text + notice if text else notice.strip()


def reasoning_of(chunks: Sequence[Chunk]) -> str:
    """Return the reasoning among chunks."""
    return "".join(chunk["content"] for chunk in chunks if chunk["type"] == "reasoning")


def reasoning_before_reply(live: RunStream) -> str:
    """Return the published reasoning of a run before the first text of its replies."""
    return reasoning_of(list(takewhile(lambda chunk: chunk["type"] != "text", live.chunks)))


def stored_reasoning(row: Row, journal: Sequence[Row]) -> str:
    """Return what `reasoning_before_reply` returned for a stored run."""
    if not (row.options or {}).get("shows_reasoning"):
        return ""
    found = []
    for step in journal:
        if step.role == "assistant":
            found.append((step.details or {}).get("reasoning", ""))
            if step.content and step.tool_calls != []:
                break
    return "".join(found)


def group_chunks(chunks: Sequence[Chunk]) -> Iterator[tuple[str, str]]:
    """Yield the text and the reasoning of chunks, joined where they follow each other, as kind and content."""
    selected = [chunk for chunk in chunks if chunk["type"] in ("text", "reasoning") and chunk["content"]]
    for kind, group in groupby(selected, key=lambda chunk: str(chunk["type"])):
        yield kind, "".join(chunk["content"] for chunk in group)


@dataclass(frozen=True)
class StatelessChats:
    """Starts runs for conversations that the client keeps."""

    caller: Caller
    database: Database
    models: Models
    dispatch: RunCreator
    work: AgentWork
    runs: Runs
    attachments: Attachments

    async def start(self, conversation: Conversation, note: Note | None = None) -> RunStream:
        """Start the answer. Raises `NotFound` if there is no such model or agent.

        `note` is called in the transaction that creates the run.
        """
        return self.dispatch.begin(await self._create(conversation, self.dispatch.add_attached, note))

    async def start_in_background(self, conversation: Conversation, note: Note | None = None) -> Row:
        """Start an answer that outlives the request and the process. Returns its run."""
        return await self._create(conversation, self.dispatch.background, note)

    async def find_ended(self, run_id: int) -> RunStream:
        """Wait for the end of the run of an earlier attempt, and return it. Raises the error of one that failed."""
        row = await self.runs.wait_for_completion(run_id)
        steps = await self.database.fetch(runs_sql.OF_RUN, run=run_id)
        live = RunStream(RunJournal.of(row, self.dispatch.journal), self.dispatch.notifier)
        live.journal.resume(steps)
        live.journal.finish_reason = cast("FinishReason | None", row.finish_reason)
        if calls := handed_back_calls(row, steps):
            live.journal.handed_back = HandedBack(row.reply or "", calls)
        if reasoning := stored_reasoning(row, steps):
            live.chunks.append({"type": "reasoning", "content": reasoning})
        live.end(row.status)
        return live

    async def find(self, text: str, prefix: str, scope: str = "agents:read") -> tuple[Row, Sequence[Row]]:
        """Return the run of a stored answer and its journal. The id is the prefix and the run's id.

        Runs of agents need `scope` besides that of chat. Raises `NotFound`.
        """
        run_id = parse_whole_number(text.removeprefix(prefix)) if text.startswith(prefix) else None
        missing = NotFound(f"There is no response {text[:100]!r} in your account.")
        if run_id is None:
            raise missing
        try:
            row = await self.runs.get(run_id)
        except NotFound as error:
            raise missing from error
        if row.agent_id is not None:
            self.caller.require(scope)
        return row, await self.database.fetch(runs_sql.OF_RUN, run=run_id)

    async def waiting_fields(self, row: Row) -> dict[str, object]:
        """Return what the function `waiting_fields` returns, for a stored run."""
        if row.status != "waiting":
            return {}
        pending = await self.database.fetch(approvals_sql.PENDING_OF_RUN, run=row.id)
        return _waiting(row.id, [one.id for one in pending])

    async def delete(self, row: Row) -> None:
        """Delete the run of an answer with its journal, after cancelling it.

        Raises `ValidationFailed` for a run that belongs to something else: a conversation, a fleet or another run.
        """
        options = RunOptions.model_validate(row.options)
        if row.conversation_id is not None or options.in_fleet or options.depth:
            raise ValidationFailed("This run belongs to a conversation or to other work. Delete that instead.")
        await self.runs.cancel(row.id)

        async def write(tx: Tx) -> None:
            key = {"run": row.id, "account": self.caller.account_id}
            await uncount_runs(tx, await tx.all(runs_sql.DELETE, **key))

        await self.database.transact(write)

    @staticmethod
    def messages_of(row: Row, journal: Sequence[Row]) -> list[ClientMessage]:
        """Return the messages of a stored conversation with its answer. Raises `ValidationFailed` while it has none."""
        if row.status != "completed":
            raise ValidationFailed(f"previous_response_id: the response is {row.status}, so it cannot be continued.")
        calls = [
            ClientCall(id=call.id, name=call.name, arguments=call.arguments) for call in stored_calls(row, journal)
        ]
        answer = ClientMessage(role="assistant", content=row.reply or "", calls=calls)
        steps = [answer] if row.agent_id is None or not calls else steps_of(journal, answer, row.id)
        return [*StatelessChats.request_of(row), *steps]

    @staticmethod
    def request_of(row: Row) -> list[ClientMessage]:
        """Return the messages that a stored run answered."""
        options = RunOptions.model_validate(row.options)
        message = ClientMessage(role="user", content=row.message, attachments=options.attachments)
        return [*options.before, message, *options.after]

    async def _create(self, conversation: Conversation, add: Create, note: Note | None) -> Row:
        async def create(tx: Tx, new: NewRun) -> RunRow:
            run = await add(tx, new)
            if note:
                await note(tx, run)
            return run

        if conversation.model.startswith(AGENT):
            return await self._ask_agent(conversation, create)
        return await self._ask_model(conversation, create)

    async def agent(self, model: str) -> tuple[str, str] | None:
        """Return the model name and the name of one agent; None if `model` names none of the caller's."""
        agent_id = parse_whole_number(model.removeprefix(AGENT)) if model.startswith(AGENT) else None
        try:
            return (model, (await self.work.agents.record(agent_id)).agent_name) if agent_id else None
        except NotFound:
            return None

    async def agents(self) -> Sequence[tuple[str, str]]:
        """Return the model name and the name of the caller's agents, at most 100, the newest first."""
        rows, _ = await self.work.agents.page(Page(per_page=_LISTED))
        return [(f"{AGENT}{row.id}", row.agent_name) for row in rows]

    async def _ask_agent(self, conversation: Conversation, create: Create) -> Row:
        """Run an agent. The client's system text is the context of its request, beside its own instructions."""
        agent_id = parse_whole_number(conversation.model.removeprefix(AGENT))
        if agent_id is None:
            raise ModelNotFound(
                f"model: {conversation.model[:100]!r} is no agent. Write agent: and the id of one of yours."
            )
        uses_results = any(one.role == "tool" for one in conversation.whole)
        try:
            await self.work.agents.record(agent_id)
        except NotFound as error:
            raise ModelNotFound(error.message) from error
        conversation = await self._with_files(conversation)
        messages, untrusted = await self.with_own_calls(conversation.messages, conversation.model)
        conversation = replace(conversation, messages=messages)
        message, message_options = conversation.parts()
        return await self.work.create_run(
            agent_id,
            message,
            create,
            **message_options,
            client_tools=conversation.tools,
            context={"instructions": conversation.system} if conversation.system else None,
            untrusted=conversation.untrusted or untrusted or (CLIENT_RESULT if uses_results else None),
            **conversation.options,
        )

    async def with_own_calls(
        self, messages: Sequence[ClientMessage], model: str
    ) -> tuple[Sequence[ClientMessage], str | None]:
        """Add what the runs of an agent did before they handed calls back, and return what untrusted they read.

        Messages for a model are unchanged.
        """
        agent_id = parse_whole_number(model.removeprefix(AGENT)) if model.startswith(AGENT) else None
        if agent_id is None:
            return messages, None

        async def find(run_id: int) -> tuple[Row, Sequence[Row]] | None:
            try:
                row = await self.runs.get(run_id)
            except NotFound:  # it is another account's, or was deleted
                return None
            if row.agent_id != agent_id:
                return None
            return row, await self.database.fetch(runs_sql.OF_RUN, run=run_id)

        return await with_own_calls(messages, find)

    async def _ask_model(self, conversation: Conversation, create: Create) -> Row:
        """Ask a model. The client's system text is the whole system prompt, and its tools are the only ones."""
        account_id = self.caller.account_id
        try:
            await self.models.check(account_id, conversation.model)
        except ValidationFailed as error:
            raise ModelNotFound(error.message) from error
        await self.work.check_budgets(None)
        conversation = await self._with_files(conversation)
        if not self.caller.sandbox:
            model = await self.models.pick(account_id, conversation.model)
            check_client_tools(model, conversation.tools)
            await self.attachments.check(conversation.whole, model, conversation.model)
        message, message_options = conversation.parts()
        options = RunOptions.model_validate(
            {
                **powers_of(self.caller),
                "temperature": None,
                "instructions": conversation.system or None,
                "verbatim": True,
                "tools": [],
                "client_tools": conversation.tools,
                "must_call": conversation.must_call,
                "untrusted": conversation.untrusted,
                "stop": [text for text in conversation.stop if text],
                **message_options,
                **{name: value for name, value in conversation.options.items() if value is not None},
            }
        )
        new = NewRun(account_id, message, conversation.model, options)

        async def write(tx: Tx) -> Row:
            run = await create(tx, new)
            await note_effect(tx, self.caller.claim, {"run": run.id})
            return run

        return await self.database.transact(write)

    async def _with_files(self, conversation: Conversation) -> Conversation:
        """Store the files of the new messages; those of earlier ones are stored."""
        return replace(conversation, messages=await self.attachments.store(conversation.messages))
