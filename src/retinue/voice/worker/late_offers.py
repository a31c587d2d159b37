"""Offers that this side makes in its 200 OK, because an INVITE came without one (RFC 3261, section 13.2.1).

The ACK carries the answer. The other side cannot refuse such an offer: if it accepts no codec, it must answer all the
same, and then hang up (RFC 3261, section 13.2.2.4). The stack does not hang up for it: it drops a new call without a
BYE, and a call in progress goes on without audio.

Until the answer, neither side may make another offer (RFC 3264, section 4). The stack would make a second one.
"""

from collections import OrderedDict
from collections.abc import Callable, Set

from retinue.voice.worker.audio_offer import offered_codecs
from retinue.voice.worker.sip_message import SipMessage

_REMEMBERED = 1024
"""Most INVITEs to remember until they are acknowledged."""

_MULTIPART = "multipart/"
"""The stack finds the SDP in such a body."""


class LateOffers:
    """The INVITEs without an offer that are not acknowledged yet."""

    def __init__(self, accepted_codecs: Callable[[str], Set[str]]) -> None:
        """`accepted_codecs` returns the codecs of this side on a call, by its Call-ID."""
        self._accepted_codecs = accepted_codecs
        self._numbers: OrderedDict[str, int] = OrderedDict()
        """The number of the last such INVITE of each call, by Call-ID."""

    def is_too_early(self, message: SipMessage) -> bool:
        """Return whether a request of a call makes or asks for an offer before such an offer is answered."""
        if not message.to_tag or not (message.method == "INVITE" or (message.method == "UPDATE" and message.body)):
            return False
        return message.call_id in self._numbers and message.number > self._numbers[message.call_id]

    def note_response(self, message: SipMessage) -> None:
        """Take note of a response that this side sends: a refusal has no offer."""
        is_refusal = message.method == "INVITE" and message.status >= 300
        if is_refusal and self._numbers.get(message.call_id) == message.number:
            del self._numbers[message.call_id]

    def is_declined(self, message: SipMessage) -> bool:
        """Take note of a request. Returns whether it is an ACK whose answer accepts no codec of this side's offer."""
        if message.method == "INVITE" and not message.body:
            self._numbers[message.call_id] = message.number
            if len(self._numbers) > _REMEMBERED:
                self._numbers.popitem(last=False)
        if message.method != "ACK" or self._numbers.get(message.call_id) != message.number:
            return False
        del self._numbers[message.call_id]
        kind = message.header("content-type")
        if kind.lower().startswith(_MULTIPART):
            return False
        return self._accepted_codecs(message.call_id).isdisjoint(offered_codecs(kind, message.body) or ())
