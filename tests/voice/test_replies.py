"""Runs on calls and in rooms are chats with the agent: nothing of the agent is left out on the way."""

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import pytest

from retinue.core.database.interface import Database, Tx
from retinue.runs.execution.session_tools import ToolSessions
from retinue.voice.calls.records import CallTurn
from retinue.voice.calls.replies import Replies
from retinue.voice.rooms.replies import RoomReplies

TURN = CallTurn("Ada", "Hello", {})


class Agent(NamedTuple):
    """An agent's record."""

    agent_name: str = "Iris"
    greeting: str = "Shoe shop, good morning."


class Conversation(NamedTuple):
    """A conversation's record."""

    public_id: str = "conv_1"
    id: int = 1


class Place(NamedTuple):
    """The record of a call or a room."""

    id: int = 1
    epoch: int = 1
    name: str = "Fitting"
    greeting: str | None = None
    from_address: str = "sip:ada@example.com"
    to_address: str = "sip:shop@example.com"
    direction: str = "inbound"
    voice: dict[str, Any] | None = None
    record: bool = False
    variables: dict[str, str] | None = None


@dataclass
class Chats:
    """Opens conversations, and collects the runs that begin in them."""

    begun: list[tuple[Any, ...]] = field(default_factory=list)
    opened: list[Any] = field(default_factory=list)

    @property
    def dispatch(self) -> "Chats":
        """Begins the runs."""
        return self

    async def open(self, tx: Tx, message: str, agent: Any, user: str | None = None) -> Conversation:
        """See `Chats`."""
        self.opened.append(agent)
        return Conversation()

    async def converse(self, tx: Tx, *asked: Any, **session: Any) -> tuple[Any, ...]:
        """See `Chats`."""
        self.begun.append(asked)
        return asked

    def begin(self, run: Any) -> Any:
        """See `RunCreator`."""
        return run


class Feed:
    """Drops the lines of a transcript."""

    async def add_line(self, *_: Any) -> None:
        """See `RoomFeed`."""


async def drop(*_: Any) -> None:
    """Drop a turn on a call."""


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
@pytest.mark.parametrize("is_room", [True, False])
async def test_the_agent_answers_as_in_a_chat(
    database: Database, is_room: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("retinue.voice.calls.replies.add_turn", drop)
    chats: Any = Chats()
    place: Any = Place()
    agent: Any = Agent()
    feed: Any = Feed()
    replies = (
        RoomReplies(database, feed, chats, agent, place)
        if is_room
        else Replies(database, chats, agent, place, feed, ToolSessions())
    )
    await replies.begin(TURN, TURN.text, None)
    ((conversation, runs, said, context, untrusted),) = chats.begun
    assert (chats.opened, conversation, runs) == ([agent], Conversation(), agent)
    assert said == ("Ada: Hello" if is_room else "Hello")
    assert context.get("you_began_with") == (agent.greeting if is_room else None)
    assert untrusted.startswith("speech ")
    await replies.begin(TURN, "Hello there", 7)
    assert chats.begun[1][2].endswith("Hello there"), "a caller who goes on is answered once, to everything"
