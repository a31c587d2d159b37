"""Each engine and each codec on a real call. What the engines say is transcribed by Whisper, which is none of them."""

from pathlib import Path

import pytest

from retinue.language.text_normalization import stems
from retinue.voice.environment import VoiceEnvironment
from tests.support.client import Client
from tests.support.model_server import Answer, ModelServer
from tests.support.server import Server
from tests.support.waiting import eventually
from tests.voice.ports import free_sip_port
from tests.voice.speech_server import SpeechServerStandIn
from tests.voice.telephone import (
    Telephone,
    call_of,
    check_accounts,
    finish,
    reach,
    start_call,
    turns_of,
    words,
)

pytestmark = pytest.mark.timeout(300)

CODECS = {"pcmu": "pcmu", "g722": "g722/16000/1", "opus": "opus/48000/2"}
ANSWER = "The train to the north leaves at nine in the morning."


@pytest.mark.realtime
@pytest.mark.parametrize(
    ("engine", "codec"),
    [
        ("hibari", "pcmu"),
        ("kokoro", "pcmu"),
        ("piper", "pcmu"),
        ("openai", "pcmu"),
        ("hibari", "g722"),
        ("hibari", "opus"),
    ],
)
def test_a_question_is_answered(
    sip_server: Server, caller: Client, model: ModelServer, speech_server: SpeechServerStandIn, engine: str, codec: str
) -> None:
    model.answers.append(Answer(text=ANSWER))
    phone = Telephone(VoiceEnvironment.beside(Path()).python, free_sip_port(), CODECS[codec])
    try:
        call_id = start_call(caller, phone.uri, greeting="", voice_engine=engine)
        # An engine that is used for the first time is loaded before the call is dialled.
        eventually(lambda: call_of(caller, call_id)["status"] != "queued", within=200.0, every=0.2)
        reach(caller, call_id, "in_progress")
        phone.tell("say", "What is the capital of France?")
        said, heard = stems(ANSWER), stems(phone.tell("hear", 1.0).replace("9", "nine"))
        phone.tell("hangup")
        call = finish(caller, call_id)
        check_accounts(sip_server, caller, call, phone.tell("state")["seconds"])
    finally:
        phone.close()
    # By telephone, Whisper takes a train for a chain now and then.
    assert len(said & heard) >= 0.7 * len(said), heard
    asked, answered = turns_of(caller, call_id)
    assert {"capital", "france"} <= words(asked["text"])
    assert call["transcript"] == f"caller: {asked['text']}\nagent: {ANSWER}"
    assert (answered["text"], answered["interrupted"], call["voice_engine"]) == (ANSWER, False, engine)
    if engine == "openai":
        assert [request["body"]["input"] for request in speech_server.requests] == [ANSWER]
        assert speech_server.requests[0]["authorization"] == "Bearer sk-test"
