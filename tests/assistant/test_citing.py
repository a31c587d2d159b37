"""Replies that quote a document."""

from collections.abc import Sequence

import pytest

from retinue.knowledge.embedding import similarities
from retinue.models.base import Excerpt
from retinue_assistant.citing import quote, read_sentences
from retinue_assistant.sentence_similarity import Similarities, score_sentences

DELIVERY = Excerpt(1, "Delivery", "Parcels arrive within three working days. Delivery is free above 50 euros.")
RETURNS = Excerpt(2, "Returns", "Shoes can be returned within 30 days with the receipt. Worn shoes cannot be returned.")
SCHOOL = Excerpt(
    1,
    "Prices.docx",
    "Our courses:\n\n| Course | Age | Price per month |\n| --- | --- | --- |\n| Juniors | 7 to 11 | €72 |\n"
    "| Teens | 12 to 16 | €84 |\n| Exam preparation B2 | 15 and over | €120 |\n\n"
    "We do not take cash. Families with two children get 10 % off the second one.",
)
CALENDAR = Excerpt(
    2,
    "Calendar.csv",
    "date,end date,event,open\n2026-09-14,,First day of classes,yes\n2026-10-12,,National day,no\n"
    "2026-12-23,2027-01-07,Christmas holidays,no\n",
)


async def answer(question: str, excerpts: Sequence[Excerpt], model: Similarities = similarities) -> str:
    """Return the quotation by an embedding model."""
    sentences = read_sentences(excerpts)
    return quote(question, sentences, await score_sentences(model, question, [one.text for one in sentences]))


@pytest.mark.parametrize(
    "question", ["When do parcels arrive?", "Wann kommt mein Paket an?", "How long does the delivery take?"]
)
async def test_the_sentence_nearest_in_meaning_is_quoted_in_any_language(question: str) -> None:
    assert (await answer(question, [DELIVERY, RETURNS])).startswith("Parcels arrive within three working days.")


async def test_a_sentence_beside_the_best_one_is_quoted_if_it_is_about_the_question_too() -> None:
    assert await answer("Can I return shoes?", [DELIVERY, RETURNS]) == f"{RETURNS.text} [2]"


@pytest.mark.parametrize(
    ("question", "quoted"),
    [
        ("What does it cost for my 9 year old?", "Juniors: Age 7 to 11, Price per month €72. [1]"),
        ("Was kostet der Kurs für Teenager?", "Teens: Age 12 to 16, Price per month €84. [1]"),
        ("My daughter is 13, which course is right?", "Teens: Age 12 to 16, Price per month €84. [1]"),
        ("¿Puedo pagar en efectivo?", "We do not take cash. [1]"),
        ("¿Hay descuento para hermanos?", "Families with two children get 10 % off the second one. [1]"),
        ("Is the school open on 2026-10-12?", "National day: date 2026-10-12, open no. [2]"),
        ("Is it open on 2027-10-12?", "National day: date 2026-10-12, open no. [2]"),
        (
            "Is the school open on 2026-12-28?",
            "Christmas holidays: date 2026-12-23, end date 2027-01-07, open no. [2]",
        ),
        (
            "¿Cuándo son las vacaciones de Navidad?",
            "Christmas holidays: date 2026-12-23, end date 2027-01-07, open no. [2]",
        ),
    ],
)
async def test_the_rows_of_tables_answer_by_meaning_by_days_and_by_ranges(question: str, quoted: str) -> None:
    assert await answer(question, [SCHOOL, CALENDAR]) == quoted


async def test_rows_that_answer_as_well_are_quoted_too() -> None:
    courses = (
        "| Course | Price |\n| --- | --- |\n| Adults (English) | €96 |\n| Adults (Spanish) | €90 |\n| Juniors | €72 |"
    )
    quoted = await answer("What do adults pay?", [Excerpt(1, "Prices", courses)])
    assert quoted == "Adults (English): Price €96. Adults (Spanish): Price €90. [1]"


@pytest.mark.parametrize("question", ["Do you have parking?", "Habt ihr einen Hund?", "Who is the director?"])
async def test_nothing_is_quoted_that_does_not_answer(question: str) -> None:
    assert not await answer(question, [SCHOOL, CALENDAR])


async def test_without_an_embedding_model_the_words_decide() -> None:
    assert await answer("Can worn shoes be returned?", [DELIVERY, RETURNS], no_model) == f"{RETURNS.text} [2]"
    assert not await answer("Where is the parking?", [DELIVERY, RETURNS], no_model)


async def no_model(question: str, texts: Sequence[str]) -> Sequence[float]:
    """Return no cosines."""
    return ()


async def test_one_sentence_of_a_long_passage_is_quoted() -> None:
    rules = " ".join(f"Rule {number} is about the garden and its many gates." for number in range(30))
    text = f"{rules} The pool opens at nine. {rules}"
    assert await answer("When does the pool open?", [Excerpt(3, "Rules", text)]) == "The pool opens at nine. [3]"


PRICES = Excerpt(
    4,
    "Prices",
    "Price list\nService Price\nPuncture repair 14 EUR\nFull service 99 EUR\nHire\n"
    "City bike, one day: 18 EUR. E-bike, one day: 35 EUR. Deposit for every bike: 100 EUR.\n"
    "Lights and bells\nFront light Lumo: 34.90 EUR. Brass bell Ding: 12 EUR. Rear light Lumo: 19.90 EUR.",
)


@pytest.mark.parametrize(
    ("question", "quoted"),
    [
        ("How much is a puncture repair?", "Puncture repair 14 EUR."),
        ("What does a full service cost?", "Full service 99 EUR."),
        ("What does the brass bell cost?", "Brass bell Ding: 12 EUR."),
        (
            "Can I hire an e-bike for a day, and what is the deposit?",
            "E-bike, one day: 35 EUR. Deposit for every bike: 100 EUR.",
        ),
    ],
)
async def test_the_entries_of_a_price_list_are_quoted_alone(question: str, quoted: str) -> None:
    assert await answer(question, [PRICES]) == f"{quoted} [4]"


async def test_a_heading_is_quoted_with_the_line_below() -> None:
    hours = Excerpt(
        5, "Hours", "Opening hours\nMonday to Friday 9 to 18. Saturday 10 to 14.\nParking\nBehind the house."
    )
    assert await answer("Where is the parking?", [hours]) == "Parking: Behind the house. [5]"
