"""The C functions of the SIP stack (libre and libbaresip) that its Python binding does not offer.

The binding's library exports them. The declarations follow the headers of version 4.10, which the pinned wheel
contains. All of these functions must be called on the stack's own thread (`SipRuntime.on_own_thread`).
"""

import sys
from collections.abc import Sequence
from typing import Any

from baresip import _native
from cffi import FFI

ffi = FFI()
_SOCKET_ADDRESS = 108 if sys.platform == "darwin" else 112
"""Bytes of the union in `struct sa`, whose largest member is `struct sockaddr_un`."""

ffi.cdef(f"struct sa {{ union {{ uint32_t word; char bytes[{_SOCKET_ADDRESS}]; }} u; uint32_t len; }};")
ffi.cdef("""
    struct mbuf { uint8_t *buf; size_t size; size_t pos; size_t end; };
    struct pl { const char *p; size_t l; };
    struct list { struct le *head; struct le *tail; size_t cnt; };
    struct le { struct le *prev; struct le *next; struct list *list; void *data; };
    struct uri {
        struct pl scheme; struct pl user; struct pl host; int af; uint16_t port;
        struct pl path; struct pl params; struct pl headers;
    };
    struct sip_via { struct pl sentby; struct sa addr; struct pl params; struct pl branch; struct pl val; int tp; };
    struct sip_taddr {
        struct pl dname; struct pl auri; struct uri uri; struct pl params; struct pl tag; struct pl val;
    };
    struct sip_cseq { struct pl met; uint32_t num; };
    struct sip_rack { struct pl met; uint32_t rel_seq; uint32_t cseq; };
    struct msg_ctype { struct pl type; struct pl subtype; struct pl params; };
    struct sip_hdr { struct le le; struct le he; struct pl name; struct pl val; int id; };
    struct sip_msg {
        struct sa src; struct sa dst; struct pl ver; struct pl met; struct pl ruri; struct uri uri; uint16_t scode;
        struct pl reason; struct list hdrl; struct sip_via via; struct sip_taddr to; struct sip_taddr from;
        struct sip_cseq cseq; struct sip_rack rack; uint32_t rel_seq; struct msg_ctype ctyp; struct pl callid;
        struct pl maxfwd; struct pl expires; struct pl clen; void *hdrht; struct mbuf *mb; void *sock; uint64_t tag;
        int tp; bool req;
    };

    void *mem_deref(void *data);
    void *mem_ref(void *data);
    int mbuf_write_mem(struct mbuf *mb, const uint8_t *buf, size_t size);
    void list_unlink(struct le *le);
    void list_prepend(struct list *list, struct le *le, void *data);
    void list_insert_after(struct list *list, struct le *le, struct le *ile, void *data);

    int sa_ntop(const void *sa, char *buf, int size);
    uint16_t sa_port(const void *sa);
    void sa_cpy(void *dst, const void *src);
    bool sa_cmp(const void *l, const void *r, int flag);
    bool sa_isset(const void *sa, int flag);

    typedef bool (udp_helper_send_h)(int *err, void *dst, struct mbuf *mb, void *arg);
    typedef bool (udp_helper_recv_h)(void *src, struct mbuf *mb, void *arg);
    int udp_register_helper(void **helper, void *socket, int layer, udp_helper_send_h *send,
                            udp_helper_recv_h *receive, void *arg);

    typedef bool (tcp_helper_send_h)(int *err, struct mbuf *mb, void *arg);
    void *udp_helper_find(const void *socket, int layer);
    int tcp_register_helper(void **helper, void *connection, int layer, void *established, tcp_helper_send_h *send,
                            void *receive, void *arg);

    typedef bool (sip_msg_h)(const struct sip_msg *msg, void *arg);
    void *uag_sip(void);
    int sip_listen(struct le **listener, void *sip, bool requests, sip_msg_h *handler, void *arg);
    void *sip_msg_tcpconn(const struct sip_msg *msg);
    void *uag_sipsess_sock(void);
    void *sipsess_find(void *socket, const struct sip_msg *msg);
    void *sipsess_dialog(const void *session);
    bool sip_dialog_rseq_valid(void *dialog, const struct sip_msg *msg);
    int bevent_call_emit(int event, void *call, const char *format, ...);
    int sip_treplyf(void *transaction, void *mb, void *sip, const struct sip_msg *msg, bool record_route,
                    uint16_t status, const char *reason, const char *format, ...);
    int sip_requestf(void *request, void *sip, bool stateful, const char *method, const char *uri, void *route,
                     void *auth, void *send, void *response, void *arg, const char *format, ...);
    int uri_decode(struct uri *uri, const struct pl *text);

    struct list *uag_list(void);
    void ua_add_extension(void *ua, const char *name);
    void *call_get_ua(const void *call);
    void ua_hangupf(void *ua, void *call, uint16_t status, const char *reason, const char *format, ...);
    int call_modify(void *call);
    void *uag_call_find(const char *call_id);
    void *call_audio(const void *call);
    void call_set_media_estdir(void *call, int audio, int video);
    void *audio_strm(const void *audio);
    void *stream_rtp_sock(const void *stream);
    void *stream_sdpmedia(const void *stream);
    int stream_update(void *stream);
    uint32_t stream_metric_get_rx_n_packets(const void *stream);
    void *rtp_sock(const void *rtp);
    void *sdp_media_raddr(const void *media);
    int sdp_media_rdir(const void *media);

    struct sdp_format {
        struct le le; char *id; char *params; char *rparams; char *name; void *ench; void *cmph; void *data;
    };
    const struct sdp_format *sdp_media_rformat(const void *media, const char *name);
    const struct list *sdp_media_format_lst(const void *media, bool local);
""")
lib: Any = ffi.dlopen(_native.__file__)

SA_ALL = 3
"""Compare the address and the port of socket addresses."""

_INACTIVE, _SENDONLY, _SENDRECV = 0, 2, 3
"""Directions of media as this side sees them (`enum sdp_dir`, flags)."""

_DTMF_START = 20
"""An event of the stack (`enum bevent_ev`)."""


def payload_of(buffer: Any) -> bytes:
    """Return what is left in a `struct mbuf`."""
    return bytes(ffi.buffer(buffer.buf + buffer.pos, buffer.end - buffer.pos))


def address_of(socket_address: object) -> tuple[str, int]:
    """Return the host and the port of a `struct sa`."""
    text = ffi.new("char[64]")
    lib.sa_ntop(socket_address, text, 64)
    return ffi.string(text).decode(), int(lib.sa_port(socket_address))


def offer_audio_only(call_id: str) -> None:
    """Keep the stack from adding video to an inbound call once it is established, which takes a re-INVITE."""
    if call := lib.uag_call_find(call_id.encode()):
        lib.call_set_media_estdir(call, _SENDRECV, _INACTIVE)


def add_extension(name: str) -> None:
    """Have all identities list an option tag in their Supported headers."""
    # The stack keeps the pointer.
    _kept.append(text := ffi.new("char[]", name.encode()))
    agent = lib.uag_list().head
    while agent:
        lib.ua_add_extension(agent.data, text)
        agent = agent.next


_END, _EMPTY = "\r\n", "Content-Length: 0\r\n\r\n"
_TEXT = ffi.new("char[]", b"%s")
_kept: list[object] = []


def reject_call(call_id: str, status: int) -> None:
    """Reject an inbound call that has not been answered."""
    if call := lib.uag_call_find(call_id.encode()):
        reason = ffi.new("char[]", _REASONS[status].encode())
        lib.ua_hangupf(lib.call_get_ua(call), call, status, reason, ffi.NULL)


def end_call(call_id: str, reason: str) -> None:
    """End a call that has been answered. `reason` is the text of its event."""
    if call := lib.uag_call_find(call_id.encode()):
        lib.ua_hangupf(lib.call_get_ua(call), call, 0, ffi.new("char[]", reason.encode()), ffi.NULL)


_REASONS = {404: "Not Found", 480: "Temporarily Unavailable", 486: "Busy Here", 503: "Service Unavailable"}


def count_packets(call_id: str) -> int:
    """Return how many audio packets have come on a call."""
    call = lib.uag_call_find(call_id.encode())
    return int(lib.stream_metric_get_rx_n_packets(lib.audio_strm(lib.call_audio(call)))) if call else 0


def has_codec(call_id: str) -> bool:
    """Return whether both sides of a call agree on a codec, and on the encryption if it is required."""
    if not (call := lib.uag_call_find(call_id.encode())):
        return True
    codec = lib.sdp_media_rformat(_audio_media(call), ffi.NULL)
    return bool(codec and codec.data)  # Keys (telephone-event) are a format without a codec.


def is_held(call_id: str) -> bool:
    """Return whether the SDP of the other side wants no audio."""
    call = lib.uag_call_find(call_id.encode())
    return bool(call) and not lib.sdp_media_rdir(_audio_media(call)) & _SENDONLY


def accepted_codecs(call_id: str) -> set[str]:
    """Return the codecs that this side accepts on a call, in small letters; none if there is no such call."""
    if not (call := lib.uag_call_find(call_id.encode())):
        return set()
    codecs, element = set(), lib.sdp_media_format_lst(_audio_media(call), True).head
    while element:
        codec = ffi.cast("struct sdp_format *", element.data)
        if codec.data:  # Keys (telephone-event) are a format without a codec.
            codecs.add(ffi.string(codec.name).decode().lower())
        element = element.next
    return codecs


def _audio_media(call: Any) -> Any:
    return lib.stream_sdpmedia(lib.audio_strm(lib.call_audio(call)))


def press_key(request: Any, key: str) -> bool:
    """Have the stack report that the other side has pressed a key. Returns False if no call sent the request."""
    call_id = bytes(ffi.buffer(request.callid.p, request.callid.l))
    session = lib.sipsess_find(lib.uag_sipsess_sock(), request)
    if not (session and lib.sip_dialog_rseq_valid(lib.sipsess_dialog(session), request)):
        return False
    call = lib.uag_call_find(call_id)
    return bool(call) and lib.bevent_call_emit(_DTMF_START, call, _TEXT, ffi.new("char[]", key.encode())) == 0


def send_reinvite(call_id: str) -> None:
    """Send a re-INVITE with the SDP as it is."""
    if call := lib.uag_call_find(call_id.encode()):
        lib.call_modify(call)


def send_request(method: str, uri: str, next_hop: str, headers: Sequence[str]) -> None:
    """Send a request outside of the calls that the stack knows. All but an ACK are repeated until they are answered."""
    texts = [ffi.new("char[]", text.encode()) for text in (method, uri, next_hop, _END.join([*headers, _EMPTY]))]
    hop, hop_uri = ffi.new("struct pl *", (texts[2], len(texts[2]) - 1)), ffi.new("struct uri *")
    if lib.uri_decode(hop_uri, hop) == 0:
        stateful = method != "ACK"
        none = ffi.NULL
        lib.sip_requestf(
            none, lib.uag_sip(), stateful, texts[0], texts[1], hop_uri, none, none, none, none, _TEXT, texts[3]
        )
