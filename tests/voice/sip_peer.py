"""The other side of a call, message by message: SIP over UDP, and RTP, with plain sockets."""

import itertools
import json
import re
import socket
import struct
import subprocess
from contextlib import suppress
from pathlib import Path
from select import select
from typing import Any, Self

from retinue.voice.environment import VoiceEnvironment
from tests.voice.ports import free_sip_port

_HERE = Path(__file__).parent
_PATIENCE_S = 60
SDP = "application/sdp"


class Stack:
    """`stack_process.py`, within a `with`."""

    def __init__(self, **options: Any) -> None:
        self.port = free_sip_port()
        given = {
            "host": "127.0.0.1",
            "port": self.port,
            "ca_file": None,
            "trunks": [],
            "access": {},
            "calls": 5,
            **options,
        }
        source = json.dumps([str(_HERE.parents[1] / "src")])
        python = str(VoiceEnvironment.beside(Path()).python)
        self._command = [python, "-I", str(_HERE / "stack_process.py"), source, json.dumps(given | options)]

    def __enter__(self) -> Self:
        self._process = subprocess.Popen(self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.expect("ready")
        return self

    def __exit__(self, *error: object) -> None:
        assert self._process.stdin
        self._process.stdin.close()
        assert self._process.wait(_PATIENCE_S) == 0

    def tell(self, order: str, *values: Any) -> None:
        """Have an order carried out."""
        assert self._process.stdin
        self._process.stdin.write(f"{json.dumps([order, *values])}\n")
        self._process.stdin.flush()

    def expect(self, what: str) -> dict[str, Any]:
        """The next thing that happens and has this name: `ready`, `incoming`, or the kind of an event."""
        assert self._process.stdout
        while line := self._process.stdout.readline():
            found: dict[str, Any] = json.loads(line)
            if what in found or found.get("event") == what:
                return found
        raise AssertionError(f"the stack ended before {what}")


class Message:
    """A SIP message."""

    def __init__(self, text: str, source: tuple[str, int]) -> None:
        self.text, self.source = text, source
        self.first, _, rest = text.partition("\r\n")
        head, _, self.body = rest.partition("\r\n\r\n")
        self.headers = [(name.strip().lower(), value.strip()) for name, _, value in
                        (line.partition(":") for line in head.split("\r\n"))]  # fmt: skip

    def header(self, name: str) -> str:
        """The value of a header, or nothing."""
        return next((value for found, value in self.headers if found == name.lower()), "")

    @property
    def is_request(self) -> bool:
        """Whether it is a request."""
        return not self.first.startswith("SIP/2.0")

    @property
    def status(self) -> int:
        """The status of a response; 0 for a request."""
        return 0 if self.is_request else int(self.first.split()[1])


class SipPeer:
    """A telephone, within a `with`."""

    def __init__(self, stack_port: int, *, tcp: bool = False) -> None:
        self.stack = ("127.0.0.1", stack_port)
        self.socket = socket.create_connection(self.stack, _PATIENCE_S) if tcp else _udp()
        self._transport = "TCP" if tcp else "UDP"
        self._stream = self.socket.makefile("rb") if tcp else None
        self.port = self.socket.getsockname()[1]
        self.rtp = RtpPort()
        self.sent_by = f"127.0.0.1:{self.port}"
        self._numbers = itertools.count(1)
        self._seen: set[str] = set()
        self._id = f"{self.port}@peer.example"
        self.local, self.remote, self.target = f"<sip:peer@127.0.0.1:{self.port}>;tag=p1", "", ""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        if self._stream:
            self._stream.close()
        self.socket.close()
        self.rtp.close()

    @property
    def uri(self) -> str:
        """Its address."""
        return f"sip:peer@127.0.0.1:{self.port}" + (";transport=tcp" if self._stream else "")

    def sdp(self, direction: str = "sendrecv", codec: str = "0 PCMU", host: str = "127.0.0.1") -> str:
        """An offer or answer."""
        kind, name = codec.split()
        return (
            f"v=0\r\no=- 1 1 IN IP4 {host}\r\ns=-\r\nc=IN IP4 {host}\r\nt=0 0\r\n"
            f"m=audio {self.rtp.port} RTP/AVP {kind}\r\na=rtpmap:{kind} {name}/8000\r\na={direction}\r\n"
        )

    def call(self, user: str, *headers: str, body: str | None = None, answer: str = "") -> Message:
        """Call the stack. Returns the final response, which is acknowledged."""
        self.remote, self.target = f"<sip:{user}@127.0.0.1:{self.stack[1]}>", f"sip:{user}@127.0.0.1:{self.stack[1]}"
        return self.request("INVITE", *headers, body=self.sdp() if body is None else body, answer=answer)

    def request(
        self, method: str, *headers: str, body: str = "", answer: str = "", kind: str = SDP, number: int = 0
    ) -> Message:
        """Send a request, and return the final response to it. An INVITE is acknowledged, with an `answer` in SDP.

        `number` is that of CSeq, by default the next one.
        """
        number = number or next(self._numbers)
        self.send(method, number, *headers, body=body, kind=kind)
        found = self.final_response(number, method)
        if method == "INVITE":
            if found.status < 300:
                self.remote, self.target = found.header("to"), _uri(found.header("contact"))
            self.send("ACK", number, to=found.header("to"), body=answer if found.status < 300 else "")
        return found

    def send(
        self,
        method: str,
        number: int,
        *headers: str,
        body: str = "",
        kind: str = SDP,
        to: str = "",
        branch: str = "",
    ) -> None:
        """Send a request. `branch` is that of the request which a CANCEL cancels."""
        mark = f"z9hG4bK{self.port}-{branch or f'{number}{method}'}"
        lines = [
            f"{method} {self.target} SIP/2.0",
            f"Via: SIP/2.0/{self._transport} {self.sent_by};branch={mark};rport",
            "Max-Forwards: 70",
            f"From: {self.local}",
            f"To: {to or self.remote}",
            f"Call-ID: {self._id}",
            f"CSeq: {number} {method}",
            f"Contact: <{self.uri}>",
            *headers,
        ]
        self._write(lines, body, self.stack, kind)

    def final_response(self, number: int, method: str = "INVITE") -> Message:
        """Wait for the final response to a request."""
        while True:
            found = self.receive()
            if not found.is_request and found.status >= 200 and found.header("cseq") == f"{number} {method}":
                return found
            assert not found.is_request, found.text

    def await_call(self) -> Message:
        """Wait for a call of the stack."""
        invite = self.expect("INVITE")
        self._id, self.remote, self.target = (
            invite.header("call-id"), invite.header("from"), _uri(invite.header("contact"))
        )  # fmt: skip
        self.local = f"{invite.header('to')};tag=p1"
        return invite

    def expect(self, method: str) -> Message:
        """The next request with this method. Other messages and retransmissions are passed over."""
        while True:
            found = self.receive()
            transaction = f"{method} {found.header('via')}"
            if found.first.startswith(f"{method} ") and transaction not in self._seen:
                self._seen.add(transaction)
                return found

    def has_messages(self, within: float) -> bool:
        """Whether a message comes within some seconds."""
        return bool(select([self.socket], [], [], within)[0])

    def reply(self, request: Message, status: str, *headers: str, body: str = "", tag: str = "p1") -> None:
        """Answer a request."""
        to = request.header("to")
        lines = [
            f"SIP/2.0 {status}",
            *(f"Via: {value}" for name, value in request.headers if name == "via"),
            f"From: {request.header('from')}",
            f"To: {to}" if "tag=" in to else f"To: {to};tag={tag}",
            f"Call-ID: {request.header('call-id')}",
            f"CSeq: {request.header('cseq')}",
            f"Contact: <{self.uri}>",
            *headers,
        ]
        self._write(lines, body, request.source)

    def receive(self) -> Message:
        """The next message."""
        if self._stream:
            head = b"".join(iter(self._stream.readline, b"\r\n")) + b"\r\n"
            body = self._stream.read(int(Message(head.decode(), self.stack).header("content-length")))
            return Message((head + body).decode(), self.stack)
        packet, source = self.socket.recvfrom(65_536)
        return Message(packet.decode(), source)

    def _write(self, lines: list[str], body: str, to: tuple[str, int], kind: str = SDP) -> None:
        described = [f"Content-Type: {kind}"] if body else []
        head = "\r\n".join([*lines, *described, f"Content-Length: {len(body)}", "", ""])
        packet = (head + body).encode()
        if self._stream:
            self.socket.sendall(packet)
        else:
            self.socket.sendto(packet, to)


class RtpPort:
    """A UDP port that sends and receives RTP."""

    def __init__(self) -> None:
        self.socket = _udp()
        self.port = self.socket.getsockname()[1]
        self._sequence = itertools.count(1000)

    def close(self) -> None:
        """Close the port."""
        self.socket.close()

    def send(self, to: int, *, ssrc: int = 0x1234, sequence: int | None = None) -> None:
        """Send 20 ms of silence (PCMU)."""
        number = next(self._sequence) if sequence is None else sequence
        head = struct.pack("!BBHII", 0x80, 0, number & 0xFFFF, number * 160 & 0xFFFFFFFF, ssrc)
        self.socket.sendto(head + b"\xff" * 160, ("127.0.0.1", to))

    def hear(self) -> bytes:
        """Wait for a packet. Returns its payload."""
        return self.socket.recv(2048)[12:]

    def await_silence(self, seconds: float = 0.5) -> list[bytes]:
        """Wait until no packet has come for some seconds. Returns the payloads that came until then."""
        payloads = []
        self.socket.settimeout(seconds)
        with suppress(TimeoutError):
            while True:
                payloads.append(self.hear())
        self.socket.settimeout(_PATIENCE_S)
        return payloads

    def drain(self) -> int:
        """Drop the packets that have come. Returns their number."""
        count = 0
        self.socket.setblocking(False)
        try:
            while True:
                self.socket.recv(2048)
                count += 1
        except BlockingIOError:
            return count
        finally:
            self.socket.settimeout(_PATIENCE_S)


def talk(peer: SipPeer, stack: Stack) -> int:
    """Call the stack, which answers. Returns its port for audio."""
    port = audio_port(peer.call("agent-1"))
    stack.expect("answered")
    return port


def hang_up(peer: SipPeer, stack: Stack) -> None:
    """End the call."""
    assert peer.request("BYE").status == 200
    stack.expect("closed")


def first_to_hear(*ports: RtpPort) -> RtpPort:
    """Wait for a packet at some ports. Returns the port at which it came."""
    ready, _, _ = select([port.socket for port in ports], [], [], _PATIENCE_S)
    (found, *_) = [port for port in ports if port.socket in ready]
    found.hear()
    return found


def audio_port(message: Message) -> int:
    """The port in an SDP."""
    found = re.search(r"^m=audio (\d+)", message.body, re.M)
    assert found, message.text
    return int(found[1])


def _udp() -> socket.socket:
    made = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    made.bind(("127.0.0.1", 0))
    made.settimeout(_PATIENCE_S)
    return made


def _uri(header: str) -> str:
    found = re.search(r"sips?:[^>;]*", header)
    assert found, header
    return found[0]
