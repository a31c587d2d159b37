"""Identifiers and timestamps have a fixed width, so that sorting them as text sorts them by time."""

import re
import time
from datetime import UTC, datetime, timedelta, timezone

from hypothesis import given
from hypothesis import strategies as st

from retinue.core.runtime.clock import from_text, now, to_text
from retinue.core.runtime.ids import new_id, ulid

_ZONES = st.integers(-23 * 60, 23 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))
_INSTANTS = st.datetimes(datetime(1000, 1, 2), datetime(9999, 12, 30), timezones=_ZONES)  # noqa: DTZ001 - the bounds are naive


def test_an_id_has_26_characters_of_crockford_s_alphabet() -> None:
    assert re.fullmatch(r"[0-7][0-9a-hjkmnp-tv-z]{25}", ulid())
    assert re.fullmatch(r"conv_[0-9a-hjkmnp-tv-z]{26}", new_id("conv"))


def test_ids_are_never_alike() -> None:
    assert len({ulid() for _ in range(20_000)}) == 20_000


def test_ids_begin_with_their_time() -> None:
    alphabet = "0123456789abcdefghjkmnpqrstvwxyz"
    before = time.time_ns() // 1_000_000
    made = ulid()
    milliseconds = sum(alphabet.index(letter) * 32**place for place, letter in enumerate(reversed(made[:10])))
    assert before <= milliseconds <= time.time_ns() // 1_000_000


@given(_INSTANTS)
def test_an_instant_survives_as_text(moment: datetime) -> None:
    assert from_text(to_text(moment)) == moment
    assert len(to_text(moment)) == 27


@given(_INSTANTS, _INSTANTS)
def test_the_order_of_text_is_the_order_of_time(first: datetime, second: datetime) -> None:
    assert (to_text(first) < to_text(second)) == (first < second)


def test_now_is_aware_and_in_utc() -> None:
    assert now().tzinfo is UTC
