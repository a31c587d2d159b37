"""What a request says to stand between lines."""

import pytest

from retinue.models.reading.line_marks import in_lines


@pytest.mark.parametrize(
    ("request_", "text", "wanted"),
    [
        ("sort these (a slash stands for a line break): pear / apple", "pear / apple", "pear\napple"),
        ("lines are separated by |: a|b | c", "a|b|c", "a\nb\nc"),
        ("the rows, split at semicolons: a;b; c", "a;b; c", "a\nb\nc"),
        ("/ = new line: one/two", "one/two", "one\ntwo"),
        ("pipes mark line ends: x | y/z", "x | y/z", "x\ny/z"),
        ("km/h and and/or: one / two", "one / two", "one / two"),
        ("the line a/b", "a/b", "a/b"),
    ],
)
def test_lines_stand_where_the_request_says(request_: str, text: str, wanted: str) -> None:
    assert in_lines(text, request_) == wanted
