"""Case, tables, digests, identifiers, distances: what the examples do not cover."""

import csv
import io
import json
import time
import uuid
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retinue.tools.authoring.declare import ToolError
from retinue_tools.data_formats.csv_tables import csv_convert_to_json, type_of
from retinue_tools.geo.distances_and_bearings import EARTH_RADIUS_KM, geo_measure_distance
from retinue_tools.identifiers.uuids import uuid_generate_identifiers
from retinue_tools.security.digests import hash_compute_digest
from retinue_tools.text.letter_case import Style, text_convert_case

STABLE: tuple[Style, ...] = ("snake", "kebab")
FIELD = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=12)


@given(st.lists(st.lists(FIELD, min_size=3, max_size=3), max_size=6), st.sampled_from([",", ";", "\t", "|"]))
def test_a_written_table_is_read_back(rows: list[list[str]], mark: str) -> None:
    text = io.StringIO(newline="")
    csv.writer(text, delimiter=mark).writerows([["a", "b", "c"], *rows])
    result = csv_convert_to_json(text.getvalue(), types=False)
    assert [list(record.values()) for record in result["records"]] == rows


@given(st.text(max_size=100))
def test_any_table_is_read_or_refused(text: str) -> None:
    try:
        result = csv_convert_to_json(text)
    except ToolError:
        return
    assert all(list(record) == result["columns"] for record in result["records"])


@pytest.mark.parametrize("number", ["0", "-1", "2.50", "1e3", "12345", "-0.5"])
def test_numbers_of_json_are_numbers(number: str) -> None:
    assert type_of(number) == json.loads(number)


@pytest.mark.parametrize("text", ["007", "+1", "1.", ".5", "1,5", "NaN", "0x1", "1 ", "٣", "99999999999999999999"])
def test_values_that_are_no_json_number_stay_text(text: str) -> None:
    assert type_of(text) == text


@pytest.mark.parametrize(
    ("style", "expected"),
    [
        ("camel", "supportsIpv6OnIos"),
        ("pascal", "SupportsIpv6OnIos"),
        ("snake", "supports_ipv6_on_ios"),
        ("constant", "SUPPORTS_IPV6_ON_IOS"),
        ("kebab", "supports-ipv6-on-ios"),
        ("title", "Supports Ipv6 On Ios?"),
        ("sentence", "Supports ipv6 on ios?"),
        ("upper", "SUPPORTS IPV6 ON IOS?"),
        ("lower", "supports ipv6 on ios?"),
        ("swap", "SUPPORTS iPV6 ON iOS?"),
    ],
)
def test_texts_are_converted_to_a_case(style: Style, expected: str) -> None:
    assert text_convert_case("supports Ipv6 on Ios?", style) == {"result": expected}


@given(st.text(st.sampled_from("abcXYZ012 _-."), max_size=30))
def test_styles_of_identifiers_are_stable(text: str) -> None:
    for style in STABLE:
        try:
            once = text_convert_case(text, style)["result"]
        except ToolError:
            return
        assert text_convert_case(once, style)["result"] == once


def test_encodings_of_the_same_bytes_have_the_same_digest() -> None:
    digests = [
        hash_compute_digest("abc"),
        hash_compute_digest("616263", encoding="hex"),
        hash_compute_digest("YWJj", encoding="base64"),
    ]
    assert digests[0] == digests[1] == digests[2]
    with pytest.raises(ToolError, match="not Base64"):
        hash_compute_digest("a", encoding="base64")


def test_uuids_are_new_and_of_their_version() -> None:
    versions: tuple[tuple[Literal["random", "time"], int], ...] = (("random", 4), ("time", 7))
    for version, number in versions:
        made = [uuid.UUID(text) for text in uuid_generate_identifiers(version, 500)["uuids"]]
        assert len(set(made)) == 500
        assert {one.version for one in made} == {number}
        assert {one.variant for one in made} == {uuid.RFC_4122}


def test_time_ordered_uuids_hold_the_time_and_sort_by_it() -> None:
    before = time.time_ns() // 1_000_000
    made = uuid_generate_identifiers("time", 500)["uuids"]
    assert made == sorted(made)
    assert before <= uuid.UUID(made[0]).int >> 80 <= uuid.UUID(made[-1]).int >> 80 <= time.time_ns() // 1_000_000


@given(st.floats(-90, 90), st.floats(-180, 180), st.floats(-90, 90), st.floats(-180, 180))
def test_a_distance_is_symmetric_and_at_most_half_around(a: float, b: float, c: float, d: float) -> None:
    there, back = geo_measure_distance(a, b, c, d), geo_measure_distance(c, d, a, b)
    assert there["kilometres"] == pytest.approx(back["kilometres"], abs=1e-6)
    assert 0 <= there["kilometres"] <= 3.1415927 * EARTH_RADIUS_KM
    assert 0 <= there["initial_bearing_degrees"] <= 360
    assert geo_measure_distance(a, b, a, b)["kilometres"] == 0
