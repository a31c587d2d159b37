"""What an engine says is understood: directly, through a telephone, and from a server."""

from pathlib import Path

import pytest

from retinue.core.errors import Unavailable
from retinue.voice.calls.rehearsals import Rehearsals
from retinue.voice.environment import PiperEnvironment, VoiceEnvironment
from retinue.voice.media.service import MediaService
from retinue.voice.options import VoiceOptions
from retinue.voice.speech.options import EngineMissing, SpeechFailed
from retinue.voice.trunks import Trunks
from tests.support.sampling import EXHAUSTIVE
from tests.voice.conftest import HERE, SpeechProcess
from tests.voice.speech_server import SpeechServerStandIn
from tests.voice.word_errors import normal_words, word_errors

SENTENCES = (HERE / "sentences.txt").read_text().splitlines()


def error_rates(said: list[str], heard: list[list[str]]) -> list[float]:
    """The word error rates, directly and through a telephone."""
    words = [normal_words(text) for text in said]
    total = sum(map(len, words))
    return [
        sum(word_errors(text, normal_words(way[kind])) for text, way in zip(words, heard, strict=True)) / total
        for kind in (0, 1)
    ]


@EXHAUSTIVE
@pytest.mark.slow
@pytest.mark.parametrize(("engine", "sentences"), [("hibari", SENTENCES), ("kokoro", SENTENCES[:3])])
def test_another_engine_understands_it(speech: SpeechProcess, engine: str, sentences: list[str]) -> None:
    direct, telephone = error_rates(sentences, speech.ask("hear_back", texts=sentences, engine=engine))
    assert direct <= 0.08
    assert telephone <= 0.10


def test_silence_and_noise_are_no_words(speech: SpeechProcess) -> None:
    assert speech.ask("hear_noise") == ["", "", ""]


def test_each_sentence_is_named_once(speech: SpeechProcess) -> None:
    text = "It is **done**. See https://www.example.com/a 😀\n```\nx = 1\n```\n"
    said = speech.ask("describe", engine="hibari", text=text)
    assert said["texts"] == ["It is done.", "See example dot com"]
    assert 1 < said["seconds"] < 10
    assert said["loudest"] > 3000


def test_nothing_to_say_is_silence(speech: SpeechProcess) -> None:
    assert speech.ask("describe", engine="hibari", text="😀 \n---\n") == {"texts": [], "seconds": 0, "loudest": 0}


@pytest.mark.parametrize(
    ("engine", "options", "message"),
    [
        ("piper", {}, "retinue voice install --piper"),
        ("openai", {}, "Configure its URL"),
        ("kokoro", {"kokoro_voice": str(HERE / "sentences.txt")}, "not a Kokoro voice"),
        ("espeak", {}, "hibari, kokoro, piper, openai"),
    ],
)
def test_a_missing_engine_is_reported_with_a_remedy(
    speech: SpeechProcess, engine: str, options: dict[str, str], message: str
) -> None:
    with pytest.raises(EngineMissing, match=message):
        speech.ask("describe", engine=engine, text="Hello.", options=options)


def test_a_missing_whisper_model_is_named(speech: SpeechProcess, tmp_path: Path) -> None:
    with pytest.raises(EngineMissing, match="Whisper model cannot be loaded"):
        speech.ask("hear_noise", options={"whisper_model": str(tmp_path)})


@pytest.mark.parametrize("form", ["pcm", "wav"])
def test_a_server_speaks_and_listens(speech: SpeechProcess, form: str) -> None:
    with SpeechServerStandIn(form) as server:
        options = {"speech_server": server.options, "transcription_server": server.options}
        said = speech.ask("describe", engine="openai", text="One. Two.", options=options)
        assert speech.ask("hear_back", engine="openai", texts=["One."], options=options) == [["heard", "heard"]]
    assert said["texts"] == ["One.", "Two."]
    assert said["seconds"] == pytest.approx(2, abs=0.01)
    assert {request["authorization"] for request in server.requests} == {"Bearer sk-test"}
    assert server.requests[0]["body"] == {
        "model": "tts-1", "voice": "alloy", "input": "One.", "response_format": "pcm",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("form", "message"),
    [("401", "status 401"), ("redirect", "status 307"), ("stereo", "not 16-bit mono"), ("broken", "did not respond")],
)
def test_a_server_that_fails_is_named(speech: SpeechProcess, form: str, message: str) -> None:
    with SpeechServerStandIn(form) as server, pytest.raises(SpeechFailed, match=message):
        speech.ask("describe", engine="openai", text="One.", options={"speech_server": server.options})
    assert {request["path"] for request in server.requests} == {"/v1/audio/speech"}


def test_piper_is_a_process_that_is_started_again(speech: SpeechProcess) -> None:
    options = {"piper_python": str(HERE / "stand_in_piper.py")}
    with pytest.raises(SpeechFailed, match="ended in the middle"):
        speech.ask("describe", engine="piper", text="Die.", options=options)
    said = speech.ask("describe", engine="piper", text="One. Two.", options=options)
    assert (said["texts"], said["seconds"]) == (["One.", "Two."], 2)
    with pytest.raises(SpeechFailed, match="cannot speak this text: Fail"):
        speech.ask("describe", engine="piper", text="Fail.", options=options)
    assert speech.ask("describe", engine="piper", text="One.", options=options)["seconds"] == 1


def test_the_engine_of_a_speech_server_needs_one(tmp_path: Path) -> None:
    environments = VoiceEnvironment.beside(tmp_path), PiperEnvironment.beside(tmp_path)
    with pytest.raises(Unavailable, match="RETINUE_SPEECH_URL"):
        MediaService(VoiceOptions(), Trunks({}), *environments, tmp_path).check_engine("openai")


def test_a_server_without_speech_says_how_to_install_it(tmp_path: Path) -> None:
    voice = VoiceEnvironment(tmp_path / "voice", VoiceEnvironment.beside(tmp_path).requirements)
    media = MediaService(VoiceOptions(), Trunks({}), voice, PiperEnvironment.beside(tmp_path), tmp_path)
    with pytest.raises(Unavailable, match="retinue voice install"):
        Rehearsals(media).check_ready("hibari")
    assert media.status.startswith("installing")
