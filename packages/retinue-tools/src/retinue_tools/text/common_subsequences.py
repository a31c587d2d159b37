"""What two texts have in common, in one order."""

from typing import Annotated

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, tool

_LONGEST = 2000
Compared = Annotated[str, About("A text", "AGGTAB", min_length=1, max_length=_LONGEST)]


class CommonSubsequence(TypedDict):
    """What two texts have in common."""

    subsequence: Annotated[str, About("Longest text that is left of both by leaving characters out")]
    length: int
    substring: Annotated[str, About("Longest piece without a gap that stands in both")]
    substring_length: int


@tool(
    tags="longest common subsequence substring lcs two strings dynamic programming shared sequence",
    use_when=(
        "Longest common subsequence of AGGTAB and GXTXAYB",
        "How long is the longest common substring of 'photograph' and 'tomography'?",
    ),
    examples=(
        Example({"first": "AGGTAB", "second": "GXTXAYB"}, {"subsequence": "GTAB", "length": 4}, source="by hand"),
        Example(
            {"first": "photograph", "second": "tomography"},
            {"substring": "ograph", "substring_length": 6},
            source="by hand",
        ),
        Refusal({"first": "", "second": "a"}, "first"),
    ),
)
def text_find_common_sequence(first: Compared, second: Compared) -> CommonSubsequence:
    """Find the longest common subsequence of two texts, and their longest common substring; case counts."""
    lengths = _lengths(first, second)
    subsequence, substring = _walk(first, second, lengths), _piece(first, second)
    return {
        "subsequence": subsequence,
        "length": len(subsequence),
        "substring": substring,
        "substring_length": len(substring),
    }


def _lengths(first: str, second: str) -> list[list[int]]:
    """Length of the longest common subsequence of every two ends of the texts."""
    rows = [[0] * (len(second) + 1)]
    for one in reversed(first):
        below, row = rows[-1], [0]
        for place in range(len(second) - 1, -1, -1):
            alike = one == second[place]
            row.append(below[place + 1] + 1 if alike else max(below[place], row[-1]))
        rows.append(row[::-1])
    return rows[::-1]


def _walk(first: str, second: str, lengths: list[list[int]]) -> str:
    row = column = 0
    found = []
    while row < len(first) and column < len(second):
        if first[row] == second[column]:
            found.append(first[row])
            row, column = row + 1, column + 1
        elif lengths[row + 1][column] >= lengths[row][column + 1]:
            row += 1
        else:
            column += 1
    return "".join(found)


def _piece(first: str, second: str) -> str:
    best, end, before = 0, 0, [0] * (len(second) + 1)
    for row, one in enumerate(first, start=1):
        runs = [0] + [before[place] + 1 if one == other else 0 for place, other in enumerate(second)]
        if max(runs) > best:
            best, end = max(runs), row
        before = runs
    return first[end - best : end]
