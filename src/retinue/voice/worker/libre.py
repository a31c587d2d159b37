"""The C functions of the SIP stack (libre and libbaresip) that its Python binding does not offer.

The binding's library exports them. The declarations follow the headers of version 4.10, which the pinned wheel
contains. All of these functions must be called on the stack's own thread: in a callback, or within `stack_thread`.
"""

import contextlib
from collections.abc import Iterator
from typing import Any

from baresip import _native
from cffi import FFI

ffi = FFI()
ffi.cdef("""
    struct mbuf { uint8_t *buf; size_t size; size_t pos; size_t end; };

    void re_thread_enter(void);
    void re_thread_leave(void);
    void *mem_deref(void *data);

    int sa_ntop(const void *sa, char *buf, int size);
    uint16_t sa_port(const void *sa);
    void sa_cpy(void *dst, const void *src);
    bool sa_cmp(const void *l, const void *r, int flag);
    bool sa_isset(const void *sa, int flag);

    typedef bool (udp_helper_recv_h)(void *src, struct mbuf *mb, void *arg);
    int udp_register_helper(void **helper, void *socket, int layer, void *send, udp_helper_recv_h *receive, void *arg);

    void *uag_call_find(const char *call_id);
    void *call_audio(const void *call);
    void call_set_media_estdir(void *call, int audio, int video);
    void *audio_strm(const void *audio);
    void *stream_rtp_sock(const void *stream);
    void *stream_sdpmedia(const void *stream);
    int stream_update(void *stream);
    void *rtp_sock(const void *rtp);
    void *sdp_media_raddr(const void *media);
""")
lib: Any = ffi.dlopen(_native.__file__)

SA_ALL = 3
"""Compare the address and the port of socket addresses."""

_INACTIVE, _SENDRECV = 0, 3
"""Directions of media (`enum sdp_dir`)."""


@contextlib.contextmanager
def stack_thread() -> Iterator[None]:
    """Hold the stack's lock, so that this thread may call it."""
    lib.re_thread_enter()
    try:
        yield
    finally:
        lib.re_thread_leave()


def payload_of(buffer: Any) -> bytes:
    """Return what is left in a `struct mbuf`."""
    return bytes(ffi.buffer(buffer.buf + buffer.pos, buffer.end - buffer.pos))


def address_of(socket_address: Any) -> tuple[str, int]:
    """Return the host and the port of a `struct sa`."""
    text = ffi.new("char[64]")
    lib.sa_ntop(socket_address, text, 64)
    return ffi.string(text).decode(), int(lib.sa_port(socket_address))


def offer_audio_only(call_id: str) -> None:
    """Keep the stack from adding video to an inbound call once it is established, which takes a re-INVITE."""
    if call := lib.uag_call_find(call_id.encode()):
        lib.call_set_media_estdir(call, _SENDRECV, _INACTIVE)
