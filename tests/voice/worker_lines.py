"""Stand-ins for the parts of a call in `worker_process.py`: its connection to the server, its line and its voice."""

import json
from collections.abc import Iterator

import numpy as np

from retinue.voice.speech import PLAIN, VoiceStyle
from retinue.voice.speech.pcm import Pcm
from retinue.voice.wire import Message


class Channel:
    """The worker's connection to the server. It keeps the messages."""

    def __init__(self) -> None:
        self.messages: list[Message] = []

    def write(self, packed: bytes) -> None:
        """Keep a message."""
        self.messages.append(json.loads(packed[4:]))


class Line:
    """A line with silence, which can break."""

    rate, audible, on_hold = 16_000, True, False

    def __init__(self) -> None:
        self.broken = False

    def read(self) -> Pcm:
        """20 ms of silence."""
        if self.broken:
            raise RuntimeError("broken")
        return np.zeros(320, np.int16)

    receive = read

    def queue(self) -> int:
        """Nothing is queued."""
        return 0

    def take_unsent(self) -> int:
        """Nothing is lost."""
        return 0

    def flush(self) -> None:
        """Nothing is queued."""


class Story:
    """Speaks every sentence for ten seconds."""

    sample_rate = 16_000

    def speak(self, text: str, style: VoiceStyle = PLAIN) -> Iterator[Pcm]:
        """See `SpeechEngine`."""
        del text, style
        yield np.full(160_000, 1000, np.int16)


class SlowLine(Line):
    """A line that takes all audio, and has sent none of it yet. It may stop, and lose that."""

    def __init__(self) -> None:
        super().__init__()
        self.queued = self.unsent = 0

    def stop(self) -> None:
        """The other side holds the call."""
        self.audible, self.queued, self.unsent = False, 0, self.queued

    def take_unsent(self) -> int:
        """What was lost."""
        unsent, self.unsent = self.unsent, 0
        return unsent

    def write(self, samples: Pcm) -> int:
        """Take audio."""
        self.queued += len(samples)
        return len(samples)

    def queue(self) -> int:
        """All of it is queued."""
        return self.queued

    def flush(self) -> None:
        """Drop it."""
        self.queued = 0
