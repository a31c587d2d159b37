"""What the agents of a fleet are asked."""

import pytest

from retinue.fleets.prompts import message_of
from retinue.fleets.schemas import PartStatus
from retinue.fleets.steps import DeploymentOrder, DeploymentPart, FleetMember

ADA, BOB = FleetMember(1, "Ada", "leader"), FleetMember(2, "Bob", "specialist")
ORDER = DeploymentOrder("parallel", "Count to three.", [ADA, BOB])
ONE = DeploymentPart(1, "work", ADA, "Count.", "completed", reply="One, two")
REVIEW = DeploymentPart(4, "review", BOB, None)


def work(status: PartStatus) -> DeploymentPart:
    """Return the second part, which has ended like this."""
    return DeploymentPart(
        2, "work", BOB, "Count.", status, reply="three" if status == "completed" else None, error="It broke."
    )


@pytest.mark.parametrize(("status", "lacking"), [("completed", False), ("failed", True), ("cancelled", True)])
def test_the_agent_that_combines_results_learns_which_are_missing(status: PartStatus, lacking: bool) -> None:
    message = message_of(ORDER, DeploymentPart(3, "synthesis", ADA, None), [ONE, work(status)])
    assert message.startswith("The task:\nCount to three.")
    assert "Ada (leader):\nOne, two" in message
    assert ("Bob (specialist) failed: It broke." in message) == lacking
    assert message.endswith(" Say what is missing.") == lacking


def test_the_reviewer_gets_the_answer_and_its_sources() -> None:
    answer = DeploymentPart(3, "synthesis", ADA, None, "completed", reply="One, two, three")
    message = message_of(ORDER, REVIEW, [ONE, work("completed"), answer])
    results, made = message.split("The answer that was made of them:")
    assert ("One, two\n" in results, "One, two, three" in results) == (True, False)
    assert made.strip().startswith("One, two, three\n")


@pytest.mark.parametrize("synthesis", [[], [DeploymentPart(3, "synthesis", ADA, None, "failed", error="It broke.")]])
def test_who_reviews_without_an_answer_is_given_the_results(synthesis: list[DeploymentPart]) -> None:
    message = message_of(ORDER, REVIEW, [ONE, work("completed"), *synthesis])
    assert "The results of the agents:\n\nAda (leader):\nOne, two\n\nBob (specialist):\nthree" in message
    assert "The answer that was made of them" not in message
