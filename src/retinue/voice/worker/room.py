"""Runs one room in the media worker: mixes its audio, transcribes participants, and speaks the agent's text."""

from collections.abc import Callable

from retinue.voice.speech import SpeechEngine, Transcriber, is_backchannel
from retinue.voice.wire import Message
from retinue.voice.worker.account_threads import AccountThreads
from retinue.voice.worker.legs import AgentVoice, ParticipantLeg
from retinue.voice.worker.listener import Reactions, SpeechListener, Start, TranscribedTurn
from retinue.voice.worker.mixer import RATE, mix
from retinue.voice.worker.speaker import LAST_WORDS_S, Speaker, SpokenAnswer

Send = Callable[[Message], None]
_AGENT = 0
"""The agent's key among the participants, whose ids begin with 1."""


class RoomSession:
    """An open room. Call `tick` every 20 ms. Without an engine, the room has no agent."""

    def __init__(
        self,
        room: int,
        engine: SpeechEngine | None,
        transcriber: Transcriber,
        threads: tuple[AccountThreads, AccountThreads],
        send: Send,
    ) -> None:
        self._room, self._send, self._transcriber = room, send, transcriber
        speaking, self._listening = threads
        self._voice = AgentVoice()
        self.speaker = Speaker(self._voice, engine, speaking, self._on_spoken, self._complain) if engine else None
        self.legs: dict[int, ParticipantLeg] = {}
        self._listeners: dict[int, SpeechListener] = {}
        self.muted: frozenset[int] = frozenset()
        """Participants whom nobody hears, including the agent."""
        self._arriving: set[int] = set()
        """Participants whose audio has not reached the room yet."""
        self._failed = False

    def add(self, participant: int, leg: ParticipantLeg) -> None:
        """Add a participant."""
        self.legs[participant] = leg
        self._arriving.add(participant)
        reactions = Reactions(
            self._pause_speech, lambda words: self._take_words(participant, words), self._resume_speech, self._complain
        )
        self._listeners[participant] = SpeechListener(self._transcriber, self._listening, reactions)

    def remove(self, participant: int) -> ParticipantLeg | None:
        """Remove a participant, and report it. Returns their connection, if they were in the room."""
        if listener := self._listeners.pop(participant, None):
            listener.close()
        leg = self.legs.pop(participant, None)
        self._arriving.discard(participant)
        if leg:
            self._tell("left", participant=participant)
        return leg

    def tick(self) -> None:
        """Process 20 ms of audio of all participants. After an unexpected error only this room is emptied."""
        if self._failed:
            return
        try:
            self._process()
        except Exception as error:  # noqa: BLE001 - the other rooms must continue
            self._failed = True
            self._complain(f"The audio of the room could not be processed: {error!r}")
            self._tell("closed")

    def _process(self) -> None:
        for participant, leg in self.legs.items():
            if not len(fresh := leg.receive()):
                continue
            if participant in self._arriving:
                self._arriving.discard(participant)
                self._tell("arrived", participant=participant)
            if participant not in self.muted:
                self._listeners[participant].feed(fresh, RATE)
        if self.speaker:
            self.speaker.tick()
        frames = {participant: leg.input.take() for participant, leg in self.legs.items()}
        frames |= dict.fromkeys(self.muted & frames.keys())
        for participant, frame in mix({**frames, _AGENT: self._voice.input.take()}).items():
            if participant != _AGENT:
                self.legs[participant].deliver(frame)

    def cut(self) -> None:
        """Stop the agent's speech and report the interrupted turns."""
        for turn in self.speaker.cut() if self.speaker else ():
            self._tell_turn(turn, interrupted=True)

    def _pause_speech(self, _: Start) -> None:
        if self.speaker:
            self.speaker.pause()

    def _resume_speech(self) -> None:
        if self.speaker:
            self.speaker.resume()

    def _take_words(self, participant: int, words: TranscribedTurn) -> None:
        if self.speaker and self.speaker.paused and self.speaker.left_s > LAST_WORDS_S and is_backchannel(words.text):
            return self._resume_speech()
        self.cut()
        return self._tell("said", participant=participant, text=words.text)

    def _on_spoken(self, turn: SpokenAnswer) -> None:
        self._tell_turn(turn, interrupted=False)

    def _tell_turn(self, turn: SpokenAnswer, *, interrupted: bool) -> None:
        self._tell("spoken", turn=turn.number, text=turn.spoken_words(), interrupted=interrupted, timing={})

    def _complain(self, reason: str) -> None:
        self._tell("trouble", reason=reason)

    def _tell(self, what: str, **values: object) -> None:
        self._send({"is": what, "room": self._room, **values})
