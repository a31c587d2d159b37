"""Filling in the sentences that tools declare for their results."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retinue.language.reply_templates import fill_template, placeholders

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=8,
)


@pytest.mark.parametrize(
    ("template", "sentence"),
    [
        ("{count|word} in {names}.", "1 word in Ada, Bo and Cy."),
        ("{many|entry|entries}, first {rows.0.name}.", "3 entries, first x."),
        ("{args.text} has it.", "abc has it."),
        ("It costs {price} EUR.", "It costs 12.5 EUR."),
        ("The cable needs {area} mm².", "The cable needs 1.59907 mm²."),
        ("It costs {sum}.", "It costs 1234567.89."),
        ("It has {people|inhabitant}.", "It has 37,058,856 inhabitants."),
        ("It has {sum|krone|kroner}.", "It has 1,234,567.89 kroner."),
        ("It has {large|km²|km²}.", "It has 92,391 km²."),
        ("It is {missing}.", ""),
        ("Nothing at {rows.5.name}.", ""),
        ("The lines: {long}", "The lines:\n\n```\na\nb\n```"),
        ("{long}", "```\na\nb\n```"),
        ("The faults: {faults}", "The faults:\n\n- It is short.\n- It is old."),
        ("The roots are {roots}.", "The roots are 2 and 0.333333."),
        ("{long} is the text.", ""),
        ("The zero is {zero}.", "The zero is 0."),
        ("It is due on {day}.", "It is due on 28 February 2027."),
        ("It begins on {moment}.", "It begins on 28 February 2027 at 09:30 UTC."),
        ("The number is {serial}.", "The number is 2027-13-01."),
    ],
)
def test_placeholders_are_filled(template: str, sentence: str) -> None:
    result = {
        "faults": ["It is short.", "It is old."],
        "roots": [1.9999999999999998, 1 / 3],
        "area": 1.59907246377,
        "sum": 1234567.891,
        "people": 37058856,
        "large": 92391.0,
        "count": 1,
        "many": 3,
        "names": ["Ada", "Bo", "Cy"],
        "rows": [{"name": "x"}],
        "price": 12.5,
        "long": "a\nb",
        "zero": 0,
        "day": "2027-02-28",
        "moment": "2027-02-28T09:30:00Z",
        "serial": "2027-13-01",
        "missing": None,
    }
    assert fill_template({"": template}, result, {"text": "abc"}) == ((template, sentence) if sentence else ("", ""))


def test_a_date_that_is_asked_for_in_iso_8601_stays_so() -> None:
    assert fill_template({"": "It is {day}."}, {"day": "2027-02-28"}, {}, as_iso=True)[1] == "It is 2027-02-28."


@pytest.mark.parametrize(
    ("result", "sentence"),
    [
        ({"found": 2, "more": True}, "2 and more."),
        ({"found": 2, "more": False}, "2."),
        ({"found": 0, "more": False}, "None."),
    ],
)
def test_the_first_template_whose_condition_holds_is_filled(result: dict[str, Any], sentence: str) -> None:
    templates = {"found, more": "{found} and more.", "found, not more": "{found}.", "": "None."}
    assert fill_template(templates, result, {})[1] == sentence


@given(st.text("{}abc.:| 01", max_size=40), VALUES, VALUES)
def test_any_template_and_result_can_be_filled(template: str, first: Any, second: Any) -> None:
    used, sentence = fill_template({"": template}, {"a": first, "b": second}, {"c": second})
    assert used in ("", template)
    assert all(path for path in placeholders(template))
    assert isinstance(sentence, str)
