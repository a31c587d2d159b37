"""Ends the calls that further branches of a forked INVITE answer (RFC 3261, section 13.2.2.4).

A proxy may ring several telephones, and two may be picked up at once, or one when the call has just been cancelled. The
stack talks to the first. The others would wait for an ACK, and then for somebody to speak.
"""

import re
from collections import OrderedDict

from retinue.voice.worker.libre import send_request
from retinue.voice.worker.sip_message import SipMessage

_REMEMBERED = 1024
"""Most answered INVITEs to remember."""

_URI = re.compile(r"sips?:[^>\s;]*", re.IGNORECASE)
_BRACKETED = re.compile(r"<([^>]*)>")


class ForkedAnswers:
    """The first final response to each INVITE of this side."""

    def __init__(self) -> None:
        self._tags: OrderedDict[tuple[str, int], str] = OrderedDict()

    def is_further(self, message: SipMessage) -> bool:
        """Return whether a response accepts an INVITE that another branch has accepted, or that has failed, before."""
        if message.method != "INVITE" or message.status < 200:
            return False
        key, accepts = (message.call_id, message.number), message.status < 300
        first = self._tags.setdefault(key, message.to_tag if accepts else "")
        if len(self._tags) > _REMEMBERED:
            self._tags.popitem(last=False)
        return accepts and message.to_tag != first


def end_branch(answer: SipMessage) -> None:
    """Acknowledge a further answer, and end its call. Must be called on the stack's thread."""
    contact = answer.header("contact")
    if not (target := _BRACKETED.search(contact) or _URI.search(contact)):
        return
    uri = target[target.lastindex or 0]
    routes = [route.strip() for line in answer.headers.get("record-route", ()) for route in line.split(",")][::-1]
    lines = [f"To: {answer.header('to')}", f"From: {answer.header('from')}", f"Call-ID: {answer.call_id}"]
    lines += [f"Route: {route}" for route in routes]
    next_hop = found[1] if routes and (found := _BRACKETED.search(routes[0])) else uri
    send_request("ACK", uri, next_hop, [*lines, f"CSeq: {answer.number} ACK"])
    send_request("BYE", uri, next_hop, [*lines, f"CSeq: {answer.number + 1} BYE"])
