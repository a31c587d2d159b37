"""Sudokus."""

from typing import Annotated

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool

_SIZE, _CELLS = 9, 81
_ALL = frozenset("123456789")
_MOST_STEPS = 200_000


class SolvedSudoku(TypedDict):
    """A sudoku that was filled in."""

    solution: Annotated[str, About("Nine rows of nine digits")]
    line: Annotated[str, About("All digits in one line")]
    is_unique: bool


@tool(
    tags="sudoku solve puzzle grid 9x9 numbers",
    use_when=("Solve this sudoku: 530070000600195000098000060800060003400803001700020006060000280000419005000080079",),
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
)
def sudoku_solve_grid(
    grid: Annotated[str, About("81 cells row by row; 0, . or _ for empty ones", "53..7....6..195...", max_length=400)],
) -> SolvedSudoku:
    """Solve a sudoku of nine by nine cells, and tell whether its solution is the only one."""
    cells = [one if one in _ALL else "." for one in grid if one in _ALL or one in "0._*-"]
    if len(cells) != _CELLS:
        raise ToolError(f"A sudoku has 81 cells, but there are {len(cells)}. Write 0 or . for empty ones.")
    if any(one != "." and one not in _free(cells, place) for place, one in enumerate(cells)):
        raise ToolError("A digit stands twice in a row, column or box.")
    found: list[str] = []
    _search(cells, found, [0])
    if not found:
        raise ToolError("This sudoku has no solution.")
    rows = [found[0][start : start + _SIZE] for start in range(0, _CELLS, _SIZE)]
    return {"solution": "\n".join(rows), "line": found[0], "is_unique": len(found) == 1}


def _free(cells: list[str], place: int) -> set[str]:
    """What may stand in a cell beside the others."""
    row, column = divmod(place, _SIZE)
    top, left = row // 3 * 3, column // 3 * 3
    seen = {row * _SIZE + one for one in range(_SIZE)} | {one * _SIZE + column for one in range(_SIZE)}
    seen |= {(top + one // 3) * _SIZE + left + one % 3 for one in range(_SIZE)}
    return set(_ALL) - {cells[other] for other in seen - {place}}


def _search(cells: list[str], found: list[str], steps: list[int]) -> None:
    """Fill the cell with the fewest choices first; stop at the second solution."""
    steps[0] += 1
    if steps[0] > _MOST_STEPS:
        raise ToolError("This sudoku leaves too much open.")
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
