"""Calls that find out who answers: a telephone that says hello, and one that greets at length and beeps."""

import pytest

from tests.support.client import Client, refuse
from tests.support.waiting import eventually
from tests.voice.telephone import Telephone, call_of, finish, reach, start_call, words

pytestmark = pytest.mark.timeout(180)

GREETING = "You have reached the office. Nobody can take your call right now. Please leave a message after the tone."
MESSAGE = "This is a message about the train to the north."


def who(caller: Client, call_id: int) -> str:
    """Who answered, once that is known."""
    return str(eventually(lambda: call_of(caller, call_id)["answered_by"], within=45.0, every=0.1))


@pytest.mark.realtime
@pytest.mark.parametrize("mode", ["enable", "hangup", "detect_message_end"])
def test_a_person_is_greeted_after_their_hello(caller: Client, phone: Telephone, mode: str) -> None:
    call_id = start_call(caller, phone.uri, greeting=MESSAGE, machine_detection=mode)
    assert reach(caller, call_id, "in_progress")["answered_by"] is None
    phone.tell("say", "Hello?")
    assert who(caller, call_id) == "human"
    assert {"message", "north"} <= words(phone.tell("hear", 1.0))
    phone.tell("hangup")
    call = finish(caller, call_id)
    assert (call["answered_by"], call["machine_detection"]) == ("human", mode)
    assert call["transcript"] == f"agent: {MESSAGE}"


@pytest.mark.realtime
def test_a_machine_gets_the_message_after_its_beep(caller: Client, phone: Telephone) -> None:
    call_id = start_call(caller, phone.uri, greeting=MESSAGE, machine_detection="detect_message_end")
    reach(caller, call_id, "in_progress")
    phone.tell("record", GREETING, 1000)
    assert {"message", "north"} <= words(phone.tell("hear", 1.0))
    call = finish(caller, call_id)
    assert (call["status"], call["answered_by"]) == ("completed", "machine")
    assert call["transcript"] == f"agent: {MESSAGE}"


@pytest.mark.realtime
def test_a_machine_is_left_alone(caller: Client, phone: Telephone) -> None:
    call_id = start_call(caller, phone.uri, greeting=MESSAGE, machine_detection="hangup")
    reach(caller, call_id, "in_progress")
    phone.tell("record", GREETING, 1000)
    call = finish(caller, call_id)
    assert (call["status"], call["answered_by"], call["transcript"]) == ("completed", "machine", "")


@pytest.mark.realtime
def test_silence_tells_nothing(caller: Client, phone: Telephone) -> None:
    call_id = start_call(caller, phone.uri, greeting=MESSAGE, machine_detection="hangup")
    assert who(caller, call_id) == "unknown"
    assert {"message", "north"} <= words(phone.tell("hear", 1.0))
    phone.tell("hangup")
    assert finish(caller, call_id)["status"] == "completed"


def test_other_ways_of_detection_are_refused(caller: Client, phone: Telephone) -> None:
    refuse(caller.post("/voice/calls", {"to": phone.uri, "machine_detection": "always"}), 400, "machine_detection")
