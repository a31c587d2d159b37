"""The codecs that the other side of a call offers or accepts in its SDP (RFC 8866)."""

_STATIC = {"0": "pcmu", "8": "pcma", "9": "g722"}
"""Payload types that need no rtpmap (RFC 3551, section 6)."""

_SDP = "application/sdp"


def offered_codecs(content_type: str, body: str) -> set[str] | None:
    """Return the codecs of the first audio stream in small letters, or None if a message has no SDP.

    A stream with the port 0 is none (RFC 3264, sections 5.1 and 6).
    """
    if content_type.partition(";")[0].strip().lower() != _SDP:
        return None
    lines = iter(body.splitlines())
    stream = next((line.split() for line in lines if line.startswith("m=audio ")), [])
    types = [] if stream[1:2] == ["0"] else stream[3:]
    names = {kind: name for kind, name in _STATIC.items() if kind in types}
    for line in lines:
        if line.startswith("m="):
            break
        kind, _, codec = line.removeprefix("a=rtpmap:").partition(" ")
        if line.startswith("a=rtpmap:") and kind in types:
            names[kind] = codec.partition("/")[0].strip().lower()
    return set(names.values())
