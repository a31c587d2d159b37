"""Generates the replies of a room's agent, in a conversation that belongs to the room."""

import re
from dataclasses import dataclass

from retinue.chat.service import Chats
from retinue.core.database.interface import Database, Tx
from retinue.core.database.statements import Row
from retinue.runs.continuation import replace_run
from retinue.runs.execution.broadcast import RunStream
from retinue.voice.calls.records import CallTurn
from retinue.voice.calls.replies import shorten_reply
from retinue.voice.rooms import statements as sql
from retinue.voice.rooms.feed import RoomFeed
from retinue.voice.rooms.tables import RoomRow

_MANNER = (
    "You take part in a conference with several people, by voice. Answer in one to three short spoken sentences, "
    "without lists, markup, links or code. What somebody says begins with their name."
)
_SPEECH = "speech in a room"
"""The untrusted source of every run in a room, which guests may join."""


@dataclass(frozen=True)
class RoomReplies:
    """Starts runs of the room's agent."""

    database: Database
    feed: RoomFeed
    chats: Chats
    agent: Row
    room: RoomRow

    @property
    def name(self) -> str:
        """The agent's name in the transcript."""
        return str(self.agent.agent_name)

    @property
    def greeting(self) -> str:
        """The agent's first words in the room; "" if it has none, or if the room has heard it before."""
        return "" if self.room.conversation_id else str(self.agent.greeting or "")

    def named_in(self, text: str) -> bool:
        """True if the text contains the first word of the agent's name."""
        first = re.split(r"\W+", self.name.lower())[0]
        return bool(first) and first in re.split(r"\W+", text.lower())

    async def begin(self, turn: CallTurn, said: str, continues: int | None) -> RunStream:
        """Store an utterance and create the run that answers it, in one transaction."""

        async def write(tx: Tx) -> Row:
            held = await tx.one(sql.HELD, room=self.room.id)
            if held and held.conversation_id:
                conversation = await self.chats.lock(tx, held.conversation_id)
            else:
                conversation = await self.chats.open(tx, f"Room {self.room.name}", self.agent)
                await tx.run(sql.SET_CONVERSATION, room=self.room.id, named=conversation.public_id)
            await self.feed.add_line(tx, self.room.id, turn.speaker, turn.text)
            if continues:
                await replace_run(tx, conversation.id, continues)
            line = f"{turn.speaker}: {said}"
            context: dict[str, object] = {"manner": _MANNER, "room": self.room.name}
            if self.agent.greeting:
                context["you_began_with"] = self.agent.greeting
            return await self.chats.converse(tx, conversation, self.agent, line, context, _SPEECH)

        run = await self.database.transact(write)
        return self.chats.dispatch.begin(run)

    async def cancel(self, run_id: int) -> None:
        """Cancel a run and wait until it has ended."""
        await self.chats.dispatch.runner.cancel(run_id)

    async def shorten(self, run_id: int, said: str) -> None:
        """Shorten a stored reply to the part that was spoken before an interruption."""
        await shorten_reply(self.database, run_id, said)
