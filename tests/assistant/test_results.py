"""Rendering replies from tool results."""

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from retinue.language.reply_templates import ReplyTemplates
from retinue_assistant.conversation_turn import ToolAttempt
from retinue_assistant.results import headline_of, render_result

TEXT = st.text(st.characters(codec="utf-8"), max_size=40)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=12,
)


def reply(request: str, result: object, tool: str = "tool", **given_: object) -> str:
    return render_result(ToolAttempt(tool, orjson.dumps(given_).decode(), orjson.dumps(result).decode()), request)


LANGUAGE = {"": "The text is in {name}."}
PEOPLE = {"": "It has {population|inhabitant}."}
IBAN = {"valid": "{iban} is a valid IBAN.", "not valid": "{iban} is not a valid IBAN: {problem}."}


@pytest.mark.parametrize(
    ("request_", "templates", "result", "wanted"),
    [
        ("Detect it", LANGUAGE, {"language": "de", "name": "German"}, "The text is in German."),
        ("Is it right?", IBAN, {"iban": "GB82", "valid": True, "problem": None}, "GB82 is a valid IBAN."),
        (
            "Is it right?",
            IBAN,
            {"iban": "GB83", "valid": False, "problem": "wrong digits"},
            "GB83 is not a valid IBAN: wrong digits.",
        ),
        # Without a reason no sentence fits.
        ("Is it right?", IBAN, {"iban": "GB83", "valid": False}, "It is not valid. The iban is GB83."),
        # The request asks for another field, or its own words say more.
        ("And the probability?", LANGUAGE, {"name": "German", "probability": 0.9}, "The probability is 0.9."),
        ("What is 2 + 3?", {"": "That makes {value}."}, {"value": 5}, "2 + 3 is 5."),
        (
            "What is the population of Italy?",
            PEOPLE,
            {"population": 60_431_283},
            "The population of Italy is 60,431,283.",
        ),
        ("Sort", {"": "The sorted rows: {rows}"}, {"rows": [{"a": 1}]}, "The sorted rows:\n\n| a |\n| --- |\n| 1 |"),
    ],
)
def test_the_sentence_that_the_tool_declares(
    request_: str, templates: dict[str, str], result: dict[str, object], wanted: str
) -> None:
    attempt = ToolAttempt("tool", "{}", orjson.dumps(result).decode())
    assert render_result(attempt, request_, ReplyTemplates("en", templates)) == wanted


@pytest.mark.parametrize(
    ("request_", "result", "wanted"),
    [
        ("How many days?", {"days": 50, "weeks": 7, "inclusive": True}, "The number of days is 50."),
        ("17.5% of 640", {"part": 112.0, "rest": 528.25}, "The part is 112. The rest is 528.25."),
        ("Reverse it", {"result": "cba"}, "The result is cba."),
        ("To Celsius", {"value": 22.5, "unit": "°C", "dimension": "temperature"}, "The result is 22.5 \u00b0C."),
        ("Is it one?", {"valid": False, "problem": "too short"}, "It is not valid. The problem is too short."),
        (
            "Mean and median",
            {"count": 3, "mean": 2, "median": 1.5},
            "The mean is 2. The median is 1.5.",
        ),
        ("The page", {"html": "<p>\na</p>"}, "Here is the html:\n\n```\n<p>\na</p>\n```"),
        ("As JSON", {"value": [{"a": 1}]}, 'Here is the result:\n\n```json\n[\n  {\n    "a": 1\n  }\n]\n```'),
        (
            "Turn 90 seconds into mm:ss",
            {"seconds": 90.0, "clock": "0:01:30"},
            "The clock is 0:01:30.",
        ),
        (
            "When was it made?",
            {"version": 7, "created_at": "2024-05-17"},
            "The version is 7. The time of creation is 17 May 2024.",
        ),
        ("Rows", {"rows": [{"a_b": "x|y"}, {"a_b": "z"}]}, "Here are the rows:\n\n| a b |\n| --- |\n| x\\|y |\n| z |"),
        (
            "Rows",
            {"rows": [{"a": 1, "b": "", "created_at": "2026-11-26T10:00:00Z"}, {"a": 2, "c": 0, "d": []}]},
            "Here are the rows:\n\n| a | c |\n| --- | --- |\n| 1 |  |\n| 2 | 0 |",
        ),
        ("Find it", {"matches": [], "first": None}, "Nothing was found."),
        ("Do it", {}, "Done."),
    ],
)
def test_the_value_that_was_asked_for(request_: str, result: object, wanted: str) -> None:
    assert reply(request_, result) == wanted


def test_a_request_that_names_no_field_gets_the_main_one_and_another() -> None:
    assert reply("Do", {"a": 1, "b": 2, "c": 3, "d": 4}) == "The a is 1. The b is 2."


@pytest.mark.parametrize(
    ("request_", "wanted"),
    [
        ("How many usable hosts are in 10.0.0.0/21?", "There are 2046 usable hosts in 10.0.0.0/21."),
        ("What is the netmask of 10.0.0.0/21?", "The netmask of 10.0.0.0/21 is 255.255.248.0."),
        ("Is 10.0.0.0/21 private?", "It is private."),
    ],
)
def test_a_reply_ends_after_the_value_that_was_asked_for(request_: str, wanted: str) -> None:
    network = {"version": 4, "network": "10.0.0.0/21", "netmask": "255.255.248.0", "is_private": True}
    assert reply(request_, {**network, "addresses": 2048, "usable_hosts": 2046}, text="10.0.0.0/21") == wanted


def test_a_description_has_more_fields() -> None:
    assert reply("Describe 1, 2", {"n": 2, "mean": 1.5, "low": 1}) == "The n is 2. The mean is 1.5. The low is 1."


def test_the_topic_of_a_request_is_not_its_target() -> None:
    interval = {"mean": 14, "low": 11.0, "high": 17.0, "margin": 3}
    said = "The mean is 14. The low is 11. The high is 17."
    assert reply("What is the 95 % confidence interval of the mean of 12, 15?", interval) == said
    assert reply("What is the mean of 12, 15?", interval) == "The mean of 12, 15 is 14."
    taxed = {"gross": 48.6, "tax": 3.6}
    assert reply("What costs 45 with 8 % sales tax?", taxed) == "The gross is 48.6. The tax is 3.6."


def test_a_check_says_whether_it_is_valid() -> None:
    found = {"iban": "GB82WEST", "valid": True, "country": "GB"}
    assert reply("Is the IBAN GB82 WEST valid?", found, number="GB82 WEST") == "It is valid."
    assert reply("Which country is GB82 WEST from?", found) == "The country is GB."
    assert reply("Which country is GB82 WEST from?", {**found, "valid": False}) == "It is not valid. The country is GB."


def test_a_question_is_answered_in_its_own_words() -> None:
    result = {"leap_year": False, "weekday": "Friday"}
    assert reply("Is 2027 a leap year?", result) == "No, 2027 is not a leap year. The weekday is Friday."
    assert reply("Is 2028 a leap year?", {"leap_year": True}) == "Yes, 2028 is a leap year."


def test_a_nested_value_is_a_list_unless_json_was_asked_for() -> None:
    nested = {"value": {"first_name": "Ada", "home_town": {"zip_code": {"old_one": "1"}}}}
    assert reply("Read it", nested) == "Here is the result:\n\n- first name: Ada\n- home town:\n  - zip code: old one 1"
    assert "```json" in reply("Read it as JSON", nested)


def test_a_stored_fact_is_confirmed_in_one_line() -> None:
    note = {"id": "groceries", "title": "groceries", "text": "milk", "created_at": "2026-01-01T00:00:00Z"}
    assert reply("Save a note", note, "note_create") == "I saved the note \u201cgroceries\u201d."
    saved = reply("Save a note", note, "note_create", title="groceries", text="milk")
    assert saved == "I saved the note \u201cgroceries\u201d. The text is milk."


@pytest.mark.parametrize("request_", ["Explain it", "Summarise the numbers", "Write a story about it"])
def test_requests_for_prose_are_left_to_the_model(request_: str) -> None:
    assert reply(request_, {"value": 1}) == ""
    assert reply("Value?", {"value": "x" * 5000}) == ""


def test_the_value_that_a_later_request_works_on() -> None:
    attempt = ToolAttempt("tool", "{}", '{"words": 9, "characters": 40}')
    assert headline_of(attempt, "Count the words") == "9"
    assert headline_of(attempt, "How many characters?") == "40"


@given(TEXT, st.dictionaries(TEXT, JSON, max_size=5), st.dictionaries(TEXT, JSON, max_size=3))
def test_every_result_can_be_worded(request_: str, result: dict[str, object], given_: dict[str, object]) -> None:
    attempt = ToolAttempt("tool", orjson.dumps(given_).decode(), orjson.dumps(result).decode())
    assert isinstance(render_result(attempt, request_), str)
    assert isinstance(headline_of(attempt, request_), str)


def test_a_line_about_a_picture_follows_a_result() -> None:
    result = '{"file":"file_01","kind":"qr"}\n(The tool returned an image named \'code.png\', which you cannot see.)'
    templates = ReplyTemplates("en", {"": "The code: {file}"})
    attempt = ToolAttempt("code_draw", '{"content":"HELLO"}', result)
    assert render_result(attempt, "Make a QR code with the text HELLO", templates) == "The code: file_01"
    assert ToolAttempt("code_draw", "{}", '{"error":"no"}\n(Try again.)').error == "no"


def test_a_summary_by_a_tool_is_the_reply() -> None:
    attempt = ToolAttempt("text_summarize_sentences", '{"text":"A. B."}', '{"summary":"B."}')
    assert render_result(attempt, "Summarize this: A. B.", ReplyTemplates("en", {"summary": "{summary}"})) == "B."


def test_of_a_shortened_list_the_first_items_are_shown() -> None:
    tasks = [{"title": f"task {number}", "due": "2026-12-01"} for number in range(40)]
    result = orjson.dumps({"tasks": tasks, "total": 40}).decode()
    shortened = f"{result[:120]}\n\u2026 (shortened) \u2026\n{result[-60:]}"
    templates = ReplyTemplates("en", {"tasks": "You have {total|task}: {tasks}", "": "There are no tasks."})
    reply_ = render_result(ToolAttempt("tool", "{}", shortened), "Show my tasks", templates)
    assert reply_.startswith("You have 40 tasks:\n\n| title | due |\n| --- | --- |\n| task 0 |")
    assert reply_.endswith("These are not all: the whole result is in the steps of this run.")
    assert render_result(ToolAttempt("tool", "{}", "no \u2026 list"), "Show my tasks", templates) == ""
