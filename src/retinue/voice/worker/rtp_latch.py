"""Symmetric RTP: audio is sent to where a caller's audio comes from, if that is not the address in its SDP.

A telephone behind NAT names an address in its SDP that cannot be reached, and the NAT device may change the port of its
audio during the call. See `rtp_source` for the packets that move the destination of a call.
"""

from dataclasses import dataclass
from typing import Any

from retinue.voice.worker.libre import SA_ALL, address_of, ffi, lib, payload_of
from retinue.voice.worker.rtp_source import Address, Decision, SourceCheck, StreamPosition

_LAYER = 20
"""The position among the handlers of a socket: above decryption (SRTP has 10), which drops forged packets."""


@dataclass(eq=False)
class _Watched:
    """The audio of one call. All pointers belong to the stack."""

    stream: Any
    position: StreamPosition | None = None
    """The last packet of a known source."""
    advertised: Address | None = None
    """The address in the SDP that the present source replaces, or None if the source is that address."""
    source: Any = None
    """The address of that source (`struct sa`)."""
    check: SourceCheck | None = None
    helper: Any = None

    @property
    def remote(self) -> Any:
        """The address to which audio is sent (`struct sa`)."""
        return lib.sdp_media_raddr(lib.stream_sdpmedia(self.stream))


class RtpLatch:
    """The sources of all calls of the stack. Its methods run on the stack's thread."""

    def __init__(self) -> None:
        self._calls: dict[str, _Watched] = {}
        self._checked: dict[int, _Watched] = {}
        """The calls whose packets are being looked at, by the argument of the stack's callback."""
        self._receive = ffi.callback("udp_helper_recv_h", self._on_packet)

    def watch(self, call_id: str) -> bool:
        """Check the source of a call's audio after its beginning or a new SDP, from the next packet on.

        If the SDP has the same address as before, audio goes on to the known source until another one proves itself.
        Returns whether audio can be sent: not if the SDP names no address, or 0.0.0.0.
        """
        if not (call := lib.uag_call_find(call_id.encode())):
            return True
        stream = lib.audio_strm(lib.call_audio(call))
        watched = self._calls.setdefault(call_id, _Watched(stream))
        remote, watched.position = watched.remote, None
        self._end_check(watched)
        if not lib.sa_isset(remote, SA_ALL):
            return False
        if watched.advertised == address_of(remote):
            lib.sa_cpy(remote, watched.source)
        elif watched.source and not lib.sa_cmp(remote, watched.source, SA_ALL):
            watched.advertised = watched.source = None
        self._begin_check(watched)
        return True

    def follow(self) -> None:
        """Look at the next packets of each call whose source is known: the source may have changed.

        This happens now and then, because Python code is too slow for every packet of every call.
        """
        for watched in self._calls.values():
            if watched.position and not watched.check:
                self._begin_check(watched)

    def forget(self, call_id: str) -> None:
        """End the check of a call. Must be called before the stack frees the call."""
        if watched := self._calls.pop(call_id, None):
            self._end_check(watched)

    def _begin_check(self, watched: _Watched) -> None:
        helper = ffi.new("void **")
        socket = lib.rtp_sock(lib.stream_rtp_sock(watched.stream))
        key = ffi.cast("void *", id(watched))
        if lib.udp_register_helper(helper, socket, _LAYER, ffi.NULL, self._receive, key) == 0:
            watched.check, watched.helper = SourceCheck(watched.position), helper
            self._checked[id(watched)] = watched

    def _end_check(self, watched: _Watched) -> None:
        if watched.check:
            del self._checked[id(watched)]
            lib.mem_deref(watched.helper[0])
            watched.check = watched.helper = None

    def _on_packet(self, source: object, buffer: object, key: object) -> bool:
        watched = self._checked[int(ffi.cast("uintptr_t", key))]
        check, remote = watched.check, watched.remote
        assert check is not None  # noqa: S101 - it is being checked
        is_destination = lib.sa_cmp(source, remote, SA_ALL)
        decision = check.receive(address_of(source), is_destination=is_destination, packet=payload_of(buffer))
        if decision is Decision.LATCHED:
            watched.advertised = watched.advertised or address_of(remote)
            watched.source = ffi.new("struct sa *")
            for target in (watched.source, remote):
                lib.sa_cpy(target, source)
            lib.stream_update(watched.stream)
        if decision is not Decision.UNKNOWN:
            watched.position = check.position
            self._end_check(watched)
        return False  # The packet is not consumed: the stack plays it.
