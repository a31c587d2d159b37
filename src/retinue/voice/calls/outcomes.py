"""Maps the reason why a line closed to the status of the call."""

_BUSY = {"486", "600", "603"}
"""Busy here, busy everywhere, declined (RFC 3261, section 21)."""

_NO_ANSWER = {"408", "480", "487"}
"""Request timeout, temporarily unavailable, request terminated (RFC 3261, section 21)."""

DEAD_LINE = "rtp stream error"
"""The SIP stack's message for a line without incoming audio."""


def outcome_of(reason: str, *, answered: bool, wanted: bool, rang_out: bool) -> tuple[str, str | None]:
    """Return the status of a call whose line closed for `reason`, and an error message.

    `wanted` is true if the call was ended through the API, and `rang_out` if the ring timer expired.
    """
    if answered:
        if DEAD_LINE in reason and not wanted:
            return "failed", "The connection was lost: no audio arrived from the remote side."
        return "completed", None
    if rang_out:
        return "no_answer", "The call was not answered in time."
    if wanted:
        return "cancelled", None
    status = reason.partition(" ")[0]
    if status in _BUSY:
        return "busy", reason
    if status in _NO_ANSWER:
        return "no_answer", reason
    return "failed", reason or "The remote side cannot be reached."
