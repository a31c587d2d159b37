"""Runs one call from dialling to its end, with messages from the media worker and requests from the API."""

import asyncio
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import structlog

from retinue.core.database.interface import Database, DatabaseUnavailable
from retinue.core.database.statements import Row
from retinue.core.work.notifier import Notifier, wait
from retinue.voice.calls import statements as sql
from retinue.voice.calls.call_duration import CallDuration
from retinue.voice.calls.conversation import VoiceConversation
from retinue.voice.calls.orders import call_topic, result_topic
from retinue.voice.calls.outcomes import outcome_of
from retinue.voice.calls.recordings import Recordings
from retinue.voice.calls.records import CallRecords
from retinue.voice.calls.replies import Replies
from retinue.voice.media.service import MediaService
from retinue.voice.options import VoiceOptions
from retinue.voice.wire import Message

_log = structlog.get_logger()
_LOOK_S = 2.0
"""Polling interval in seconds for orders and hang-up requests, in case a notification is lost."""

_KEYS_S = 1.5
"""Seconds after the first key press in which further keys join the same input."""

_CLOSE_S = 5.0
"""Seconds that the worker has to close a line."""

_CONTROL_S = 30.0
"""Seconds that the worker and the other side have to hold, resume or transfer."""

_STILL_THERE = "Are you still there?"
_GOODBYE = "I cannot hear you. Goodbye."


@dataclass
class CallDriver:
    """A call that this process runs."""

    call: Row
    media: MediaService
    records: CallRecords
    recordings: Recordings
    replies: Replies
    notifier: Notifier
    database: Database
    options: VoiceOptions
    over: bool = False
    """True once the call has ended: the remaining work needs no lease."""

    _length: CallDuration = field(default_factory=CallDuration)
    _wanted: bool = False
    _rang_out: bool = False
    _reason: str | None = None
    _silences: int = 0
    _keys: str = ""
    _timers: list[asyncio.TimerHandle] = field(default_factory=list)
    _ordered: set[int] = field(default_factory=set)
    """Ids of the orders from the API that have been passed to the worker."""

    async def drive(self, order: Message) -> None:
        """Dial or answer, and run the call to its end."""
        recording = self.recordings.path_for(self.call) if self.call.record else None
        with self.media.messages_of(("call", self.call.id)) as self._inbox:
            self._talk = VoiceConversation(
                {"call": self.call.id}, self.media, self.replies, partial(self.records.add_turn, self.call)
            )
            self._order(
                **order,
                engine=self.call.voice_engine,
                account=self.call.account_id,
                recording=str(recording) if recording else None,
                detection=self.call.machine_detection,
            )
            watch = asyncio.create_task(self._watch())
            try:
                await self._follow()
            except asyncio.CancelledError:
                await self._fail("The server that handled the call was shut down.")
                raise
            finally:
                for timer in self._timers:
                    timer.cancel()
                watch.cancel()
                self.notifier.wake(result_topic(self.call.id))
                self._order("hangup")
                await self._talk.close()
        if recording:
            await self.recordings.keep(self.call, recording)

    async def _follow(self) -> None:
        while True:
            message = await self._inbox.get()
            match message["is"]:
                case "ended":
                    return await self._end(message["reason"], message.get("at"))
                case "gone":
                    return await self._fail("The media worker ended during the call.")
                case "failed":
                    return await self._fail(message["reason"])
                case _:
                    await self._handle(message)

    async def _handle(self, message: Message) -> None:
        match message["is"]:
            case "dialled" | "ringing" | "answered" | "detected" | "message_end":
                await self._begin(message)
            case "heard":
                self._silences = 0
                await self._talk.hear(message["text"], message["timing"])
            case "spoken":
                await self._talk.on_spoken(message)
            case "silent":
                self._fall_silent()
            case "done":
                await self._settle(message["number"], message["error"])
            case "key":
                self._press(message["key"])
            case "keys":
                keys, self._keys = self._keys, ""
                self._order("cut")
                await self._talk.hear(f"[pressed {' '.join(keys)}]", {})
            case _:
                self._close(message["is"])

    async def _begin(self, message: Message) -> None:
        """Handle the messages between dialling and conversation."""
        match message["is"]:
            case "dialled":
                # Start the ring timer only now: an engine may take long to load on first use.
                self._later(self.options.ring_s, {"is": "unanswered"})
            case "ringing":
                await self.records.ring(self.call)
            case "answered":
                await self._answer(message["at"])
            case "detected":
                await self._detect(message["answered_by"])
            case "message_end":
                self._leave_message()

    async def _settle(self, order: int, error: str) -> None:
        await self.records.settle(order, error)
        self.notifier.wake(result_topic(self.call.id))

    def _close(self, why: str) -> None:
        """Hang up, unless the call was answered just before the ring timer expired."""
        if why == "unanswered" and self._length.answered:
            return
        self._rang_out = why == "unanswered"
        self._wanted = why == "hangup"
        if why == "longest":
            self._reason = f"The call reached its maximum duration of {self.call.max_seconds} s."
        self._order("hangup")
        self._later(_CLOSE_S, {"is": "ended", "reason": ""})

    async def _answer(self, at: float) -> None:
        await self.records.answer(self.call, self._length.begin(at))
        self._later(self.call.max_seconds, {"is": "longest"})
        if not self.call.machine_detection:
            self._greet()

    def _greet(self) -> None:
        if greeting := self.replies.greeting():
            self._talk.say(greeting)

    async def _detect(self, answered_by: str) -> None:
        """Record who answered, and greet, wait for a machine's beep, or hang up."""
        await self.records.identify(self.call, answered_by)
        mode = self.call.machine_detection
        if answered_by != "machine" or mode == "enable":
            self._greet()
        elif mode == "hangup":
            self._close("machine")

    def _leave_message(self) -> None:
        """Leave the greeting as a message on the answering machine, and hang up."""
        if self.replies.greeting():
            self._greet()
            self._order("hangup_after")
        else:
            self._close("machine")

    def _fall_silent(self) -> None:
        self._silences += 1
        if self._silences == 1:
            self._talk.say(_STILL_THERE)
        else:
            self._talk.say(_GOODBYE)
            self._order("hangup_after")

    def _press(self, key: str) -> None:
        self._keys += key
        if len(self._keys) == 1:
            self._later(_KEYS_S, {"is": "keys"})

    async def _end(self, reason: str, at: float | None) -> None:
        answered = self._length.answered
        outcome, why = outcome_of(reason, answered=answered, wanted=self._wanted, rang_out=self._rang_out)
        self.over = True
        await self.records.finish(self.call, outcome, self._reason or why, self._length.end(at))

    async def _fail(self, reason: str) -> None:
        self.over = True
        await self.records.finish(self.call, "failed", reason, self._length.end())

    async def _watch(self) -> None:
        """Wait for orders and a hang-up request, which the API may receive at any node."""
        with self.notifier.waiting(call_topic(self.call.id)) as woken:
            while not await self._look():
                await wait(woken, _LOOK_S)

    async def _look(self) -> bool:
        """Pass on new orders. Returns True once a hang-up is requested."""
        try:
            requests = await self.database.fetch(sql.REQUESTS, call=self.call.id)
        except DatabaseUnavailable as error:
            _log.warning("call.not_watched", call=self.call.id, reason=error.message)
            return False
        if not requests or requests[0].hangup_requested:
            self._inbox.put_nowait({"is": "hangup"})
            return True
        for request in requests:
            if request.id is not None and request.id not in self._ordered:
                self._pass_on(request)
        return False

    def _pass_on(self, order: Row) -> None:
        self._ordered.add(order.id)
        self._order(order.action, number=order.id, **order.details)
        self._later(_CONTROL_S, {"is": "done", "number": order.id, "error": "it did not answer in time"})

    def _order(self, do: str, **values: Any) -> None:
        self.media.send({"do": do, "call": self.call.id, **values})

    def _later(self, seconds: float, message: Message) -> None:
        loop = asyncio.get_running_loop()
        self._timers.append(loop.call_later(seconds, self._inbox.put_nowait, message))
