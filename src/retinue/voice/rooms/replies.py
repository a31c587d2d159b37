"""What answers in a room: the room's agent, in a conversation of the room's own."""

import re
from dataclasses import dataclass

from retinue.agents.work import AgentWork
from retinue.chat.service import Chats
from retinue.core.database import Database, Tx
from retinue.core.statements import Row
from retinue.runs.execution.broadcast import Live
from retinue.voice.calls.records import Turn
from retinue.voice.calls.replies import shorten_reply
from retinue.voice.rooms import statements as sql
from retinue.voice.rooms.feed import RoomFeed

_MANNER = (
    "You take part in a conference with several people, by voice. Answer in one to three short spoken sentences, "
    "without lists, markup, links or code. What somebody says begins with their name."
)
_MODEL = "alfred-default"


@dataclass(frozen=True)
class RoomReplies:
    """Begins runs of the room's agent."""

    database: Database
    feed: RoomFeed
    chats: Chats
    work: AgentWork
    agent: Row
    room: Row

    @property
    def name(self) -> str:
        """The agent's name, as the transcript has it."""
        return str(self.agent.agent_name)

    def named_in(self, text: str) -> bool:
        """Whether the agent is addressed: its name, or the first word of it, is among the words."""
        first = re.split(r"\W+", self.name.lower())[0]
        return bool(first) and first in re.split(r"\W+", text.lower())

    async def begin(self, turn: Turn) -> Live:
        """Write down what somebody said, and begin the answer, in one transaction."""

        async def write(tx: Tx) -> Row:
            held = await tx.one(sql.HELD, room=self.room.id)
            if held and held.conversation_id:
                conversation = await self.chats.lock(tx, held.conversation_id)
            else:
                conversation = await self.chats.open(tx, f"Room {self.room.name}", _MODEL)
                await tx.run(sql.SET_CONVERSATION, room=self.room.id, named=conversation.public_id)
            await self.feed.add_line(tx, self.room.id, turn.speaker, turn.text)
            line = f"{turn.speaker}: {turn.text}"
            context = {"manner": _MANNER, "room": self.room.name}
            return await self.work.converse(tx, self.agent, line, conversation.id, context)

        run = await self.database.transact(write)
        return self.chats.dispatch.begin(run)

    async def cancel(self, run_id: int) -> None:
        """Stop a run. Returns when it has ended."""
        await self.chats.dispatch.runner.cancel(run_id)

    async def shorten(self, run_id: int, said: str) -> None:
        """Keep of a reply what was said of it before somebody interrupted."""
        await shorten_reply(self.database, run_id, said)
