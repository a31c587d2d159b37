"""The records of participants while the agent, the database or the start of a room fails."""

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import sqlalchemy as sa

from retinue.auth.tables import accounts, users
from retinue.core.database.interface import Database, DatabaseUnavailable, Tx
from retinue.core.database.statements import Row, Statement
from retinue.core.errors import NotFound, Unavailable
from retinue.core.runtime.clock import now
from retinue.core.runtime.tasks import cancel_all
from retinue.core.work.notifier import Notifier
from retinue.voice.environment import PiperEnvironment, VoiceEnvironment
from retinue.voice.media.service import MediaService
from retinue.voice.options import VoiceOptions
from retinue.voice.rooms.local_rooms import LocalRooms
from retinue.voice.rooms.replies import RoomReplies
from retinue.voice.rooms.tables import room_participants, rooms
from retinue.voice.rooms.tokens import RoomTicket
from retinue.voice.trunks import Trunks
from retinue.voice.wire import Message
from tests.support.waiting import until

ROOM, PIN, ANSWER = 5, "12345678", "v=0"
ADA = RoomTicket(ROOM, "Ada", 0.0)
PEOPLE = Statement(sa.select(room_participants).order_by(room_participants.c.id))
TRANSCRIPT = Statement(sa.select(rooms.c.transcript))
SILENT = Statement(sa.update(room_participants).values(seen_at=0.0))


class Agent(NamedTuple):
    """An agent's record."""

    agent_name: str = "Iris"
    greeting: str | None = None


class Worker:
    """A media worker that answers every offer."""

    def __init__(self, media: MediaService) -> None:
        self.media = media
        self.said: list[str] = []

    def send(self, order: Message) -> None:
        """Carry out an order."""
        if order["do"] == "say":
            self.said.append(order["text"])
        if order["do"] == "offer":
            self.tell("answer", order["participant"], sdp=ANSWER)

    def tell(self, what: str, participant: int, **values: Any) -> None:
        """Send the server a message about a participant."""
        self.media._hand_out({"is": what, "room": ROOM, "participant": participant, **values})


@pytest.fixture
def media(tmp_path: Path) -> MediaService:
    """A media service whose worker is `Worker`."""
    environments = VoiceEnvironment.beside(tmp_path), PiperEnvironment.beside(tmp_path)
    made = MediaService(VoiceOptions(), Trunks.load(None), *environments, tmp_path)
    worker: Any = Worker(made)
    made._process = worker
    return made


async def add_room(tx: Tx) -> None:
    """Add an account with a room."""
    user = {"id": 1, "email": "a@example.com", "plan": "free", "created_at": now()}
    await tx.run(Statement(sa.insert(users).values(**user)))
    await tx.run(Statement(sa.insert(accounts).values(id=1, user_id=1, sandbox=False)))
    room = {"account_id": 1, "scopes": [], "name": "a", "status": "active", "max_participants": 9, "pin": PIN}
    room |= {"voice_engine": "hibari", "transcript": "", "created_at": now()}
    await tx.run(Statement(sa.insert(rooms).values(id=ROOM, **room)))


@pytest.fixture
async def new_rooms(database: Database, media: MediaService) -> AsyncIterator[Callable[..., LocalRooms]]:
    """Make the rooms of a node, whose database has a room. `error` is raised in place of the agent's replies.

    `agent` has the name and the greeting of the room's agent.
    """
    await database.transact(add_room)
    opened = []

    def make(error: Exception | None = None, agent: dict[str, Any] | None = None) -> LocalRooms:
        async def replies_of(room: Row) -> RoomReplies | None:
            if error:
                raise error
            unused: Any = None
            return RoomReplies(database, unused, unused, Agent(**agent), room) if agent else None

        async def check_minutes(_: int) -> None:
            return None

        opened.append(LocalRooms(database, Notifier(), "node", media, set(), replies_of, check_minutes, ()))
        return opened[-1]

    yield make
    for local_rooms in opened:
        await cancel_all(local_rooms._tasks.values())


async def test_who_cannot_enter_is_not_in_the_room(database: Database, new_rooms: Callable[..., LocalRooms]) -> None:
    local_rooms = new_rooms(Unavailable("Try again."))
    with pytest.raises(Unavailable):
        await local_rooms.join_browser(ADA, "v=0")
    with pytest.raises(Unavailable):
        await local_rooms.join_phone(ROOM, PIN, "Bob", "in-1")
    assert [(row.kind, row.left_at is None) for row in await database.fetch(PEOPLE)] == [
        ("browser", False),
        ("phone", False),
    ]


async def test_a_room_whose_agent_was_deleted_has_no_agent(new_rooms: Callable[..., LocalRooms]) -> None:
    participant, answer = await new_rooms(NotFound("There is no agent 1.")).join_browser(ADA, "v=0")
    assert (participant, answer) == (1, ANSWER)


@pytest.mark.parametrize(("greeting", "said"), [("Welcome!", ["Welcome!"]), (None, [])])
async def test_an_agent_greets_a_room_once_when_somebody_can_hear_it(
    database: Database, media: MediaService, new_rooms: Callable[..., LocalRooms], greeting: str | None, said: list[str]
) -> None:
    local_rooms = new_rooms(agent={"greeting": greeting})
    worker: Any = media._process
    for name in ("Ada", "Bob"):
        participant, _ = await local_rooms.join_browser(RoomTicket(ROOM, name, 0.0), "v=0")
        if name == "Ada":
            assert worker.said == []
        worker.tell("arrived", participant)
    worker.tell("spoken", 0, turn=1, text="Welcome!", interrupted=False, timing={})

    async def is_stored() -> bool:
        return "Iris: Welcome!" in (await database.fetch(TRANSCRIPT))[0].transcript

    await until(is_stored)
    assert worker.said == said


async def test_a_room_that_has_talked_before_is_not_greeted(
    database: Database, media: MediaService, new_rooms: Callable[..., LocalRooms]
) -> None:
    await database.transact(lambda tx: tx.run(Statement(sa.update(rooms).values(conversation_id="conv_1"))))
    local_rooms = new_rooms(agent={"greeting": "Welcome!"})
    worker: Any = media._process
    participant, _ = await local_rooms.join_browser(ADA, "v=0")
    worker.tell("arrived", participant)
    worker.tell("spoken", 0, turn=1, text="Good.", interrupted=False, timing={})

    async def is_stored() -> bool:
        return "Good." in (await database.fetch(TRANSCRIPT))[0].transcript

    await until(is_stored)
    assert worker.said == []


async def test_an_answer_for_which_nobody_waits_ends_no_room(
    database: Database, media: MediaService, new_rooms: Callable[..., LocalRooms], monkeypatch: pytest.MonkeyPatch
) -> None:
    local_rooms, worker = new_rooms(), Worker(media)
    send = worker.send

    def send_twice(order: Message) -> None:
        send(order)
        send(order)

    monkeypatch.setattr(worker, "send", send_twice)
    monkeypatch.setattr(media, "_process", worker)
    await local_rooms.join_browser(ADA, "v=0")
    worker.tell("said", 1, text="Hello.")

    async def is_stored() -> bool:
        return bool((await database.fetch(TRANSCRIPT))[0].transcript)

    await until(is_stored)


async def test_an_outage_of_the_database_ends_no_room_and_keeps_nobody_in_it(
    database: Database, media: MediaService, new_rooms: Callable[..., LocalRooms], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("retinue.voice.rooms.local_rooms.RENEW_S", 0.01)
    local_rooms, worker = new_rooms(), Worker(media)
    (ada, _), (bob, _) = [await local_rooms.join_browser(RoomTicket(ROOM, name, 0.0), "v=0") for name in ("Ada", "Bob")]
    refused = []

    async def refuse(work: object) -> None:
        refused.append(work)
        raise DatabaseUnavailable("down")

    async def are_refused() -> bool:
        return len(refused) == 2

    with monkeypatch.context() as outage:
        outage.setattr(database, "transact", refuse)
        worker.tell("left", ada)
        worker.tell("said", bob, text="Lost.")
        await until(are_refused)
    worker.tell("said", bob, text="Hello.")

    async def is_stored() -> bool:
        return bool((await database.fetch(TRANSCRIPT))[0].transcript)

    await until(is_stored)
    assert (await database.fetch(TRANSCRIPT))[0].transcript == "Bob: Hello.\n"
    await database.transact(lambda tx: tx.run(SILENT))

    async def is_renewed() -> bool:
        return any(row.seen_at for row in await database.fetch(PEOPLE))

    async def is_swept() -> bool:
        return any(row.left_at for row in await database.fetch(PEOPLE))

    async with asyncio.TaskGroup() as tasks:
        running = [tasks.create_task(local_rooms.keep_leases())]
        await until(is_renewed)
        running.append(tasks.create_task(local_rooms.run()))
        await until(is_swept)
        assert [(row.id, row.left_at is None) for row in await database.fetch(PEOPLE)] == [(ada, False), (bob, True)]
        for task in running:
            task.cancel()
