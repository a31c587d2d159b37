"""Adds, lists and removes the numbers that an account does not call, and finds them among destinations."""

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
from retinue.core.runtime.executors import run_on_compute_thread
from retinue.voice.calls.destinations import Destination, SipAddress, parse_written_destination
from retinue.voice.calls.phone_numbers import check_country, meanings_of
from retinue.voice.do_not_call import statements as sql
from retinue.voice.do_not_call.schemas import DoNotCallCreate

MOST_NUMBERS = 10_000
"""Per account."""


@dataclass(frozen=True)
class DoNotCall:
    """The do-not-call list of one caller. Every query is limited to the caller's account."""

    caller: Caller
    database: Database
    country: str | None
    """The country of the server's own numbers."""

    async def add(self, new: DoNotCallCreate) -> Row:
        """Add a number, or return its entry if it is on the list. Raises `ValidationFailed`."""
        country = await self.find_country(new.country)
        number = (await run_on_compute_thread(parse_written_destination, new.number, country, "number")).plain
        account, actor = self.caller.account_id, Actor.of_caller(self.caller)

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

    async def find_country(self, wanted: str | None) -> str | None:
        """Return the country of numbers without a country code. Raises `ValidationFailed` if `wanted` is none."""
        return await run_on_compute_thread(check_country, wanted) if wanted else self.country

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
        entries = await run_on_compute_thread(lambda: {one: entries_of(one, self.country) for one in destinations})
        numbers = sorted({number for forbidding in entries.values() for number in forbidding})
        rows = await self.database.query(sql.LISTED, account=self.caller.account_id, numbers=numbers)
        listed = {row.number for row in rows}
        return {one for one, forbidding in entries.items() if not listed.isdisjoint(forbidding)}


async def check_not_listed(database: Database, account_id: int, destination: Destination, country: str | None) -> None:
    """Raise `ValidationFailed` if a destination is on the do-not-call list of an account.

    `country` is that of the server's own numbers.
    """
    numbers = sorted(await run_on_compute_thread(entries_of, destination, country))
    if await database.query(sql.LISTED, account=account_id, numbers=numbers):
        raise ValidationFailed(f"to: {destination.plain} is on your do-not-call list. To call it, remove it there.")


def entries_of(destination: Destination, country: str | None) -> set[str]:
    """Return the entries that forbid a destination.

    These are its own, its number in other spellings, and the numbers that the user part of a SIP URI can be: with a
    country code, or one of `country`.
    """
    written = destination.user if isinstance(destination, SipAddress) else destination.plain
    return {destination.plain, *meanings_of(written, country)}


def _missing(entry_id: int) -> NotFound:
    return NotFound(f"There is no entry {entry_id} in your do-not-call list.")
