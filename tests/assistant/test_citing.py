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
