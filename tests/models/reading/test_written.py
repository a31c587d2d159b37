"""Edges, points, schedules and moments as people write them."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retinue.models.reading.data import data_in


def edge(start: str, end: str, weight: float | None = None) -> dict[str, Any]:
    """An edge as tools take it."""
    return {"from": start, "to": end} | ({} if weight is None else {"weight": weight})


@pytest.mark.parametrize(
    ("request_", "wanted"),
    [
        ("the graph a-b, b-c and c-d: connected?", [[edge("a", "b"), edge("b", "c"), edge("c", "d")]]),
        ("order d->a, a -> e", [[edge("d", "a"), edge("a", "e")]]),
        ("shortest-path in a-b 4, b-c: 3, c-d (2.5)", [[edge("a", "b", 4), edge("b", "c", 3), edge("c", "d", 2.5)]]),
        ("distances AB 12, AC 17", [[edge("A", "B", 12), edge("A", "C", 17)]]),
        ("between 2026-03-01 and 2026-12-24", []),
        ("a well-known path", []),
        ("corners (0,0), (40, 0) and (5.5,-3)", [[[0, 0], [40, 0], [5.5, -3]]]),
        ("f(1,2)", []),
        ("runs A-B 7 m, B-C 9 km and C-D 15", [[edge("A", "B", 7), edge("B", "C", 9), edge("C", "D", 15)]]),
        ("rows (4, -2, 7), (1, 5, -3) and (6, 3, 9)", [[[4, -2, 7], [1, 5, -3], [6, 3, 9]]]),
        ("rows (4, -2, 7), (1, 5)", []),
        ("floor after paint, wire before paint", [[edge("paint", "floor"), edge("wire", "paint")]]),
        (
            "The tiles can only come after the plaster. Paint needs tiles",
            [[edge("plaster", "tiles"), edge("tiles", "Paint")]],
        ),
        ("three days before the party", []),
    ],
)
def test_edges_and_points_are_read(request_: str, wanted: list[Any]) -> None:
    assert list(data_in(request_).literals) == wanted


@pytest.mark.parametrize(
    ("request_", "wanted"),
    [
        ("5 May 2021 13:20:00 UTC?", ["2021-05-05T13:20:00Z"]),
        ("after 2 March 2024, 10:45?", ["2024-03-02T10:45"]),
        ("on 4 June 2026 at 3:15 pm", ["2026-06-04T15:15"]),
        ("12:30 am on 2026-06-04 12:30 am", ["2026-06-04T00:30"]),
        ("from 2024-05-01T10:30Z on", ["2024-05-01T10:30Z"]),
        ("at 16:45 in London on 9 July 2025", ["2025-07-09T16:45"]),
        ("on 2026-06-04 at 3.15 p.m.", ["2026-06-04T15:15"]),
        ("2026-06-04 3 pm", ["2026-06-04T15:00"]),
        ("2026-06-04 25:00", []),
        ("2026-06-04", []),
    ],
)
def test_moments_are_read(request_: str, wanted: list[str]) -> None:
    assert list(data_in(request_).moments) == wanted


@pytest.mark.parametrize(
    ("request_", "wanted"),
    [("when does */20 8-18/2 * * * run?", ["*/20 8-18/2 * * *"]), ("0 9 * * 1-5.", ["0 9 * * 1-5"]), ("1 2 3 4", [])],
)
def test_schedules_are_read(request_: str, wanted: list[str]) -> None:
    assert list(data_in(request_).crons) == wanted


@given(st.text(alphabet="abAB01-> ,:()T*/", max_size=300))
def test_any_request_is_read(request_: str) -> None:
    data = data_in(request_)
    assert all(isinstance(found, (list, dict)) for found in data.literals)
    assert all("T" in when for when in data.moments)
