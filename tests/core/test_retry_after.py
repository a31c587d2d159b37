"""Pauses that other servers ask for."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retinue.core.network.retry_after import seconds_to_wait

NOW = datetime(2026, 11, 21, 8, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("", None),
        ("120", 120),
        ("-5", None),
        ("1.5", None),
        ("soon", None),
        ("٣", None),
        ("9" * 5000, 86_400),
        ("Sat, 21 Nov 2026 08:01:00 GMT", 60),
        ("Sat, 21 Nov 2026 07:00:00 GMT", 0),
        ("Sat, 99 Nov 2026 07:00:00 GMT", None),
        ("Sat, 21 Nov 2026 07:00:00 +99999999999999999999", None),
    ],
)
def test_retry_after_is_read_as_seconds(text: str, seconds: int | None) -> None:
    assert seconds_to_wait(text, NOW) == seconds


@given(st.text(max_size=40))
def test_any_text_is_parsed(text: str) -> None:
    assert (seconds_to_wait(text, NOW) or 0) >= 0
