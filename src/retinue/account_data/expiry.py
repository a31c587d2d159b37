"""Removes old work: ended runs, conversations, deployments, calls and rooms. Accounts take turns."""

from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from typing import Any

from retinue.account_data import expiry_statements as sql
from retinue.agents.run_counts import uncount_runs
from retinue.core.database import counters
from retinue.core.database.interface import Tx
from retinue.core.database.statements import Row
from retinue.core.runtime.failpoints import crash_point

_Remove = Callable[[Tx, int, datetime], Awaitable[int]]
"""Removes a few old records of an account in one transaction. Returns how many."""


async def _in_turns(remove: _Remove, tx: Tx, before: datetime, after: Any) -> Any:
    """Remove a few records of the next account that has old ones. See `RetentionRule`.

    A place is an account's id, and whether anything was removed since the first account.
    """
    account, any_removed = after or (0, False)
    page = await tx.all(sql.ACCOUNTS, after=account)
    for row in page:
        if await remove(tx, row.account_id, before):
            crash_point("expiry.old_work")
            return row.account_id, True
    if len(page) == sql.PAGE:
        return page[-1].account_id, any_removed
    return (0, False) if any_removed else None


async def remove_runs(tx: Tx, before: datetime, after: Any) -> Any:
    """Remove runs outside of conversations and deployments that ended before `before`."""
    return await _in_turns(_remove_runs, tx, before, after)


async def remove_conversations(tx: Tx, before: datetime, after: object) -> object:
    """Remove conversations that were last used before `before`, with their runs."""
    return await _in_turns(_remove_conversation, tx, before, after)


async def remove_deployments(tx: Tx, before: datetime, after: object) -> object:
    """Remove deployments that ended before `before`, with their runs. Fleets keep their count of completed tasks."""
    return await _in_turns(_remove_deployment, tx, before, after)


async def remove_calls(tx: Tx, before: datetime, after: object) -> object:
    """Remove calls that ended before `before`. Their recordings are files of the account, and stay."""
    return await _in_turns(_remove_calls, tx, before, after)


async def remove_rooms(tx: Tx, before: datetime, after: object) -> object:
    """Remove rooms that were closed before `before` and that everybody has left."""
    return await _in_turns(_remove_rooms, tx, before, after)


async def _remove_runs(tx: Tx, account: int, before: datetime) -> int:
    return await _delete_runs(tx, await tx.all(sql.OLD_RUNS, account=account, before=before))


async def _remove_conversation(tx: Tx, account: int, before: datetime) -> int:
    """Remove some runs of the oldest conversation, and with the last of them the conversation itself."""
    conversation = await tx.one(sql.OLDEST_CONVERSATION, account=account, before=before)
    if conversation is None:
        return 0
    runs = await tx.all(sql.RUNS_OF_CONVERSATION, conversation=conversation.id)
    if len(runs) == sql.BATCH:
        (counted,) = await tx.all(sql.COUNT_MESSAGES, ids=[run.id for run in runs])
        await tx.run(sql.UNCOUNT_MESSAGES, conversation=conversation.id, gone=counted.messages)
        return await _delete_runs(tx, runs)
    await _delete_runs(tx, runs)
    await tx.run(sql.DELETE_CONVERSATION, conversation=conversation.id)
    await counters.lower(tx, account, "conversations", 1)
    return 1


async def _remove_deployment(tx: Tx, account: int, before: datetime) -> int:
    """Remove some runs of the oldest deployment, and with the last of them the deployment itself."""
    deployment = await tx.one(sql.OLDEST_DEPLOYMENT, account=account, before=before)
    if deployment is None:
        return 0
    runs = await tx.all(sql.RUNS_OF_DEPLOYMENT, deployment=deployment.id)
    await _delete_runs(tx, runs)
    if len(runs) < sql.BATCH:
        await tx.run(sql.DELETE_DEPLOYMENT, deployment=deployment.id)
        await tx.run(sql.UNCOUNT_DEPLOYMENT, fleet=deployment.fleet_id)
    return 1


async def _remove_calls(tx: Tx, account: int, before: datetime) -> int:
    calls = await tx.all(sql.OLD_CALLS, account=account, before=before)
    if calls:
        await tx.run(sql.DELETE_CALLS, ids=[call.id for call in calls])
        await counters.lower(tx, account, "calls", len(calls))
    return len(calls)


async def _remove_rooms(tx: Tx, account: int, before: datetime) -> int:
    rooms = await tx.all(sql.OLD_ROOMS, account=account, before=before)
    if rooms:
        await tx.run(sql.DELETE_ROOMS, ids=[room.id for room in rooms])
    return len(rooms)


async def _delete_runs(tx: Tx, runs: Sequence[Row]) -> int:
    """Delete runs with their steps and approvals. Agents are counted last, because that locks their rows."""
    if runs:
        await uncount_runs(tx, await tx.all(sql.DELETE_RUNS, ids=[run.id for run in runs]))
    return len(runs)
