"""Games and puzzles: Sudoku, the Josephus problem, and Elo ratings."""

from typing import Annotated

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.tidy import tidy

_MOST = 5000


class CountedOut(TypedDict):
    """Survivor of the Josephus problem."""

    survivor: Annotated[int, About("Position of the survivor, from 1")]
    order: Annotated[list[int], About("Positions in the order of elimination")]


@tool(
    tags="josephus problem circle counting out eliminated survivor every kth puzzle",
    use_when=(
        "41 people stand in a circle and every third is struck out. Who is the last?",
        "Josephus problem with 7 people and step 3",
    ),
    examples=(
        Example({"people": 41, "step": 3}, {"survivor": 31}, source="the usual telling of the problem"),
        Example(
            {"people": 7, "step": 3}, {"survivor": 4, "order": [3, 6, 2, 7, 5, 1, 4]}, source="OEIS A032434; by hand"
        ),
        Refusal({"people": 0, "step": 3}, "people"),
    ),
    reply="The last one left is at position {survivor}.",
)
def josephus_find_survivor(
    people: Annotated[int, About("Number of people in the circle", 41, minimum=1, maximum=_MOST)],
    step: Annotated[int, About("Step: every k-th is eliminated", 3, minimum=1, maximum=1_000_000)] = 2,
) -> CountedOut:
    """Find who is left when every k-th person of a circle goes out (Josephus problem), counting from position 1."""
    circle, order, place = list(range(1, people + 1)), [], 0
    while circle:
        place = (place + step - 1) % len(circle)
        order.append(circle.pop(place))
    return {"survivor": order[-1], "order": order}


_SPREAD = 400.0


class Rating(TypedDict):
    """Ratings of two players after a game."""

    expected: Annotated[float, About("Expected score of the first player, 0 to 1")]
    new_rating: Annotated[float, About("New rating of the first player")]
    new_rating_opponent: float
    change: Annotated[float, About("Points gained by the first player, negative if lost")]


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
    reply="The new rating is {new_rating}, a change of {change}; the expected score was {expected}.",
)
def elo_update_rating(
    rating: Annotated[float, About("Rating of the player", 1500, minimum=-10_000, maximum=10_000)],
    opponent: Annotated[float, About("Rating of the opponent", 1620, minimum=-10_000, maximum=10_000)],
    score: Annotated[float, About("1 for a win, 0.5 for a draw, 0 for a loss", 1, minimum=0, maximum=1)] = 1,
    k: Annotated[float, About("K-factor: maximum points gained in a game", 20, minimum=1e-30, maximum=1000)] = 32,
) -> Rating:
    """Compute the Elo ratings after a game, and the expected score."""
    expected = 1 / (1 + 10 ** ((opponent - rating) / _SPREAD))
    change = k * (score - expected)
    return {
        "expected": tidy(expected),
        "new_rating": tidy(rating + change),
        "new_rating_opponent": tidy(opponent - change),
        "change": tidy(change),
    }


_SIZE, _CELLS = 9, 81
_ALL = frozenset("123456789")
_MOST_STEPS = 200_000


class SolvedSudoku(TypedDict):
    """A solved sudoku."""

    solution: Annotated[str, About("Nine rows of nine digits")]
    line: Annotated[str, About("All digits on one line")]
    is_unique: bool


@tool(
    tags="sudoku solve puzzle grid 9x9 numbers",
    use_when=(
        "Solve this sudoku: 530070000600195000098000060800060003400803001700020006060000280000419005000080079",
        "Solve a sudoku",
    ),
    examples=(
        Example(
            {"grid": "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79"},
            {
                "line": "534678912672195348198342567859761423426853791713924856961537284287419635345286179",
                "is_unique": True,
            },
            source="the example of Wikipedia's article on sudoku",
        ),
        Refusal({"grid": "55" + "." * 79}, "twice"),
        Refusal({"grid": "123"}, "81"),
    ),
    reply={
        "is_unique": "The only solution: {solution}",
        "": "A solution, but not the only one: {solution}",
    },
)
def sudoku_solve_grid(
    grid: Annotated[str, About("81 cells row by row; 0, . or _ for empty ones", "53..7....6..195...", max_length=400)],
) -> SolvedSudoku:
    """Solve a sudoku of nine by nine cells, and check whether its solution is unique."""
    cells = [one if one in _ALL else "." for one in grid if one in _ALL or one in "0._*-"]
    if len(cells) != _CELLS:
        raise ToolError(f"A sudoku has 81 cells, but there are {len(cells)}. Write 0 or . for empty ones.")
    if any(one != "." and one not in _free(cells, place) for place, one in enumerate(cells)):
        raise ToolError("A digit occurs twice in a row, column or box.")
    found: list[str] = []
    _search(cells, found, [0])
    if not found:
        raise ToolError("This sudoku has no solution.")
    rows = [found[0][start : start + _SIZE] for start in range(0, _CELLS, _SIZE)]
    return {"solution": "\n".join(rows), "line": found[0], "is_unique": len(found) == 1}


def _free(cells: list[str], place: int) -> set[str]:
    """Return the possible digits of a cell."""
    row, column = divmod(place, _SIZE)
    top, left = row // 3 * 3, column // 3 * 3
    seen = {row * _SIZE + one for one in range(_SIZE)} | {one * _SIZE + column for one in range(_SIZE)}
    seen |= {(top + one // 3) * _SIZE + left + one % 3 for one in range(_SIZE)}
    return set(_ALL) - {cells[other] for other in seen - {place}}


def _search(cells: list[str], found: list[str], steps: list[int]) -> None:
    """Fill the cell with the fewest choices first; stop at the second solution."""
    steps[0] += 1
    if steps[0] > _MOST_STEPS:
        raise ToolError("This sudoku has too few given digits.")
    empty = [(len(choices := _free(cells, place)), place, choices) for place, one in enumerate(cells) if one == "."]
    if not empty:
        found.append("".join(cells))
        return
    _, place, choices = min(empty, key=lambda one: one[0])
    for choice in sorted(choices):
        cells[place] = choice
        _search(cells, found, steps)
        if len(found) > 1:
            break
    cells[place] = "."
