"""What bounds calls: minutes of a plan and of a credential, and calls at once that come in to an agent."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from retinue.auth import plans
from tests.conftest import NewServer, NewUser, User
from tests.portal.spoken import Ledger
from tests.support.client import Client, data, refuse
from tests.support.rows import rows
from tests.support.server import Server
from tests.voice.conftest import SpeechProcess
from tests.voice.ports import free_sip_port
from tests.voice.sipp import BYE_FROM_SERVER, Rtp, Sipp, await_reply, call, call_in, sdp
from tests.voice.telephone import Telephone, finish, start_call, voice_is_ready

pytestmark = [pytest.mark.timeout(180)]

MINUTES = 2


@pytest.fixture(scope="module")
def guarded_server(
    new_server: NewServer, speech: SpeechProcess, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Server]:
    """A server whose credentials have two minutes each. Its plan starter has none, and it soon asks about silence."""
    built_in = Path(plans.__file__).with_name("plans.toml").read_text()
    file = tmp_path_factory.mktemp("plans") / "plans.toml"
    file.write_text(built_in.replace("voice_minutes = 120", "voice_minutes = 0"))
    server = new_server(
        RETINUE_SIP=f"127.0.0.1:{free_sip_port()}",
        RETINUE_SIP_DESTINATIONS="sip:*@127.0.0.1:*",
        RETINUE_ALLOWED_NETWORKS="127.0.0.0/8",
        RETINUE_PLANS_FILE=str(file),
        RETINUE_CALL_MINUTES_PER_KEY=str(MINUTES),
        RETINUE_CALL_SILENCE="2",
    ).start()
    voice_is_ready(server)
    yield server
    server.close()


def nobody_there() -> str:
    """An address at which nothing answers."""
    return f"sip:bob@127.0.0.1:{free_sip_port()};transport=tcp"


def longest_of(client: Client) -> int:
    """The length that a new call may have."""
    call_id = start_call(client, nobody_there())
    finish(client, call_id)
    (found,) = rows(client.server, f"SELECT max_seconds FROM calls WHERE id = {call_id}")
    return int(found["max_seconds"])


def test_the_minutes_of_a_credential_are_its_own(guarded_server: Server) -> None:
    with ExitStack() as stack:
        user = User(guarded_server, guarded_server.new_user("professional"))
        stack.callback(user.close)
        client, other = user.client(), user.client()
        assert longest_of(client) == MINUTES * 60
        (first,) = rows(guarded_server, "SELECT account_id, credential FROM calls ORDER BY id DESC LIMIT 1")
        ledger = Ledger(guarded_server, first["account_id"])
        for seconds in (50, 70):
            guarded_server.stop()
            ledger.add_call(credential=first["credential"], duration_seconds=seconds)
            guarded_server.start()
            voice_is_ready(guarded_server)
            if seconds == 50:
                assert longest_of(client) == MINUTES * 60 - 50
        answer = client.post("/voice/calls", {"to": nobody_there()})
        refuse(answer, 429, "2 minutes of calls in 24 hours")
        assert int(answer.headers["Retry-After"]) > 0
        assert longest_of(other) == MINUTES * 60


def test_a_plan_without_minutes_makes_no_calls_and_takes_none(guarded_server: Server) -> None:
    with ExitStack() as stack:
        user = User(guarded_server, guarded_server.new_user("starter"))
        stack.callback(user.close)
        client = user.client()
        answer = client.post("/voice/calls", {"to": nobody_there()})
        refuse(answer, 429, "voice_minutes", "starter")
        assert int(answer.headers["Retry-After"]) > 0
        assert data(client.get("/voice/calls")) == []


def test_silence_is_asked_about_and_then_ends_the_call(
    guarded_server: Server, new_user: NewUser, phone: Telephone
) -> None:
    caller = new_user(guarded_server, plan="professional").client()
    phone.tell("expect", "answer")
    call = finish(caller, start_call(caller, phone.uri, greeting=""))
    assert call["transcript"] == "agent: Are you still there?\nagent: I cannot hear you. Goodbye."
    assert call["status"] == "completed"


@pytest.mark.needs_program("sipp")
def test_an_agent_takes_a_few_calls_at_once(caller: Client, sip_port: int) -> None:
    body = {"agent_name": "Orchard", "agent_role": "generalist", "voice_enabled": True}
    agent = f"agent-{data(caller.post('/agents', body), 201)['id']}"
    target = f"127.0.0.1:{sip_port}"
    with ExitStack() as stack:
        lines = []
        for _ in range(2):
            rtp = stack.enter_context(Rtp())
            lines.append(stack.enter_context(Sipp(*call_in(agent, rtp), *BYE_FROM_SERVER, target=target)))
            rtp.hear()
        refused = [call("INVITE", agent, 1, body=sdp(9)), await_reply(100, optional=True), await_reply(486)]
        with Sipp(*refused, call("ACK", agent, 1, told=True), target=target) as third:
            third.finish()
        for one in data(caller.get("/voice/calls")):
            caller.post(f"/voice/calls/{one['id']}/hangup")
        for line in lines:
            line.finish()
    assert [finish(caller, one["id"])["status"] for one in data(caller.get("/voice/calls"))] == ["completed"] * 2
