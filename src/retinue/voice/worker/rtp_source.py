"""Decides where the audio of a call comes from, and so where to send audio to (symmetric RTP, RFC 4961).

Anybody could send packets to the port of a call to divert its audio (RFC 7362, section 5), so a source must prove
itself. A source that is not known yet does so by four packets in sequence. Once a source is known, another one must
continue its stream: with the same SSRC, which a stranger would have to guess, and the sequence numbers that follow.
"""

import struct
from dataclasses import dataclass
from enum import Enum

Address = tuple[str, int]

_PROBATION = 4
"""Packets in sequence that a source must send, as Asterisk's `strictrtp` requires."""

_MOST_LOST = 3000
"""Most packets that may be missing between two sources of one stream (`MAX_DROPOUT` of RFC 3550, appendix A.1)."""

_HEADER = struct.Struct("!BBHII")
_RTCP = range(64, 96)
"""Payload types of RTCP packets (RFC 5761)."""


class Decision(Enum):
    """What is known about the source of the audio."""

    UNKNOWN = "unknown"
    DESTINATION = "destination"
    """The audio comes from where audio is sent to."""
    LATCHED = "latched"
    """The audio comes from elsewhere, and is to be sent there."""


@dataclass(frozen=True, slots=True)
class StreamPosition:
    """The last known packet of a stream."""

    ssrc: int
    sequence: int

    def precedes(self, other: "StreamPosition") -> bool:
        """Return whether a packet can be a later one of the same stream. Sequence numbers have 16 bits."""
        return self.ssrc == other.ssrc and 0 < (other.sequence - self.sequence) % 0x1_0000 <= _MOST_LOST


class SourceCheck:
    """Decides from the next packets of a call where its audio comes from.

    A packet from the destination of this side's audio decides at once. Another source must send four packets with
    successive sequence numbers, without any other packet in between, and continue the stream if its position is given.
    """

    def __init__(self, known: StreamPosition | None) -> None:
        self.position = known
        """The position of the stream, once it is known or decided."""
        self._known = known
        self._last: tuple[Address, StreamPosition] | None = None
        self._count = 0

    def receive(self, source: Address, *, is_destination: bool, packet: bytes) -> Decision:
        """Take one packet of the RTP port."""
        if len(packet) < _HEADER.size:
            return Decision.UNKNOWN
        first, kind, sequence, _, ssrc = _HEADER.unpack_from(packet)
        if first >> 6 != 2 or kind & 0x7F in _RTCP:
            return Decision.UNKNOWN
        here = StreamPosition(ssrc, sequence)
        if is_destination:
            self.position = here
            return Decision.DESTINATION
        before = StreamPosition(ssrc, (sequence - 1) & 0xFFFF)
        if (source, before) == self._last:
            self._count += 1
        else:
            self._count = 1 if self._known is None or self._known.precedes(here) else 0
        self._last = (source, here) if self._count else None
        if self._count < _PROBATION:
            return Decision.UNKNOWN
        self.position = here
        return Decision.LATCHED
