"""How a line's end becomes the status of a call."""

_BUSY = {"486", "600", "603"}
"""Busy here, busy everywhere, declined (RFC 3261, section 21)."""

_NO_ANSWER = {"408", "480", "487"}
"""Request timeout, temporarily unavailable, request terminated."""

DEAD_LINE = "rtp stream error"
"""The stack's words for a line on which no sound has come for a while."""


def outcome_of(reason: str, *, answered: bool, wanted: bool, rang_out: bool) -> tuple[str, str | None]:
    """The status of a call whose line closed for `reason`, and what to tell about it.

    `wanted`: the API asked for the end. `rang_out`: it was not answered in time.
    """
    if answered:
        if DEAD_LINE in reason and not wanted:
            return "failed", "The line went dead: no sound came from the other side."
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
    return "failed", reason or "The other side cannot be reached."
