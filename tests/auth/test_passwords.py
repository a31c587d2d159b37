"""Hashing passwords: off the event loop, few at once, in turn by address, and equally slow for unknown users."""

import asyncio
import statistics
import time

import pytest

from retinue.auth import passwords
from retinue.auth.passwords import Passwords
from retinue.core.errors import Unavailable

HERE, THERE = "192.0.2.1", "203.0.113.9"
PASSWORD = "correct horse battery staple"
PAIRS = 15


async def test_only_the_password_matches_its_hash() -> None:
    hasher = Passwords()
    stored = await hasher.hash(PASSWORD, HERE)
    assert stored.startswith("$argon2id$")
    assert PASSWORD not in stored
    assert stored != await hasher.hash(PASSWORD, HERE), "each hash must have its own salt"
    assert await hasher.verify(stored, PASSWORD, HERE, known=False)
    for wrong in ("", PASSWORD.upper(), PASSWORD + " ", "x" * 256):
        assert not await hasher.verify(stored, wrong, HERE, known=False)
    assert not await hasher.verify(None, PASSWORD, HERE, known=False)
    hasher.close()


async def test_a_password_is_the_same_however_it_is_composed() -> None:
    hasher = Passwords()
    stored = await hasher.hash("caf\u00e9 au lait", HERE)
    assert await hasher.verify(stored, "cafe\u0301 au lait", HERE, known=False)
    hasher.close()


@pytest.mark.parametrize("known", [False, True])
async def test_a_flood_from_one_address_leaves_others_their_turn(known: bool) -> None:
    hasher, order = Passwords(), []

    async def attempt(name: str, address: str, is_known: bool) -> None:
        await hasher.verify(None, PASSWORD, address, is_known)
        order.append(name)

    flood = [asyncio.create_task(attempt("flood", THERE, is_known=False)) for _ in range(30)]
    await asyncio.sleep(0)
    await attempt("owner", HERE, known)
    # Two attempts were in progress. On a busy machine a few more take their slots before the owner gets one.
    assert order.index("owner") <= 8
    await asyncio.gather(*flood)
    hasher.close()


async def test_the_event_loop_goes_on_meanwhile() -> None:
    hasher, turns = Passwords(), 0
    work = asyncio.create_task(hasher.verify(None, PASSWORD, HERE, known=False))
    while not work.done():
        turns += 1
        await asyncio.sleep(0)
    assert turns > 10
    hasher.close()


async def test_the_queue_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(passwords, "_WAITING", 3)
    hasher = Passwords()
    attempts = [hasher.verify(None, PASSWORD, f"192.0.2.{number}", known=False) for number in range(20)]
    outcomes = await asyncio.gather(*attempts, return_exceptions=True)
    assert 0 < sum(isinstance(outcome, Unavailable) for outcome in outcomes) < 20
    hasher.close()


async def test_nobodys_password_takes_as_long_as_a_wrong_one() -> None:
    hasher = Passwords()
    stored = await hasher.hash(PASSWORD, HERE)
    hasher.close()

    def cpu(known_hash: str | None) -> float:
        began = time.thread_time()
        assert not passwords._matches(known_hash, "wrong password")
        return time.thread_time() - began

    cpu(None)
    ratios = sorted(cpu(None) / cpu(stored) for _ in range(PAIRS))
    assert 0.5 < statistics.median(ratios) < 2.0, ratios
