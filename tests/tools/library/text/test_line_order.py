"""The order of lines."""

import pytest

from retinue_tools.text.line_order import text_sort_lines


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["file-10", "file-9", "file-2"], ["file-2", "file-9", "file-10"]),
        (["1,234 a", "5 b", "20 c"], ["5 b", "20 c", "1,234 a"]),
        (["1 a", "-5 b", "\u22127.5 c"], ["\u22127.5 c", "-5 b", "1 a"]),
        (["b 2,50", "a 1"], ["a 1", "b 2,50"]),
    ],
)
def test_lines_are_sorted_by_their_first_number(lines: list[str], expected: list[str]) -> None:
    assert text_sort_lines("\n".join(lines), "numeric")["result"].split("\n") == expected
