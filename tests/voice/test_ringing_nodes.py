"""Two nodes, one of which holds a call: the other steers it, and ends it where its node dies."""

import pytest

from tests.conftest import NewUser, StartServer
from tests.support.client import Client, data, refuse
from tests.support.events import stored_events
from tests.support.model_server import ModelServer
from tests.voice.ports import free_sip_port
from tests.voice.sipp import BYE_FROM_SERVER, Rtp, Sipp, receive, reply, sdp, take
from tests.voice.telephone import call_of, finish, reach, start_call, voice_is_ready

pytestmark = [pytest.mark.slow, pytest.mark.timeout(240), pytest.mark.needs_program("sipp")]


@pytest.mark.usefixtures("speech")
def test_a_call_obeys_any_node_and_ends_with_its_own(
    start_server: StartServer, new_user: NewUser, model: ModelServer
) -> None:
    first = start_server(
        "postgresql",
        RETINUE_MODEL_URL=model.url,
        RETINUE_SIP=f"127.0.0.1:{free_sip_port()}",
        RETINUE_SIP_DESTINATIONS="sip:*@127.0.0.1:*",
        RETINUE_ALLOWED_NETWORKS="127.0.0.0/8",
    )
    second = start_server(RETINUE_DATABASE_URL=first.env["RETINUE_DATABASE_URL"])
    here = new_user(first, plan="professional").client()
    there = Client(second, here.key)
    voice_is_ready(first)
    _steer(here, there)
    with Rtp() as rtp, Sipp(*take(rtp)) as sipp:
        call_id = start_call(here, sipp.uri, greeting="")
        reach(there, call_id, "in_progress")
        first.kill()
        call = finish(there, call_id)
    assert (call["status"], call["error"]) == ("failed", "The server process that handled the call ended.")
    ended = [event for event in stored_events(second, "voice.call.ended") if event["call_id"] == call_id]
    assert [event["duration_seconds"] for event in ended] == [call["duration_seconds"]]
    assert second.cli("check") == "All is well.\n"
    there.close()


def _steer(here: Client, there: Client) -> None:
    """Hold a call, resume it, press keys and hang up, all at the other node."""
    with Rtp() as rtp:
        follow = [
            step
            for direction in ("recvonly", "sendrecv")
            for step in (receive("INVITE"), reply("200 OK", body=sdp(rtp.port, direction)), receive("ACK"))
        ]
        with Sipp(*take(rtp), *follow, *BYE_FROM_SERVER) as sipp:
            call_id = start_call(here, sipp.uri, greeting="")
            reach(there, call_id, "in_progress")
            for order in ("hold", "resume"):
                assert data(there.post(f"/voice/calls/{call_id}/{order}"))["status"] == "in_progress"
            data(there.post(f"/voice/calls/{call_id}/dtmf", {"digits": "4#"}))
            assert rtp.keys(2) == "4#"
            data(there.post(f"/voice/calls/{call_id}/hangup"))
            sipp.finish()
            _, hold, resume = sipp.receive("INVITE")
    assert ("a=sendonly" in hold, "a=sendrecv" in resume) == (True, True)
    assert finish(there, call_id)["status"] == "completed"
    refuse(there.post(f"/voice/calls/{call_id}/hold"), 400, "not in progress", "completed")
    assert call_of(here, call_id) == call_of(there, call_id)
