"""Guessing passwords is slow, but never locks out the owner."""

from contextlib import suppress
from dataclasses import dataclass
from math import ceil

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retinue.auth.throttle import FREE, FREE_CHECKED, FREE_CODES, LONGEST_S, PER_ADDRESS, SITE, WINDOW_S, Throttle
from retinue.core.errors import RateLimited

OWNER, HOME = "ada@example.com", "198.51.100.7"
PAUSES = st.floats(0, 2 * LONGEST_S, allow_nan=False)


@dataclass
class Seconds:
    """A manual clock."""

    at: float = 1000.0

    def __call__(self) -> float:
        """Return the current second."""
        return self.at


def admit(throttle: Throttle, account: str, address: str) -> bool:
    """Return whether the throttle admits an attempt. The attempt then fails."""
    try:
        throttle.begin(account, address)
    except RateLimited:
        return False
    return True


def guess(throttle: Throttle, account: str, address: str, known: bool = False) -> tuple[bool, int]:
    """Guess a password. Returns whether it is checked, and the seconds to wait that the client is told."""
    try:
        attempt = throttle.begin_password(account, address)
    except RateLimited as error:
        return False, int(error.headers["Retry-After"])
    return known or not attempt.wait, ceil(attempt.wait)


@given(pauses=st.lists(PAUSES, max_size=150))
def test_an_attacker_gets_few_guesses_whatever_the_pace(pauses: list[float]) -> None:
    clock = Seconds()
    throttle, began, guesses = Throttle(clock), clock.at, 0
    for pause in pauses:
        clock.at += pause
        guesses += guess(throttle, OWNER, "203.0.113.9")[0]
    # Five free attempts, ten with a doubling wait, then one every quarter of an hour.
    assert guesses <= FREE + 10 + (clock.at - began) / LONGEST_S + 1


@given(
    attacks=st.lists(
        st.tuples(
            PAUSES, st.sampled_from(["203.0.113.9", "203.0.113.10"]), st.sampled_from([OWNER, "bob@example.com"])
        ),
        max_size=100,
    )
)
def test_the_owner_elsewhere_is_never_refused(attacks: list[tuple[float, str, str]]) -> None:
    clock = Seconds()
    throttle = Throttle(clock)
    for pause, address, account in attacks:
        clock.at += pause
        admit(throttle, account, address)
        throttle.begin(OWNER, HOME).succeed()


def test_at_a_known_address_the_owner_is_not_refused_beside_an_attacker() -> None:
    throttle = Throttle(Seconds())
    for _ in range(10):
        checked = [guess(throttle, OWNER, HOME, known=True)[0] for _ in range(FREE_CHECKED - 1)]
        assert all(checked)
        throttle.begin_password(OWNER, HOME).succeed()


@given(pauses=st.lists(PAUSES, max_size=150))
def test_guesses_at_a_known_address_are_limited_and_look_like_those_elsewhere(pauses: list[float]) -> None:
    clock = Seconds()
    throttle, began, guesses = Throttle(clock), clock.at, 0
    for pause in [0.0] * 150 + pauses:
        clock.at += pause
        is_checked, wait = guess(throttle, OWNER, HOME, known=True)
        assert guess(throttle, OWNER, "203.0.113.9")[1] == wait
        guesses += is_checked
    assert guesses <= FREE_CHECKED + 10 + (clock.at - began) / LONGEST_S + 1


def test_a_network_of_ipv6_addresses_counts_as_one_site() -> None:
    throttle = Throttle(Seconds())
    addresses = [f"2001:db8:1:{number:x}::/64" for number in range(1000)]
    assert sum(guess(throttle, OWNER, address)[0] for address in addresses) == FREE * SITE
    accounts = [f"{number}@example.com" for number in range(1000)]
    checked = [guess(throttle, account, address)[0] for account, address in zip(accounts, addresses, strict=True)]
    assert sum(checked) == (PER_ADDRESS - FREE) * SITE
    assert guess(throttle, OWNER, "2001:db8:2:1::/64") == (True, 0)


@given(pauses=st.lists(st.floats(0, 60, allow_nan=False), min_size=100, max_size=200))
def test_one_address_cannot_try_many_accounts(pauses: list[float]) -> None:
    clock = Seconds()
    throttle, times = Throttle(clock), []
    for number, pause in enumerate(pauses):
        clock.at += pause
        if guess(throttle, f"user-{number}@example.com", "203.0.113.9")[0]:
            times.append(clock.at)
    for first in times:
        assert sum(first <= other < first + WINDOW_S for other in times) <= PER_ADDRESS


def test_attempts_at_the_same_moment_are_not_all_let_through() -> None:
    throttle = Throttle(Seconds())
    assert sum(admit(throttle, OWNER, "203.0.113.9") for _ in range(100)) == FREE


def test_the_wait_doubles_and_is_told() -> None:
    clock = Seconds()
    throttle, waits = Throttle(clock), []
    for _ in range(FREE):
        throttle.begin(OWNER, HOME)
    for _ in range(12):
        with pytest.raises(RateLimited) as refusal:
            throttle.begin(OWNER, HOME)
        waits.append(int(refusal.value.headers["Retry-After"]))
        clock.at += waits[-1]
        throttle.begin(OWNER, HOME)
    assert waits == [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900]


def test_codes_are_not_guessed_even_at_a_known_address() -> None:
    clock = Seconds()
    throttle, guesses = Throttle(clock), 0
    for _ in range(10_000):
        clock.at += 1
        throttle.begin_password(OWNER, HOME).succeed()
        try:
            throttle.begin_code(OWNER, HOME)
        except RateLimited:
            continue
        guesses += 1
    assert guesses <= FREE + 10 + 10_000 / LONGEST_S + 1
    throttle.begin_code(OWNER, "203.0.113.9").succeed()


def test_codes_are_limited_over_all_addresses() -> None:
    clock = Seconds()
    throttle = Throttle(clock)
    guesses = 0
    for number in range(20_000):
        clock.at += 1
        with suppress(RateLimited):
            throttle.begin_code(OWNER, f"2001:db8:{number:x}::")
            guesses += 1
    assert FREE_CODES <= guesses <= FREE_CODES + 10 + 20_000 / LONGEST_S + 1
    clock.at += LONGEST_S
    throttle.begin_code(OWNER, HOME).succeed()
    throttle.begin_code(OWNER, HOME)


def test_success_forgets_failures() -> None:
    throttle = Throttle(Seconds())
    for _ in range(2 * PER_ADDRESS):
        throttle.begin(OWNER, HOME).succeed()
    for _ in range(FREE - 1):
        throttle.begin(OWNER, HOME)
    throttle.begin(OWNER, HOME).succeed()
    assert sum(admit(throttle, OWNER, HOME) for _ in range(100)) == FREE
