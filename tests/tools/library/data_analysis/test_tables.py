"""Table tools: types of loaded columns, dates, and differences that the examples do not cover."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio

from retinue.tools.verification.example_runner import LocalExecutor
from tests.tools.executors import ON_ONE_LOOP, open_executor, tools_of

pytestmark = ON_ONE_LOOP
MODULES = ("data_analysis.conversion", "data_analysis.joins", "data_analysis.rows")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def executor(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[LocalExecutor]:
    """Runs the tools in the environment that the server uses."""
    async with open_executor(tools_of(*MODULES), tmp_path_factory.mktemp("executor")) as opened:
        yield opened


@pytest.mark.parametrize(
    ("cells", "values"),
    [
        (["1234567890123456789", "1234567890123456790"], [1234567890123456789, 1234567890123456790]),
        (["9223372036854775807", "9223372036854775808"], ["9223372036854775807", "9223372036854775808"]),
        (["1234567890123456", "0.5"], ["1234567890123456", "0.5"]),
        (["+491701234567", "491701234567"], ["+491701234567", "491701234567"]),
        (["12E4", "13E5"], ["12E4", "13E5"]),
        (["-12", "1.5e3", "1E+05"], [-12.0, 1500.0, 100000.0]),
    ],
)
async def test_cells_that_a_number_would_change_stay_text(
    executor: LocalExecutor, cells: list[str], values: list[Any]
) -> None:
    file = await executor.lend("ids.csv", "\n".join(["id", *cells]).encode())
    result = await executor.execute("table_deduplicate", {"file": file})
    assert [row["id"] for row in result["rows"]] == values


@pytest.mark.parametrize(
    ("order", "dates"),
    [
        (
            "day_first",
            {
                "12/05/26": "2026-05-12",
                "12.05.26": "2026-05-12",
                "12-05-26": "2026-05-12",
                "12 May 26": "2026-05-12",
                "12/05/2026": "2026-05-12",
                "2026/05/12": "2026-05-12",
                "12/31/26": None,
            },
        ),
        ("month_first", {"12/05/26": "2026-12-05", "12-05-26": "2026-12-05", "31/12/26": None}),
        ("day_first", {"12/05/26 14:30": "2026-05-12T14:30:00"}),
    ],
)
async def test_years_of_two_digits(executor: LocalExecutor, order: str, dates: dict[str, str | None]) -> None:
    args = {"column": "d", "order": order, "rows": [{"d": text} for text in dates]}
    result = await executor.execute("table_normalize_dates", args)
    assert {text: row["d"] for text, row in zip(dates, result["rows"], strict=True)} == dates


@pytest.mark.parametrize(
    ("before", "after", "changes"),
    [
        ([5, 6], [5.0, 6.5], [("6", "6.5")]),
        (["2026-01-01", "2026-01-02"], ["2026-01-01", "2026-01-02T03:00:00"], [("2026-01-02", "2026-01-02 03:00:00")]),
        (["5", "x"], [5, 6], [("x", "6")]),
    ],
)
async def test_equal_values_of_different_types_are_no_difference(
    executor: LocalExecutor, before: list[Any], after: list[Any], changes: list[tuple[str, str]]
) -> None:
    rows, other_rows = ([{"id": row, "v": value} for row, value in enumerate(cells)] for cells in (before, after))
    result = await executor.execute("table_diff", {"key": ["id"], "rows": rows, "other_rows": other_rows})
    assert [(row["before"], row["after"]) for row in result["rows"]] == changes


async def test_delimiters_in_quoted_names_do_not_count(executor: LocalExecutor) -> None:
    file = await executor.lend("people.csv", b'"Last, First";Age\n"A, B";1')
    result = await executor.execute("table_deduplicate", {"file": file})
    assert result["rows"] == [{"Last, First": "A, B", "Age": 1}]
