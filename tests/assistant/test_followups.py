"""Messages that depend on the user's previous one."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retinue_assistant.conversation_turn import ToolAttempt
from retinue_assistant.followups import Said, asks_change, complete, is_elliptical, states_change, with_operand


def complete_messages(messages: Sequence[str], *, have_calls: bool = True) -> str:
    return complete([Said(one, have_calls and one != "Thanks!") for one in messages])


@pytest.mark.parametrize(
    ("messages", "expected"),
    [
        (["What is 20% of 150?", "And of 90?"], "What is 20% of 90?"),
        (["What is 20% of 150?", "And 30%?"], "What is 30% of 150?"),
        (["What is 18% tip on 64.50?", "and with 15 %?", "and for 80?"], "What is 15% tip on 80?"),
        (["A coat costs 85 with 20% off. What do I pay?", "and if it's 35% off?"],
         "A coat costs 85 with 35% off. What do I pay?"),
        (["A loan of 900 at 6% over 4 years?", "That's a lot. What if I take 5 years?"],
         "A loan of 900 at 6% over 5 years?"),
        (["A loan of 200000 at 4% over 30 years", "over 20 years", "at 3.5%?", "what if I borrow 250000"],
         "A loan of 250000 at 3.5% over 20 years"),
        (["Convert 10 miles to km.", "And 25?", "And 40?"], "Convert 40 miles to km."),
        (["Convert 10 miles to km.", "no, in feet"], "Convert 10 miles to feet."),
        (["Convert 10 miles to km.", "And 25 feet?"], None),
        (["Convert 350 F to C", "400?"], "Convert 400 F to C"),
        (["Convert 350 F to C", "and 180 C to F"], None),
        (["How many days from 2026-02-01 to 2026-03-01?", "And to 2026-04-01?"],
         "How many days from 2026-02-01 to 2026-04-01?"),
        (["How many days until Christmas?", "and until Easter 2027?", "and in weeks?"],
         "How many weeks until Easter 2027?"),
        (["What is the date 90 days from today?", "before today?"], "What is the date 90 days before today?"),
        (["Wie viel ist 15 % von 240?", "Und von 80?"], "Wie viel ist 15% von 80?"),
        (["Welcher Tag war der 9. November 1989?", "Und der 3. Oktober 1990?"],
         "Welcher Tag war der 3. Oktober 1990?"),
        (["175 pounds in kg", "and in stone?"], "175 pounds in stone"),
        (["A loan over 48 months?", "great, what if it was 60 months?"], "A loan over 60 months?"),
        (["2000 at 4% for 5 years?", "and at 5% for those 10 years?"], "2000 at 5% for 10 years?"),
        (["My BMI at 82 kg and 178 cm?", "and if I lose 5 kg?"], "My BMI at 77 kg and 178 cm?"),
        (["Split 120 between 4 people", "with two more people"], "Split 120 between 6 people"),
        (["Split 120 between 4 people", "90 euros"], None),
        (["Split 120 euros between 4 people", "with 10% tip"], "Split 120 euros between 4 people with 10% tip"),
        (["Sort these: pear, apple, fig", "in reverse"], "Sort these in reverse: pear, apple, fig"),
        (["Make a bar chart of apples 5, pears 3", "make it a pie chart"], "Make a pie chart of apples 5, pears 3"),
        (["What is the square root of 144?", "and the cube root of 27?", "of 225?"],
         "What is the cube root of 225?"),
        (["What is 3/4 of 200?", "and half?"], "What is half of 200?"),
        (["Make a QR code for https://example.org", "and for https://example.com"],
         "Make a QR code for https://example.com"),
        (["quelle est la moyenne de 12 et 14 ?", "et si j'ajoute un 18 ?"], None),
        (["What is 3 + 4?", "And multiply that by 5"], None),
        (["What time is it in Oslo?", "And Rome?"], "What time is it in Rome?"),
        (["What time is it in Oslo?", "and in New York?", "Thanks!", "London?"], "What time is it in London?"),
        (["What time is it in Oslo?", "and what is the capital of Peru?"], None),
        (["What time is it in Oslo?", "Thanks!"], None),
        (["How far is Oslo from Rome?", "And Kiel?"], None),
        (["Roll two dice", "another one"], None),
        (["And 25?"], None),
        ([], ""),
    ],
)  # fmt: skip
def test_a_message_is_completed_where_it_is_clear(messages: list[str], expected: str | None) -> None:
    assert complete_messages(messages) == (messages[-1] if expected is None else expected)


@pytest.mark.parametrize("message", ["400?", "in feet", "London?"])
def test_a_few_words_complete_only_a_request_that_needed_a_call(message: str) -> None:
    assert complete_messages(["I walked 350 miles in Peru.", message], have_calls=False) == message


def test_the_answer_to_a_question_of_the_assistant_is_added_to_the_request() -> None:
    asked = Said("Remind me to call Bob", lacks_value=True)
    assert complete([asked, Said("tomorrow at 5 pm")]) == "Remind me to call Bob tomorrow at 5 pm"
    assert complete([asked, Said("What is 3 + 4?")]) == "What is 3 + 4?"


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("plus 10", "What is it plus 10?"),
        ("and times 1.5?", "What is it times 1.5?"),
        ("now take off 10%.", "What is it minus 10%?"),
        ("add 5", "What is it plus 5?"),
        ("add 23 and 42", ""),
        ("plus size", ""),
    ],
)
def test_an_operator_continues_with_the_last_result(message: str, expected: str) -> None:
    assert with_operand(message) == expected


@pytest.mark.parametrize(
    ("message", "arguments", "is_stated"),
    [
        ("and with 25%?", {"percent": 25, "value": 64.5}, True),
        ("and with 25%?", {"percent": 25, "value": 178}, False),
        ("and with 25%?", {"percent": 10, "value": 64.5}, False),
        ("and with more?", {"percent": 10, "value": 64.5}, False),
        ("and Rome?", {"percent": 10, "value": 64.5, "place": "Rome"}, True),
    ],
)
def test_a_repeated_call_changes_stated_arguments_alone(
    message: str, arguments: dict[str, object], is_stated: bool
) -> None:
    assert states_change(message, '{"percent": 10, "value": 64.5}', arguments) == is_stated


@pytest.mark.parametrize("message", ["undo", "no, at 6", "at 6", "tomorrow at 5 pm", "make it 7pm"])
def test_a_change_of_a_saved_record_is_noticed(message: str) -> None:
    saved = ToolAttempt("task_create", "{}", '{"id": 1, "created_at": "2026-12-01T10:00:00Z"}')
    assert asks_change(message, saved)
    assert not asks_change("in feet", ToolAttempt("unit_convert_quantity", "{}", '{"value": 3}'))


@given(st.lists(st.text(alphabet="and 1what if?.5 "), min_size=1, max_size=4))
def test_any_conversation_has_a_last_message(messages: list[str]) -> None:
    assert isinstance(complete_messages(messages), str)
    assert complete_messages(messages[:1]) == messages[0]


@pytest.mark.parametrize("message", ["And 25?", "What about Rome?", "Und von 80?", "\u00bfY 91?"])
def test_a_message_that_only_names_something_new(message: str) -> None:
    assert is_elliptical(message)


@pytest.mark.parametrize("message", ["And multiply that by 3", "Thanks!", "What is 3 + 4?"])
def test_a_message_that_says_more(message: str) -> None:
    assert not is_elliptical(message)
