"""Runs one call from dialling to its end, with messages from the media worker and requests from the API."""

import asyncio
import itertools
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial

import structlog

from retinue.agents.voice_settings import EndOfTurn, Hours, VoiceSettings
from retinue.core.database.interface import Database, DatabaseUnavailable
from retinue.core.database.statements import Row
from retinue.core.errors import RetinueError, ValidationFailed
from retinue.core.runtime.clock import now
from retinue.core.work.notifier import Notifier, wait
from retinue.runs.execution.broadcast import Chunk
from retinue.voice.calls import call_tools
from retinue.voice.calls import statements as sql
from retinue.voice.calls.call_duration import CallDuration
from retinue.voice.calls.call_tools import CallTools, FindAddress
from retinue.voice.calls.conversation import VoiceConversation
from retinue.voice.calls.manner import Manner
from retinue.voice.calls.orders import call_topic, result_topic
from retinue.voice.calls.outcomes import EndedReason, outcome_of
from retinue.voice.calls.recordings import Recordings
from retinue.voice.calls.records import CallRecords, CallTurn
from retinue.voice.calls.replies import Replies
from retinue.voice.calls.tables import CallRow
from retinue.voice.media.service import MediaService
from retinue.voice.options import VoiceOptions
from retinue.voice.wire import Message

_log = structlog.get_logger()
_LOOK_S = 2.0
"""Polling interval in seconds for orders and hang-up requests, in case a notification is lost."""

_KEYS_S = 2.0
"""Seconds after a key press in which a further key joins the same input. The key # ends it at once."""

_CAUSES: dict[str, EndedReason] = {"hangup": "api_hangup", "longest": "max_duration", "machine": "machine"}
"""Why a call ended that `_close` hangs up, if it was answered."""

_CLOSE_S = 5.0
"""Seconds that the worker has to close a line."""

_LAST_RESULTS_S = 1.0
"""Seconds after the end of a line in which the worker sends the results of orders."""

_CONTROL_S = 30.0
"""Seconds that the worker and the other side have to hold, resume or transfer."""


@dataclass
class CallDriver:
    """A call that this process runs."""

    call: CallRow
    media: MediaService
    records: CallRecords
    recordings: Recordings
    replies: Replies
    notifier: Notifier
    database: Database
    options: VoiceOptions
    find_address: FindAddress
    over: bool = False
    """True once the call has ended: the remaining work needs no lease."""

    _length: CallDuration = field(default_factory=CallDuration)
    _wanted: bool = False
    _rang_out: bool = False
    _cause: EndedReason | None = None
    """Why this side ends the call; None while it does not, or if the agent hangs up."""
    _transfer: int = 0
    """The number of the order to transfer the call, unless it failed; 0 if there is none."""
    _silences: int = 0
    _greeting: int = 0
    """The turn of the greeting; 0 if there was none."""
    _closed: Hours | None = None
    """The agent's hours, if the call came in outside them: nobody answers it."""
    _forwarding: asyncio.Task[None] | None = None
    _keys: str = ""
    _keys_timer: asyncio.TimerHandle | None = None
    _timers: list[asyncio.TimerHandle] = field(default_factory=list)
    _ordered: set[int] = field(default_factory=set)
    """Ids of the orders from the API that have been passed to the worker."""
    _own_orders: dict[int, asyncio.Future[str]] = field(default_factory=dict)
    """The orders of tools, by negative numbers, with the errors that they wait for."""
    _numbers: Iterator[int] = field(default_factory=lambda: itertools.count(1))

    def __post_init__(self) -> None:
        settings = self.replies.settings
        add_turn = partial(self.records.add_turn, self.call)
        self._talk = VoiceConversation(
            {"call": self.call.id}, self.media, self.replies, add_turn, Manner.of(settings), self
        )
        self._tools = CallTools(self._talk, self, settings, self.find_address)

    async def drive(self, order: Message) -> None:
        """Dial or answer, and run the call to its end."""
        recording = self.recordings.path_for(self.call) if self.call.record else None
        with (
            self.media.messages_of(("call", self.call.id)) as self._inbox,
            self.replies.sessions.hosting(self.replies.session, self._tools),
        ):
            self._order(
                **order,
                engine=self.call.voice_engine,
                account=self.call.account_id,
                recording=str(recording) if recording else None,
                detection=self.call.machine_detection,
                session=session_options(self.replies.settings),
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
                await self._take_last_results()
                await self._stop_forwarding()
                await self._talk.close()
        if recording:
            await self.recordings.keep(self.call, recording)

    async def _take_last_results(self) -> None:
        """Take the results of orders that arrive after the end of the line, because a transfer ends the call."""
        with suppress(TimeoutError):
            async with asyncio.timeout(_LAST_RESULTS_S):
                while not all(order.done() for order in self._own_orders.values()):
                    message = await self._inbox.get()
                    if message["is"] == "done":
                        await self._settle(message["number"], message["error"])

    async def _follow(self) -> None:
        while True:
            message = await self._inbox.get()
            match message["is"]:
                case "ended":
                    return await self._end(message)
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
                self._cause = None if self._cause == "silence" else self._cause
                await self._hear(message["text"], message["timing"])
            case "spoken":
                if message["turn"] == self._greeting:
                    self.replies.opening = message["text"]
                await self._talk.on_spoken(message)
                self._forward_after(message["turn"])
            case "silent" if not (self._talk.answering or self._closed):
                self._fall_silent()
            case "silent":
                pass  # A tool works, such as one that waits for keys, or the call is being transferred.
            case "done":
                await self._settle(message["number"], message["error"])
            case "key":
                self._press(message["key"])
            case "keys":
                await self._take_keys()
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
        if order < 0:
            if (waiting := self._own_orders.get(order)) and not waiting.done():
                waiting.set_result(error)
            return
        self._note_failure(order, error)
        await self.records.settle(order, error)
        self.notifier.wake(result_topic(self.call.id))

    def _close(self, why: str) -> None:
        """Hang up, unless the call was answered just before the ring timer expired."""
        if why == "unanswered" and self._length.answered:
            return
        self._rang_out = why == "unanswered"
        self._wanted = why == "hangup"
        self._cause = _CAUSES.get(why)
        self._order("hangup")
        self._later(_CLOSE_S, {"is": "ended", "reason": ""})

    async def _answer(self, at: float) -> None:
        await self.records.answer(self.call, self._length.begin(at))
        self._later(self.call.max_seconds, {"is": "longest"})
        hours = self.replies.settings.hours
        if hours and self.call.direction == "inbound" and not hours.is_open(now()):
            self._turn_away(hours)
        elif not self.call.machine_detection:
            self._say_first(self.replies.greeting())

    def _say_first(self, text: str) -> None:
        if text:
            self._greeting = self._talk.say(text, protected=True)

    def _turn_away(self, hours: Hours) -> None:
        """Say that the agent does not answer now, and hang up unless the call is transferred then."""
        self._closed = hours
        self._say_first(self.replies.hours_notice(hours))
        if not hours.transfer:
            self._hang_up_after("outside_hours")

    def _forward_after(self, turn: int) -> None:
        """Transfer a call that came in outside the agent's hours, once its only sentence was spoken."""
        if self._closed and self._closed.transfer and turn == self._greeting:
            self._forwarding = asyncio.create_task(self._forward(self._closed.transfer))

    async def _forward(self, destination: str) -> None:
        try:
            await self._tools.forward(destination)
        except RetinueError as error:
            _log.warning("call.not_forwarded", call=self.call.id, reason=error.message)
            self._talk.say(self._talk.manner.phrases.sorry)
            self._hang_up_after("outside_hours")

    async def _stop_forwarding(self) -> None:
        """Let a transfer that has ended the call be recorded."""
        if self._forwarding:
            await asyncio.wait([self._forwarding], timeout=_LAST_RESULTS_S)
            self._forwarding.cancel()

    def _hang_up_after(self, cause: EndedReason) -> None:
        """Hang up when everything has been spoken."""
        self._cause = cause
        self._order("hangup_after")

    async def _hear(self, text: str, timing: dict[str, int]) -> None:
        """Answer what the caller says; outside the agent's hours, only write it down."""
        if self._closed:
            await self.records.add_turn(self.call, CallTurn("caller", text, timing))
        else:
            await self._talk.hear(text, timing)

    async def _detect(self, answered_by: str) -> None:
        """Record who answered, and greet, wait for a machine's beep, or hang up."""
        await self.records.identify(self.call, answered_by)
        mode = self.call.machine_detection
        if answered_by != "machine" or mode == "enable":
            self._say_first(self.replies.greeting())
        elif mode == "hangup":
            self._close("machine")

    def _leave_message(self) -> None:
        """Leave a message on the answering machine, and hang up."""
        if message := self.replies.voicemail():
            self._say_first(message)
            self._hang_up_after("machine")
        else:
            self._close("machine")

    def _fall_silent(self) -> None:
        self._silences += 1
        if self._silences == 1:
            self._talk.say(self._talk.manner.phrases.still_there)
        else:
            self._talk.say(self._talk.manner.phrases.goodbye)
            self._hang_up_after("silence")

    def _press(self, key: str) -> None:
        """Give a key to the tool that waits for some, or add it to the input, which ends with # or in time."""
        if self._tools.digits.take(key):
            return self._order("cut")
        if self._keys_timer:
            self._keys_timer.cancel()
        self._keys += key
        self._keys_timer = self._later(0 if key == "#" else _KEYS_S, {"is": "keys"})
        return None

    async def _take_keys(self) -> None:
        keys, self._keys = self._keys, ""
        if keys:
            self._order("cut")
            await self._hear(f"[pressed {' '.join(keys)}]", {})

    async def perform(self, do: str, **values: object) -> None:
        """Have the worker do something, and wait until it is done. Raises `ValidationFailed`."""
        number = -next(self._numbers)
        waiting = self._own_orders[number] = asyncio.get_running_loop().create_future()
        if do == "transfer":
            self._transfer = number
        self._order(do, number=number, **values)
        try:
            async with asyncio.timeout(_CONTROL_S):
                error = await waiting
        except TimeoutError:
            error = "it did not answer in time"
        finally:
            del self._own_orders[number]
        self._note_failure(number, error)
        if error:
            raise ValidationFailed(f"The other side of the call failed: {error}.")

    async def add_event(self, kind: str, **values: object) -> None:
        """Add an event to the call."""
        await self.records.add_event(self.call, kind, **values)

    def is_own(self, tool: str) -> bool:
        """See `ToolWatcher`."""
        return tool in call_tools.NAMES

    async def note(self, chunk: Chunk, run_id: int) -> None:
        """Record that a tool started or ended."""
        status = {"status": chunk["status"]} if chunk["type"] == "tool_end" else {}
        kind = "tool_ended" if status else "tool_started"
        await self.add_event(kind, tool=chunk["tool"], run_id=run_id, **status)

    def _note_failure(self, order: int, error: str) -> None:
        """Note that the call goes on if the order was a transfer and failed."""
        if error and order == self._transfer:
            self._transfer = 0

    async def _end(self, message: Message) -> None:
        answered = self._length.answered
        outcome, why = outcome_of(message["reason"], answered=answered, wanted=self._wanted, rang_out=self._rang_out)
        cause = self._cause or ("agent_hung_up" if message.get("hung_up") else None)
        if self._transfer:
            cause = "transferred"
        self.over = True
        ended = self._length.end(message.get("at"))
        await self.records.finish(self.call, outcome, why, ended, cause if outcome == "completed" else None)

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
        if order.action == "transfer":
            self._transfer = order.id
        self._order(order.action, number=order.id, **order.details)
        self._later(_CONTROL_S, {"is": "done", "number": order.id, "error": "it did not answer in time"})

    def _order(self, do: str, **values: object) -> None:
        self.media.send({"do": do, "call": self.call.id, **values})

    def _later(self, seconds: float, message: Message) -> asyncio.TimerHandle:
        timer = asyncio.get_running_loop().call_later(seconds, self._inbox.put_nowait, message)
        self._timers.append(timer)
        return timer


def session_options(settings: VoiceSettings) -> Message:
    """Return what the media worker needs to know of an agent's voice settings."""
    turn = settings.end_of_turn or EndOfTurn()
    return {
        "wait_s": [turn.min_seconds, turn.max_seconds],
        "end_phrases": settings.end_phrases or [],
        "voice": settings.voice or "",
        "speed": settings.speed or 1.0,
        "language": settings.language or "",
    }
