"""The choice among the tools that the classifier suggests."""

from dataclasses import replace

import pytest

from retinue.models.base import Candidate
from retinue_assistant.known_words import in_known_words
from retinue_assistant.tool_choice import likely_tools, opens_address
from tests.assistant.test_assistant import EXAMPLES, SQUARE


def test_of_tools_that_the_classifier_cannot_tell_apart_the_more_similar_example_decides() -> None:
    roots = [("Square root of -4 as a complex number", '{"number":-4}')]
    other = replace(SQUARE, name="root")
    close, far = Candidate(other, 9.3, roots), Candidate(other, 9.8, roots)
    own = Candidate(SQUARE, 9.0, EXAMPLES)
    assert likely_tools("Please square 5 now", [close, own]) == [own, close]
    assert likely_tools("Please square 5 now", [far, own]) == [far, own]


def test_of_one_family_the_request_names_the_tool() -> None:
    bars, pie = (Candidate(replace(SQUARE, name=f"chart_draw_{kind}"), 27.0, []) for kind in ("bars", "pie"))
    assert likely_tools("Make a pie chart of 5 and 3", [bars, replace(pie, lead=24.0)])[0].tool.name == pie.tool.name
    assert likely_tools("Make a bar chart of 5 and 3", [bars, replace(pie, lead=24.0)]) == [
        bars,
        replace(pie, lead=24.0),
    ]


def test_a_request_that_is_an_example_of_a_tool_means_that_tool() -> None:
    other = Candidate(replace(SQUARE, name="root"), 9.8, [("Square root of -4 as a complex number", '{"number":-4}')])
    own = Candidate(SQUARE, 0.5, EXAMPLES)
    assert likely_tools("What is 5 squared?", [other, own]) == [own, other]


def test_a_request_that_only_has_the_form_of_others_needs_no_tool() -> None:
    legs = ("How many legs does a spider have?", "How many strings has a violin?")
    counts = [(f"How many words are in: {text}?", "{}") for text in ("to be", "or not", "that is", "the question")]
    counting = Candidate(replace(SQUARE, name="text_count", description="Counts words of a text."), 3.0, counts)
    assert [likely_tools(one, [counting]) for one in legs] == [[], []]
    assert likely_tools("How many words are in: a b c?", [counting]) == [counting]
    assert likely_tools(legs[0], [replace(counting, lead=12.0)])
    assert likely_tools(legs[0], [replace(counting, examples=counts[:3])])


@pytest.mark.parametrize("request_", ["Start a timer for 10 minutes", "set an alarm for 7", "Write code for a timer"])
def test_no_tool_is_a_timer_or_writes_code(request_: str) -> None:
    timer = Candidate(
        replace(SQUARE, name="clock_add", description="Adds minutes to a time."), 9.0, [(request_, "{}")] * 4
    )
    assert likely_tools(request_, [timer]) == []


def test_a_far_less_likely_tool_is_no_alternative_to_one_that_does_not_fit() -> None:
    counts = [("How many words are in: to be?", "{}")] * 4
    counting = Candidate(replace(SQUARE, name="text_count", description="Counts words of a text."), 3.9, counts)
    far = Candidate(replace(SQUARE, name="leg_day", description="Plans how many legs to train."), -0.5, [])
    assert likely_tools("How many legs does a spider have?", [counting, far]) == []


def test_a_question_of_a_tool_means_that_tool() -> None:
    asked = Candidate(SQUARE, 0.5, questions=["What do I need to buy?"])
    assert likely_tools("What do I need to buy?", [replace(asked, questions=(), lead=0.6), asked]) == [asked]


def test_a_summary_consists_of_central_sentences_if_the_text_has_enough() -> None:
    counting = Candidate(replace(SQUARE, name="text_count", description="Counts words of a text."), 9.0, [])
    text = "We met. We sang a song. It rained a lot. Tom came late. We went home."
    assert likely_tools(f"Summarize this text: {text}", [counting]) == []
    assert in_known_words(f"Summarize this text: {text}") == "Pick the most central sentences of this text"
    assert in_known_words("Please sum up this text: We met. We sang.") == ""


def test_a_qr_code_is_no_program() -> None:
    codes = Candidate(replace(SQUARE, name="qr_make", description="Makes a QR code."), 9.0, [])
    assert likely_tools("Make a QR code for https://example.com", [codes]) == [codes]


@pytest.mark.parametrize(
    ("properties", "required", "opens"),
    [
        (["url"], ["url"], True),
        (["url", "selector"], ["url", "selector"], True),
        (["url", "html"], [], True),
        (["url", "text"], ["text"], False),
        (["text"], [], False),
    ],
)
def test_a_tool_opens_an_address_if_it_needs_no_other_content(
    properties: list[str], required: list[str], opens: bool
) -> None:
    schema = {"type": "object", "properties": {one: {"type": "string"} for one in properties}, "required": required}
    assert opens_address(replace(SQUARE, input_schema=schema)) is opens
