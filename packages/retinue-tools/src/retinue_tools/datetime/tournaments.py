"""Who plays whom."""

from typing import Annotated

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool


class Round(TypedDict):
    """Games that are played at one time."""

    games: Annotated[list[str], About("As A - B")]
    rests: Annotated[str | None, About("Who does not play")]


class Tournament(TypedDict):
    """A tournament in which each plays each."""

    round_count: int
    game_count: int
    rounds: list[Round]


@tool(
    tags="round robin tournament schedule fixtures league teams pairings matches each plays everyone timetable",
    use_when=(
        "Make a round-robin timetable for the teams A, B, C, D, E and F",
        "How many games and rounds are there if 7 teams each play each other once?",
        "League fixtures for Reds, Blues, Greens and Whites, home and away",
    ),
    examples=(
        Example({"players": ["A", "B", "C", "D"]}, {"round_count": 3, "game_count": 6}, source="4 * 3 / 2 games"),
        Example({"count": 7}, {"round_count": 7, "game_count": 21}, source="7 * 6 / 2; one rests each time"),
        Example({"players": ["A", "B", "C"], "legs": 2}, {"game_count": 6, "round_count": 6}, source="twice three"),
        Refusal({}, "players or count"),
    ),
)
def tournament_plan_rounds(
    players: Annotated[
        list[str] | None, About("Names of players or teams", ["A", "B", "C", "D"], min_items=2, max_items=200)
    ] = None,
    count: Annotated[
        int | None, About("How many there are, where they have no names", 7, minimum=2, maximum=200)
    ] = None,
    legs: Annotated[int, About("How often each plays each: 2 for home and away", 2, minimum=1, maximum=4)] = 1,
) -> Tournament:
    """Plan a round-robin tournament in which each plays each, by the circle method; counts its rounds and games."""
    names = players or [str(number) for number in range(1, (count or 0) + 1)]
    if not names:
        raise ToolError("Give players or count.")
    rounds = [_round(names, number, leg) for leg in range(legs) for number in range(_circle(names) - 1)]
    return {
        "round_count": len(rounds),
        "game_count": sum(len(one["games"]) for one in rounds),
        "rounds": rounds,
    }


def _circle(names: list[str]) -> int:
    return len(names) + len(names) % 2


def _round(names: list[str], number: int, leg: int) -> Round:
    """One player stays, the others turn around him; with an odd number an empty place goes along."""
    size = _circle(names)
    seats: list[str | None] = [*names, None][:size] if len(names) % 2 else list(names)
    turned = [seats[0], *(seats[1 + (place - number) % (size - 1)] for place in range(size - 1))]
    pairs = [(turned[place], turned[size - 1 - place]) for place in range(size // 2)]
    games = [f"{one} - {other}" if leg % 2 == 0 else f"{other} - {one}" for one, other in pairs if one and other]
    rests = next((one or other for one, other in pairs if not (one and other)), None)
    return {"games": games, "rests": rests}
