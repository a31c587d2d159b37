"""Sends messages and manages the conversations of one account."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypedDict, TypeVar

from retinue.agents.run_counts import uncount_runs
from retinue.agents.run_of_agent import model_of
from retinue.agents.tables import AgentRecord
from retinue.agents.work import AgentWork
from retinue.auth.caller import Caller
from retinue.chat import statements as sql
from retinue.chat.schemas import ChatRequest, ConversationFilter
from retinue.chat.tables import ConversationRow, ConversationRun, ShownConversation
from retinue.core.database import counters
from retinue.core.database.interface import Database, Tx
from retinue.core.database.portable_sql import like_pattern
from retinue.core.database.statements import Row
from retinue.core.errors import NotFound, ValidationFailed
from retinue.core.http.envelope import Page, read_page
from retinue.core.idempotency.keys import note_effect
from retinue.core.runtime.clock import now
from retinue.core.runtime.ids import new_id
from retinue.files.file_access import FileAccess
from retinue.models.registry import Models
from retinue.runs import statements as runs_sql
from retinue.runs.cancel_accounting import record_cancelled
from retinue.runs.continuation import replace_from
from retinue.runs.execution.broadcast import RunStream
from retinue.runs.execution.create_run import NewRun, RunCreator
from retinue.runs.permissions import checked_tools, powers_of
from retinue.runs.run_options import RunOptions
from retinue.runs.tables import JournalRow, RunRow
from retinue.tools.imports.account_catalogue import AccountCatalogue

_LAST_CHARACTERS = 200
_TITLE_CHARACTERS = 60


class ChatEffect(TypedDict):
    """What a request for a reply has begun: the id of the run, and the public id of the conversation."""

    run: int
    conversation_id: str


@dataclass(frozen=True)
class Chats:
    """Sends messages, and finds and deletes conversations."""

    caller: Caller
    database: Database
    models: Models
    tools: AccountCatalogue
    dispatch: RunCreator
    file_access: FileAccess
    work: AgentWork

    async def send(self, request: ChatRequest) -> tuple[str, RunStream]:
        """Start the answer to a message. Returns the conversation's public id and the live run."""
        agent = await self._agent(request)
        model = model_of(agent, request.model)
        await self.models.check(self.caller.account_id, model)
        overrides: dict[str, object] = {
            "temperature": request.temperature,
            "max_output_tokens": request.max_output_tokens,
            "output_schema": request.response_format and request.response_format.schema_,
            "shows_reasoning": "reasoning" in (request.include or []),
            "tools": await checked_tools(self.caller, self.tools, request.tools),
            "attachments": await self.file_access.attachments(self.caller, request.attachments),
        }
        await self.work.check_budgets(agent.id if agent else None)

        async def write(tx: Tx) -> tuple[ConversationRow, RunRow]:
            conversation = await self._open(tx, request, model, agent)
            overrides["user"] = conversation.person
            run = await self._add_run(tx, conversation, agent, request.message, model, **overrides)
            await note_effect(tx, self.caller.claim, ChatEffect(run=run.id, conversation_id=conversation.public_id))
            return conversation, run

        conversation, run = await self.database.transact(write)
        return conversation.public_id, self.dispatch.begin(run)

    async def _agent(self, request: ChatRequest) -> AgentRecord | None:
        """Return the agent that answers: that of the conversation, or the one that the request names for a new one."""
        agent_id = request.agent_id
        if public_id := request.conversation_id:
            agent_id = (await self.get(public_id)).agent_id
            if request.agent_id not in (None, agent_id):
                belongs = f"belongs to agent {agent_id}" if agent_id else "has no agent"
                raise ValidationFailed(
                    f"agent_id: this conversation {belongs}. Leave out conversation_id to begin another."
                )
        if agent_id is None:
            return None
        try:
            return await self.work.agents.record(agent_id)
        except NotFound as error:
            raise ValidationFailed(f"agent_id: {error.message}") from error

    async def _add_run(
        self,
        tx: Tx,
        conversation: ConversationRow,
        agent: AgentRecord | None,
        message: str,
        model: str,
        **overrides: Any,
    ) -> RunRow:
        if agent:
            return await self.work.converse(tx, agent, message, conversation.id, model=model, **overrides)
        fields = {name: value for name, value in overrides.items() if value is not None}
        options = RunOptions(**{**powers_of(self.caller), **fields})
        new = NewRun(self.caller.account_id, message, model, options, None, conversation.id)
        return await self.dispatch.add_attached(tx, new)

    async def _open(self, tx: Tx, request: ChatRequest, model: str, agent: AgentRecord | None) -> ConversationRow:
        if public_id := request.conversation_id:
            conversation = _require(await tx.one(sql.LOCK, **self._key(public_id)))
            if request.user not in (None, conversation.person):
                raise ValidationFailed(
                    "user: this conversation is with someone else. Leave out conversation_id to begin another."
                )
            if request.replace_from is not None:
                await replace_from(tx, conversation.id, request.replace_from)
            if conversation.model != model:
                await tx.run(sql.USE_MODEL, conversation=conversation.id, used=model)
            return conversation
        if request.replace_from is not None:
            raise ValidationFailed("replace_from: name the conversation of the message in conversation_id.")
        return await self.open(tx, request.message, agent, model, request.user)

    async def open(
        self, tx: Tx, message: str, agent: AgentRecord | None, model: str | None = None, user: str | None = None
    ) -> ConversationRow:
        """Create a conversation of the caller. See `open_conversation`."""
        return await open_conversation(tx, self.caller.account_id, message, agent, model, user)

    async def lock(self, tx: Tx, public_id: str) -> ConversationRow:
        """Return a conversation, locked for an update. Raises `NotFound`."""
        return _require(await tx.one(sql.LOCK, **self._key(public_id)))

    async def converse(
        self,
        tx: Tx,
        conversation: ConversationRow,
        agent: AgentRecord | None,
        message: str,
        context: dict[str, object],
        untrusted: str,
        **overrides: object,
    ) -> RunRow:
        """Start an answer in a conversation that the caller has locked.

        `untrusted` says who wrote the message if it was not the owner of the account. `overrides` are further run
        options.
        """
        model = model_of(agent, None if agent else conversation.model)
        options = {"context": context, "untrusted": untrusted, "user": conversation.person, **overrides}
        return await self._add_run(tx, conversation, agent, message, model, **options)

    async def page(self, page: ConversationFilter) -> tuple[Sequence[ShownConversation], int]:
        """Return one page of conversations, most recently used first, and the total count."""
        account = self.caller.account_id
        if page.user is None and page.agent_id is None:
            rows = await read_page(self.database, sql.LIST, page, account=account)
            return rows, await counters.read(self.database, account, "conversations")
        filters = {"account": account, "person": page.user, "agent": page.agent_id}
        leading = "agent" if page.user is None else "person"
        (counted,) = await self.database.query(sql.COUNT_FOUND[leading], **filters)
        return await read_page(self.database, sql.FIND[leading], page, **filters), counted.found

    async def get(self, public_id: str) -> ShownConversation:
        """Return one conversation. Raises `NotFound`."""
        return _require(await self.database.lookup(sql.GET, **self._key(public_id)))

    async def messages(self, public_id: str, page: Page) -> tuple[Sequence[JournalRow], int]:
        """Return one page of a conversation's messages, oldest first, and the total count."""
        conversation = await self.get(public_id)
        rows = await read_page(self.database, sql.MESSAGES, page, conversation=conversation.id)
        return rows, conversation.message_count

    async def find_recent(self, search: str, most: int) -> list[ConversationRow]:
        """Return the pinned conversations and the latest others, or those whose title or messages have `search`."""
        account = self.caller.account_id
        if search:
            pattern = like_pattern(search)
            return await self.database.query(sql.SEARCH, account=account, pattern=pattern, most=most)
        pins = await self.database.fetch(sql.PINS, account=account, most=most)
        return [*pins, *await self.database.fetch(sql.LATEST, account=account, most=most)]

    async def change(self, public_id: str, title: str | None = None, pinned: bool | None = None) -> ShownConversation:
        """Rename, pin or unpin a conversation. None leaves a field as it is."""

        async def write(tx: Tx) -> ShownConversation:
            conversation = await self.lock(tx, public_id)
            pin = conversation.pinned_at if pinned is None else (now() if pinned else None)
            return _require(await tx.one(sql.CHANGE, **self._key(public_id), named=title, pinned=pin))

        return await self.database.transact(write)

    async def runs(self, public_id: str, low: int, high: int) -> dict[int, ConversationRun]:
        """Return the conversation's runs with ids from `low` to `high`."""
        conversation = await self.get(public_id)
        rows = await self.database.fetch(sql.RUNS, conversation=conversation.id, low=low, high=high)
        return {row.id: row for row in rows}

    async def delete(self, public_id: str) -> None:
        """Cancel the conversation's open runs, then delete it with its messages."""
        conversation = await self.get(public_id)
        await self.dispatch.runner.cancel_all(lambda run: run.conversation_id == conversation.id)

        async def write(tx: Tx) -> None:
            conversation = _require(await tx.one(sql.LOCK, **self._key(public_id)))
            cancelled = await self._cancel_runs(tx, conversation.id)
            await uncount_runs(tx, await tx.all(sql.DELETE_RUNS, conversation=conversation.id))
            await tx.run(sql.DELETE, conversation=conversation.id)
            await counters.bump(tx, self.caller.account_id, "conversations", -1)
            await record_cancelled(tx, cancelled)

        await self.database.transact(write)

    async def _cancel_runs(self, tx: Tx, conversation_id: int) -> list[Row]:
        """Cancel the conversation's open runs, which other nodes may execute. Returns them."""
        reason = "The conversation was deleted."
        cancelled = await tx.all(
            runs_sql.CANCEL_OF_CONVERSATION, conversation=conversation_id, reason=reason, moment=now()
        )
        for run in cancelled:
            tx.after_commit(partial(self.dispatch.runner.tell_ended, run.id, conversation_id))
        if cancelled:
            tx.after_commit(partial(self.dispatch.notifier.wake, "runs.stopped"))
        return cancelled

    def _key(self, public_id: str) -> dict[str, object]:
        return {"public": public_id, "account": self.caller.account_id}


async def open_conversation(
    tx: Tx, account_id: int, message: str, agent: AgentRecord | None, model: str | None = None, user: str | None = None
) -> ConversationRow:
    """Create a conversation with an agent or a model, titled with the beginning of the message."""
    moment = now()
    await counters.bump(tx, account_id, "conversations", 1)
    (conversation,) = await tx.all(
        sql.INSERT,
        account_id=account_id,
        agent_id=agent.id if agent else None,
        public_id=new_id("conv"),
        title=_title(message),
        model=model_of(agent, model),
        message_count=0,
        last_message="",
        person=user,
        created_at=moment,
        updated_at=moment,
    )
    return conversation


async def public_ids(database: Database, account_id: int, conversation_ids: Collection[int]) -> dict[int, str]:
    """Return the public ids of conversations of an account."""
    rows = await database.fetch(sql.PUBLIC_IDS, these=list(conversation_ids), account=account_id)
    return {row.id: row.public_id for row in rows}


async def note_messages(tx: Tx, conversation_id: int, added: int, last_message: str) -> None:
    """Update a conversation's record when a run adds messages. An empty `last_message` leaves the stored one."""
    excerpt = last_message[:_LAST_CHARACTERS].replace("\x00", "") or None
    await tx.run(sql.NOTE, conversation=conversation_id, added=added, said=excerpt, moment=now())


def _title(message: str) -> str:
    line = " ".join(message.split()) or "Conversation"
    return line if len(line) <= _TITLE_CHARACTERS else line[: _TITLE_CHARACTERS - 1] + "…"


C = TypeVar("C", bound=ConversationRow)


def _require(conversation: C | None) -> C:
    if conversation is None:
        raise NotFound("There is no such conversation in your account.")
    return conversation
