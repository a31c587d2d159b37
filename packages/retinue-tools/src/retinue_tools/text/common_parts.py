"""Common parts of texts: beginnings and endings, passages, and subsequences."""

from collections.abc import Sequence
from itertools import takewhile
from typing import Annotated

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.text._segments import word_spans

Words = Annotated[
    list[str], About("Texts to compare", ["interview", "internet", "interval"], min_items=2, max_items=10_000)
]


class CommonEnds(TypedDict):
    """Common beginning and end of texts."""

    prefix: str
    suffix: str
    prefix_length: int
    suffix_length: int


@tool(
    tags="longest common prefix suffix start beginning end words strings shared",
    use_when=(
        "Longest common prefix of interview, internet and interval",
        "What do hydrogen, hydroxide and hydrate all start with?",
        "Common ending of nation, station and relation",
    ),
    examples=(
        Example(
            {"texts": ["interview", "internet", "interval"]},
            {"prefix": "inter", "prefix_length": 5, "suffix": ""},
            source="by hand",
        ),
        Example({"texts": ["nation", "station"]}, {"suffix": "ation", "prefix": ""}, source="by hand"),
        Refusal({"texts": ["one"]}, "texts"),
    ),
    reply={
        "prefix, suffix": "All begin with \u201c{prefix}\u201d and end with \u201c{suffix}\u201d.",
        "prefix": "All begin with \u201c{prefix}\u201d.",
        "suffix": "All end with \u201c{suffix}\u201d.",
        "": "They have neither beginning nor end in common.",
    },
)
def text_find_common_ends(texts: Words) -> CommonEnds:
    """Find the longest beginning (prefix) and the longest end (suffix) that all texts have in common; case counts."""
    prefix = _common_start(texts)
    suffix = _common_start([text[::-1] for text in texts])[::-1]
    return {"prefix": prefix, "suffix": suffix, "prefix_length": len(prefix), "suffix_length": len(suffix)}


def _common_start(texts: Sequence[str]) -> str:
    alike = takewhile(lambda column: len(set(column)) == 1, zip(*texts, strict=False))
    return "".join(column[0] for column in alike)


class Shared(TypedDict):
    """A passage in both texts."""

    text: Annotated[str, About("The passage as in the first text")]
    words: Annotated[int, About("Number of words")]
    first_position: Annotated[int, About("Start in the first text, in characters from 0")]
    second_position: Annotated[int, About("Start in the second text")]


class SharedPassages(TypedDict):
    """Common passages of two texts."""

    passages: Annotated[list[Shared], About("Longest passages first")]
    first_covered_percent: Annotated[float, About("Share of the first text's words in such passages")]
    second_covered_percent: Annotated[float, About("Share of the second text's words in such passages")]


@tool(
    tags="common substring passages plagiarism overlap copied shared text reuse longest",
    use_when=(
        "Which passages do these two essays share word for word?",
        "Find the longest common substring of two texts",
        "How much of this article was copied from the other?",
    ),
    examples=(
        Example(
            {
                "first": "We hold these truths to be self-evident today.",
                "second": "Indeed, these Truths to be self-evident!",
                "least_words": 3,
            },
            {
                "passages": [
                    {"text": "these truths to be self-evident", "words": 5, "first_position": 8, "second_position": 8}
                ],
                "first_covered_percent": 62.5,
                "second_covered_percent": 83.33,
            },
            source="by hand: 5 of 8 and 5 of 6 words",
        ),
        Example(
            {"first": "a b", "second": "b a", "least_words": 2},
            {"passages": [], "first_covered_percent": 0.0},
            "by hand",
        ),
        Refusal({"first": "!", "second": "a"}, "no words"),
    ),
    reply={
        "passages": (
            "{first_covered_percent} % of the first text and "
            "{second_covered_percent} % of the second are shared word for word: "
            "{passages}"
        ),
        "": "The texts share no passages.",
    },
    pace="normal",
)
def text_find_common_passages(
    first: Annotated[str, About("First text", "We hold these truths", min_length=1, max_length=100_000)],
    second: Annotated[str, About("Second text", "He holds these truths", min_length=1, max_length=100_000)],
    least_words: Annotated[int, About("Minimum number of words in a passage", minimum=1, maximum=100)] = 5,
) -> SharedPassages:
    """Find the passages that two texts share word for word, ignoring case and punctuation.

    Use it for copied text and quotations; passages may be in a different order. Returns them with their positions, and
    the share of each text that they cover.
    """
    spans, others = word_spans(first), word_spans(second)
    if not spans or not others:
        raise ToolError("One of the texts has no words.")
    left = [first[start:end].casefold() for start, end in spans]
    right = [second[start:end].casefold() for start, end in others]
    runs = _runs(left, right, least_words)
    passages: list[Shared] = [
        {
            "text": first[spans[at][0] : spans[at + size - 1][1]],
            "words": size,
            "first_position": spans[at][0],
            "second_position": others[other][0],
        }
        for at, other, size in runs
    ]
    covered = len({at + step for at, _, size in runs for step in range(size)})
    covered_other = len({other + step for _, other, size in runs for step in range(size)})
    return {
        "passages": sorted(passages, key=lambda passage: (-passage["words"], passage["first_position"]))[:500],
        "first_covered_percent": round(100 * covered / len(left), 2),
        "second_covered_percent": round(100 * covered_other / len(right), 2),
    }


def _runs(left: Sequence[str], right: Sequence[str], least: int) -> list[tuple[int, int, int]]:
    """Return runs of equal words as positions and length, from the left, each the longest that begins there."""
    index: dict[tuple[str, ...], list[int]] = {}
    for other in range(len(right) - least + 1):
        index.setdefault(tuple(right[other : other + least]), []).append(other)
    runs, at = [], 0
    while at <= len(left) - least:
        starts = index.get(tuple(left[at : at + least]), [])[:50]
        sizes = [(_common(left, right, at, other, least), -other) for other in starts]
        if sizes:
            size, other = max(sizes)
            runs.append((at, -other, size))
        at += runs[-1][2] if sizes else 1
    return runs


def _common(left: Sequence[str], right: Sequence[str], at: int, other: int, size: int) -> int:
    while at + size < len(left) and other + size < len(right) and left[at + size] == right[other + size]:
        size += 1
    return size


_LONGEST = 2000
Compared = Annotated[str, About("A text", "AGGTAB", min_length=1, max_length=_LONGEST)]


class CommonSubsequence(TypedDict):
    """Longest common subsequence and substring of two texts."""

    subsequence: Annotated[str, About("Longest text that can be obtained from both by deleting characters")]
    length: int
    substring: Annotated[str, About("Longest common piece without gaps")]
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
    reply={
        "subsequence, substring": (
            "The longest common subsequence is \u201c{subsequence}\u201d "
            "({length}), and the longest common substring "
            "\u201c{substring}\u201d ({substring_length})."
        ),
        "": "They have no characters in common.",
    },
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
    """Return the lengths of the longest common subsequences of all pairs of suffixes."""
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
