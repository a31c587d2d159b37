"""Calls through trunks: encrypted signalling and sound, challenges, and calls inwards through a registration."""

import io
import re
import secrets
import wave
from base64 import b64decode
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from retinue.voice.environment import VoiceEnvironment
from tests.conftest import NewServer, User
from tests.support.client import Client, data
from tests.support.model_server import Answer, ModelServer
from tests.support.waiting import eventually
from tests.voice.certificates import make_certificate
from tests.voice.conftest import SpeechProcess
from tests.voice.ports import free_sip_port
from tests.voice.sipp import BYE_FROM_SERVER, Rtp, Sipp, call_in, digest_is_right, receive, reply, sdp
from tests.voice.telephone import Telephone, call_of, finish, start_call, voice_is_ready, words
from tests.voice.tls_front import TlsFront

pytestmark = [pytest.mark.timeout(240), pytest.mark.needs_program("sipp"), pytest.mark.needs_program("openssl")]

ANSWER = "The shop is open until nine in the evening."
NUMBER = "+441632960500"
CHALLENGE = 'Digest realm="provider.example", nonce="a1b2c3", algorithm=MD5'
SECURE = """
[{name}]
host = "127.0.0.1:{port}"
transport = "tls"
srtp = true
user = "account"
password = "open sesame"
prefixes = ["{prefix}"]
codecs = ["pcmu"]
register = {register}
"""
REGISTERED = """
[registered]
host = "127.0.0.1:{port}"
user = "desk"
password = "swordfish"
register = true
prefixes = ["+49"]
inbound = {{ "{number}" = {{ agent = 1, greeting = "You have reached the orchard.", record = true }} }}
"""


@dataclass
class Office:
    """A server with trunks, its first agent, and what is behind them.

    `certificate` is of the authority that the server trusts, `unknown_certificate` of another. Who takes calls at
    `port` and `unknown_port` comes with a test. `secure_registrar` is behind TLS.
    """

    client: Client
    phone: Telephone
    sip_port: int
    certificate: Path
    unknown_certificate: Path
    port: int
    unknown_port: int
    secure_registrar: Sipp


def open_phone(stack: ExitStack, certificate: Path) -> tuple[Telephone, int]:
    """A telephone that takes calls by TLS and SRTP alone; and its port for TLS."""
    port = free_sip_port()
    python = VoiceEnvironment.beside(Path()).python
    phone = Telephone(
        python, port, config=f"sip_certificate {certificate}\n", transport="tls", params=["mediaenc=srtp-mand"]
    )
    stack.callback(phone.close)
    return phone, port + 1


def open_registrar(stack: ExitStack, certificate: Path) -> tuple[Sipp, int]:
    """A registrar by TLS that asks for proof; and its port."""
    front = free_sip_port()
    steps = [receive("REGISTER"), reply("401 Unauthorized", f"WWW-Authenticate: {CHALLENGE}")]
    steps += [receive("REGISTER"), reply("200 OK", "[last_Contact:]", "Expires: 600")]
    registrar = stack.enter_context(Sipp(*steps, calls=0, tcp=True, front=front))
    stack.enter_context(TlsFront(certificate, front, registrar.port))
    return registrar, front


def proven(registrar: Sipp) -> list[str]:
    """The registrations with proof that a registrar has got."""
    return [request for request in registrar.receive("REGISTER") if "Authorization:" in request]


def contact_at(registrar: Sipp, sip_port: int) -> str | None:
    """The user part of the contact that the server at this port has registered, with proof."""
    pattern = rf"^Contact: <sip:([^@]+)@127\.0\.0\.1:{sip_port}"
    found = (re.search(pattern, request, re.M) for request in proven(registrar))
    return next((contact[1] for contact in found if contact), None)


@pytest.fixture(scope="module")
def office(
    new_server: NewServer,
    own_model: ModelServer,
    speech: SpeechProcess,
    registrar: Sipp,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Office]:
    folder = tmp_path_factory.mktemp("office")
    authority, certificate = make_certificate(folder / "trusted")
    _, unknown_certificate = make_certificate(folder / "unknown")
    sip_port, port, unknown_port = free_sip_port(), free_sip_port(), free_sip_port()
    with ExitStack() as stack:
        phone, phone_port = open_phone(stack, certificate)
        secure_registrar, registrar_port = open_registrar(stack, certificate)
        places = {
            "secure": (phone_port, "+441", "false"),
            "challenged": (port, "+442", "false"),
            "unknown": (unknown_port, "+443", "false"),
            "known": (registrar_port, "+444", "true"),
        }
        trunks = [
            SECURE.format(name=name, port=place, prefix=prefix, register=register)
            for name, (place, prefix, register) in places.items()
        ]
        file = folder / "trunks.toml"
        file.write_text("".join(trunks) + REGISTERED.format(port=registrar.port, number=NUMBER))
        server = new_server(
            RETINUE_MODEL_URL=own_model.url,
            RETINUE_SIP=f"127.0.0.1:{sip_port}",
            RETINUE_SIP_DESTINATIONS="+44*",
            RETINUE_SIP_TRUNKS_FILE=str(file),
            RETINUE_SIP_CA_FILE=str(authority),
            RETINUE_SANDBOX="require",
        )
        stack.callback(server.close)
        user = User(server.start(), server.new_user("professional"))
        stack.callback(user.close)
        voice_is_ready(server)
        yield Office(
            user.client(), phone, sip_port, certificate, unknown_certificate, port, unknown_port, secure_registrar
        )


@pytest.mark.realtime
def test_an_encrypted_trunk_rings_and_is_heard(office: Office, model: ModelServer) -> None:
    model.answers.append(Answer(text=ANSWER))
    office.phone.tell("expect", "answer")
    call_id = start_call(office.client, "+441632960123", greeting="This is the trunk.")
    assert "trunk" in words(office.phone.tell("hear", 1.0))
    office.phone.tell("say", "When does the shop close today?")
    said, heard = words(ANSWER), words(office.phone.tell("hear", 1.0))
    assert len(said & heard) >= 0.7 * len(said), heard
    office.phone.tell("hangup")
    assert finish(office.client, call_id)["status"] == "completed"


def test_nothing_is_dialled_where_the_authority_is_unknown(office: Office) -> None:
    front = office.unknown_port
    with (
        Sipp(receive("INVITE"), tcp=True, front=front) as sipp,
        TlsFront(office.unknown_certificate, front, sipp.port),
    ):
        untrusted = finish(office.client, start_call(office.client, "+443069990123"))
        assert sipp.receive("INVITE") == []
    assert (untrusted["status"], untrusted["answered_at"]) == ("failed", None)
    assert untrusted["error"]


@pytest.mark.parametrize(
    ("code", "header"), [("401 Unauthorized", "WWW"), ("407 Proxy Authentication Required", "Proxy")]
)
def test_a_challenge_by_tls_is_met_and_the_sound_is_encrypted(office: Office, code: str, header: str) -> None:
    with Rtp() as rtp:
        steps = [
            *(receive("INVITE"), reply(code, f"{header}-Authenticate: {CHALLENGE}"), receive("ACK")),
            *(receive("INVITE"), reply("200 OK", body=sdp(rtp.port, key=secrets.token_bytes(30))), receive("ACK")),
            *BYE_FROM_SERVER,
        ]
        with (
            Sipp(*steps, tcp=True, front=office.port) as sipp,
            TlsFront(office.certificate, office.port, sipp.port),
        ):
            call_id = start_call(office.client, "+442079460123", greeting="This is the provider.")
            first, second = eventually(
                lambda: sent if len(sent := sipp.receive("INVITE sip:+442079460123@")) == 2 else None, within=30.0
            )
            rtp.hear(key_of(second))
            office.client.post(f"/voice/calls/{call_id}/hangup")
            sipp.finish()
    assert finish(office.client, call_id)["status"] == "completed"
    assert "uthorization:" not in first
    assert digest_is_right(second, "INVITE", "account", "open sesame")
    assert "open sesame" not in first + second


def key_of(offer: str) -> bytes:
    """The server's key of SRTP, with its salt (RFC 4568)."""
    found = re.search(r"^a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:(\S{40})", offer, re.M)
    assert found, offer
    return b64decode(found[1])


def test_a_trunk_registers_by_tls(office: Office) -> None:
    registration, *_ = eventually(lambda: proven(office.secure_registrar), within=30.0)
    assert digest_is_right(registration, "REGISTER", "account", "open sesame")
    assert not any("open sesame" in request for request in office.secure_registrar.receive("REGISTER"))


def test_a_registered_trunk_delivers_a_call(office: Office, registrar: Sipp) -> None:
    agent = {"agent_name": "Orchard", "agent_role": "generalist", "voice_enabled": True}
    assert data(office.client.post("/agents", agent), 201)["id"] == 1
    contact = eventually(lambda: contact_at(registrar, office.sip_port), within=30.0)
    with Rtp() as rtp:
        steps = call_in(contact, rtp, called=NUMBER)
        with Sipp(*steps, *BYE_FROM_SERVER, target=f"127.0.0.1:{office.sip_port}") as sipp:
            rtp.hear()
            call_id = office.client.get("/voice/calls?per_page=1").json()["data"][0]["id"]
            eventually(lambda: call_of(office.client, call_id)["transcript"], within=30.0)
            office.client.post(f"/voice/calls/{call_id}/hangup")
            sipp.finish()
    ended = finish(office.client, call_id)
    assert (ended["status"], ended["agent_id"], ended["to"]) == ("completed", 1, NUMBER)
    assert ended["transcript"] == "agent: You have reached the orchard."
    file_id = eventually(lambda: call_of(office.client, call_id)["recording_file_id"], within=30.0)
    with wave.open(io.BytesIO(office.client.get(f"/files/{file_id}/content").content)) as recording:
        samples = np.frombuffer(recording.readframes(recording.getnframes()), "<i2").reshape(-1, 2)
    # The other side sent no sound.
    assert np.abs(samples).max(axis=0).tolist()[0] == 0
    assert np.abs(samples).max(axis=0).tolist()[1] > 1000
