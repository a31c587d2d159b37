"""The time of a refusal reveals nothing, and a flood of wrong tokens does not slow down other requests."""

import statistics
import time
from collections.abc import Awaitable, Callable
from functools import partial

import pytest

from retinue.auth.client_info import ClientInfo
from retinue.auth.credentials import Credentials
from retinue.auth.keys.key_format import KeyParts, new_key
from retinue.auth.sessions.tokens import open_session
from retinue.core.errors import AuthRequired
from retinue.gate.memory_limiter import MemoryLimiter
from tests.auth.conftest import CLIENT, Site
from tests.auth.signing_in import PASSWORD

EMAIL = "ada@example.com"
PAIRS = 200
FLOOD = 1000
SIGN_INS = 20
LEAST = 0.8
"""The minimum ratio of the work of two refusals."""


async def ratio(one: Callable[[], Awaitable[object]], other: Callable[[], Awaitable[object]], pairs: int) -> float:
    """Return the ratio of the least thread CPU times of `one` and `other`. Other work only adds to them."""
    least = [float("inf"), float("inf")]
    for _ in range(pairs):
        for place, work in enumerate((one, other)):
            began = time.thread_time()
            await work()
            least[place] = min(least[place], time.thread_time() - began)
    return least[0] / max(least[1], 1e-9)


async def test_a_wrong_key_takes_as_long_whether_its_prefix_exists(site: Site) -> None:
    await site.users.create(EMAIL)
    known = await site.users.create_key(EMAIL)
    wrong_secret = str(KeyParts(False, known.prefix, new_key(False).secret))

    async def refuse(token: str) -> None:
        assert await site.keys.find(token) is None

    for other in (str(new_key(False)), str(new_key(True)), "nonsense", "ak_live_x"):
        await refuse(other)
        found = await ratio(partial(refuse, wrong_secret), partial(refuse, other), PAIRS)
        assert LEAST < found < 1 / LEAST, other


async def test_a_token_of_an_unknown_kind_takes_as_long_as_a_wrong_key(site: Site) -> None:
    credentials, wrong_key = Credentials(site.keys, [site.sessions]), str(new_key(False))

    async def refuse(token: str) -> None:
        with pytest.raises(AuthRequired):
            await credentials.authenticate(token)

    for other in ("sess_" + "x" * 43, "aat_" + "x" * 43, "", "nonsense"):
        await refuse(other)
        found = await ratio(partial(refuse, wrong_key), partial(refuse, other), PAIRS)
        assert LEAST < found < 1 / LEAST, other


async def test_signing_in_hashes_as_often_for_an_unknown_user(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    hashed = await site.passwords.hash(PASSWORD, EMAIL, CLIENT.address)
    await site.users.create(EMAIL, password_hash=hashed)
    await site.users.create("without@example.com")
    await site.users.create("suspended@example.com", password_hash=hashed)
    await site.users.suspend("suspended@example.com")
    verify, verified = site.passwords.verify, []

    async def count(stored: str | None, password: str, account: str, address: str, known: bool) -> bool:
        verified.append((password, address, known))
        return await verify(stored, password, account, address, known)

    monkeypatch.setattr(site.passwords, "verify", count)
    wrong = [(EMAIL, "a guess"), ("nobody@example.com", PASSWORD), ("without@example.com", PASSWORD),
             ("suspended@example.com", PASSWORD)]  # fmt: skip
    for email, password in wrong:
        with pytest.raises(AuthRequired) as refusal:
            await site.sign_in.with_password(email, password, "123456", CLIENT)
        assert "or the code is wrong" in refusal.value.message
    assert len(verified) == len(wrong)
    assert {(address, known) for _, address, known in verified} == {(CLIENT.address, False)}
    site.passwords.close()


async def test_a_session_that_ended_takes_as_long_as_one_that_never_was(site: Site) -> None:
    user = await site.users.create(EMAIL)
    session = await site.database.transact(lambda tx: open_session(tx, user.id, CLIENT))
    site.clock.forward(days=31)

    async def refuse(token: str) -> None:
        assert await site.sessions.find(token) is None

    found = await ratio(partial(refuse, session.token), partial(refuse, "sess_" + "x" * 43), PAIRS)
    assert LEAST < found < 1 / LEAST


async def test_a_wrong_password_takes_as_long_for_an_unknown_user(site: Site) -> None:
    """Compares the CPU time of all threads over alternating attempts, which depends little on the machine's load."""
    await site.users.create(EMAIL, password_hash=await site.passwords.hash(PASSWORD, EMAIL, CLIENT.address))
    times: dict[str, list[float]] = {EMAIL: [], "nobody@example.com": []}
    for number in range(SIGN_INS):
        for email, found in times.items():
            began = time.process_time()
            with pytest.raises(AuthRequired):
                await site.sign_in.with_password(email, "a wrong guess", None, ClientInfo(f"192.0.2.{number}", "tests"))
            found.append(time.process_time() - began)
    known, unknown = (statistics.median(found) for found in times.values())
    assert 0.8 < known / unknown < 1.25
    site.passwords.close()


async def test_wrong_tokens_from_one_address_do_not_slow_others_down(site: Site) -> None:
    await site.users.create(EMAIL)
    credentials, limiter = Credentials(site.keys, [site.sessions]), MemoryLimiter()
    right, limits = str(await site.users.create_key(EMAIL)), site.plans["enterprise"].requests

    async def admit() -> None:
        caller = await credentials.authenticate(right)
        await limiter.hit(caller.credential, f"account:{caller.account_id}", limits, refuse=False)

    async def cpu() -> float:
        times = []
        for _ in range(PAIRS):
            credentials._cache.clear()
            began = time.thread_time()
            await admit()
            times.append(time.thread_time() - began)
        return statistics.median(times)

    before = await cpu()
    for _ in range(FLOOD):
        with pytest.raises(AuthRequired):
            await credentials.authenticate(str(new_key(False)))
        await limiter.hit_address("203.0.113.9", 60)
    assert await cpu() < 3 * before
    assert not (await limiter.hit_address("203.0.113.9", 60)).allowed
