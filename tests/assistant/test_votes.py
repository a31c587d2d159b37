"""Enum values that a request names."""

import pytest

from retinue_assistant.similar_examples import likenesses
from retinue_assistant.votes import Ballot, choices_in, refused_options

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


@pytest.mark.parametrize(
    ("request_", "named"),
    [
        ("Net price of 119 including 19% tax", {}),
        ("119 net plus 19% tax", {"amount_is": "net"}),
        ("119 gross with 19% tax", {"amount_is": "gross"}),
    ],
)
def test_a_named_choice_that_similar_examples_do_not_mean_is_no_choice(request_: str, named: dict[str, str]) -> None:
    properties = {"amount_is": {"enum": ["net", "gross"]}}
    examples = [
        ("Net price of 240 including 20% tax", '{"amount_is":"gross"}'),
        ("net amount of 53 including 7% tax", '{"amount_is":"gross"}'),
        ("240 net plus 20% tax", '{"amount_is":"net"}'),
        ("53 net plus 7% tax", '{"amount_is":"net"}'),
    ]
    assert Ballot(likenesses(request_, examples)).named_choices("tax", properties, request_) == named


def test_a_named_default_that_examples_leave_out_is_a_choice() -> None:
    properties = {"notation": {"enum": ["base64", "hex"], "default": "base64"}}
    near = likenesses("decode base64 aGk=", [("decode base64 eW8=", "{}"), ("decode hex 6869", '{"notation":"hex"}')])
    assert Ballot(near).named_choices("decode", properties, "decode base64 aGk=") == {"notation": "base64"}


def test_an_option_that_is_on_by_default_is_off_if_the_request_refuses_it() -> None:
    on = {"type": "boolean", "default": True}
    properties = {"symbols": on, "page_numbers": on, "keep_images": on, "dither": {**on, "default": False}}
    assert refused_options(properties, "A password without symbols or digits") == {"symbols": False}
    assert refused_options(properties, "Make a PDF, no page numbers and don't show images") == {
        "page_numbers": False,
        "keep_images": False,
    }
    assert refused_options(properties, "A page without a number, with symbols, without dither") == {}
