"""Symmetric RTP: audio is sent to where a caller's audio comes from, if that is not the address in its SDP.

A telephone behind NAT names an address in its SDP that cannot be reached. Anybody could send packets to the port of a
call to divert its audio, so a source must prove itself, and only while the source is not known yet: after the answer,
and after each new SDP of the remote side.
"""

import struct
from enum import Enum
from typing import Any

from retinue.voice.worker.libre import SA_ALL, address_of, ffi, lib, payload_of

Address = tuple[str, int]

_PROBATION = 4
"""Packets in sequence that a source must send, as Asterisk's `strictrtp` requires."""

_HEADER = struct.Struct("!BBHII")
_RTCP = range(64, 96)
"""Payload types of RTCP packets (RFC 5761)."""

_LAYER = 10
"""The position of the check among the handlers of a socket. Decryption leaves the header as it is."""


class Decision(Enum):
    """What is known about the source of the audio."""

    UNKNOWN = "unknown"
    ADVERTISED = "advertised"
    """The audio comes from the address in the SDP."""
    LATCHED = "latched"
    """The audio comes from elsewhere, and is to be sent there."""


class SourceCheck:
    """Decides from the first packets where the audio of a call comes from.

    A packet from the advertised address decides at once. Another address must send a few packets with the same SSRC
    and successive sequence numbers, without any other packet in between.
    """

    def __init__(self) -> None:
        self._expected: tuple[Address, int, int] | None = None
        self._count = 0

    def receive(self, source: Address, *, advertised: bool, packet: bytes) -> Decision:
        """Take one packet of the RTP port."""
        if len(packet) < _HEADER.size:
            return Decision.UNKNOWN
        first, kind, sequence, _, ssrc = _HEADER.unpack_from(packet)
        if first >> 6 != 2 or kind & 0x7F in _RTCP:
            return Decision.UNKNOWN
        if advertised:
            return Decision.ADVERTISED
        self._count = self._count + 1 if (source, ssrc, sequence) == self._expected else 1
        self._expected = source, ssrc, (sequence + 1) & 0xFFFF
        return Decision.LATCHED if self._count >= _PROBATION else Decision.UNKNOWN


class RtpLatch:
    """The checks of all calls of the stack. Its methods run on the stack's thread."""

    def __init__(self) -> None:
        self._calls: dict[str, tuple[SourceCheck, Any, Any]] = {}
        self._keys: dict[int, str] = {}
        self._receive = ffi.callback("udp_helper_recv_h", self._on_packet)

    def watch(self, call_id: str) -> None:
        """Check the source of a call's audio, from its next packet on."""
        self.forget(call_id)
        if not (call := lib.uag_call_find(call_id.encode())):
            return
        stream = lib.audio_strm(lib.call_audio(call))
        helper = ffi.new("void **")
        socket = lib.rtp_sock(lib.stream_rtp_sock(stream))
        key = id(helper)
        if lib.udp_register_helper(helper, socket, _LAYER, ffi.NULL, self._receive, ffi.cast("void *", key)) == 0:
            self._calls[call_id], self._keys[key] = (SourceCheck(), stream, helper), call_id

    def forget(self, call_id: str) -> None:
        """End the check of a call. Must be called before the stack frees the call."""
        if known := self._calls.pop(call_id, None):
            helper = known[2]
            del self._keys[id(helper)]
            lib.mem_deref(helper[0])

    def _on_packet(self, source: object, buffer: object, key: object) -> bool:
        call_id = self._keys[int(ffi.cast("uintptr_t", key))]
        check, stream, _ = self._calls[call_id]
        remote = lib.sdp_media_raddr(lib.stream_sdpmedia(stream))
        advertised = lib.sa_cmp(source, remote, SA_ALL)
        decision = check.receive(address_of(source), advertised=advertised, packet=payload_of(buffer))
        if decision is Decision.LATCHED:
            lib.sa_cpy(remote, source)
            lib.stream_update(stream)
        if decision is not Decision.UNKNOWN:
            self.forget(call_id)
        return False  # The packet is not consumed: the stack plays it.
