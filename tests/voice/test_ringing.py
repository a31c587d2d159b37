"""Calls that really ring: a scripted telephone at the other end, spoken questions and answers over RTP."""

import io
import json
import os
import signal
import time
import wave

import numpy as np
import pytest

from tests.conftest import NewUser, StartServer
from tests.portal.reader import reader_of, redirect
from tests.support.client import Client, data, refuse
from tests.support.events import stored_events
from tests.support.model_server import Answer, ModelServer
from tests.support.rows import rows
from tests.support.server import Server
from tests.support.waiting import eventually
from tests.voice.ports import free_sip_port
from tests.voice.telephone import (
    Telephone,
    call_of,
    check_accounts,
    count_held,
    finish,
    reach,
    start_call,
    turns_of,
    voice_is_ready,
    words,
    worker_pid,
)

# Not marked slow: slow tests are dealt out to all workers, and each would start a server and a telephone for them.
pytestmark = pytest.mark.timeout(180)

LONG = (
    "The first of all things that I want to tell you about Paris is that it is a very old city. "
    "It has many bridges over the river. Some of them are older than most countries."
)


@pytest.fixture
def server(sip_server: Server) -> Server:
    """The server that takes and makes calls."""
    return sip_server


@pytest.mark.realtime
def test_a_telephone_rings_and_hears_the_spoken_answer(
    server: Server, caller: Client, model: ModelServer, phone: Telephone
) -> None:
    model.answers.append(Answer(text="The capital of France is Paris."))
    call_id = start_call(caller, phone.uri, record=True)
    assert {"hello", "alfred"} <= words(phone.tell("hear", 1.0))
    phone.tell("say", "What is the capital of France?")
    assert {"capital", "france", "paris"} <= words(phone.tell("hear", 1.0))
    phone.tell("hangup")
    call = finish(caller, call_id)
    check_accounts(server, caller, call, phone.tell("state")["seconds"])
    greeting, question, answer = call["transcript"].split("\n")
    assert greeting == "agent: Hello, this is Alfred."
    assert {"capital", "france"} <= words(question.removeprefix("caller: "))
    assert answer == "agent: The capital of France is Paris."
    assert "telephone call" in str(model.requests[-1]["messages"][0])
    _, asked, answered = turns_of(caller, call_id)
    assert asked["timing"]["transcription_ms"] >= 0
    assert answered["timing"]["first_audio_ms"] >= answered["timing"]["first_text_ms"] >= 0
    assert data(caller.get(f"/runs/{answered['run_id']}"))["reply"] == "The capital of France is Paris."
    _check_recording(caller, call_id)


def _check_recording(caller: Client, call_id: int) -> None:
    """Both sides can be heard on their channel."""
    file_id = eventually(lambda: call_of(caller, call_id)["recording_file_id"], within=30.0)
    sound = caller.get(f"/files/{file_id}/content").content
    with wave.open(io.BytesIO(sound)) as recording:
        assert (recording.getnchannels(), recording.getframerate()) == (2, 16_000)
        samples = np.frombuffer(recording.readframes(recording.getnframes()), "<i2").reshape(-1, 2)
    assert (np.abs(samples).max(axis=0) > 1000).all()


@pytest.mark.realtime
def test_an_interruption_is_heard_and_the_transcript_keeps_the_spoken_text(
    caller: Client, model: ModelServer, phone: Telephone
) -> None:
    model.answers.append(Answer(text=LONG))
    model.obsession = Answer(text="It is noon.")
    call_id = start_call(caller, phone.uri, greeting="")
    reach(caller, call_id, "in_progress")
    phone.tell("say", "Tell me something about Paris.")
    phone.tell("interrupt", "Stop it now and tell me the time of day")
    eventually(lambda: "noon" in call_of(caller, call_id)["transcript"], within=30.0)
    phone.tell("hangup")
    finish(caller, call_id)
    turns = turns_of(caller, call_id)
    cut = next(turn for turn in turns if turn["interrupted"])
    assert cut["number"] == 2
    assert LONG.startswith(cut["text"])
    assert len(cut["text"]) < len(LONG) / 2
    assert cut["timing"]["barge_in_ms"] >= 0
    conversation = data(caller.get(f"/chat/{call_of(caller, call_id)['conversation_id']}"))
    replies = [message["content"] for message in conversation if message["role"] == "assistant"]
    assert (replies[0], replies[1]) == (cut["text"] or "…", "It is noon.")


@pytest.mark.realtime
def test_a_caller_who_goes_on_before_the_answer_gets_the_answer_to_the_rest(
    caller: Client, model: ModelServer, phone: Telephone
) -> None:
    model.answers.append(Answer(text="Never said, not a word of it.", hold=True))
    model.obsession = Answer(text="It is noon.")
    call_id = start_call(caller, phone.uri, greeting="")
    reach(caller, call_id, "in_progress")
    phone.tell("say", "Tell me something about Paris.")
    eventually(lambda: model.requests, within=30.0)
    phone.tell("say", "No I would rather know the time of day")
    assert "noon" in words(phone.tell("hear", 1.0))
    phone.tell("hangup")
    transcript = finish(caller, call_id)["transcript"]
    assert ("Never" in transcript, "agent: It is noon." in transcript) == (False, True)
    conversation = data(caller.get(f"/chat/{call_of(caller, call_id)['conversation_id']}"))
    assert not any("not a word" in message["content"] for message in conversation)


@pytest.mark.parametrize(("mode", "status"), [("busy", "busy"), ("decline", "busy"), ("ring", "no_answer")])
def test_a_call_that_is_not_taken(server: Server, caller: Client, phone: Telephone, mode: str, status: str) -> None:
    phone.tell("expect", mode)
    call = finish(caller, start_call(caller, phone.uri))
    assert (call["status"], call["duration_seconds"], call["answered_at"], call["participants"]) == (status, 0, None, 1)
    assert call["error"]
    (ended,) = [event for event in stored_events(server, "voice.call.ended") if event["call_id"] == call["id"]]
    assert (ended["status"], ended["duration_seconds"]) == (status, 0)


def test_a_host_that_cannot_be_reached(caller: Client) -> None:
    call = finish(caller, start_call(caller, f"sip:bob@127.0.0.1:{free_sip_port()};transport=tcp"))
    assert (call["status"], "refused" in call["error"]) == ("failed", True)


def test_a_call_is_cancelled_while_it_rings(caller: Client, phone: Telephone) -> None:
    phone.tell("expect", "ring")
    call_id = start_call(caller, phone.uri)
    reach(caller, call_id, "ringing")
    assert data(caller.post(f"/voice/calls/{call_id}/hangup"))["status"] == "cancelled"


def test_calls_in_a_row_leave_nothing_open(server: Server, caller: Client, phone: Telephone) -> None:
    counts = [_count_after_a_call(server, caller, phone) for _ in range(6)]
    # The first call makes what all later ones share.
    for name in ("descriptors", "UDP sockets", "threads"):
        assert max(count[name] for count in counts[2:]) <= max(count[name] for count in counts[:2]), (name, counts)
    calls = caller.get("/voice/calls?per_page=100").json()["data"]
    assert [call["status"] for call in calls] == ["completed"] * 6


def _count_after_a_call(server: Server, caller: Client, phone: Telephone) -> dict[str, int]:
    """What the media worker holds once a call with a greeting is over."""
    phone.tell("expect", "answer")
    call_id = start_call(caller, phone.uri, greeting="Hello.")
    phone.tell("hear", 0.3)
    phone.tell("hangup")
    finish(caller, call_id)
    return count_held(worker_pid(server))


def test_a_server_that_hears_late_of_the_end_bills_no_more(server: Server, caller: Client, phone: Telephone) -> None:
    call_id = start_call(caller, phone.uri, greeting="Hello.")
    phone.tell("hear", 0.5)
    assert server.process
    server.process.send_signal(signal.SIGSTOP)
    phone.tell("hangup")
    time.sleep(3)  # how late it is
    server.process.send_signal(signal.SIGCONT)
    check_accounts(server, caller, finish(caller, call_id), phone.tell("state")["seconds"])


def test_a_call_is_hung_up_through_the_api(caller: Client, phone: Telephone) -> None:
    call_id = start_call(caller, phone.uri)
    reach(caller, call_id, "in_progress")
    call = data(caller.post(f"/voice/calls/{call_id}/hangup"))
    assert (call["status"], call["duration_seconds"] > 0) == ("completed", True)
    eventually(lambda: phone.tell("state")["state"] == "closed")


@pytest.mark.usefixtures("caller")
def test_the_portal_rings_shows_the_call_live_and_hangs_up(server: Server, new_user: NewUser, phone: Telephone) -> None:
    reader = reader_of(new_user(server, plan="professional"))
    form = {"to": phone.uri, "opening": "own", "greeting": "Hello from the portal.", "record": "on"}
    path = redirect(reader.post("/calls", form))
    said, parts = False, []
    with reader.get(f"{path}/live", stream=True, headers={"Accept": "text/event-stream"}) as stream:
        for line in stream.iter_lines(chunk_size=1):
            if not line.startswith(b'data: "'):
                continue
            parts.append(json.loads(line[6:]))
            if "Hello from the portal." in parts[-1] and not said:
                said = True
                assert 'data-confirm="Hang up?"' in parts[-1]
                assert redirect(reader.post(f"{path}/hangup")) == path
    assert said
    assert "Completed" in parts[-1]
    assert f'src="{path}/recording"' in parts[-1]
    answer = reader.get(f"{path}/recording", headers={"Range": "bytes=0-3"})
    assert (answer.status_code, answer.content) == (206, b"RIFF")
    reader.close()


@pytest.mark.realtime
def test_a_number_is_called_through_the_trunk_with_its_prefix(caller: Client, phone: Telephone) -> None:
    call_id = start_call(caller, "+441632960123", greeting="This is the trunk.")
    assert "trunk" in words(phone.tell("hear", 1.0))
    phone.tell("hangup")
    assert finish(caller, call_id)["status"] == "completed"
    refuse(caller.post("/voice/calls", {"to": "+12025550123"}), 503, "No SIP trunk", "RETINUE_SIP_TRUNKS_FILE")


def test_who_may_not_be_called(caller: Client) -> None:
    refuse(caller.post("/voice/calls", {"to": "sip:bob@example.com"}), 400, "not allowed", "RETINUE_SIP_DESTINATIONS")
    refuse(caller.post("/voice/calls", {"to": "sip:bob@10.0.0.1"}), 400, "RETINUE_ALLOWED_NETWORKS")
    refuse(caller.post("/voice/calls", {"to": "sip:127.0.0.1@example.com:5060"}), 400, "not allowed")


def test_an_engine_that_is_not_configured_is_reported_with_a_remedy(
    start_server: StartServer, new_user: NewUser, phone: Telephone
) -> None:
    port = free_sip_port()
    server = start_server(
        RETINUE_SIP=f"127.0.0.1:{port}",
        RETINUE_SIP_DESTINATIONS="sip:*@127.0.0.1:*",
        RETINUE_ALLOWED_NETWORKS="127.0.0.0/8",
    )
    caller = new_user(server, plan="professional").client()
    voice_is_ready(server)
    refuse(caller.post("/voice/calls", {"to": phone.uri, "voice_engine": "openai"}), 503, "RETINUE_SPEECH_URL")


def test_a_credential_has_a_few_calls_at_once(caller: Client, phone: Telephone) -> None:
    phone.tell("expect", "ring")
    ids = [start_call(caller, phone.uri) for _ in range(2)]
    answer = caller.post("/voice/calls", {"to": phone.uri})
    refuse(answer, 429, "2 calls in progress")
    assert int(answer.headers["Retry-After"]) > 0
    for call_id in ids:
        caller.post(f"/voice/calls/{call_id}/hangup")


def test_a_plan_without_minutes_left_makes_no_calls(
    server: Server, new_user: NewUser, caller: Client, phone: Telephone
) -> None:
    poor = new_user(server, plan="free").client()
    call_id = start_call(poor, phone.uri)
    reach(poor, call_id, "in_progress")
    assert rows(server, f"SELECT max_seconds FROM calls WHERE id = {call_id}") == [{"max_seconds": 1800}]
    poor.post(f"/voice/calls/{call_id}/hangup")


def test_a_call_ends_at_its_longest_duration(caller: Client, phone: Telephone) -> None:
    call = finish(caller, start_call(caller, phone.uri, max_seconds=2))
    assert (call["status"], call["duration_seconds"] in {2, 3}) == ("completed", True)
    assert (call["error"], call["ended_reason"]) == (None, "max_duration")


@pytest.mark.realtime
def test_keys_of_the_telephone_reach_the_agent(caller: Client, model: ModelServer, phone: Telephone) -> None:
    model.answers.append(Answer(text="Thank you. The garden gate is open."))
    call_id = start_call(caller, phone.uri, greeting="")
    reach(caller, call_id, "in_progress")
    phone.tell("press", "12#")
    assert "garden" in words(phone.tell("hear", 1.0))
    phone.tell("hangup")
    assert finish(caller, call_id)["transcript"].startswith("caller: [pressed 1 2 #]\nagent: Thank you.")


@pytest.mark.realtime
def test_an_agent_takes_calls_where_it_may(
    server: Server, caller: Client, model: ModelServer, phone: Telephone, sip_port: int
) -> None:
    body = {"agent_name": "Orchard", "agent_role": "generalist", "voice_enabled": True}
    agent = data(caller.post("/agents", body), 201)["id"]
    model.answers.append(Answer(text="The shop is open until nine."))
    assert phone.tell("dial", f"sip:agent-{agent}@127.0.0.1:{sip_port}") == "established"
    assert "orchard" in words(phone.tell("hear", 1.0))
    phone.tell("say", "When does the shop close today?")
    assert {"shop", "open"} <= words(phone.tell("hear", 1.0))
    phone.tell("hangup")
    call_id = caller.get("/voice/calls").json()["data"][0]["id"]
    call = finish(caller, call_id)
    assert (call["status"], call["direction"], call["agent_id"]) == ("completed", "inbound", agent)
    assert call["caller"].startswith("sip:phone@127.0.0.1")
    (ended,) = [event for event in stored_events(server, "voice.call.ended") if event["call_id"] == call_id]
    assert ended["direction"] == "inbound"
    caller.put(f"/agents/{agent}", {"voice_enabled": False})
    for user in (f"agent-{agent}", "agent-999999", "somebody"):
        assert "404" in phone.tell("dial", f"sip:{user}@127.0.0.1:{sip_port}")


@pytest.mark.realtime
def test_a_worker_that_dies_ends_its_calls_and_the_next_call_works(
    server: Server, caller: Client, phone: Telephone
) -> None:
    call_id = start_call(caller, phone.uri, greeting="")
    reach(caller, call_id, "in_progress")
    os.kill(worker_pid(server), signal.SIGKILL)
    call = finish(caller, call_id)
    assert (call["status"], call["duration_seconds"] > 0, "worker" in call["error"]) == ("failed", True, True)
    (ended,) = [event for event in stored_events(server, "voice.call.ended") if event["call_id"] == call_id]
    assert (ended["status"], ended["duration_seconds"]) == ("failed", call["duration_seconds"])
    phone.tell("expect", "answer")
    voice_is_ready(server)
    again = start_call(caller, phone.uri, greeting="Here I am again.")
    assert "again" in words(phone.tell("hear", 1.0))
    caller.post(f"/voice/calls/{again}/hangup")


def test_a_server_that_dies_leaves_no_call_open(server: Server, caller: Client, phone: Telephone) -> None:
    call_id = start_call(caller, phone.uri, greeting="One, two, three, four, five, six, seven, eight.")
    phone.tell("hear", 0.5)
    server.kill()
    server.start()
    call = finish(caller, call_id)
    assert (call["status"], call["error"]) == ("failed", "The server process that handled the call ended.")
    assert call["duration_seconds"] >= 1
    (ended,) = [event for event in stored_events(server, "voice.call.ended") if event["call_id"] == call_id]
    assert ended["duration_seconds"] == call["duration_seconds"]
    (used,) = data(caller.get("/usage/history?resource_type=voice"))
    assert (used["count"], used["errors"], used["seconds"]) == (1, 1, call["duration_seconds"])
