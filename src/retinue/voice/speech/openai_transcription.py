"""Transcription with any server that has OpenAI's `POST /audio/transcriptions`."""

import io
import json
import wave

from retinue.voice.speech.options import SpeechFailed, SpeechServer
from retinue.voice.speech.pcm import Pcm
from retinue.voice.speech.speech_server import SpeechClient

_LONGEST_ANSWER = 1 << 20


class OpenAITranscriber:
    """Sends audio as a WAV file and returns the transcript."""

    def __init__(self, server: SpeechServer) -> None:
        self._server = server
        self._client = SpeechClient(server)

    def transcribe(self, pcm: Pcm, rate: int, language: str = "") -> str:
        """See `Transcriber`."""
        file = ("speech.wav", wav_file(pcm, rate), "audio/wav")
        fields = {"model": self._server.model, "response_format": "json", "file": file}
        if language:
            fields["language"] = language
        with self._client.post("/audio/transcriptions", fields=fields) as answer:
            said = answer.read(_LONGEST_ANSWER)
        try:
            return str(json.loads(said)["text"]).strip()
        except (ValueError, KeyError, TypeError) as error:
            raise SpeechFailed("The transcription server responded without a text.") from error


def wav_file(pcm: Pcm, rate: int) -> bytes:
    """Encode samples as a WAV file of 16-bit mono PCM."""
    file = io.BytesIO()
    with wave.open(file, "wb") as wav:
        wav.setnchannels(1)
        wav.setsampwidth(2)
        wav.setframerate(rate)
        wav.writeframes(pcm.astype("<i2").tobytes())
    return file.getvalue()
