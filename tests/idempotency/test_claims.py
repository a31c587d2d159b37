"""Claims of idempotency keys on both databases."""

import pytest

from retinue.core.database.interface import Database
from retinue.core.errors import Unavailable
from retinue.core.idempotency import table as sql
from retinue.core.idempotency.keys import Claim, IdempotentRequests, StoredResponse, note_effect
from retinue.core.runtime.vault import Vault
from retinue.core.work.notifier import Notifier

THIS = (1, "POST /agents", "a key", "a fingerprint")
_digest = Vault(bytes(32), "a test").digest


async def claimed(requests: IdempotentRequests) -> Claim:
    """Make a claim."""
    claim = await requests.claim(*THIS)
    assert isinstance(claim, Claim)
    return claim


async def test_requests_without_effect_are_forgotten(database: Database) -> None:
    requests = IdempotentRequests(database, Notifier(), "this node", _digest)
    first = await claimed(requests)
    await requests.forget(first, 1, "a key")
    again = await claimed(requests)
    assert (again.id != first.id, again.effect) == (True, None)


async def test_a_key_that_was_released_a_moment_ago_is_claimed(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first look finds neither a free key nor its holder, as if the holder released it between two statements."""
    requests = IdempotentRequests(database, Notifier(), "this node", _digest)

    async def find_nothing(*_: object) -> None:
        monkeypatch.undo()

    monkeypatch.setattr(IdempotentRequests, "_try", find_nothing)
    assert (await claimed(requests)).effect is None


async def test_an_effect_is_never_forgotten(database: Database) -> None:
    requests = IdempotentRequests(database, Notifier(), "this node", _digest)
    first = await claimed(requests)
    await database.transact(lambda tx: note_effect(tx, first, {"agent": 7}))
    await requests.forget(first, 1, "a key")
    again = await claimed(requests)
    assert (again.id, again.effect) == (first.id, {"agent": 7})
    await requests.finish(again, 1, "a key", 201, "{}")
    assert await requests.claim(*THIS) == StoredResponse(201, "{}")


async def test_who_lost_the_claim_hears_that_its_answer_is_not_the_first(database: Database) -> None:
    stalled, other = (IdempotentRequests(database, Notifier(), node, _digest) for node in ("one node", "another"))
    first = await claimed(stalled)
    await other.take_over_dead("one node")
    again = await claimed(other)
    assert await other.finish(again, 1, "a key", 201, '{"by": "the other"}')
    assert not await stalled.finish(first, 1, "a key", 201, "{}")
    assert await stalled.claim(*THIS) == StoredResponse(201, '{"by": "the other"}')


async def test_while_the_new_owner_is_at_work_the_old_one_writes_nothing(database: Database) -> None:
    stalled, other = (IdempotentRequests(database, Notifier(), node, _digest) for node in ("one node", "another"))
    first = await claimed(stalled)
    await other.take_over_dead("one node")
    again = await claimed(other)
    with pytest.raises(Unavailable, match="Another process"):
        await database.transact(lambda tx: note_effect(tx, first, {"agent": 1}))
    assert not await stalled.finish(first, 1, "a key", 201, "{}")
    await stalled.forget(first, 1, "a key")
    await database.transact(lambda tx: note_effect(tx, again, {"agent": 2}))
    assert await other.finish(again, 1, "a key", 201, '{"by": "the other"}')
    assert await stalled.claim(*THIS) == StoredResponse(201, '{"by": "the other"}')


async def test_the_database_holds_no_plain_hash_of_a_body(database: Database) -> None:
    await claimed(IdempotentRequests(database, Notifier(), "this node", _digest))
    kept = await database.fetch(sql.FIND, account=1, at="POST /agents", name="a key")
    assert [row.fingerprint for row in kept] == [_digest("a fingerprint")]
