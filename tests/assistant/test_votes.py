"""Enum values that a request names."""

import pytest

from retinue_assistant.votes import choices_in

PART = {"part": {"enum": ["component", "path", "url"]}}


@pytest.mark.parametrize(
    ("tool", "request_", "named"),
    [
        ("url_encode_percent", "url encode this: fish & chips", {}),
        ("url_encode_percent", "encode the path /a b for a url", {"part": "path"}),
        ("text_escape_marks", "escape this url", {"part": "url"}),
        ("text_escape_marks", "escape this url as a component", {}),
        ("text_escape_marks", "write it in pathCase", {"part": "path"}),
    ],
)
def test_one_value_is_named_and_not_the_tool(tool: str, request_: str, named: dict[str, str]) -> None:
    assert choices_in(tool, PART, request_) == named
