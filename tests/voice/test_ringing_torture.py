"""Messages that no telephone sends, and floods of them: the worker stands, and the next call works."""

import itertools
import os
import re
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
import requests

from retinue.core.children.processes import REAL_TIME
from tests.support.client import Client, data
from tests.support.server import Server
from tests.support.waiting import eventually
from tests.voice.telephone import Telephone, call_of, finish, start_call, words, worker_pid
from tests.voice.torture import CASES

pytestmark = pytest.mark.timeout(180)

KINDS = {"UDP": socket.SOCK_DGRAM, "TCP": socket.SOCK_STREAM}
FLOOD = 600
_numbers = itertools.count(1)


class Wire:
    """A socket to the server's SIP port."""

    def __init__(self, kind: str, port: int) -> None:
        self.kind, self.port = kind, port
        self.socket = socket.socket(socket.AF_INET, KINDS[kind])
        self.socket.settimeout(20)
        self.socket.connect(("127.0.0.1", port))

    def send(self, message: bytes) -> None:
        """Send a message, whose answers come back here where it names no other place."""
        place = f"SIP/2.0/{self.kind} 127.0.0.1:{self.socket.getsockname()[1]};branch".encode()
        self.socket.sendall(re.sub(rb"SIP/2.0/UDP 127\.0\.0\.1(:9)?;branch", lambda _: place, message))

    def request(self, method: str, user: str, body: str = "") -> bytes:
        """An ordinary request of its own."""
        mark = f"ordinary{next(_numbers)}"
        return (
            f"{method} sip:{user}@127.0.0.1:{self.port} SIP/2.0\r\n"
            f"Via: SIP/2.0/{self.kind} 127.0.0.1:{self.socket.getsockname()[1]};branch=z9hG4bK{mark}\r\n"
            f"Max-Forwards: 70\r\nTo: <sip:{user}@127.0.0.1>\r\nFrom: <sip:test@127.0.0.1>;tag={mark}\r\n"
            f"Call-ID: {mark}@test\r\nCSeq: 1 {method}\r\nContact: <sip:test@127.0.0.1>\r\n"
            f"Content-Type: application/sdp\r\nContent-Length: {len(body)}\r\n\r\n{body}"
        ).encode()

    def await_answer(self, pattern: bytes) -> None:
        """Read until an answer matches."""
        while not re.search(pattern, received := self.socket.recv(65_536)):
            assert received, "the server closed the connection"


@pytest.fixture
def sound_worker(sip_server: Server, caller: Client, phone: Telephone) -> Iterator[None]:
    """The worker is the same after the test, its stack answers by UDP and TCP, the API answers, and a call works."""
    before = worker_pid(sip_server)
    yield
    assert data(caller.get("/voice/calls")) == []
    call_id = start_call(caller, phone.uri, greeting="This is the next call, and it works.")
    eventually(lambda: call_of(caller, call_id)["transcript"], within=60.0, every=0.2)
    assert words(phone.tell("hear", 1.0))
    phone.tell("hangup")
    assert finish(caller, call_id)["status"] == "completed"
    assert worker_pid(sip_server) == before


def ping(kind: str, port: int) -> None:
    """Have OPTIONS answered on a connection of its own."""
    wire = Wire(kind, port)
    wire.socket.settimeout(1)

    def look() -> bool:
        """Ask once. A datagram may be lost while the stack has a flood behind it, so a telephone asks again."""
        try:
            wire.send(wire.request("OPTIONS", "anybody"))
            wire.await_answer(rb"SIP/2.0 200 OK\r\n(?s:.*)CSeq: 1 OPTIONS")
        except TimeoutError:
            return False
        return True

    with wire.socket:
        eventually(look, within=60.0)


@pytest.mark.usefixtures("caller")
def test_the_kernel_confines_every_thread_of_the_worker(sip_server: Server) -> None:
    threads = [file.read_text() for file in Path(f"/proc/{worker_pid(sip_server)}/task").glob("*/status")]
    assert len(threads) > 2
    for thread in threads:
        assert re.search(r"^NoNewPrivs:\s+1$", thread, re.M)
        assert re.search(r"^Seccomp:\s+2$", thread, re.M)


@pytest.mark.usefixtures("caller")
def test_moving_sound_takes_precedence_over_computing_speech(sip_server: Server) -> None:
    pid = worker_pid(sip_server)
    nices = {
        int(file.name): os.getpriority(os.PRIO_PROCESS, int(file.name)) for file in Path(f"/proc/{pid}/task").iterdir()
    }
    assert nices[pid] == (REAL_TIME if os.geteuid() == 0 else 0)
    assert set(nices.values()) == {nices[pid], nices[pid] + 5}


@pytest.mark.usefixtures("sound_worker")
@pytest.mark.parametrize("kind", KINDS)
def test_torturous_messages_harm_nothing(sip_port: int, kind: str) -> None:
    for name, message in CASES.items():
        wire = Wire(kind, sip_port)
        with wire.socket:
            wire.send(message)
        try:
            ping(kind, sip_port)
        except OSError as error:
            pytest.fail(f"after {name}: {error}")


@pytest.mark.usefixtures("sound_worker")
@pytest.mark.parametrize("kind", KINDS)
def test_a_flood_of_invites_is_refused(sip_server: Server, sip_port: int, kind: str) -> None:
    wire = Wire(kind, sip_port)
    offer = (
        "v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=-\r\nc=IN IP4 127.0.0.1\r\nt=0 0\r\nm=audio 9 RTP/AVP 0\r\n"
        "a=rtpmap:0 PCMU/8000\r\n"
    )
    with wire.socket:
        for number in range(FLOOD):
            wire.send(wire.request("INVITE", "agent-999999", offer))
            if number % 100 == 0:
                assert requests.get(f"{sip_server.url}/readyz", timeout=30).status_code == 200
        wire.await_answer(rb"SIP/2.0 404 Not Found")
    ping("UDP", sip_port)
    ping("TCP", sip_port)
