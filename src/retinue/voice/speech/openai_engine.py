"""The engine `openai`: any server with OpenAI's `POST /audio/speech`."""

import struct
from collections.abc import Iterable, Iterator

import numpy as np

from retinue.voice.speech.options import PLAIN, EngineMissing, SpeechFailed, SpeechServer, VoiceStyle
from retinue.voice.speech.pcm import Pcm, Resampler
from retinue.voice.speech.speech_server import SpeechClient

_BLOCK = 8192
_LONGEST_HEADER = 65_536


class OpenAIEngine:
    """Speaks text with a server. It requests raw PCM at 24 kHz, and also accepts WAV, which some servers send."""

    sample_rate = 24_000

    def __init__(self, server: SpeechServer | None) -> None:
        if server is None:
            raise EngineMissing("The voice engine openai has no speech server. Configure its URL and key.")
        self._server = server
        self._client = SpeechClient(server)

    def speak(self, text: str, style: VoiceStyle = PLAIN) -> Iterator[Pcm]:
        """See `Engine`."""
        voice = style.voice or self._server.voice
        body: dict[str, object] = {"model": self._server.model, "voice": voice, "input": text, "response_format": "pcm"}
        if style.speed != 1:
            body["speed"] = style.speed
        with self._client.post("/audio/speech", json=body) as answer:
            yield from decode_audio(answer.stream(_BLOCK), self.sample_rate)


def decode_audio(blocks: Iterable[bytes], rate: int) -> Iterator[Pcm]:
    """Decode a stream of raw 16-bit mono PCM at `rate`, or a WAV file of any rate, to samples at `rate`."""
    head, stream = b"", iter(blocks)
    for block in stream:
        head += block
        if len(head) >= 4 and (head[:4] != b"RIFF" or b"data" in head[:-8] or len(head) > _LONGEST_HEADER):
            break
    resampler = Resampler(rate, rate)
    if head[:4] == b"RIFF":
        head, resampler = _open_wav(head, rate)
    for block in stream:
        whole = len(head) & ~1
        yield resampler.feed(_samples(head[:whole]))
        head = head[whole:] + block
    yield resampler.finish(_samples(head[: len(head) & ~1]))


def _samples(data: bytes) -> Pcm:
    return np.frombuffer(data, "<i2").astype(np.int16)


def _open_wav(head: bytes, rate: int) -> tuple[bytes, Resampler]:
    """Return the first samples of a WAV file and a resampler to `rate`. Streams have no valid length field."""
    form, data = head.find(b"fmt "), head.find(b"data")
    if not 0 < form <= data - 24:
        raise SpeechFailed("The speech server sent a WAV file without a header.")
    coding, channels, own_rate = struct.unpack_from("<HHI", head, form + 8)
    bits = struct.unpack_from("<H", head, form + 22)[0]
    if (coding, channels, bits) != (1, 1, 16):
        raise SpeechFailed("The speech server sent a WAV file that is not 16-bit mono PCM.")
    return head[data + 8 :], Resampler(own_rate, rate)
