"""What is still needed for a mean."""

from math import fsum, log, log2
from typing import Annotated

from typing_extensions import TypedDict

from retinue.sdk import About, Bounded, Example, Refusal, ToolError, tool
from retinue_tools.tidy import tidy

_MOST = 1e15


class NeededValue(TypedDict):
    """What brings the mean to the target."""

    needed: Annotated[float, About("What each of the values to come must be, on average")]
    mean_now: float


@tool(
    tags="needed score average target grade next test exam mark required final mean reach",
    use_when=(
        "I have 70, 85, 90 and 78. What must I score on the fifth test to average 80?",
        "Coursework 64 counts 40 %, the exam 60 %: which exam mark gives 70?",
        "My mean over 6 games is 12. What do I need in the next two for a mean of 14?",
    ),
    examples=(
        Example({"values": [70, 85, 90, 78], "target": 80}, {"needed": 77.0, "mean_now": 80.75}, source="400 - 323"),
        Example(
            {"values": [64], "weights": [40], "coming_weight": 60, "target": 70},
            {"needed": 74.0},
            source="(70 - 25.6) / 0.6",
        ),
        Example(
            {"values": [12], "weights": [6], "coming_weight": 2, "target": 14},
            {"needed": 20.0},
            source="(112 - 72) / 2",
        ),
        Refusal({"values": [1, 2], "weights": [1], "target": 3}, "as many"),
    ),
)
def average_find_needed(
    values: Annotated[
        list[Bounded],
        About("Values so far, or a mean with its count as weight", [70, 85, 90, 78], min_items=1, max_items=10_000),
    ],
    target: Annotated[float, About("Mean that is wanted in the end", 80, minimum=-_MOST, maximum=_MOST)],
    weights: Annotated[
        list[Bounded] | None, About("Weight of each value; 1 if left out", [40], min_items=1, max_items=10_000)
    ] = None,
    coming_weight: Annotated[
        float, About("Weight, or number, of the values to come", 60, minimum=1e-30, maximum=_MOST)
    ] = 1,
) -> NeededValue:
    """Find which value is still needed to reach a mean: of tests, grades with weights, or games to come."""
    counts = weights or [1.0] * len(values)
    if len(counts) != len(values) or min(counts) < 0 or not (total := fsum(counts)):
        raise ToolError("Give as many weights as values, none below 0 and not all 0.")
    told = fsum(value * count for value, count in zip(values, counts, strict=True))
    return {
        "needed": tidy((target * (total + coming_weight) - told) / coming_weight),
        "mean_now": tidy(told / total),
    }


class ListEntropy(TypedDict):
    """How uncertain a distribution is."""

    bits: Annotated[float, About("Shannon entropy to the base 2")]
    nats: float
    gini_impurity: Annotated[float, About("One minus the sum of squared shares")]
    evenness: Annotated[float | None, About("Entropy divided by its greatest value; null for one value")]
    shares: list[float]


@tool(
    tags="shannon entropy bits probabilities distribution information gini impurity diversity index evenness counts",
    use_when=(
        "Shannon entropy in bits of the probabilities 0.5, 0.25, 0.25",
        "Entropy and Gini impurity of a node with 9 yes and 5 no",
        "Shannon diversity of 20, 30 and 50 individuals",
    ),
    examples=(
        Example({"values": [0.5, 0.25, 0.25]}, {"bits": 1.5, "gini_impurity": 0.625}, source="by hand"),
        Example(
            {"values": [9, 5]}, {"bits": 0.940286, "gini_impurity": 0.459184}, "Quinlan 1986, the weather data", 1e-5
        ),
        Refusal({"values": [1, -1]}, "negative"),
    ),
)
def stats_measure_entropy(
    values: Annotated[list[Bounded], About("Probabilities, or counts", [9, 5], min_items=1, max_items=100_000)],
) -> ListEntropy:
    """Measure the Shannon entropy of probabilities or counts, and their Gini impurity.

    Use it for codes, decision trees and diversity. Counts are divided by their sum.
    """
    total = fsum(values)
    if min(values) < 0 or total <= 0:
        raise ToolError("Values must not be negative, and not all 0.")
    shares = [value / total for value in values]
    bits = fsum(-share * log2(share) for share in shares if share)
    return {
        "bits": tidy(bits),
        "nats": tidy(bits * log(2)),
        "gini_impurity": tidy(1 - fsum(share**2 for share in shares)),
        "evenness": tidy(bits / log2(len(values))) if len(values) > 1 else None,
        "shares": [tidy(share) for share in shares],
    }
