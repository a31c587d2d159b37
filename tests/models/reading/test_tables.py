"""Tables that a request tells, under heads and piece by piece."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retinue.models.reading.series import tables_in_series
from retinue.models.reading.tables import Row, tables_under_heads

CREW = (("Abe", "sales", 5), ("Bea", "IT", 7))


@pytest.mark.parametrize(
    ("request_", "columns", "rows"),
    [
        ("csv: name,team,years\nAbe,sales,5\nBea,IT,7", ("name", "team", "years"), CREW),
        (r"sum up name,team,years\nAbe,sales,5\nBea,IT,7 by team", ("name", "team", "years"), CREW),
        ("Staff as name/team/years: Abe/sales/5; Bea/IT/7. Who is it?", ("name", "team", "years"), CREW),
        ("Staff (name, team, years): Abe, sales, 5; Bea, IT, 7", ("name", "team", "years"), CREW),
        ("a table name,team,years / Abe,sales,5 / Bea,IT,7 please", ("name", "team", "years"), CREW),
        ("crop,kg: leek 12, kale 1,508.5 - which is more?", ("crop", "kg"), (("leek", 12), ("kale", 1508.5))),
        ("rain in mm by day; wet first: Mon 4; Tue 12 (day, rain)", ("day", "rain"), (("Mon", 4), ("Tue", 12))),
        ("id,px; 1,2.5; 2,; 3,", ("id", "px"), ((1, 2.5), (2, None), (3, None))),
    ],
)
def test_tables_under_heads(request_: str, columns: tuple[str, ...], rows: tuple[Row, ...]) -> None:
    (table,) = tables_under_heads(request_)
    assert (table.columns, table.rows) == (columns, rows)


def test_each_head_has_a_table() -> None:
    tables = tables_under_heads("orders sku,qty\nA,5\nB,7 and prices sku,price\nA,2.5\nB,4")
    assert [table.rows for table in tables] == [(("A", 5), ("B", 7)), (("A", 2.5), ("B", 4))]


@pytest.mark.parametrize(
    ("request_", "columns", "rows"),
    [
        ("list: rose 4.25, fern 7.10 and lily 5k", ("", ""), (("rose", 4.25), ("fern", 7.1), ("lily", 5000))),
        (
            "jar A grams 410; jar A grams 422; jar B grams 300",
            ("jar", "grams"),
            (("A", 410), ("A", 422), ("B", 300)),
        ),
        (
            "Over the years 2019 and 2020. Ann paid 62, Ben 49 and Cy 50. Who?",
            ("", ""),
            (("Ann", 62), ("Ben", 49), ("Cy", 50)),
        ),
        (
            "sold: Jan North 10, Jan South 7, Feb North 12, Feb South 9",
            ("", "", ""),
            (("Jan", "North", 10), ("Jan", "South", 7), ("Feb", "North", 12), ("Feb", "South", 9)),
        ),
        ("3 boxes at 4.50, 2 jars at 6", ("", "", ""), ((3, "boxes", 4.5), (2, "jars", 6))),
        (
            "Alfa 320 due 15 Sep 2025, Beta 95 due 20 July 2025",
            ("", "", ""),
            (("Alfa", 320, "2025-09-15"), ("Beta", 95, "2025-07-20")),
        ),
        ("How many got 70? Kim 71, Lee -84, Max 65", ("", ""), (("Kim", 71), ("Lee", -84), ("Max", 65))),
        (
            "M31 needs 90 (score 7), M33 80 (6), M45 40 (3)",
            ("", "", "score"),
            (("M31", 90, 7), ("M33", 80, 6), ("M45", 40, 3)),
        ),
        ("numbers 5, 7 and 9 in m", ("",), ((5,), (7,), (9,))),
    ],
)
def test_tables_piece_by_piece(request_: str, columns: tuple[str, ...], rows: tuple[Row, ...]) -> None:
    (table,) = tables_in_series(request_)
    assert (table.columns, table.rows) == (columns, rows)


@pytest.mark.parametrize(
    "request_", ["", "what is 5 + 6?", "a loan of 5,000 over 3 years", "sort fig, plum", "x" * 9000]
)
def test_other_requests_have_none(request_: str) -> None:
    assert tables_under_heads(request_) == tables_in_series(request_) == ()


_CELL = st.sampled_from(["leek", "12", "1,508.5", "Mon", "", "x y", "-3", "kg"])
_ROWS = st.lists(st.lists(_CELL, min_size=1, max_size=4), min_size=1, max_size=5)
_GAPS = st.tuples(st.sampled_from([",", ", ", "/", " | ", "\t", " "]), st.sampled_from(["\n", "; ", " / ", ", "]))


def under_head(head: str, rows: list[list[str]], gaps: tuple[str, str]) -> str:
    """Rows, not all as wide as the others, under a head."""
    between, after = gaps
    return after.join([head.replace(",", between), *(between.join(row) for row in rows)])


@given(st.text(max_size=300) | st.builds(under_head, st.sampled_from(["crop,kg", "day,crop,kg", "kg"]), _ROWS, _GAPS))
def test_rows_are_as_wide_as_their_table(request_: str) -> None:
    for table in (*tables_under_heads(request_), *tables_in_series(request_)):
        assert len(table.rows) > 1
        assert {len(row) for row in table.rows} == {len(table.columns)}


@given(
    st.lists(
        st.tuples(st.from_regex(r"[A-Z][a-z]{1,8}", fullmatch=True), st.integers(0, 10**9)), min_size=3, max_size=9
    )
)
def test_names_and_numbers_are_read_back(rows: list[tuple[str, int]]) -> None:
    told = ", ".join(f"{name} {number:,}" for name, number in rows)
    head = "\n".join(f"{name},{number}" for name, number in rows)
    assert tables_under_heads(f"name,size\n{head}")[0].rows == tuple(rows)
    if len({name for name, _ in rows}) > 1:
        assert tables_in_series(f"This is it: {told}.")[0].rows == tuple(rows)
