"""A scripted SIP telephone: a program of the voice environment, told by lines of JSON what to do.

`python phone.py SOURCE PORT CODECS CONFIG TRANSPORT PARAMS…` listens on that port of the loopback interface, by TLS on
the next. CONFIG and PARAMS are the stack's. Each line on standard input is an order, each line on standard output the
answer to one:

- `["expect", MODE]`: what to do with the next call: `answer`, `ring`, `busy` or `decline`.
- `["dial", URI]`: call somebody and wait for the answer.
- `["hear", SECONDS]`: what was heard, transcribed, once the other side has been silent for that long.
- `["say", TEXT]`: say a text by Hibari; answers when it has been said.
- `["tone", HZ, SECONDS]`: begin to play a tone. `["levels", [HZ, …]]`: how loud these pitches are in the last second.
- `["record", TEXT, HZ]`: answer the call as a machine does, with a text and a beep.
- `["press", KEYS]`, `["hangup"]`, `["state"]`: press keys, hang up, tell how the call stands and how long it was.
- `["interrupt", TEXT]`: say a text as soon as the other side speaks; the seconds from its start until they are silent.
"""

import asyncio
import json
import sys
import time
from typing import Any

SOURCE, PORT = json.loads(sys.argv[1]), int(sys.argv[2])
sys.path += SOURCE

import baresip
import numpy as np
from baresip._native import lib
from baresip.call import CallState

from retinue.voice.speech import Resampler, SpeechOptions, open_engine, open_transcriber
from retinue.voice.worker.sip import SipRuntime

LOUD = 300
TICK_S = 0.02
PATIENCE_S = 100
OPTIONS = SpeechOptions()


class Phone:
    """One telephone with one call at a time."""

    def __init__(self) -> None:
        self.mode = "answer"
        self.call: Any = None
        self.heard: list[np.ndarray[Any, Any]] = []
        self.rate, self.is_rate_known = 8000, False
        self.loud_at = 0.0
        self.saying = np.zeros(0, np.int16)
        self.ticked = asyncio.Event()
        self.events: list[Any] = []

    async def start(self) -> None:
        """Listen."""
        self.engine, self.transcriber = open_engine("hibari", OPTIONS), open_transcriber(OPTIONS)
        self.runtime = SipRuntime()
        await self.runtime.start(
            baresip.Config(
                net_interface="127.0.0.1",
                max_concurrent_calls=None,
                extra_config_text=f"sip_listen 127.0.0.1:{PORT}\nrtp_ports 33000-39000\n{sys.argv[4]}",
            )
        )
        account = baresip.Account(
            "phone",
            f"127.0.0.1:{PORT}",
            "",
            reg_interval=0,
            transport=sys.argv[5],
            audio_codecs=tuple(sys.argv[3].split(",")),
            extra_params=("catchall=yes", *sys.argv[6:]),
        )
        self.runtime.subscribe(self.events.append)
        self.agent = await baresip.UserAgent.create(self.runtime, account)
        self.agent.on_incoming(lambda call: asyncio.ensure_future(self.arrive(call)))
        self.pump = asyncio.create_task(self.move_sound())

    async def arrive(self, call: Any) -> None:
        """Do with a call what was said beforehand."""
        self.adopt(call)
        if self.mode == "answer":
            await call.answer()
        elif self.mode == "busy":
            await call.reject()
        elif self.mode == "decline":
            await self.runtime.cmd(lib.BP_CMD_CALL_HANGUP, args=str(call.handle))

    def adopt(self, call: Any) -> None:
        """Make it the telephone's call."""
        self.call, self.heard, self.saying, self.is_rate_known = call, [], np.zeros(0, np.int16), False
        self.up_at = self.down_at = 0.0
        call.on(self.note)

    def note(self, event: Any) -> None:
        """Keep when the call was answered and when it ended."""
        if event.event is baresip.Event.CALL_ESTABLISHED:
            self.up_at = self.runtime.moment
        elif event.event is baresip.Event.CALL_CLOSED:
            self.down_at = self.runtime.moment

    async def move_sound(self) -> None:
        """Listen and speak every 20 ms."""
        while True:
            await asyncio.sleep(TICK_S)
            ticked, self.ticked = self.ticked, asyncio.Event()
            ticked.set()
            if self.call is None:
                continue
            try:
                info = self.call.audio.info()
                if not (info.rx_ready and info.tx_ready):
                    continue
                self.rate, self.is_rate_known = info.rx_sample_rate, True
                samples = np.frombuffer(self.call.audio.read(64_000), "<i2")[:: info.rx_channels]
                if len(samples):
                    self.heard.append(samples)
                    if np.abs(samples).max() > LOUD:
                        self.loud_at = time.monotonic()
                room = round(0.06 * self.rate) - info.tx_buffered // 2 // info.tx_channels
                if room > 0 and len(self.saying):
                    said, self.saying = self.saying[:room], self.saying[room:]
                    self.call.audio.write(np.repeat(said, info.tx_channels).astype("<i2").tobytes())
            except baresip.BaresipError:
                continue

    async def expect(self, mode: str) -> None:
        """Set how to react to the next call, and forget what was heard."""
        self.mode, self.call, self.heard = mode, None, []

    async def dial(self, uri: str) -> str:
        """Dial a SIP URI."""
        self.events.clear()
        call = await self.agent.dial(uri)
        self.adopt(call)
        # The binding listens only now, and the other side may have answered at once.
        for event in self.events:
            if call.state is CallState.OUTGOING:
                call._on_stack_event(event)
        try:
            await call.wait_established(20)
        except baresip.BaresipError as error:
            return str(error)
        return "established"

    async def hear(self, seconds: float) -> str:
        """Wait for speech, then for silence of this many seconds, and return the transcript."""
        began = time.monotonic()
        while time.monotonic() - max(self.loud_at, began if not self.heard else 0.0) < seconds or not self.speech():
            await self.ticked.wait()
            if time.monotonic() - began > PATIENCE_S or (self.call and self.call.state.value == "closed"):
                break
        sound, self.heard = np.concatenate([*self.heard, np.zeros(1, np.int16)]), []
        loud = np.flatnonzero(np.abs(sound) > LOUD)
        if not len(loud):
            return ""
        edge = self.rate // 5
        words = sound[max(0, loud[0] - edge) : loud[-1] + edge].astype(np.int16)
        loop = asyncio.get_running_loop()
        return str(await loop.run_in_executor(None, self.transcriber.transcribe, words, self.rate))

    def speech(self) -> bool:
        """Whether there was any sound."""
        return any(np.abs(samples).max() > LOUD for samples in self.heard)

    async def say(self, text: str) -> None:
        """Speak a text."""
        await self.know_rate()
        self.saying = self.speech_of(text)
        while len(self.saying) and self.call.state.value != "closed":
            await self.ticked.wait()

    async def interrupt(self, text: str) -> float:
        """Speak while the other side speaks; return the seconds until it fell silent."""
        while time.monotonic() - self.loud_at > 0.1:
            await self.ticked.wait()
        began = time.monotonic()
        self.saying = self.speech_of(text)
        await self.ticked.wait()
        while time.monotonic() - self.loud_at < 0.3 and time.monotonic() - began < 5:
            await self.ticked.wait()
        silent = self.loud_at - began
        while len(self.saying):
            await self.ticked.wait()
        return silent

    async def know_rate(self) -> None:
        """Wait until audio flows: the codec decides the rate of what is said."""
        while not self.is_rate_known and self.call.state.value != "closed":
            await self.ticked.wait()

    def speech_of(self, text: str) -> Any:
        """A text as sound, without silence before it."""
        sound = np.concatenate(list(self.engine.speak(text)))
        first = np.flatnonzero(np.abs(sound) > LOUD)[0]
        return Resampler(self.engine.sample_rate, self.rate).finish(sound[first:])

    async def tone(self, hertz: float, seconds: float) -> None:
        """Play a tone."""
        await self.know_rate()
        moments = np.arange(round(seconds * self.rate)) / self.rate
        self.saying = (6000 * np.sin(2 * np.pi * hertz * moments)).astype(np.int16)
        self.heard = []

    async def record(self, text: str, hertz: float) -> None:
        """Greet like an answering machine: a text, a pause and a beep."""
        await self.say(text)
        await asyncio.sleep(0.5)  # a machine's pause before its beep
        await self.tone(hertz, 0.5)

    async def levels(self, pitches: list[float]) -> list[float]:
        """Return the level of each pitch in the last second of what was heard."""
        while sum(map(len, self.heard)) < self.rate:
            await self.ticked.wait()
        sound = np.concatenate(self.heard)[-self.rate :].astype(float)
        spectrum = np.abs(np.fft.rfft(sound * np.hanning(len(sound)))) / len(sound)
        return [float(spectrum[round(pitch) - 5 : round(pitch) + 6].max()) for pitch in pitches]

    async def press(self, keys: str) -> None:
        """Send DTMF digits."""
        await self.call.send_dtmf(keys)

    async def hangup(self) -> None:
        """Hang up."""
        await self.call.hangup()

    async def state(self) -> dict[str, Any]:
        """Return the state of the call and its duration in seconds."""
        state = self.call.state.value if self.call else "idle"
        return {"state": state, "seconds": self.down_at - self.up_at if self.up_at and self.down_at else 0.0}


async def main() -> None:
    """Carry out orders until standard input ends."""
    phone = Phone()
    await phone.start()
    print(json.dumps("ready"), flush=True)
    loop = asyncio.get_running_loop()
    while line := await loop.run_in_executor(None, sys.stdin.readline):
        order, *values = json.loads(line)
        try:
            answer = await getattr(phone, order)(*values)
        except baresip.BaresipError as error:
            answer = {"error": repr(error)}
        print(json.dumps(answer), flush=True)
    await phone.runtime.close()


asyncio.run(main())
