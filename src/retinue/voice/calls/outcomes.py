"""Maps the reason why a line closed to the status of the call, and says why calls ended."""

from typing import Literal

from retinue.voice.wire import NOTHING_AGREED, SESSION_EXPIRED

EndedReason = Literal[
    "other_side_hung_up", "agent_hung_up", "api_hangup", "silence", "machine", "max_duration", "transferred", "busy",
    "no_answer", "failed", "outside_hours",
]  # fmt: skip

_BUSY = {"486", "600", "603"}
"""Busy here, busy everywhere, declined (RFC 3261, section 21)."""

_NO_ANSWER = {"408", "480", "487"}
"""Request timeout, temporarily unavailable, request terminated (RFC 3261, section 21)."""

NOTHING_SAID = "The other side said nothing."
"""Why a call was not successful, although it was answered."""

_SILENT_SIDE = "The connection was lost: the remote side no longer answers."
_LOST = {
    "rtp stream error": "The connection was lost: no audio arrived from the remote side.",
    SESSION_EXPIRED: "The connection was lost: the remote side no longer refreshes the call (session timer).",
    NOTHING_AGREED: "The connection was lost: the remote side no longer accepts a codec.",
    "481": "The connection was lost: the remote side no longer knows the call.",
    "408": _SILENT_SIDE,
    "Connection timed out": _SILENT_SIDE,
}
"""What the beginning of the SIP stack's message for an answered call means, if neither side hung up."""


def outcome_of(reason: str, *, answered: bool, wanted: bool, rang_out: bool) -> tuple[str, str | None]:
    """Return the status of a call whose line closed for `reason`, and an error message.

    `wanted` is true if the call was ended through the API, and `rang_out` if the ring timer expired.
    """
    if answered:
        lost = next((error for start, error in _LOST.items() if reason.startswith(start)), None)
        return ("failed", lost) if lost and not wanted else ("completed", None)
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


def default_reason(status: str) -> str:
    """Return the `EndedReason` of a call that ended with a status, if nothing more is known."""
    return {"completed": "other_side_hung_up", "cancelled": "api_hangup"}.get(status, status)
