"""Calls through trunks: encrypted signalling and sound, and inwards through a registration."""

import re
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest

from retinue.voice.environment import VoiceEnvironment
from tests.conftest import NewUser, StartServer
from tests.support.client import Client, data
from tests.support.model_server import Answer, ModelServer
from tests.support.waiting import eventually
from tests.voice.certificates import make_certificate
from tests.voice.conftest import SpeechProcess
from tests.voice.sipp import PAUSE, Rtp, Sipp, await_reply, call, sdp
from tests.voice.telephone import Telephone, finish, free_port, start_call, voice_is_ready, words

pytestmark = [pytest.mark.timeout(240), pytest.mark.needs_program("sipp"), pytest.mark.needs_program("openssl")]

ANSWER = "The shop is open until nine in the evening."
NUMBER = "+441632960500"
SECURE = """
[{name}]
host = "127.0.0.1:{port}"
transport = "tls"
srtp = true
user = "account"
password = "open sesame"
prefixes = ["{prefix}"]
codecs = ["pcmu"]
"""
REGISTERED = """
[registered]
host = "127.0.0.1:{port}"
user = "desk"
password = "swordfish"
register = true
prefixes = ["+49"]
inbound = {{ "{number}" = 1 }}
"""


@dataclass
class Office:
    """A server with trunks, its first agent, and the telephone behind the encrypted trunk."""

    client: Client
    phone: Telephone
    sip_port: int


def open_phone(stack: ExitStack, certificate: Path) -> tuple[Telephone, int]:
    """A telephone that takes calls by TLS and SRTP alone; and its port for TLS."""
    port = free_port()
    python = VoiceEnvironment.beside(Path()).python
    phone = Telephone(
        python, port, config=f"sip_certificate {certificate}\n", transport="tls", params=["mediaenc=srtp-mand"]
    )
    stack.callback(phone.close)
    phone.tell("expect", "answer")
    return phone, port + 1


def contact_at(registrar: Sipp, sip_port: int) -> str | None:
    """The user part of the contact that the server at this port has registered, with proof."""
    for request in registrar.receive("REGISTER"):
        contact = re.search(rf"^Contact: <sip:([^@]+)@127\.0\.0\.1:{sip_port}", request, re.M)
        if contact and "Authorization:" in request:
            return contact[1]
    return None


@pytest.fixture
def office(
    start_server: StartServer,
    new_user: NewUser,
    model: ModelServer,
    speech: SpeechProcess,
    registrar: Sipp,
    tmp_path: Path,
) -> Iterator[Office]:
    with ExitStack() as stack:
        authority, certificate = make_certificate(tmp_path / "trusted")
        phone, port = open_phone(stack, certificate)
        _, unknown = open_phone(stack, make_certificate(tmp_path / "unknown")[1])
        trunks = tmp_path / "trunks.toml"
        trunks.write_text(
            SECURE.format(name="secure", port=port, prefix="+441")
            + SECURE.format(name="unknown", port=unknown, prefix="+443")
            + REGISTERED.format(port=registrar.port, number=NUMBER)
        )
        sip_port = free_port()
        server = start_server(
            RETINUE_MODEL_URL=model.url,
            RETINUE_SIP=f"127.0.0.1:{sip_port}",
            RETINUE_SIP_DESTINATIONS="+44*",
            RETINUE_SIP_TRUNKS_FILE=str(trunks),
            RETINUE_SIP_CA_FILE=str(authority),
        )
        voice_is_ready(server)
        yield Office(new_user(server, plan="professional").client(), phone, sip_port)


def test_an_encrypted_trunk_rings_and_is_heard(office: Office, model: ModelServer) -> None:
    model.answers.append(Answer(text=ANSWER))
    call_id = start_call(office.client, "+441632960123", greeting="This is the trunk.")
    assert "trunk" in words(office.phone.tell("hear", 1.0))
    office.phone.tell("say", "When does the shop close today?")
    said, heard = words(ANSWER), words(office.phone.tell("hear", 1.0))
    assert len(said & heard) >= 0.7 * len(said), heard
    office.phone.tell("hangup")
    assert finish(office.client, call_id)["status"] == "completed"
    untrusted = finish(office.client, start_call(office.client, "+443069990123"))
    assert (untrusted["status"], untrusted["answered_at"]) == ("failed", None)
    assert untrusted["error"]


def test_a_registered_trunk_delivers_a_call(office: Office, registrar: Sipp) -> None:
    agent = {"agent_name": "Orchard", "agent_role": "generalist", "voice_enabled": True}
    assert data(office.client.post("/agents", agent), 201)["id"] == 1
    contact = eventually(lambda: contact_at(registrar, office.sip_port), within=30.0)
    with Rtp() as rtp:
        steps = [
            call("INVITE", contact, 1, body=sdp(rtp.port), called=NUMBER),
            await_reply(100, optional=True),
            await_reply(180, optional=True),
            await_reply(200),
            call("ACK", contact, 1, told=True, called=NUMBER),
            PAUSE,
            call("BYE", contact, 2, told=True, called=NUMBER),
            await_reply(200),
        ]
        with Sipp(*steps, target=f"127.0.0.1:{office.sip_port}") as sipp:
            rtp.hear()
            sipp.finish()
    (only,) = data(office.client.get("/voice/calls"))
    ended = finish(office.client, only["id"])
    assert (ended["status"], ended["agent_id"], ended["to"]) == ("completed", 1, NUMBER)
