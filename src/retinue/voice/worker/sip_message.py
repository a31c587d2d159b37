"""The parts of a SIP message that session timers, forks and authentication need."""

from collections.abc import Sequence
from dataclasses import dataclass, field

_COMPACT = {
    "i": "call-id", "f": "from", "t": "to", "m": "contact", "k": "supported",
    "c": "content-type", "x": "session-expires",
}  # fmt: skip
"""Compact names of headers (RFC 3261, section 7.3.3; RFC 4028)."""


@dataclass(frozen=True, slots=True)
class SipMessage:
    """A request, or a response if `status` is not 0."""

    method: str
    status: int
    headers: dict[str, list[str]] = field(default_factory=dict)
    source: tuple[str, int] = ("", 0)
    uri: str = ""
    """The URI of a request."""
    body: str = ""
    """The body of a request: keys in an INFO, SDP in an INVITE, ACK or UPDATE."""

    @classmethod
    def of(
        cls, first_line: str, headers: Sequence[tuple[str, str]], source: tuple[str, int] = ("", 0), body: str = ""
    ) -> "SipMessage":
        """Read a message from its first line, its headers and its body."""
        found: dict[str, list[str]] = {}
        for name, value in headers:
            key = name.strip().lower()
            found.setdefault(_COMPACT.get(key, key), []).append(value.strip())
        start, _, rest = first_line.partition(" ")
        cseq = found.get("cseq", [""])[0]
        if start == "SIP/2.0":
            return cls(cseq.rpartition(" ")[2], int(rest[:3]), found, source, body=body)
        return cls(start, 0, found, source, rest.partition(" ")[0], body)

    @classmethod
    def parse(cls, packet: bytes) -> "SipMessage":
        """Read a message of this stack, which writes each header on one line."""
        first, *lines = packet.partition(b"\r\n\r\n")[0].decode(errors="replace").split("\r\n")
        return cls.of(first, [(name, value) for name, _, value in (line.partition(":") for line in lines)])

    def header(self, name: str) -> str:
        """Return the first value of a header, or an empty string."""
        return self.headers.get(name, [""])[0]

    def has_option(self, header: str, option: str) -> bool:
        """Return whether a header such as Supported lists an option tag."""
        values = ",".join(self.headers.get(header, ())).lower().split(",")
        return option in (value.strip() for value in values)

    @property
    def call_id(self) -> str:
        """The Call-ID."""
        return self.header("call-id")

    @property
    def number(self) -> int:
        """The number of CSeq."""
        digits = self.header("cseq").split(" ")[0]
        return int(digits) if digits.isdecimal() else 0

    @property
    def to_tag(self) -> str:
        """The tag of the called side; empty in the first request of a call."""
        return parameter(self.header("to"), "tag")


@dataclass(frozen=True, slots=True)
class SipReply:
    """A response with which a request is refused."""

    status: int
    reason: str
    headers: tuple[str, ...] = ()


def parameter(header: str, name: str) -> str:
    """Return a parameter of a header, such as the tag of an address, or an empty string."""
    for part in header.rpartition(">")[2].split(";")[0 if ">" in header else 1 :]:
        key, _, value = part.partition("=")
        if key.strip().lower() == name:
            return value.strip()
    return ""


def with_headers(packet: bytes, headers: Sequence[str]) -> bytes:
    """Return a message with further headers."""
    head, _, rest = packet.partition(b"\r\n")
    return b"\r\n".join([head, *(line.encode() for line in headers), rest])
