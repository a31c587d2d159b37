"""Orders to calls: any node writes them, and the node that runs the call carries them out."""

import asyncio
from collections.abc import Mapping

from retinue.core.database.interface import Database, Tx
from retinue.core.errors import Unavailable, ValidationFailed
from retinue.core.runtime.clock import now
from retinue.core.work.notifier import Notifier, wait
from retinue.voice.calls import statements as sql
from retinue.voice.calls.tables import CallRow

_LOOK_S = 2.0
_LONGEST_S = 45.0
"""Longer than the driver and the other side of a call have together."""


def call_topic(call_id: int) -> str:
    """Return the notification topic for orders to a call, and for requests to hang up."""
    return f"call:{call_id}"


def result_topic(call_id: int) -> str:
    """Return the notification topic for results of orders to a call."""
    return f"call-orders:{call_id}"


async def carry_out(
    database: Database, notifier: Notifier, call: CallRow, action: str, details: Mapping[str, object]
) -> None:
    """Have a call hold, resume, press keys or transfer, and wait for the result or the end of the call.

    Raises `ValidationFailed` if the call is not in progress or the other side refuses, and `Unavailable` if the node
    that runs the call does not answer.
    """

    async def add(tx: Tx) -> int:
        held = await tx.one(sql.HOLD, call=call.id, under=call.epoch)
        if held is None or held.status != "in_progress":
            state = held.status if held else "over"
            raise ValidationFailed(f"Call {call.id} is not in progress: it is {state}.")
        added = await tx.one(sql.ADD_ORDER, call=call.id, what=action, how=details, moment=now())
        tx.after_commit(lambda: notifier.wake(call_topic(call.id)))
        return int(added.id) if added else 0

    with notifier.waiting(result_topic(call.id)) as woken:
        order = await database.transact(add)
        try:
            async with asyncio.timeout(_LONGEST_S):
                # The order is deleted with the end of the call.
                while (found := await database.lookup(sql.ORDER, order=order)) and found.error is None:
                    await wait(woken, _LOOK_S)
        except TimeoutError as error:
            raise Unavailable(f"The server process that handles call {call.id} did not respond. Try again.") from error
    if found and found.error:
        raise ValidationFailed(f"The remote side of the call failed: {found.error}.")
