"""Measure the word error rate of an agent's speech by phone, for each engine.

`.venv/bin/python -m bench.intelligibility [ENGINE …]` lets each engine speak 30 sentences of an agent's replies, three
at a time, encodes them with PCMU and with G.722 as a call does, and transcribes them with Whisper tiny.en. The first
column is the error rate before the codec. `openai` is a server on this machine that speaks with Hibari.

`.venv/bin/python -m bench.intelligibility calls [ENGINE …]` lets the server call a scripted phone on this machine
instead, which transcribes what it hears. This takes seven minutes per engine and needs an idle machine.
"""

import base64
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from bench.calls import settings
from retinue.voice.environment import PiperEnvironment, VoiceEnvironment
from retinue.voice.media.self_call import free_sip_port
from tests.support.client import Client
from tests.support.model_server import ModelServer, running_model_server
from tests.support.server import Server
from tests.voice.conftest import SpeechProcess
from tests.voice.speech_server import SpeechServerStandIn
from tests.voice.telephone import Telephone, finish, start_call, voice_is_ready
from tests.voice.word_errors import normal_words, word_errors

ENGINES = ("hibari", "kokoro", "piper", "openai")
CODECS = {"pcm_mulaw": "pcmu", "g722": "g722/16000/1"}
"""The codecs by their names in FFmpeg and in the SIP stack."""

SENTENCES = Path(__file__).with_name("answers.txt").read_text().splitlines()
TEXTS = [" ".join(SENTENCES[start : start + 3]) for start in range(0, len(SENTENCES), 3)]
SILENCE_S = 2.0


def main(engines: Sequence[str], by_calls: bool) -> None:
    """Measure and print a table."""
    with tempfile.TemporaryDirectory() as name, ExitStack() as stack:
        folder = Path(name)
        speech = SpeechProcess(VoiceEnvironment.beside(folder).python)
        stack.callback(speech.process.kill)
        voice = stack.enter_context(SpeechServerStandIn(lambda text: _speak(speech, text)))
        line = stack.enter_context(_telephones(folder, voice)) if by_calls else None
        print("| Engine | Before the codec | PCMU | G.722 |")
        for engine in engines:
            rates = line.measure(engine) if line else _by_codecs(folder, engine, voice)
            print(f"| `{engine}` | {' | '.join(f'{rate:.1%}' for rate in rates)} |", flush=True)


def _speak(speech: SpeechProcess, text: str) -> bytes:
    return base64.b64decode(speech.ask("sound", text=text, rate=24_000))


def _by_codecs(folder: Path, engine: str, voice: SpeechServerStandIn) -> list[float]:
    """Return the error rates before the codecs and after each."""
    speech = SpeechProcess(VoiceEnvironment.beside(folder).python)
    options = {"piper_python": str(PiperEnvironment.beside(folder).python), "speech_server": voice.options}
    try:
        heard = speech.ask("hear_back", texts=TEXTS, engine=engine, options=options, codecs=list(CODECS))
    finally:
        speech.process.kill()
    return [_rate([ways[place] for ways in heard]) for place in range(1 + len(CODECS))]


class _Line:
    """A server, and a telephone for each codec."""

    def __init__(self, client: Client, phones: Sequence[Telephone]) -> None:
        self._client, self._phones = client, phones

    def measure(self, engine: str) -> list[float]:
        """Return the error rates of each telephone, after a place for what calls do not measure."""
        return [float("nan"), *(_rate([self._call(phone, engine, text) for text in TEXTS]) for phone in self._phones)]

    def _call(self, phone: Telephone, engine: str, text: str) -> str:
        """Return what a telephone heard of a text."""
        phone.tell("expect", "answer")
        call = start_call(self._client, phone.uri, greeting=text, voice_engine=engine)
        heard = str(phone.tell("hear", SILENCE_S))
        phone.tell("hangup")
        finish(self._client, call)
        return heard


@contextmanager
def _telephones(folder: Path, voice: SpeechServerStandIn) -> Iterator[_Line]:
    with ExitStack() as stack:
        model = stack.enter_context(running_model_server(ModelServer))
        speaking = {"RETINUE_SPEECH_URL": voice.options["url"], "RETINUE_SPEECH_KEY": voice.options["key"]}
        server = Server(folder / "server", {**settings(model), **speaking}).start()
        stack.callback(server.close)
        voice_is_ready(server)
        python = VoiceEnvironment.beside(folder).python
        phones = [Telephone(python, free_sip_port(), codec) for codec in CODECS.values()]
        for phone in phones:
            stack.callback(phone.close)
        yield _Line(Client(server, server.first_key), phones)


def _rate(heard: Sequence[str]) -> float:
    """Return the word error rate. The texts with errors go to standard error."""
    errors = words = 0
    for text, other in zip(TEXTS, heard, strict=True):
        said = normal_words(text)
        wrong = word_errors(said, normal_words(other))
        errors, words = errors + wrong, words + len(said)
        if wrong:
            print(f"{wrong}: {text}\n   {other}", file=sys.stderr)
    return errors / words


if __name__ == "__main__":
    calls = sys.argv[1:2] == ["calls"]
    main(sys.argv[1 + calls :] or ENGINES, calls)
