"""Calls of the sandbox: nobody is called, and the number decides how the call ends."""

from dataclasses import dataclass

from retinue.core.runtime.clock import now
from retinue.voice.calls.manner import PHRASES
from retinue.voice.calls.outcomes import EndedReason
from retinue.voice.calls.records import CallRecords, CallTurn
from retinue.voice.calls.replies import Replies
from retinue.voice.calls.tables import CallRow

SILENT_NUMBER = "+15005550015"
"""Answers and says nothing."""

MACHINE_NUMBER = "+15005550014"
"""Is an answering machine, for calls with `machine_detection`."""


@dataclass(frozen=True, slots=True)
class _Unanswered:
    """How a call ends that is not answered."""

    status: EndedReason
    error: str
    rings: bool = False


_UNANSWERED = {
    "+15005550011": _Unanswered("busy", "486 Busy Here"),
    "+15005550012": _Unanswered("no_answer", "The call was not answered in time.", rings=True),
    "+15005550013": _Unanswered("failed", "The remote side cannot be reached."),
}


async def simulate(call: CallRow, records: CallRecords, replies: Replies) -> None:
    """Run a call to its end. Most numbers answer at once, hear the greeting and hang up."""
    if unanswered := _UNANSWERED.get(call.to_address):
        if unanswered.rings:
            await records.ring(call)
        await records.finish(call, unanswered.status, unanswered.error)
        return
    await records.ring(call)
    await records.answer(call, now())
    if call.machine_detection:
        await records.identify(call, "machine" if call.to_address == MACHINE_NUMBER else "human")
    texts, cause = _course(call, replies)
    for text in filter(None, texts):
        await records.add_turn(call, CallTurn("agent", text, {}))
    await records.finish(call, "completed", cause=cause)


def _course(call: CallRow, replies: Replies) -> tuple[list[str], EndedReason]:
    """Return what the agent says in a call that is answered, and why the call ends."""
    greeting = replies.greeting()
    if call.to_address == SILENT_NUMBER:
        phrases = PHRASES[replies.settings.language or "en"]
        return [greeting, phrases.still_there, phrases.goodbye], "silence"
    if call.to_address == MACHINE_NUMBER and call.machine_detection == "hangup":
        return [], "machine"
    if call.to_address == MACHINE_NUMBER and call.machine_detection == "detect_message_end":
        return [replies.voicemail()], "machine"
    return [greeting or "…"], "other_side_hung_up"
