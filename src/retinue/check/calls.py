"""The rules of calls."""

from collections.abc import Mapping

import sqlalchemy as sa

from retinue.check.statements import children_of, count_of
from retinue.core.database.statements import Statement
from retinue.voice.calls.tables import call_events, call_turns, calls

RULES: Mapping[str, Statement] = {
    "the counter of calls is wrong": count_of(calls, "calls"),
    "a call's count of turns is wrong": children_of(calls, calls.c.turns_count, call_turns, call_turns.c.call_id),
    "a call has ended without a final status, or the reverse": Statement(
        sa.select(calls.c.id).where(
            calls.c.ended_at.is_(None)
            != ((calls.c.status == "queued") | (calls.c.status == "ringing") | (calls.c.status == "in_progress"))
        )
    ),
    "a call that has ended is still leased": Statement(
        sa.select(calls.c.id).where(calls.c.ended_at.is_not(None), calls.c.lease_owner.is_not(None))
    ),
    "a call's count of events is wrong": children_of(calls, calls.c.events_count, call_events, call_events.c.call_id),
}
