"""Keys that a telephone presses by INFO requests of the type `application/dtmf`.

No standard describes this type. Its body is the key, or the number of its event in RFC 4733. The SIP stack itself takes
keys of the type `application/dtmf-relay` only.
"""

from retinue.voice.worker.sip_message import SipMessage

_EVENTS = "0123456789*#ABCD"
"""The keys in the order of their event numbers (RFC 4733, section 3.2)."""


def key_of(message: SipMessage) -> str:
    """Return the key that a request presses, or an empty string."""
    kind = message.header("content-type").partition(";")[0].strip().lower()
    if message.method != "INFO" or message.status or kind != "application/dtmf":
        return ""
    text = message.body.strip().upper()
    if text.isdecimal() and text.isascii() and len(text) == 2 and int(text) < len(_EVENTS):
        return _EVENTS[int(text)]
    return text if len(text) == 1 and text in _EVENTS else ""
