"""What a tool returned, for a reader."""

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from retinue.models.report import report
from tests.models.test_stated import JSON, TEXT


def told(question: str, *results: object) -> str:
    return report(question, [orjson.dumps(result).decode() for result in results])


@pytest.mark.parametrize(
    ("question", "result", "wanted"),
    [
        ("17.5% of 640", {"part": 112.0, "rest": 528.25}, "**part: 112**\n\nrest: 528.25"),
        ("Which current?", {"power_w": 2, "current_a": 0.1 + 0.2}, "**current: 0.3 A**\n\npower: 2 W"),
        ("Reverse it", {"result": "cba"}, "cba"),
        ("Is it one?", {"valid": False, "problem": "too short"}, "**not valid**\n\nproblem: too short"),
        ("Is it?", {"graphical": True}, "**graphical: yes**"),
        ("Mean and median", {"count": 3, "mean": 2, "median": 1.5}, "- **mean: 2**\n- **median: 1.5**\n\ncount: 3"),
        ("Which day of the week?", {"day_of_year": 6, "weekday": "Sunday"}, "**weekday: Sunday**\n\nday of year: 6"),
        ("How fast is 9 km in 35 minutes?", {"minutes": 35, "laps": 9}, "**minutes: 35**\n\nlaps: 9"),
        (
            "To Celsius",
            {"value": 22.5, "unit": "C", "dimension": "temperature"},
            "**22.5 °C**\n\ndimension: temperature",
        ),
        ("Solve for x", {"variable": "x", "roots": [{"n": 2}]}, "roots:\n\n| n |\n| --- |\n| 2 |\n\nvariable: x"),
        ("It", {"co2_g_per_km": 9, "flow_m_s": 2, "mass_g": 1}, "**co2 g per km: 9**\n\nflow: 2 m/s · mass: 1 g"),
        ("The page", {"html": "<p>\na</p>"}, "```\n<p>\na</p>\n```"),
        ("Parts", {"parts": ["a", 2, 3.0], "note": None}, "a, 2, 3"),
        ("Sizes", {"exact": {"kB": 2.0, "MB": 0.002}}, "kB 2, MB 0.002"),
        ("As JSON", {"value": [{"a": 1}]}, '```json\n[\n  {\n    "a": 1\n  }\n]\n```'),
        ("Rows", {"rows": [{"a_b": "x|y", "n": 1.0}, {"n": 2}]}, "| a b | n |\n| --- | --- |\n| x\\|y | 1 |\n|  | 2 |"),
        ("Find it", {"matches": [], "first": None}, "Nothing was found."),
        ("Do it", {}, "Done."),
        ("Do it", {"error": "the number is too large"}, "That did not work: the number is too large"),
        ("Explain it", {"a": 1}, ""),
        ("Read it", {"text": "x" * 5000}, ""),
    ],
)
def test_results_are_told(question: str, result: object, wanted: str) -> None:
    assert told(question, result) == wanted


@pytest.mark.parametrize(
    ("question", "result", "arguments", "wanted"),
    [
        ("20 percent of 80", {"percent": 20, "part": 16}, {"percent": 20}, "**part: 16**\n\npercent: 20"),
        ("Speed for 35 minutes?", {"minutes": 35, "speed_m_s": 2}, {}, "**speed: 2 m/s**\n\nminutes: 35"),
        ("Median of 1, 2, 9", {"sum": 12, "median": 2}, {"numbers": [1, 2, 9]}, "**median: 2**\n\nsum: 12"),
        ("Copy", {"text": "a", "of": "b"}, {"text": "a", "of": "b"}, "**text: a**\n\nof: b"),
    ],
)
def test_what_was_given_does_not_lead(question: str, result: object, arguments: object, wanted: str) -> None:
    told_ = report(question, [orjson.dumps(result).decode()], [orjson.dumps(arguments).decode()])
    assert told_ == wanted


def test_of_several_results_those_that_came_to_something_are_told() -> None:
    assert told("Both", {"a": 1}, {"error": "no"}, {"b": 2}) == "1\n\n2"
    assert told("Both", {"error": "no"}, {"error": "neither"}) == "That did not work: neither"


@pytest.mark.parametrize("results", [[], ["plain text"], ["[1]"], ['{"a":1}', "plain text"]])
def test_what_is_no_object_is_left_to_the_model(results: list[str]) -> None:
    assert report("What?", results) == ""


@given(TEXT, st.dictionaries(TEXT, JSON, max_size=4))
def test_any_result_can_be_told(question: str, result: object) -> None:
    assert isinstance(told(question, result), str)
