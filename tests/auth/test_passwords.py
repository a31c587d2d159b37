"""Hashing passwords: off the event loop, few at once, in turn by address, and equally slow for unknown users."""

import asyncio
import statistics
import threading
import time

import pytest

from retinue.auth import passwords
from retinue.auth.common_passwords import is_common
from retinue.auth.passwords import Passwords
from retinue.core.errors import RateLimited, RetinueError, Unavailable, ValidationFailed

OWNER, HERE, THERE = "ada@example.com", "192.0.2.1", "203.0.113.9"
PASSWORD = "correct horse battery staple"
PAIRS = 15


async def test_only_the_password_matches_its_hash() -> None:
    hasher = Passwords()
    stored = await hasher.hash(PASSWORD, OWNER, HERE)
    assert stored.startswith("$argon2id$")
    assert PASSWORD not in stored
    assert stored != await hasher.hash(PASSWORD, OWNER, HERE), "each hash must have its own salt"
    assert await hasher.verify(stored, PASSWORD, OWNER, HERE, known=False)
    for wrong in ("", PASSWORD.upper(), PASSWORD + " ", "x" * 256):
        assert not await hasher.verify(stored, wrong, OWNER, HERE, known=False)
    assert not await hasher.verify(None, PASSWORD, OWNER, HERE, known=False)
    hasher.close()


@pytest.mark.parametrize(
    "password",
    [
        *("aaaaaaaaaa", "1234567890", "password12", " " * 10, "Password123!", "P@ssw0rd2024", "passwordpassword"),
        *("abcabcabcabc", "abababababab", "abcdefghij", "9876543210", "qwertyuiop", "!!!!letmein!!!!", "iloveyou12"),
        *("ada@example.com", "example.com12", "retinue2026", "RETINUERETINUE", "x" * 256, "\uff50assword12"),
    ],
)
async def test_passwords_that_attackers_try_first_are_refused(password: str) -> None:
    hasher = Passwords()
    with pytest.raises(ValidationFailed, match="A few random words"):
        await hasher.hash(password, OWNER, HERE)
    hasher.close()


@pytest.mark.parametrize(
    "password",
    [
        PASSWORD,
        "a new password",
        "Tr0ub4dor&3 x",
        "xkqmvtzbrw",
        "8203175946",
        "\u043f\u0430\u0440\u043e\u043b\u044c \u0434\u043e\u043c\u0430",
        "\udcff" * 4 + "kvmw" * 63,
    ],
)
def test_other_passwords_are_accepted(password: str) -> None:
    assert not is_common(password, OWNER)


async def test_a_password_is_the_same_however_it_is_composed() -> None:
    hasher = Passwords()
    stored = await hasher.hash("caf\u00e9 au lait", OWNER, HERE)
    assert await hasher.verify(stored, "cafe\u0301 au lait", OWNER, HERE, known=False)
    hasher.close()


@pytest.mark.parametrize("flood_known", [False, True])
@pytest.mark.parametrize("flood_addresses", [1, 30])
@pytest.mark.parametrize("known", [False, True])
async def test_a_flood_of_attempts_leaves_others_their_turn(
    known: bool, flood_addresses: int, flood_known: bool
) -> None:
    hasher, order = Passwords(), []

    async def attempt(name: str, account: str, address: str, is_known: bool) -> None:
        await hasher.verify(None, PASSWORD, account, address, is_known)
        order.append(name)

    flood = [
        asyncio.create_task(attempt("flood", "mallory@example.com", f"{THERE} {number % flood_addresses}", flood_known))
        for number in range(60)
    ]
    await asyncio.sleep(0)
    await attempt("owner", OWNER, HERE, known)
    # One attempt of the flood is in progress, and at most two more follow. On a busy machine a few more finish before
    # the owner's task continues.
    assert order.index("owner") <= 8
    for task in flood:
        task.cancel()
    await asyncio.gather(*flood, return_exceptions=True)
    hasher.close()


async def test_one_account_and_one_address_have_one_hash_in_progress(monkeypatch: pytest.MonkeyPatch) -> None:
    hasher, now, most, lock = Passwords(), 0, 0, threading.Lock()

    def count(stored: str | None, password: str) -> bool:
        nonlocal now, most
        with lock:
            now += 1
            most = max(most, now)
        matches(stored, password)
        with lock:
            now -= 1
        return False

    matches = passwords._matches
    monkeypatch.setattr(passwords, "_matches", count)
    await asyncio.gather(*(hasher.verify(None, PASSWORD, f"{n}@example.com", HERE, known=True) for n in range(6)))
    await asyncio.gather(*(hasher.verify(None, PASSWORD, OWNER, f"192.0.2.{n}", known=n < 3) for n in range(6)))
    assert most == 1
    await asyncio.gather(*(hasher.verify(None, PASSWORD, str(n), f"192.0.2.{n}", known=n < 3) for n in range(6)))
    assert most == 2
    hasher.close()


async def test_the_event_loop_goes_on_meanwhile() -> None:
    hasher, turns = Passwords(), 0
    work = asyncio.create_task(hasher.verify(None, PASSWORD, OWNER, HERE, known=False))
    while not work.done():
        turns += 1
        await asyncio.sleep(0)
    assert turns > 10
    hasher.close()


@pytest.mark.parametrize(("bound", "error"), [("_WAITING", Unavailable), ("_WAITING_EACH", RateLimited)])
async def test_the_queue_is_bounded(monkeypatch: pytest.MonkeyPatch, bound: str, error: type[RetinueError]) -> None:
    monkeypatch.setattr(passwords, bound, 3)
    hasher = Passwords()
    attempts = [hasher.verify(None, PASSWORD, f"{number}@example.com", HERE, known=number < 9) for number in range(20)]
    outcomes = await asyncio.gather(*attempts, return_exceptions=True)
    assert [isinstance(outcome, error) for outcome in outcomes] == [False] * 3 + [True] * 17
    assert await hasher.verify(None, PASSWORD, OWNER, HERE, known=False) is False
    hasher.close()


async def test_attempts_that_wait_are_refused_when_the_server_stops() -> None:
    hasher = Passwords()
    attempts = [asyncio.create_task(hasher.verify(None, PASSWORD, OWNER, HERE, known=False)) for _ in range(3)]
    await asyncio.sleep(0)
    hasher.close()
    _, *waiting = await asyncio.gather(*attempts, return_exceptions=True)
    assert [type(outcome) for outcome in waiting] == [Unavailable, Unavailable]


async def test_nobodys_password_takes_as_long_as_a_wrong_one() -> None:
    hasher = Passwords()
    stored = await hasher.hash(PASSWORD, OWNER, HERE)
    hasher.close()

    def cpu(known_hash: str | None) -> float:
        began = time.thread_time()
        assert not passwords._matches(known_hash, "wrong password")
        return time.thread_time() - began

    cpu(None)
    ratios = sorted(cpu(None) / cpu(stored) for _ in range(PAIRS))
    assert 0.5 < statistics.median(ratios) < 2.0, ratios
