"""Executes the server's orders for rooms in the media worker."""

import asyncio
import contextlib
from collections.abc import Callable

from retinue.core.runtime.executors import FairExecutor
from retinue.voice.speech import EngineMissing, SpeechOptions, Transcriber, open_engine
from retinue.voice.wire import Message
from retinue.voice.worker.account_threads import AccountThreads
from retinue.voice.worker.legs import BrowserLeg, PhoneLeg
from retinue.voice.worker.room import RoomSession
from retinue.voice.worker.sip_line import SipLine

Send = Callable[[Message], None]


class WorkerRooms:
    """The rooms of this process."""

    def __init__(
        self,
        transcriber: Transcriber,
        options: SpeechOptions,
        threads: tuple[FairExecutor, FairExecutor],
        send: Send,
        waiting: dict[str, SipLine],
    ) -> None:
        self._transcriber, self._options, self._threads = transcriber, options, threads
        self._send, self._waiting = send, waiting
        self._rooms: dict[int, RoomSession] = {}
        self._turns: dict[int, asyncio.Lock] = {}
        """A lock per room: orders for a room run one after the other."""

        self._leaving: set[asyncio.Task[None]] = set()

    def tick(self) -> None:
        """Process 20 ms of audio of all rooms."""
        for room in list(self._rooms.values()):
            room.tick()

    async def obey(self, order: Message) -> None:
        """Execute an order."""
        number = order["room"]
        async with self._turns.setdefault(number, asyncio.Lock()):
            if order["do"] == "open":
                await self._open(number, order["account"], order["engine"])
            elif room := self._rooms.get(number):
                await self._obey_in(room, order)

    async def _open(self, number: int, account: int, engine: str | None) -> None:
        """Open a room. If the agent's engine is missing, the room has no agent."""
        try:
            spoken = None
            if engine:
                spoken = await self._threads[0].run(open_engine, engine, self._options)
        except EngineMissing:
            spoken = None
        speaking, listening = self._threads
        threads = AccountThreads(speaking, account), AccountThreads(listening, account)
        self._rooms[number] = RoomSession(number, spoken, self._transcriber, threads, self._send)

    async def _obey_in(self, room: RoomSession, order: Message) -> None:
        match order["do"]:
            case "offer":
                await self._answer(room, order)
            case "take":
                await self._take(room, order)
            case "say" if room.speaker:
                room.speaker.say(order["turn"], order["text"])
            case "finish" if room.speaker:
                room.speaker.finish(order["turn"])
            case "mute":
                room.muted = frozenset(order["participants"])
            case "send_out":
                await _send_out(room, order["participant"])
            case "close":
                del self._rooms[order["room"]], self._turns[order["room"]]
                room.cut()
                for participant in list(room.legs):
                    await _send_out(room, participant)

    async def _answer(self, room: RoomSession, order: Message) -> None:
        participant = order["participant"]
        loop = asyncio.get_running_loop()

        def send_out() -> None:
            self._leaving.add(task := loop.create_task(_send_out(room, participant)))
            task.add_done_callback(self._leaving.discard)

        leg = BrowserLeg(send_out)
        place = {"room": order["room"], "participant": participant}
        try:
            answer = await leg.answer(order["sdp"])
        except ValueError as error:
            return self._send({"is": "refused", **place, "reason": str(error)})
        room.add(participant, leg)
        return self._send({"is": "answer", **place, "sdp": answer})

    async def _take(self, room: RoomSession, order: Message) -> None:
        """Admit a telephone that called the room."""
        participant = order["participant"]
        line = self._waiting.pop(order["line"], None)
        if line is None:
            return self._send({"is": "left", "room": order["room"], "participant": participant})

        def notify(_: SipLine, kind: str, detail: str) -> None:
            if kind == "closed":
                room.remove(participant)

        line.notify = notify
        room.add(participant, PhoneLeg(line))
        return await line.answer()


async def _send_out(room: RoomSession, participant: int) -> None:
    if leg := room.remove(participant):
        with contextlib.suppress(OSError):
            await leg.close()
