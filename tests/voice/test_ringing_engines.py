"""Each engine and each codec on a real call. What the engines say is transcribed by Whisper, which is none of them."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from retinue.voice.environment import VoiceEnvironment
from tests.support.client import Client
from tests.support.waiting import eventually
from tests.voice.speech_server import SpeechServerStandIn
from tests.voice.telephone import Telephone, finish, free_port, start_call, words

pytestmark = pytest.mark.timeout(300)

GREETING = "The train to the north leaves at nine in the morning."


@pytest.fixture(scope="module", params=["g722", "opus"])
def wideband(request: pytest.FixtureRequest) -> Iterator[Telephone]:
    """A telephone with one codec alone; PCMU is that of the ordinary telephone."""
    codec = {"g722": "g722/16000/1", "opus": "opus/48000/2"}[request.param]
    made = Telephone(VoiceEnvironment.beside(Path()).python, free_port(), codec)
    yield made
    made.close()


def test_each_codec_carries_speech_both_ways(caller: Client, wideband: Telephone) -> None:
    wideband.tell("expect", "answer")
    call_id = start_call(caller, wideband.uri, greeting=GREETING)
    eventually(lambda: transcript_of(caller, call_id), within=60.0, every=0.2)
    assert_understood(wideband.tell("hear", 1.0))
    wideband.tell("say", "What is the capital of France?")
    eventually(lambda: "capital" in transcript_of(caller, call_id), within=60.0, every=0.2)
    wideband.tell("hangup")
    assert finish(caller, call_id)["status"] == "completed"


def transcript_of(caller: Client, call_id: int) -> str:
    """What was said so far."""
    return str(caller.get(f"/voice/calls/{call_id}").json()["data"]["transcript"]).lower()


def assert_understood(heard: str) -> None:
    """Most words of the greeting are there: by telephone, Whisper takes a train for a chain now and then."""
    said = words(GREETING)
    assert len(said & words(heard)) >= 0.7 * len(said), heard


def test_kokoro_speaks_on_a_call(caller: Client, phone: Telephone) -> None:
    call_id = start_call(caller, phone.uri, greeting=GREETING, voice_engine="kokoro")
    eventually(lambda: transcript_of(caller, call_id), within=200.0, every=0.2)
    assert_understood(phone.tell("hear", 1.0))
    phone.tell("hangup")
    assert finish(caller, call_id)["transcript"] == f"agent: {GREETING}"


def test_a_speech_server_speaks_on_a_call(caller: Client, phone: Telephone, speech_server: SpeechServerStandIn) -> None:
    call_id = start_call(caller, phone.uri, greeting=f"{GREETING} It is on time.", voice_engine="openai")
    eventually(lambda: phone.tell("levels", [440])[0] > 10 * phone.tell("levels", [1000])[0] + 50, within=30.0)
    phone.tell("hangup")
    finish(caller, call_id)
    said = [request["body"]["input"] for request in speech_server.requests]
    assert " ".join(said).startswith(GREETING)
    assert {request["authorization"] for request in speech_server.requests} == {"Bearer sk-test"}
