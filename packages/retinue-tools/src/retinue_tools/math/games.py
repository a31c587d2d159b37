"""Ratings of players."""

from typing import Annotated

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, tool
from retinue_tools.tidy import tidy

_SPREAD = 400.0


class Rating(TypedDict):
    """Two players after a game."""

    expected: Annotated[float, About("Score that was expected of the first, 0 to 1")]
    new_rating: Annotated[float, About("Of the first")]
    new_rating_opponent: float
    change: Annotated[float, About("What the first gains, negative what it loses")]


@tool(
    tags="elo rating chess game win loss draw expected score k-factor new rating player",
    use_when=(
        "What is the Elo rating after a 1500 player beats a 1620 player (K = 20)?",
        "Expected score of 1800 against 1650",
    ),
    examples=(
        Example(
            {"rating": 1500, "opponent": 1500, "score": 1, "k": 32},
            {"new_rating": 1516.0, "expected": 0.5},
            "16 points",
        ),
        Example(
            {"rating": 1613, "opponent": 1609, "score": 0.5, "k": 32},
            {"expected": 0.505755, "new_rating": 1612.8158},
            source="1 / (1 + 10^(-4/400))",
            tolerance=1e-5,
        ),
        Refusal({"rating": 1500, "opponent": 1500, "score": 2}, "score"),
    ),
)
def elo_update_rating(
    rating: Annotated[float, About("Rating of the player", 1500, minimum=-10_000, maximum=10_000)],
    opponent: Annotated[float, About("Rating of the other one", 1620, minimum=-10_000, maximum=10_000)],
    score: Annotated[float, About("1 for a win, 0.5 for a draw, 0 for a loss", 1, minimum=0, maximum=1)] = 1,
    k: Annotated[float, About("Most points that a game moves", 20, minimum=1e-30, maximum=1000)] = 32,
) -> Rating:
    """Compute the Elo ratings after a game, and the score that was expected."""
    expected = 1 / (1 + 10 ** ((opponent - rating) / _SPREAD))
    change = k * (score - expected)
    return {
        "expected": tidy(expected),
        "new_rating": tidy(rating + change),
        "new_rating_opponent": tidy(opponent - change),
        "change": tidy(change),
    }
