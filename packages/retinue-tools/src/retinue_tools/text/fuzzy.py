"""Fuzzy string matching."""

from collections.abc import Callable
from typing import Annotated, Any, Literal

from rapidfuzz import distance, process
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.text._fuzzy_metrics import (
    ChosenMetric,
    Cutoff,
    IgnoreCase,
    Short,
    Strings,
    prepare,
    scale,
    scorers,
)


class Similarity(TypedDict):
    """Similarity of two texts."""

    score: Annotated[float, About("Score by the chosen metric, from 0 (nothing in common) to 100 (equal)")]
    scores: Annotated[dict[str, float], About("Scores by all metrics")]


class Match(TypedDict):
    """A matching choice."""

    choice: Annotated[str, About("The choice")]
    index: Annotated[int, About("Index in the list, from 0")]
    score: Annotated[float, About("Score from 0 to 100")]


class Matches(TypedDict):
    """Matches of a query."""

    matches: Annotated[list[Match], About("Best first")]


class Edit(TypedDict):
    """An edit operation."""

    kind: Annotated[str, About("insert, delete or replace")]
    old: Annotated[str, About("Removed text")]
    new: Annotated[str, About("Inserted text")]
    position: Annotated[int, About("Position in the first text, from 0")]


class EditDistance(TypedDict):
    """Edit distance of two texts."""

    distance: Annotated[int, About("Number of single-character edits")]
    similarity_percent: Annotated[float, About("Similarity in percent: 100 (1 - distance / length of the longer)")]
    edits: Annotated[list[Edit], About("Edits of a shortest path by Levenshtein, with neighbouring ones joined")]


@tool(
    tags="fuzzy string similarity jaro winkler levenshtein ratio token sort compare names typo",
    use_when=(
        "How similar are 'MARTHA' and 'MARHTA' by Jaro-Winkler?",
        "Do 'Smith, John' and 'John Smith' mean the same person?",
        "Score how alike these two product names are",
        "How similar are two names or strings?",
    ),
    examples=(
        Example(
            {"first": "MARTHA", "second": "MARHTA", "metric": "jaro_winkler"},
            {"score": 96.1111},
            tolerance=1e-4,
            source="Winkler 1990; Wikipedia, Jaro-Winkler distance: 0.961",
        ),
        Example(
            {"first": "fuzzy wuzzy was a bear", "second": "wuzzy fuzzy was a bear", "metric": "token_sort"},
            {"score": 100.0},
            source="the same words in another order",
        ),
        Refusal({"first": "", "second": "a"}, "empty"),
    ),
    reply="They are {score} % alike.",
)
def text_compare_similarity(
    first: Short, second: Short, metric: ChosenMetric = "weighted", ignore_case: IgnoreCase = False
) -> Similarity:
    """Score how alike (similar) two short texts are, from 0 to 100, by eight metrics of fuzzy matching.

    Use it for names, addresses and typing errors; for whole documents use text_compare_documents. Returns the requested
    score and all others.
    """
    left, right = prepare([first, second], ignore_case)
    if not left or not right:
        raise ToolError("One of the texts is empty or contains only punctuation.")
    scores = {name: round(scale(float(scorer(left, right)), name), 4) for name, scorer in scorers().items()}
    return {"score": scores[metric], "scores": {str(name): score for name, score in scores.items()}}


@tool(
    tags="fuzzy search closest match did you mean lookup typo autocomplete",
    use_when=(
        "Which of these team names is meant by 'new york jets'?",
        "Find the closest entry to a misspelled city name",
        "Did the customer mean one of these products?",
    ),
    examples=(
        Example(
            {"query": "new york jets", "choices": ["Atlanta Falcons", "New York Jets", "New York Giants"], "top": 1},
            {"matches": [{"choice": "New York Jets", "index": 1, "score": 100.0}]},
            source="the same but for case",
        ),
        Example(
            {"query": "kitten", "choices": ["sitting", "mitten", "dog"], "metric": "levenshtein", "min_score": 50},
            {"matches": [{"choice": "mitten", "score": 83.3333}, {"choice": "sitting", "score": 57.1429}]},
            tolerance=1e-4,
            source="Levenshtein distances 1 of 6 and 3 of 7",
        ),
        Refusal({"query": "zebra", "choices": ["xyz"], "min_score": 90}, "similar enough"),
    ),
    reply={
        "matches.1": "The closest is {matches.0.choice}: {matches}",
        "matches": "The closest is {matches.0.choice}, with a score of {matches.0.score}.",
        "": "Nothing in the list is like it.",
    },
)
def text_match_fuzzy(
    query: Short,
    choices: Strings,
    metric: ChosenMetric = "weighted",
    min_score: Cutoff = 60,
    top: Annotated[int, About("Maximum number of results", minimum=1, maximum=500)] = 5,
    ignore_case: IgnoreCase = True,
) -> Matches:
    """Find the entries of a list that resemble a query best, despite typing errors and a different word order.

    Returns them with positions and scores, best first.
    """
    prepared_query, *ready = prepare([query, *choices], ignore_case)
    found = process.extract(prepared_query, ready, scorer=scorers()[metric], limit=None)
    scored = [(index, scale(score, metric)) for _, score, index in found]
    matches: list[Match] = [
        {"choice": choices[index], "index": index, "score": round(score, 4)}
        for index, score in scored
        if score >= min_score
    ]
    if not matches:
        raise ToolError(
            f"No choice is similar enough: the best scores {max(s for _, s in scored):.1f}. Lower min_score."
        )
    return {"matches": sorted(matches, key=lambda match: (-match["score"], match["index"]))[:top]}


@tool(
    tags="edit distance levenshtein damerau hamming osa indel difference edits",
    use_when=(
        "What is the Levenshtein distance between 'kitten' and 'sitting'?",
        "How many typos separate these two words?",
        "Hamming distance of 1011101 and 1001001",
    ),
    examples=(
        Example(
            {"first": "kitten", "second": "sitting"},
            {
                "distance": 3,
                "edits": [
                    {"kind": "replace", "old": "k", "new": "s", "position": 0},
                    {"kind": "replace", "old": "e", "new": "i", "position": 4},
                    {"kind": "insert", "old": "", "new": "g", "position": 6},
                ],
                "similarity_percent": 57.1429,
            },
            source="Wikipedia, Levenshtein distance: its example",
        ),
        Example({"first": "ca", "second": "abc", "kind": "damerau"}, {"distance": 2}, "Wikipedia, Damerau-Levenshtein"),
        Example({"first": "1011101", "second": "1001001", "kind": "hamming"}, {"distance": 2}, "Wikipedia, Hamming"),
        Refusal({"first": "ab", "second": "abc", "kind": "hamming"}, "same length"),
    ),
    reply="The distance is {distance|edit}, a similarity of {similarity_percent} %.",
)
def text_measure_edit_distance(
    first: Short,
    second: Short,
    kind: Annotated[
        Literal["levenshtein", "damerau", "hamming", "longest_common_subsequence"],
        About("levenshtein inserts, deletes, replaces; damerau also swaps neighbours; hamming only replaces"),
    ] = "levenshtein",
) -> EditDistance:
    """Measure the edit distance of two texts: how many characters must change to turn one into the other.

    Returns the distance, the similarity in percent, and the edits of a shortest path.
    """
    if kind == "hamming" and len(first) != len(second):
        raise ToolError("The Hamming distance needs two texts of the same length.")
    measures: dict[str, Callable[[str, str], Any]] = {
        "levenshtein": distance.Levenshtein.distance,
        "damerau": distance.DamerauLevenshtein.distance,
        "hamming": distance.Hamming.distance,
        "longest_common_subsequence": distance.LCSseq.distance,
    }
    steps, longest = int(measures[kind](first, second)), max(len(first), len(second), 1)
    edits: list[Edit] = [
        {
            "kind": code.tag,
            "old": first[code.src_start : code.src_end],
            "new": second[code.dest_start : code.dest_end],
            "position": code.src_start,
        }
        for code in distance.Levenshtein.opcodes(first, second)
        if code.tag != "equal"
    ]
    return {"distance": steps, "similarity_percent": round(100 * (1 - steps / longest), 4), "edits": edits}
