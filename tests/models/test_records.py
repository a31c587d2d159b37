"""Tables of a request are given to arguments, as precedents show."""

from typing import Any

import orjson
import pytest

from retinue.models.candidates import Candidate
from retinue.models.columns import bounded_to_parts, columns_of
from retinue.models.records import as_read, with_records

ROWS = {"type": "array", "items": {"type": "object"}}
PARTS = {
    "type": "array",
    "items": {"type": "object", "properties": {"name": {"type": "string"}, "weight": {"type": "number"}}},
}
TAUGHT = (
    "hours by team: red 4, blue 7, red 2",
    '{"rows":[{"team":"red","hours":4},{"team":"blue","hours":7},{"team":"red","hours":2}],"by":["team"],"of":"hours"}',
)
SHARED = ("share by Ann 2, Bo 3", '{"parts":[{"name":"Ann","weight":2},{"name":"Bo","weight":3}]}')


def tool(*precedents: tuple[str, str], **properties: Any) -> Candidate:
    return Candidate("tally", "Tallies.", {"properties": properties}, precedents=precedents)


def test_a_table_becomes_records_with_its_columns() -> None:
    assert with_records("crop,kg: leek 12; kale 8", tool(rows=ROWS), {}) == {
        "rows": [{"crop": "leek", "kg": 12}, {"crop": "kale", "kg": 8}]
    }


def test_columns_without_names_get_some_where_they_are_clear() -> None:
    assert with_records("leek 12, kale 8", tool(rows=ROWS), {})["rows"][0] == {"name": "leek", "value": 12}
    assert with_records("Jan North 1, Jan South 2, Feb North 3, Feb South 4", tool(rows=ROWS), {}) == {}


def test_records_with_fields_of_their_own_are_filled_in_as_precedents_do() -> None:
    asked = "between Cy 60, Di 30, Ed 10"
    assert with_records(asked, tool(SHARED, parts=PARTS), {}) == {
        "parts": [{"name": "Cy", "weight": 60}, {"name": "Di", "weight": 30}, {"name": "Ed", "weight": 10}]
    }
    assert with_records(asked, tool(parts=PARTS), {}) == {}


def test_where_precedents_mean_something_else_nothing_is_read() -> None:
    other = ("fees A 4, B 7", '{"rows":[{"fee":4},{"fee":7}]}')
    assert with_records("leek 12, kale 8", tool(other, rows=ROWS), {}) == {}


@pytest.mark.parametrize(
    "request_", ['[{"crop":"leek","kg":12},{"crop":"kale","kg":8}]', "two leeks", "leek (red 12, kale (red 8"]
)
def test_other_data_are_no_tables(request_: str) -> None:
    assert with_records(request_, tool(rows=ROWS), {}) == {}


def test_columns_are_bounded_by_the_kind_that_precedents_name() -> None:
    taught = tool(TAUGHT, rows=ROWS, by={"type": "array", "items": {"type": "string"}}, of={"type": "string"})
    known = with_records("leek 12, kale 8, leek 3", taught, {"of": "hours"})
    assert "of" not in known
    assert columns_of(known) == {"rows": ["name", "value"]}
    bounded = bounded_to_parts(taught, known, {name: taught.input_schema["properties"][name] for name in ("by", "of")})
    assert bounded["by"]["items"]["enum"] == ["name"]
    assert bounded["of"]["enum"] == ["value"]
    assert bounded_to_parts(taught, {}, {"of": {"type": "string"}}) == {}


def test_precedents_are_shown_with_the_names_that_columns_get() -> None:
    request, shown = as_read((TAUGHT[0], TAUGHT[1].replace('"hours"}', '"sum(hours)"}')))
    assert request == TAUGHT[0]
    told = orjson.loads(shown)
    assert (told["by"], told["of"]) == (["name"], "sum(value)")
    assert as_read(("plain", '{"of":"hours"}')) == ("plain", '{"of":"hours"}')
