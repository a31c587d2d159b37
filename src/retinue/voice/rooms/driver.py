"""Runs one room: forwards orders to the media worker, stores the transcript, and lets the agent answer."""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Sequence

import structlog

from retinue.core.database.interface import Database, DatabaseUnavailable
from retinue.core.database.statements import Row
from retinue.core.errors import Unavailable, ValidationFailed
from retinue.core.work.notifier import wait
from retinue.voice.calls.conversation import VoiceConversation
from retinue.voice.calls.records import CallTurn
from retinue.voice.media.service import MediaService
from retinue.voice.rooms import statements as sql
from retinue.voice.rooms.feed import RoomFeed
from retinue.voice.rooms.replies import RoomReplies
from retinue.voice.rooms.tables import RoomRow
from retinue.voice.wire import Message

_log = structlog.get_logger()
_LOOK_S = 2.0
_ANSWER_S = 20.0

Leave = Callable[[int], Awaitable[None]]


def room_topic(room_id: int) -> str:
    """Return the notification topic for changes to a room through the API, such as closing it."""
    return f"room:{room_id}"


class RoomDriver:
    """A room that this process runs. Without an agent it only stores the transcript."""

    def __init__(
        self,
        room: RoomRow,
        media: MediaService,
        database: Database,
        feed: RoomFeed,
        replies: RoomReplies | None,
        leave: Leave,
    ) -> None:
        self.room = room
        self.opened = asyncio.Event()
        self._media, self._database, self._feed = media, database, feed
        self._replies, self._leave = replies, leave
        self._people: dict[int, str] = {}
        self._muted: frozenset[int] = frozenset()
        self._answers: dict[int, asyncio.Future[str]] = {}
        self._talk = VoiceConversation({"room": room.id}, media, replies, self._add_turn) if replies else None
        self._greeted = False
        self._inbox: asyncio.Queue[Message] = asyncio.Queue()

    async def drive(self) -> None:
        """Run until the room is closed or its worker dies."""
        with self._media.messages_of(("room", self.room.id)) as self._inbox:
            engine = self.room.voice_engine if self._replies else None
            self.order("open", account=self.room.account_id, engine=engine)
            self.opened.set()
            watch = asyncio.create_task(self._watch())
            try:
                while (message := await self._inbox.get())["is"] not in ("gone", "closed"):
                    try:
                        await self._handle(message)
                    except DatabaseUnavailable as error:
                        _log.warning("room.not_recorded", room=self.room.id, what=message["is"], reason=error.message)
            finally:
                watch.cancel()
                self.order("close")
                for answer in self._answers.values():
                    if not answer.done():
                        answer.set_exception(Unavailable("The room's media worker has ended. Join again."))
                if self._talk:
                    await self._talk.close()

    @property
    def participants(self) -> Collection[int]:
        """The ids of the participants whose records this driver keeps."""
        return self._people

    async def send_out(self) -> None:
        """Record that every participant has left."""
        self.opened.set()
        for participant in list(self._people):
            await self._remove(participant)

    async def connect(self, participant: int, name: str, offer: str) -> str:
        """Return the SDP answer to a browser's offer.

        Raises `ValidationFailed` for an invalid offer and `Unavailable` if the worker does not answer.
        """
        self._people[participant] = name
        try:
            return await self._offer(participant, name, offer)
        except BaseException:
            self._people.pop(participant, None)
            raise

    async def _offer(self, participant: int, name: str, offer: str) -> str:
        answer = self._answers[participant] = asyncio.get_running_loop().create_future()
        self.order("offer", participant=participant, name=name, sdp=offer)
        try:
            async with asyncio.timeout(_ANSWER_S):
                return str(await answer)
        except TimeoutError as error:
            raise Unavailable("The media worker did not respond. Try again.") from error
        finally:
            del self._answers[participant]

    def take(self, participant: int, name: str, line: str) -> None:
        """Let the telephone on one of the worker's lines take part."""
        self._people[participant] = name
        self.order("take", participant=participant, name=name, line=line)

    def order(self, do: str, **values: object) -> None:
        """Send the worker an order for this room."""
        self._media.send({"do": do, "room": self.room.id, **values})

    async def _handle(self, message: Message) -> None:
        match message["is"]:
            case "answer":
                if waiting := self._pending_answer(message["participant"]):
                    waiting.set_result(message["sdp"])
            case "refused":
                if waiting := self._pending_answer(message["participant"]):
                    waiting.set_exception(ValidationFailed(f"The offer cannot be answered: {message['reason']}"))
            case "arrived":
                self._greet()
            case "left":
                await self._remove(message["participant"])
            case "said":
                await self._hear(self._people.get(message["participant"], "somebody"), message["text"])
            case "spoken" if self._talk:
                await self._talk.on_spoken(message)

    def _greet(self) -> None:
        """Let the agent speak its greeting, once somebody can hear it."""
        if self._talk and self._replies and not self._greeted and (greeting := self._replies.greeting):
            self._talk.say(greeting)
        self._greeted = True

    def _pending_answer(self, participant: int) -> asyncio.Future[str] | None:
        """Return the future that waits for the answer to an offer, unless its request was cancelled."""
        waiting = self._answers.get(participant)
        return waiting if waiting and not waiting.done() else None

    async def _remove(self, participant: int) -> None:
        if participant in self._people:
            await self._leave(participant)
            self._people.pop(participant, None)

    async def _hear(self, speaker: str, text: str) -> None:
        """Store an utterance, and let the agent answer if it was addressed or only one person is in the room."""
        if self._talk and self._replies and (len(self._people) == 1 or self._replies.named_in(text)):
            await self._talk.hear(text, {}, speaker)
        else:
            await self._add_turn(CallTurn(speaker, text, {}))

    async def _add_turn(self, turn: CallTurn) -> None:
        speaker = self._replies.name if self._replies and turn.speaker == "agent" else turn.speaker
        await self._database.transact(lambda tx: self._feed.add_line(tx, self.room.id, speaker, turn.text))

    async def _watch(self) -> None:
        """Apply changes made through the API at any node: closing the room, muting and removing participants."""
        with self._feed.notifier.waiting(room_topic(self.room.id)) as woken:
            while True:
                try:
                    row = await self._database.lookup(sql.HELD, room=self.room.id)
                    people = await self._database.fetch(sql.CONSTRAINED, room=self.room.id)
                except DatabaseUnavailable as error:
                    _log.warning("room.not_watched", room=self.room.id, reason=error.message)
                else:
                    if row is None or row.ended_at is not None:
                        return self._inbox.put_nowait({"is": "closed"})
                    self._constrain(people)
                await wait(woken, _LOOK_S)

    def _constrain(self, people: Sequence[Row]) -> None:
        """Order the worker to apply mutes, and to remove participants. Removals are repeated until they have left."""
        muted = frozenset(row.id for row in people if row.muted)
        if muted != self._muted:
            self._muted = muted
            self.order("mute", participants=sorted(muted))
        for row in people:
            if row.removed:
                self.order("send_out", participant=row.id)
