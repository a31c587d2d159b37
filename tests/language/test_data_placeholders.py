"""Literal values in a text are replaced by the names of their kinds."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retinue.language.data_placeholders import with_kinds


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("how many km are 5 miles", "how many km are length_value miles"),
        ("20% of $40", "percent_value of money_amount"),
        ("3/8 plus 12 euros", "fraction_value plus money_amount"),
        ("at 14:30 on 3 may 2025", "at clock_time on calendar_date"),
        ("mail a.b@example.com", "mail mail_address"),
        ("hosts of 10.0.0.0/8 and 2001:db8::1", "hosts of network_address and network_address"),
        ("decode eyj0.abc.def", "decode signed_token"),
        ("what is .- -... -.-.", "what is morse_code"),
        ("mia-tom, lea-ben, tom-ida", "graph_edges"),
        ("a-b 4, b-c 2", "graph_edges"),
        ("ana, ben, carl, dora and eve", "word_list"),
        ("median of 3, 9, 4 and 7", "median of number_list"),
        ("0xff or #a0b1c2", "prefixed_number or hex_color"),
        ("from 1.2.3-rc.1 to 1.10.0", "from version_number to version_number"),
        ("48.8566, 2.3522", "coordinate_pair"),
        ("550e8400-e29b-41d4-a716-446655440000", "unique_id"),
        ("nothing of the kind", "nothing of the kind"),
    ],
)
def test_data_have_kinds(text: str, expected: str) -> None:
    assert " ".join(with_kinds(text).split()) == expected


@given(st.text(max_size=300))
def test_any_text_has_kinds(text: str) -> None:
    assert isinstance(with_kinds(text), str)


@pytest.mark.parametrize(
    "piece",
    ["a", "1", "1,", "-", "a-", ".", "a,", "0:", "{", "'", "a-a,", "- ", "1.", "1 ", "0x", "1-", "$1", "a@", "#a"],
)
def test_long_runs_hold_nobody_up(piece: str) -> None:
    def take(text: str) -> float:
        begun = time.thread_time()
        with_kinds(text[:1500])
        return time.thread_time() - begun

    usual = take("convert this csv to json, please. " * 60)
    assert min(take(piece * 1500) for _ in range(3)) < 50 * usual
