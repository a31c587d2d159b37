"""Measure how well the agent's speech is understood by telephone: the word error rate of each engine.

`.venv/bin/python -m bench.intelligibility [ENGINE …]`. The server calls a scripted telephone on this machine, by PCMU
and by G.722. The agent says 30 sentences of answers, three in each call, and the telephone writes down what it hears
by Whisper tiny.en. Beside it stand the errors of the same Whisper in the sound that the engine makes, before any call.
`openai` is a server on this machine that speaks by Hibari.
"""

import base64
import sys
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from bench.calls import settings
from retinue.voice.environment import PiperEnvironment, VoiceEnvironment
from tests.support.client import Client
from tests.support.model_server import ModelServer, running_model_server
from tests.support.server import Server
from tests.voice.conftest import SpeechProcess
from tests.voice.speech_server import SpeechServerStandIn
from tests.voice.telephone import Telephone, finish, free_port, start_call, voice_is_ready
from tests.voice.word_errors import normal_words, word_errors

ENGINES = ("hibari", "kokoro", "piper", "openai")
CODECS = {"PCMU": "pcmu", "G.722": "g722/16000/1"}
SENTENCES = Path(__file__).with_name("answers.txt").read_text().splitlines()
TEXTS = [" ".join(SENTENCES[start : start + 3]) for start in range(0, len(SENTENCES), 3)]
SILENCE_S = 2.0


def main(engines: Sequence[str]) -> None:
    """Measure and print a table."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        python = VoiceEnvironment.beside(folder).python
        speech = SpeechProcess(python)
        stack.callback(speech.process.kill)
        voice = stack.enter_context(SpeechServerStandIn(lambda text: _speak(speech, text)))
        client = _start(stack, folder, voice)
        phones = {name: Telephone(python, free_port(), codec) for name, codec in CODECS.items()}
        for phone in phones.values():
            stack.callback(phone.close)
        print(f"| Engine | Before the call | {' | '.join(phones)} |")
        for engine in engines:
            options = {"piper_python": _piper(folder), "speech_server": voice.options}
            direct = speech.ask("hear_back", texts=TEXTS, engine=engine, options=options)
            rates = [_rate([heard for heard, _ in direct])]
            rates += [_rate([_call(client, phone, engine, text) for text in TEXTS]) for phone in phones.values()]
            print(f"| `{engine}` | {' | '.join(f'{rate:.1%}' for rate in rates)} |", flush=True)


def _start(stack: ExitStack, folder: Path, voice: SpeechServerStandIn) -> Client:
    model = stack.enter_context(running_model_server(ModelServer))
    speaking = {"RETINUE_SPEECH_URL": voice.options["url"], "RETINUE_SPEECH_KEY": voice.options["key"]}
    server = Server(folder, {**settings(model), **speaking}).start()
    stack.callback(server.close)
    voice_is_ready(server)
    return Client(server, server.first_key)


def _speak(speech: SpeechProcess, text: str) -> bytes:
    return base64.b64decode(speech.ask("sound", text=text, rate=24_000))


def _piper(folder: Path) -> str:
    return str(PiperEnvironment.beside(folder).python)


def _call(client: Client, phone: Telephone, engine: str, text: str) -> str:
    """Return what the telephone heard of a text."""
    phone.tell("expect", "answer")
    call = start_call(client, phone.uri, greeting=text, voice_engine=engine)
    heard = str(phone.tell("hear", SILENCE_S))
    phone.tell("hangup")
    finish(client, call)
    return heard


def _rate(heard: Sequence[str]) -> float:
    """Return the word error rate, and print the texts with errors."""
    errors = words = 0
    for text, other in zip(TEXTS, heard, strict=True):
        said = normal_words(text)
        wrong = word_errors(said, normal_words(other))
        errors, words = errors + wrong, words + len(said)
        if wrong:
            print(f"{wrong}: {text}\n   {other}", file=sys.stderr)
    return errors / words


if __name__ == "__main__":
    main(sys.argv[1:] or ENGINES)
