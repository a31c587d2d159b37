"""Elections: allocation of seats by votes."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Annotated, Literal

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool

Method = Literal["d'hondt", "sainte-lague", "largest remainder"]


class Seats(TypedDict):
    """Allocation of seats."""

    seats: Annotated[list[int], About("Seats of each party, in the order of the votes")]
    vote_percents: list[float]
    method: str


@tool(
    tags="seats allocation election votes d'hondt sainte-lague largest remainder hare party proportional apportionment",
    use_when=(
        "D'Hondt: 8 seats for 100,000, 80,000, 30,000 and 20,000 votes",
        "How are 10 seats shared out by Sainte-Lague for 53000, 24000 and 23000 votes?",
        "Share 7 places among clubs of 120, 75 and 40 members by largest remainder",
    ),
    examples=(
        Example(
            {"votes": [100000, 80000, 30000, 20000], "seats": 8, "method": "d'hondt"},
            {"seats": [4, 3, 1, 0]},
            source="Wikipedia, D'Hondt method",
        ),
        Example(
            {"votes": [53000, 24000, 23000], "seats": 7, "method": "sainte-lague"},
            {"seats": [3, 2, 2]},
            source="Wikipedia, Sainte-Lague method",
        ),
        Example(
            {"votes": [47000, 16000, 15800, 12000, 6100, 3100], "seats": 10, "method": "largest remainder"},
            {"seats": [5, 2, 1, 1, 1, 0]},
            source="Wikipedia, largest remainders method: Hare quota",
        ),
        Refusal({"votes": [0, 0], "seats": 3}, "votes"),
    ),
    reply="The seats, in the order of the votes: {seats}",
)
def election_allocate_seats(
    votes: Annotated[list[int], About("Votes of each party", [100000, 80000, 30000], min_items=1, max_items=1000)],
    seats: Annotated[int, About("Number of seats", 8, minimum=1, maximum=10_000)],
    method: Annotated[Method, About("largest remainder uses the Hare quota")] = "d'hondt",
) -> Seats:
    """Allocate (share out) seats by votes: by the highest quotients of D'Hondt or Sainte-Lague, or by largest
    remainders.

    Use it for elections and committees. Among equal quotients, the earlier party has priority.
    """
    if min(votes) < 0 or not sum(votes):
        raise ToolError("The votes must not be negative, and not all 0.")
    share = _remainders if method == "largest remainder" else _quotients
    return {
        "seats": share(votes, seats, 2 if method == "sainte-lague" else 1),
        "vote_percents": [round(100 * one / sum(votes), 6) for one in votes],
        "method": method,
    }


def _quotients(votes: Sequence[int], seats: int, step: int) -> list[int]:
    """Return votes divided by 1, 2, 3 … or 1, 3, 5 …: each of the highest gives one seat."""
    won = [0] * len(votes)
    for _ in range(seats):
        best = max(range(len(votes)), key=lambda party: (Fraction(votes[party], won[party] * step + 1), -party))
        won[best] += 1
    return won


def _remainders(votes: Sequence[int], seats: int, _: int) -> list[int]:
    exact = [Fraction(one * seats, sum(votes)) for one in votes]
    won = [int(one) for one in exact]
    order = sorted(range(len(votes)), key=lambda party: (won[party] - exact[party], party))
    for party in order[: seats - sum(won)]:
        won[party] += 1
    return won
