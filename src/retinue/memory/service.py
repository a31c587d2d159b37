"""Lists, searches, adds, changes and deletes the facts that the agents of the caller's account remember."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass

from retinue.auth.caller import Caller
from retinue.core.database.interface import Database, Tx
from retinue.core.errors import NotFound, ValidationFailed
from retinue.core.http.envelope import read_page
from retinue.core.idempotency.keys import note_effect
from retinue.core.runtime.clock import now
from retinue.memory import statements as sql
from retinue.memory.fact_vectors import VERSION, encode_facts
from retinue.memory.facts import NewFact, Ranked, Scope, add_fact, facts_of, rank_facts
from retinue.memory.schemas import (
    USUAL_FOUND,
    MemoryCreate,
    MemoryFilter,
    MemoryHit,
    MemorySearch,
    MemoryUpdate,
    MemoryView,
)
from retinue.memory.tables import FactRow

_SEARCHED = 5000
"""Maximum number of facts that a search compares, newest first."""

CheckAgent = Callable[[int], Awaitable[object]]
"""Raises `NotFound` unless the caller has the agent."""


@dataclass(frozen=True)
class Memories:
    """The facts of one account."""

    caller: Caller
    database: Database
    check_agent: CheckAgent

    async def page(self, query: MemoryFilter) -> tuple[Sequence[MemoryView], int]:
        """Return one page of facts, newest first, and their total number."""
        names, values = self._filter(query.agent_id, query.user, replaced=query.replaced)
        count = await self.database.lookup(sql.COUNTS[names], **values)
        rows = await read_page(self.database, sql.LISTS[names], query, **values)
        return [_view(row) for row in rows], count.held if count else 0

    async def get(self, fact_id: int) -> MemoryView:
        """Return one fact. Raises `NotFound`."""
        return _view(_require(await self.database.lookup(sql.GET, **self._key(fact_id)), fact_id))

    async def add(self, new: MemoryCreate) -> MemoryView:
        """Add a fact; one that the agent knows already is returned as it is. Raises `ValidationFailed`."""
        try:
            await self.check_agent(new.agent_id)
        except NotFound as error:
            raise ValidationFailed(f"agent_id: {error.message}") from error
        text, person = _clean(new.text), _clean(new.user or "")
        scope = Scope(self.caller.account_id, new.agent_id, person)
        known = await facts_of(self.database, scope)
        (vector,) = await encode_facts([text])

        async def write(tx: Tx) -> FactRow:
            row, _ = await add_fact(tx, scope, NewFact(text), vector, known)
            await note_effect(tx, self.caller.claim, {"fact": row.id})
            return row

        return _view(await self.database.transact(write))

    async def update(self, fact_id: int, changes: MemoryUpdate) -> MemoryView:
        """Change a fact. What its owner wrote, or sent unchanged, is no longer untrusted."""
        text = changes.sent_fields().get("text")
        if text is None:
            return await self.get(fact_id)
        text = _clean(text)
        (vector,) = await encode_facts([text])
        new = {"new_text": text, "new_vector": vector, "new_model": VERSION if vector else None}

        async def write(tx: Tx) -> FactRow:
            before = _require(await tx.one(sql.LOCK, **self._key(fact_id)), fact_id)
            if before.text == text and before.untrusted is None:
                return before
            return _require(await tx.one(sql.CHANGE, **self._key(fact_id), **new, moment=now()), fact_id)

        return _view(await self.database.transact(write))

    async def delete(self, fact_id: int) -> None:
        """Delete a fact. Raises `NotFound`."""

        async def write(tx: Tx) -> None:
            if not await tx.run(sql.DELETE, **self._key(fact_id)):
                raise _unknown(fact_id)

        await self.database.transact(write)

    async def search(self, query: MemorySearch) -> list[MemoryHit]:
        """Return the current facts that fit a question, best first."""
        names, values = self._filter(query.agent_id, query.user, replaced=False)
        rows = await self.database.query(sql.TO_SEARCH[names], **values, most=_SEARCHED)
        found: Sequence[Ranked] = await rank_facts(rows, query.query)
        best = found[: query.limit or USUAL_FOUND]
        return [
            MemoryHit.of_row(one.row, user=one.row.person or None, score=one.score, relevant=one.relevant)
            for one in best
        ]

    def _filter(
        self, agent_id: int | None, user: str | None, *, replaced: bool
    ) -> tuple[frozenset[str], Mapping[str, object]]:
        values = {"account": self.caller.account_id, "agent": agent_id, "whose": user or None}
        filters = {name: value for name, value in values.items() if value is not None}
        names = frozenset(filters.keys() - {"account"} | (set() if replaced else {"current"}))
        return names, filters

    def _key(self, fact_id: int) -> dict[str, int]:
        return {"fact": fact_id, "account": self.caller.account_id}


def _view(row: FactRow) -> MemoryView:
    return MemoryView.of_row(row, user=row.person or None)


def _clean(text: str) -> str:
    return " ".join(text.replace("\x00", "").split())


def _require(row: FactRow | None, fact_id: int) -> FactRow:
    if row is None:
        raise _unknown(fact_id)
    return row


def _unknown(fact_id: int) -> NotFound:
    return NotFound(f"There is no fact {fact_id} in the memory of your agents.")
