"""What the agents of a fleet are asked."""

import pytest

from retinue.fleets.prompts import message_of
from retinue.fleets.schemas import PartStatus
from retinue.fleets.steps import Member, Order, Part

ADA, BOB = Member(1, "Ada", "leader"), Member(2, "Bob", "specialist")
ORDER = Order("parallel", "Count to three.", [ADA, BOB])
ONE = Part(1, "work", ADA, "Count.", "completed", reply="One, two")
REVIEW = Part(4, "review", BOB, None)


def work(status: PartStatus) -> Part:
    """Return the second part, which has ended like this."""
    return Part(2, "work", BOB, "Count.", status, reply="three" if status == "completed" else None, error="It broke.")


@pytest.mark.parametrize(("status", "lacking"), [("completed", False), ("failed", True), ("cancelled", True)])
def test_who_brings_results_together_is_told_of_what_is_missing(status: PartStatus, lacking: bool) -> None:
    message = message_of(ORDER, Part(3, "synthesis", ADA, None), [ONE, work(status)])
    assert message.startswith("The task:\nCount to three.")
    assert "Ada (leader):\nOne, two" in message
    assert ("Bob (specialist) failed: It broke." in message) == lacking
    assert message.endswith(" Say what is missing.") == lacking


def test_who_reviews_is_given_the_answer_beside_what_it_was_made_of() -> None:
    answer = Part(3, "synthesis", ADA, None, "completed", reply="One, two, three")
    message = message_of(ORDER, REVIEW, [ONE, work("completed"), answer])
    results, made = message.split("The answer that was made of them:")
    assert ("One, two\n" in results, "One, two, three" in results) == (True, False)
    assert made.strip().startswith("One, two, three\n")


@pytest.mark.parametrize("synthesis", [[], [Part(3, "synthesis", ADA, None, "failed", error="It broke.")]])
def test_who_reviews_without_an_answer_is_given_the_results(synthesis: list[Part]) -> None:
    message = message_of(ORDER, REVIEW, [ONE, work("completed"), *synthesis])
    assert "The results of the agents:\n\nAda (leader):\nOne, two\n\nBob (specialist):\nthree" in message
    assert "The answer that was made of them" not in message
