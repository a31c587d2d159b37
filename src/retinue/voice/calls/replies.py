"""Generates the replies on a call with the chat agent loop, in a conversation that belongs to the call."""

from dataclasses import dataclass
from functools import cached_property

from retinue.agents.voice_settings import Hours, VoiceSettings
from retinue.chat.service import Chats
from retinue.core.database.interface import Database, Tx
from retinue.core.database.statements import Row
from retinue.memory.tables import USER_CHARACTERS
from retinue.runs.continuation import replace_run
from retinue.runs.execution.broadcast import RunStream
from retinue.runs.execution.session_tools import ToolSessions
from retinue.voice.calls import statements as sql
from retinue.voice.calls.call_tools import offered_tools
from retinue.voice.calls.feed import CallFeed
from retinue.voice.calls.manner import PHRASES, speaking_manner
from retinue.voice.calls.records import CallTurn, add_turn
from retinue.voice.calls.tables import CallRow
from retinue.voice.calls.variables import fill_in

_ASSISTANT = "Alfred"
_SPEECH = "speech on a phone call"
"""The untrusted source of every run on a call: the other side is not known to be the owner of the account."""


async def shorten_reply(database: Database, run_id: int, said: str) -> None:
    """Shorten a stored reply to the spoken part: the model must not assume that the caller heard the rest."""
    await database.transact(lambda tx: tx.run(sql.SHORTEN_REPLY, run=run_id, said=said or "…"))


@dataclass
class Replies:
    """Starts runs that answer the caller. `agent` is None for the built-in assistant."""

    database: Database
    chats: Chats
    agent: Row | None
    call: CallRow
    feed: CallFeed
    sessions: ToolSessions
    opening: str = ""
    """The part of the greeting that was spoken."""

    @cached_property
    def settings(self) -> VoiceSettings:
        """The agent's voice settings at the start of the call."""
        return VoiceSettings.of(self.call.voice)

    @property
    def session(self) -> str:
        """The name of the call for its tools."""
        return f"call-{self.call.id}"

    def greeting(self) -> str:
        """Return the greeting, after the notice of a recording; "" if the other side speaks first."""
        return self._first_words(self._greeting())

    def voicemail(self) -> str:
        """Return what to leave on an answering machine, after the notice of a recording; "" for nothing."""
        return self._first_words(self.settings.voicemail_message or self._greeting())

    def hours_notice(self, hours: Hours) -> str:
        """Return what a caller hears outside the agent's hours, after the notice of a recording."""
        return self._first_words(hours.say)

    def _first_words(self, text: str) -> str:
        consent = self.settings.consent if self.call.record else None
        return fill_in(" ".join(filter(None, (consent, text))), self.call.variables or {})

    def _greeting(self) -> str:
        if self.call.greeting is not None:
            return str(self.call.greeting)
        if self.agent and self.agent.greeting:
            return str(self.agent.greeting)
        hello = PHRASES[self.settings.language or "en"].hello
        return hello.format(name=self.agent.agent_name if self.agent else _ASSISTANT)

    async def begin(self, turn: CallTurn, said: str, continues: int | None) -> RunStream:
        """Store the caller's turn and create the run that answers it, in one transaction."""
        call, context = self.call, self._context()
        session = {"session": self.session, "session_tools": offered_tools(self.settings)}

        async def write(tx: Tx) -> Row:
            held = await tx.one(sql.HOLD, call=call.id, under=call.epoch)
            conversation = await self._conversation(tx, held)
            await add_turn(tx, self.feed, call, turn)
            if continues:
                await replace_run(tx, conversation.id, continues)
            return await self.chats.converse(tx, conversation, self.agent, said, context, _SPEECH, **session)

        run = await self.database.transact(write)
        return self.chats.dispatch.begin(run)

    async def cancel(self, run_id: int) -> None:
        """Cancel a run and wait until it has ended."""
        await self.chats.dispatch.runner.cancel(run_id)

    async def shorten(self, run_id: int, said: str) -> None:
        """Shorten a stored reply to the part that was spoken before an interruption."""
        await shorten_reply(self.database, run_id, said)

    async def _conversation(self, tx: Tx, held: Row | None) -> Row:
        call = self.call
        if held and held.conversation_id:
            return await self.chats.lock(tx, held.conversation_id)
        other = str(call.from_address or call.to_address)
        conversation = await self.chats.open(tx, f"Call with {other}", self.agent, user=other[:USER_CHARACTERS])
        await tx.run(sql.SET_CONVERSATION, call=call.id, named=conversation.public_id)
        return conversation

    def _context(self) -> dict[str, object]:
        call = self.call
        other = call.from_address or call.to_address
        context = {**speaking_manner(self.settings), "direction": call.direction, "other_side": other}
        if call.variables:
            context["variables"] = call.variables
        if self.opening:
            context["you_began_with"] = self.opening
        return context
