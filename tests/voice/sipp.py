"""SIPp as a telephone, a registrar and a provider: a SIP implementation that shares no code with the server's.

A scenario is a list of steps, each a piece of SIPp's XML. SIPp speaks SIP only; sound is sent and received by `Rtp`.
"""

import re
import socket
import struct
import subprocess
import tempfile
from base64 import b64encode
from collections.abc import Sequence
from hashlib import md5, sha256
from pathlib import Path
from select import select
from typing import Self

from tests.support.waiting import eventually
from tests.voice.ports import free_sip_port
from tests.voice.srtp import decrypt_packet

_PATIENCE_S = 60
_HEAD = '<?xml version="1.0" encoding="ISO-8859-1" ?>\n<!DOCTYPE scenario SYSTEM "sipp.dtd">\n<scenario name="test">\n'
_REMEMBER = (
    '<ereg regexp=".*" search_in="hdr" header="From:" assign_to="from"/>'
    '<ereg regexp=".*" search_in="hdr" header="To:" assign_to="to"/>'
    '<ereg regexp="sip:[^&gt;]*" search_in="hdr" header="Contact:" assign_to="contact"/>'
)

PAUSE = '<pause milliseconds="300"/>\n'


def receive(request: str, *, optional: bool = False, remember: bool = False) -> str:
    """Wait for a request. `remember` keeps its From, To and Contact for the requests that this side sends."""
    may = ' optional="true"' if optional else ""
    action = f"<action>{_REMEMBER}</action>" if remember else ""
    return f'<recv request="{request}"{may}>{action}</recv>\n'


def await_reply(status: int, *, optional: bool = False) -> str:
    """Wait for the answer to a request of this side."""
    may = ' optional="true"' if optional else ""
    return f'<recv response="{status}"{may}/>\n'


def reply(status: str, *headers: str, body: str = "") -> str:
    """Answer the last request."""
    lines = [
        f"SIP/2.0 {status}",
        "[last_Via:]",
        "[last_From:]",
        "[last_To:];tag=sipp[call_number]",
        "[last_Call-ID:]",
        "[last_CSeq:]",
        "Contact: <sip:sipp@[local_ip]:[local_port];transport=[transport]>",
        *headers,
    ]
    return _send(lines, body)


def request(method: str, number: int, *headers: str, body: str = "") -> str:
    """Send a request within a call that came in."""
    lines = [
        f"{method} [$contact] SIP/2.0",
        "Via: SIP/2.0/[transport] [local_ip]:[local_port];branch=[branch]",
        "Max-Forwards: 70",
        "From:[$to];tag=sipp[call_number]",
        "To:[$from]",
        "Call-ID: [call_id]",
        f"CSeq: {number} {method}",
        "Contact: <sip:sipp@[local_ip]:[local_port];transport=[transport]>",
        *headers,
    ]
    return _send(lines, body)


def call(
    method: str, user: str, number: int, *headers: str, body: str = "", told: bool = False, called: str = ""
) -> str:
    """Send a request of a call that this side makes. `told`: the other side has given its tag.

    `called` is who is called, where the request goes to another name, as providers call a contact that registered.
    """
    lines = [
        f"{method} sip:{user}@[remote_ip]:[remote_port] SIP/2.0",
        "Via: SIP/2.0/[transport] [local_ip]:[local_port];branch=[branch]",
        "Max-Forwards: 70",
        "From: <sip:sipp@[local_ip]:[local_port]>;tag=sipp[call_number]",
        f"To: <sip:{called or user}@[remote_ip]:[remote_port]>" + ("[peer_tag_param]" if told else ""),
        "Call-ID: [call_id]",
        f"CSeq: {number} {method}",
        "Contact: <sip:sipp@[local_ip]:[local_port];transport=[transport]>",
        *headers,
    ]
    return _send(lines, body)


def sdp(port: int, direction: str = "sendrecv", key: bytes = b"") -> str:
    """An offer or answer: PCMU, and keys as RFC 4733 sends them; SRTP with the `key` of this side (RFC 4568)."""
    secure = f"a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:{b64encode(key).decode()}\n" if key else ""
    return (
        "v=0\no=sipp 1 1 IN IP4 [local_ip]\ns=-\nc=IN IP4 [local_ip]\nt=0 0\n"
        f"m=audio {port} RTP/{'SAVP' if key else 'AVP'} 0 101\na=rtpmap:0 PCMU/8000\n"
        f"a=rtpmap:101 telephone-event/8000\na=fmtp:101 0-15\na={direction}\n{secure}"
    )


def _send(lines: Sequence[str], body: str) -> str:
    kind = (
        () if not body or any(line.startswith("Content-Type") for line in lines) else ("Content-Type: application/sdp",)
    )
    message = "\n".join([*lines, *kind, "Content-Length: [len]", "", body])
    return f"<send><![CDATA[\n{message}\n]]></send>\n"


BYE_FROM_SERVER = [receive("BYE"), reply("200 OK")]


def take(rtp: "Rtp") -> list[str]:
    """Answer a call."""
    return [
        receive("INVITE", remember=True),
        reply("180 Ringing"),
        reply("200 OK", body=sdp(rtp.port)),
        receive("ACK"),
    ]


def call_in(user: str, rtp: "Rtp", called: str = "") -> list[str]:
    """Call the server, which answers."""
    return [
        call("INVITE", user, 1, body=sdp(rtp.port), called=called),
        await_reply(100, optional=True),
        await_reply(180, optional=True),
        await_reply(200),
        call("ACK", user, 1, told=True, called=called),
    ]


class Sipp:
    """A SIPp process with one scenario, within a `with`. Without a `target` it waits for calls.

    `front` is the port of a `TlsFront` under which it is reached.
    """

    def __init__(
        self,
        *steps: str,
        port: int | None = None,
        target: str = "",
        tcp: bool = False,
        calls: int = 1,
        front: int | None = None,
    ) -> None:
        self.port = port or free_sip_port()
        self.uri = f"sip:sipp@127.0.0.1:{self.port}" + (";transport=tcp" if tcp else "")
        self._tcp = tcp
        self._folder = tempfile.TemporaryDirectory()
        folder = Path(self._folder.name)
        self._messages, self._errors = folder / "messages", folder / "errors"
        scenario = folder / "scenario.xml"
        kept = '<Reference variables="from,to,contact"/>\n' if any("assign_to" in step for step in steps) else ""
        played = "".join(steps)
        if front:
            played = played.replace("[local_port];transport=[transport]", f"{front};transport=tls")
        scenario.write_text(f"{_HEAD}{played}{kept}</scenario>\n")
        self._command = [
            "sipp", *([target] if target else []), "-sf", str(scenario), "-i", "127.0.0.1", "-p", str(self.port),
            "-t", "t1" if tcp else "u1", *(["-m", str(calls)] if calls else []), "-nostdin", "-nd",
            "-timeout", str(_PATIENCE_S if calls else 86_400), "-trace_msg", "-message_file", str(self._messages),
            "-trace_err", "-error_file", str(self._errors),
        ]  # fmt: skip

    def __enter__(self) -> Self:
        self._process = subprocess.Popen(
            self._command, cwd=self._folder.name, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        table = Path("/proc/net/tcp" if self._tcp else "/proc/net/udp")
        eventually(lambda: f":{self.port:04X} " in table.read_text() or self._process.poll() is not None)
        if self._process.poll():
            self.finish()
        return self

    def __exit__(self, *error: object) -> None:
        self._process.kill()
        self._process.wait()
        self._folder.cleanup()

    def finish(self) -> None:
        """Wait until the scenario was played to its end. Anything that it does not expect fails."""
        status = self._process.wait(_PATIENCE_S)
        errors = self._errors.read_text() if self._errors.exists() else ""
        assert status == 0, f"SIPp ended with {status}: {errors}\n{self.log()}"

    def log(self) -> str:
        """All messages sent and received."""
        return self._messages.read_text(errors="replace") if self._messages.exists() else ""

    def receive(self, start: str) -> list[str]:
        """The messages received whose first line begins so."""
        parts = re.split(r"^-{10,}.*\n", self.log(), flags=re.M)
        bodies = [part.partition("\n\n")[2] for part in parts if "message received" in part.partition("\n\n")[0]]
        return [body for body in bodies if body.startswith(start)]


class Rtp:
    """The sound of a call: a UDP port that hears PCMU, and sends keys, within a `with`."""

    def __init__(self) -> None:
        self.port = free_sip_port()
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind(("127.0.0.1", self.port))
        self.socket.settimeout(30)
        self._sequence = 1
        self._peer = ("", 0)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.socket.close()

    def hear(self, key: bytes = b"") -> None:
        """Wait until the other side is heard. `key` is its key of SRTP."""
        while True:
            packet, self._peer = self.socket.recvfrom(2048)
            if key:
                packet = decrypt_packet(packet, key)
            if packet[1] & 0x7F == 0 and len(set(packet[12:])) > 10:
                return

    def has_packets(self) -> bool:
        """Whether anything has come that was not read."""
        return bool(select([self.socket], [], [], 0)[0])

    def keys(self, count: int) -> str:
        """The next keys, as RFC 4733 sends them: the packets of one key have one time stamp."""
        pressed: dict[bytes, str] = {}
        while len(pressed) < count:
            packet = self.socket.recv(2048)
            if packet[1] & 0x7F == 101:
                pressed[packet[4:8]] = "0123456789*#"[packet[12]]
        return "".join(pressed.values())

    def press(self, keys: str) -> None:
        """Send keys as RFC 4733 says: each an event of 100 ms, whose end is sent three times."""
        for place, key in enumerate(keys):
            event = "0123456789*#".index(key)
            for step, (ended, lasted) in enumerate([(0, 160), (0, 480), (0x80, 800), (0x80, 800), (0x80, 800)]):
                marker = 0x80 if step == 0 else 0
                head = struct.pack("!BBHII", 0x80, marker | 101, self._sequence, 16_000 * (place + 1), 0x5199)
                self.socket.sendto(head + struct.pack("!BBH", event, ended | 10, lasted), self._peer)
                self._sequence += 1


def digest_is_right(message: str, method: str, user: str, password: str) -> bool:
    """Whether a request proves that its sender knows the password (RFC 7616, MD5 or SHA-256, perhaps with `qop`)."""
    found = re.search(r"^(?:Proxy-)?Authorization: Digest (.*)$", message, re.M)
    assert found, message
    given = dict(re.findall(r'(\w+)="?([^",\r]*)"?', found[1]))
    digest = _sha256 if given.get("algorithm") == "SHA-256" else _md5
    secret, asked = digest(f"{user}:{given['realm']}:{password}"), digest(f"{method}:{given['uri']}")
    middle = f"{given['nonce']}:{given['nc']}:{given['cnonce']}:{given['qop']}" if "qop" in given else given["nonce"]
    return (given["username"], given["response"]) == (user, digest(f"{secret}:{middle}:{asked}"))


def _md5(text: str) -> str:
    return md5(text.encode(), usedforsecurity=False).hexdigest()


def _sha256(text: str) -> str:
    return sha256(text.encode()).hexdigest()
