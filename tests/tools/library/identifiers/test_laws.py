"""Laws of identifiers that are made and read, and of numbers with check digits."""

from contextlib import suppress
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retinue.tools.authoring.declare import ToolError
from retinue_tools.identifiers.addresses import email_validate_address
from retinue_tools.identifiers.short_ids import (
    nanoid_generate_identifiers,
    number_encode_short,
    ulid_decode_identifier,
    ulid_generate_identifiers,
)
from retinue_tools.identifiers.travel_documents import mrz_parse_document
from retinue_tools.identifiers.uuids import uuid_generate_identifiers, uuid_inspect_identifier
from retinue_tools.identifiers.vehicles import vin_decode_number

Base = Literal["base62", "base58", "base36", "crockford32"]
BASES: list[Base] = ["base62", "base58", "base36", "crockford32"]
VINS = st.text("ABCDEFGHJKLMNPRSTUVWXYZ0123456789", min_size=17, max_size=17)


@pytest.mark.parametrize("base", BASES)
@given(number=st.integers(0, 10**60))
def test_short_codes_come_back(base: Base, number: int) -> None:
    code = number_encode_short(str(number), base)["result"]
    assert number_encode_short(code, base, "decode")["result"] == str(number)


@given(st.integers(0, 2**48 - 1), st.integers(1, 20))
def test_ulids_ascend_and_keep_their_time(moment: int, count: int) -> None:
    made = ulid_generate_identifiers(count, moment)["ulids"]
    assert made == sorted(set(made))
    assert all(ulid_decode_identifier(one)["unix_ms"] == moment for one in made)


@given(st.uuids())
def test_any_uuid_is_read(value: object) -> None:
    report = uuid_inspect_identifier(str(value).upper())
    assert report["uuid"] == str(value)


def test_sortable_uuids_tell_their_time() -> None:
    made = uuid_generate_identifiers("time", 1)["uuids"][0]
    report = uuid_inspect_identifier(made)
    assert report["version"] == 7
    assert (report["created_at"] or "") > "2025"


@given(st.integers(4, 40), st.integers(0, 10))
def test_short_identifiers_have_their_length(length: int, group: int) -> None:
    made = nanoid_generate_identifiers(3, length, "readable", group)["ids"]
    assert [len(one.replace("-", "")) for one in made] == [length] * 3


@given(VINS)
def test_the_check_digit_of_a_vin_mends_it(vin: str) -> None:
    wanted = vin_decode_number(vin)["check_digit"]
    assert vin_decode_number(vin[:8] + wanted + vin[9:])["check_digit_valid"]


@given(st.text("ABC<0129 \n", max_size=100))
def test_any_zone_is_read_or_refused(text: str) -> None:
    with suppress(ToolError):
        report = mrz_parse_document(text)
        assert report["valid"] == (not report["wrong"])


@given(st.text(min_size=3, max_size=80))
def test_any_text_is_judged_as_an_address(text: str) -> None:
    report = email_validate_address(text)
    assert report["valid"] == (report["problem"] == "")


@given(st.emails())
def test_addresses_of_the_standard_are_valid(address: str) -> None:
    assert email_validate_address(address)["valid"]
