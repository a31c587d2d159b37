"""Shows the messages of the SIP stack to Python code, which may refuse requests and add headers."""

from collections.abc import Callable
from typing import Any

from retinue.voice.worker.info_keys import key_of
from retinue.voice.worker.libre import address_of, ffi, lib, payload_of, press_key
from retinue.voice.worker.sip_message import SipMessage, SipReply

_LAYER = 10
"""The position among the handlers of a connection: above encryption (TLS has 0)."""

_UDP = 0
_READ = ("ACK", "INFO", "INVITE", "UPDATE")
"""The methods of requests whose bodies are read."""

_CHANGEABLE = (b" INVITE\r\n", b" UPDATE\r\n")
"""The ends of CSeq headers in messages that may get further headers."""


class SipHooks:
    """Calls `on_request` for each new request, which may refuse it, `on_response` for each response, which may keep it
    from the stack by returning True, and `on_send` for each INVITE and UPDATE that is sent, and for the responses to
    them. All of them run on the stack's thread.
    """

    def __init__(
        self,
        on_request: Callable[[SipMessage], SipReply | None],
        on_response: Callable[[SipMessage], bool],
        on_send: Callable[[bytes], bytes],
    ) -> None:
        self._on_request, self._on_response, self._on_send = on_request, on_response, on_send
        self._connections: dict[int, Any] = {}
        # The stack calls these for as long as it runs, so they must not be garbage-collected before it.
        self._callbacks = (
            ffi.callback("sip_msg_h", self._take_request),
            ffi.callback("sip_msg_h", self._take_response),
            ffi.callback("udp_helper_send_h", lambda error, to, buffer, arg: self._change(buffer)),
            ffi.callback("tcp_helper_send_h", lambda error, buffer, arg: self._change(buffer)),
        )

    def attach(self) -> None:
        """Listen for the messages of the stack. Must be called on the stack's thread.

        The stack's own first listeners match responses and requests to transactions. Responses are needed before that,
        and requests after it, so that a retransmission is none.
        """
        requests, responses = ffi.new("struct le **"), ffi.new("struct le **")
        lib.sip_listen(requests, lib.uag_sip(), True, self._callbacks[0], ffi.NULL)
        lib.sip_listen(responses, lib.uag_sip(), False, self._callbacks[1], ffi.NULL)
        listeners, request, response = requests[0].list, requests[0], responses[0]
        transactions = listeners.head.next
        lib.list_unlink(request)
        lib.list_insert_after(listeners, transactions, request, request)
        lib.list_unlink(response)
        lib.list_prepend(listeners, response, response)
        self._listeners = requests, responses

    def _take_request(self, message: Any, arg: object) -> bool:
        self._tap(message)
        request = _read(message)
        key = key_of(request)
        reply = SipReply(200, "OK") if key and press_key(message, key) else self._on_request(request)
        if reply is None:
            return False
        headers = "".join(f"{line}\r\n" for line in (*reply.headers, "Content-Length: 0", ""))
        reason, lines = ffi.new("char[]", reply.reason.encode()), ffi.new("char[]", headers.encode())
        lib.sip_treplyf(
            ffi.NULL, ffi.NULL, lib.uag_sip(), message, False, reply.status, reason, ffi.new("char[]", b"%s"), lines
        )
        return True

    def _take_response(self, message: Any, arg: object) -> bool:
        self._tap(message)
        return self._on_response(_read(message))

    def _tap(self, message: Any) -> None:
        """See what is sent on the connection of a message."""
        if message.tp == _UDP:
            if not lib.udp_helper_find(message.sock, _LAYER):
                lib.udp_register_helper(ffi.NULL, message.sock, _LAYER, self._callbacks[2], ffi.NULL, ffi.NULL)
        elif connection := lib.sip_msg_tcpconn(message):
            self._tap_connection(connection)

    def _tap_connection(self, connection: object) -> None:
        key = int(ffi.cast("uintptr_t", connection))
        if key in self._connections and self._connections[key].list:
            return
        for closed in [known for known, helper in self._connections.items() if not helper.list]:
            lib.mem_deref(self._connections.pop(closed))
        helper = ffi.new("void **")
        args = (_LAYER, ffi.NULL, self._callbacks[3], ffi.NULL, ffi.NULL)
        if lib.tcp_register_helper(helper, connection, *args) == 0:
            # The reference keeps the handler in memory beyond its connection, to tell a new one with the same address.
            self._connections[key] = ffi.cast("struct le *", lib.mem_ref(helper[0]))

    def _change(self, buffer: Any) -> bool:
        packet = payload_of(buffer)
        if any(end in packet for end in _CHANGEABLE):
            changed = self._on_send(packet)
            if changed != packet:
                start = buffer.pos
                buffer.end = start
                lib.mbuf_write_mem(buffer, changed, len(changed))
                buffer.pos = start
        return False  # The stack sends the buffer.


def _read(message: Any) -> SipMessage:
    headers = []
    element = message.hdrl.head
    while element:
        header = ffi.cast("struct sip_hdr *", element.data)
        headers.append((_text(header.name), _text(header.val)))
        element = element.next
    first = f"{_text(message.met)} {_text(message.ruri)}" if message.req else f"SIP/2.0 {message.scode}"
    body = payload_of(message.mb).decode(errors="replace") if message.req and _text(message.met) in _READ else ""
    return SipMessage.of(first, headers, address_of(ffi.addressof(message, "src")), body)


def _text(pointer: Any) -> str:
    return bytes(ffi.buffer(pointer.p, pointer.l)).decode(errors="replace") if pointer.p else ""
