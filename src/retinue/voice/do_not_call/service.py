"""Adds, lists and removes the numbers that an account does not call, and finds them among destinations."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from retinue.auth.audit.entries import Actor, audit
from retinue.auth.caller import Caller
from retinue.core.database import counters
from retinue.core.database.interface import Database, Tx
from retinue.core.database.statements import Row
from retinue.core.errors import NotFound, ValidationFailed
from retinue.core.http.envelope import Page, read_page
from retinue.core.idempotency.keys import note_effect
from retinue.core.runtime.clock import now
from retinue.voice.calls.destinations import Destination, SipAddress, parse_destination
from retinue.voice.do_not_call import statements as sql
from retinue.voice.do_not_call.schemas import DoNotCallCreate

MOST_NUMBERS = 10_000
"""Per account."""

_NUMBER = re.compile(r"\+?([1-9][0-9]{6,14})")


@dataclass(frozen=True)
class DoNotCall:
    """The do-not-call list of one caller. Every query is limited to the caller's account."""

    caller: Caller
    database: Database

    async def add(self, new: DoNotCallCreate) -> Row:
        """Add a number, or return its entry if it is on the list. Raises `ValidationFailed`."""
        account, number = self.caller.account_id, parse_destination(new.number, "number").plain
        actor = Actor.of_caller(self.caller)

        async def write(tx: Tx) -> Row:
            await counters.bump(tx, account, "calls", 0)  # locks the list, and fails if the account is being deleted
            row = await tx.one(sql.BY_NUMBER, account=account, called=number)
            if row is None:
                (counted,) = await tx.all(sql.COUNT, account=account)
                if counted.held >= MOST_NUMBERS:
                    raise ValidationFailed(f"The do-not-call list can have at most {MOST_NUMBERS:,} numbers.")
                (row,) = await tx.all(sql.INSERT, account_id=account, number=number, note=new.note, created_at=now())
                await audit(tx, actor, "do_not_call.added", row.id, number)
            await note_effect(tx, self.caller.claim, {"entry": row.id})
            return row

        return await self.database.transact(write)

    async def page(self, page: Page) -> tuple[Sequence[Row], int]:
        """Return one page of the list, newest first, and the total count."""
        account = self.caller.account_id
        (counted,) = await self.database.query(sql.COUNT, account=account)
        return await read_page(self.database, sql.LIST, page, account=account), counted.held

    async def get(self, entry_id: int) -> Row:
        """Return one entry. Raises `NotFound`."""
        row = await self.database.lookup(sql.GET, entry=entry_id, account=self.caller.account_id)
        if row is None:
            raise _missing(entry_id)
        return row

    async def remove(self, entry_id: int) -> None:
        """Remove a number from the list. Raises `NotFound`."""
        row, actor = await self.get(entry_id), Actor.of_caller(self.caller)

        async def write(tx: Tx) -> None:
            if not await tx.run(sql.DELETE, entry=entry_id, account=self.caller.account_id):
                raise _missing(entry_id)
            await audit(tx, actor, "do_not_call.removed", entry_id, row.number)

        await self.database.transact(write)

    async def find_listed(self, destinations: Collection[Destination]) -> set[Destination]:
        """Return the destinations that are on the list."""
        numbers = sorted({number for one in destinations for number in numbers_of(one)})
        rows = await self.database.query(sql.LISTED, account=self.caller.account_id, numbers=numbers)
        listed = {row.number for row in rows}
        return {one for one in destinations if not listed.isdisjoint(numbers_of(one))}


async def check_not_listed(database: Database, account_id: int, destination: Destination) -> None:
    """Raise `ValidationFailed` if a destination is on the do-not-call list of an account."""
    if await database.query(sql.LISTED, account=account_id, numbers=numbers_of(destination)):
        raise ValidationFailed(f"to: {destination.plain} is on your do-not-call list. To call it, remove it there.")


def numbers_of(destination: Destination) -> list[str]:
    """Return the entries that forbid a destination: its own, and the number that the user part of a SIP URI is."""
    number = _NUMBER.fullmatch(destination.user) if isinstance(destination, SipAddress) else None
    return [destination.plain, f"+{number[1]}"] if number else [destination.plain]


def _missing(entry_id: int) -> NotFound:
    return NotFound(f"There is no entry {entry_id} in your do-not-call list.")
