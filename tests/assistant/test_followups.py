"""Messages that depend on the user's previous one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retinue_assistant.followups import complete, is_elliptical


@pytest.mark.parametrize(
    ("messages", "completed"),
    [
        (["What is 20% of 150?", "And of 90?"], "What is 20% of 90?"),
        (["What is 20% of 150?", "And 30%?"], None),
        (["A coat costs 85 with 20% off. What do I pay?", "and if it's 35% off?"],
         "A coat costs 85 with 35% off. What do I pay?"),
        (["A loan of 900 at 6% over 4 years?", "That's a lot. What if I take 5 years?"],
         "A loan of 900 at 6% over 5 years?"),
        (["Convert 10 miles to km.", "And 25?", "And 40?"], "Convert 40 miles to km."),
        (["Convert 10 miles to km.", "And 25 feet?"], None),
        (["How many days from 2026-02-01 to 2026-03-01?", "And to 2026-04-01?"],
         "How many days from 2026-02-01 to 2026-04-01?"),
        (["Wie viel ist 15 % von 240?", "Und von 80?"], "Wie viel ist 15 % von 80?"),
        (["Welcher Tag war der 9. November 1989?", "Und der 3. Oktober 1990?"],
         "Welcher Tag war der 3. Oktober 1990?"),
        (["175 pounds in kg", "and in stone?"], "175 pounds in stone?"),
        (["A loan over 48 months?", "great, what if it was 60 months?"], "A loan over 60 months?"),
        (["2000 at 4% for 5 years?", "and at 5% for those 10 years?"], "2000 at 5% for 10 years?"),
        (["quelle est la moyenne de 12 et 14 ?", "et si j'ajoute un 18 ?"], None),
        (["What is 3 + 4?", "And multiply that by 5"], None),
        (["What time is it in Oslo?", "And Rome?"], None),
        (["How far is Oslo from Rome?", "And Kiel?"], None),
        (["And 25?"], None),
        ([], ""),
    ],
)  # fmt: skip
def test_a_message_is_completed_where_it_is_clear(messages: list[str], completed: str | None) -> None:
    assert complete(messages) == (messages[-1] if completed is None else completed)


@given(st.lists(st.text(alphabet="and 1what if?.5 "), min_size=1, max_size=4))
def test_any_conversation_has_a_last_message(messages: list[str]) -> None:
    assert isinstance(complete(messages), str)
    assert complete(messages[:1]) == messages[0]


@pytest.mark.parametrize("message", ["And 25?", "What about Rome?", "Und von 80?", "\u00bfY 91?"])
def test_a_message_that_only_names_something_new(message: str) -> None:
    assert is_elliptical(message)


@pytest.mark.parametrize("message", ["And multiply that by 3", "Thanks!", "What is 3 + 4?"])
def test_a_message_that_says_more(message: str) -> None:
    assert not is_elliptical(message)
