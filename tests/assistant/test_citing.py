"""Replies that quote a document."""

import pytest

from retinue.models.base import Excerpt
from retinue_assistant.citing import quote

DELIVERY = Excerpt(1, "Delivery", "Parcels arrive within three working days. Delivery is free above 50 euros.")
RETURNS = Excerpt(2, "Returns", "Shoes can be returned within 30 days with the receipt. Worn shoes cannot be returned.")


@pytest.mark.parametrize("question", ["How long does the delivery take?", "Wie lange dauert die Lieferung?"])
def test_the_sentence_before_the_best_one_is_quoted_too(question: str) -> None:
    assert quote(question, [DELIVERY, RETURNS]) == f"{DELIVERY.text} [1]"


def test_the_sentence_with_most_words_is_quoted_with_its_number() -> None:
    assert quote("Can I return shoes?", [DELIVERY, RETURNS]) == f"{RETURNS.text} [2]"


def test_a_long_passage_is_quoted_in_part() -> None:
    rules = " ".join(f"Rule {number} is about the garden and its many gates." for number in range(30))
    text = f"{rules} The pool opens at nine. {rules}"
    quoted = quote("When does the pool open?", [Excerpt(3, "Rules", text)])
    assert "The pool opens at nine." in quoted
    assert len(quoted) <= 250


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
        ("Do you sell bells?", "Brass bell Ding: 12 EUR."),
        (
            "Can I hire an e-bike for a day, and what is the deposit?",
            "E-bike, one day: 35 EUR. Deposit for every bike: 100 EUR.",
        ),
    ],
)
def test_the_entries_of_a_price_list_are_quoted_alone(question: str, quoted: str) -> None:
    assert quote(question, [PRICES]) == f"{quoted} [4]"


def test_a_heading_is_quoted_with_the_line_below() -> None:
    hours = Excerpt(
        5, "Hours", "Opening hours\nMonday to Friday 9 to 18. Saturday 10 to 14.\nParking\nBehind the house."
    )
    assert quote("Where is the parking?", [hours]) == "Parking: Behind the house. [5]"
