"""Lists with similar entries: deduplication and joining."""

from typing import Annotated, Any

import numpy as np
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, tool
from retinue_tools.text._fuzzy_metrics import ChosenMetric, Cutoff, IgnoreCase, Strings, prepare, score_table


class Cluster(TypedDict):
    """A group of near-duplicates."""

    keep: Annotated[str, About("First text of the group in the list")]
    members: Annotated[list[str], About("All texts of the group in list order")]
    indexes: Annotated[list[int], About("Their indexes, from 0")]


class Deduplicated(TypedDict):
    """A list without near-duplicates."""

    unique: Annotated[list[str], About("First text of each group, in list order")]
    groups: Annotated[list[Cluster], About("Groups of two or more")]
    removed: Annotated[int, About("Number of removed texts")]


class Pairing(TypedDict):
    """An entry with its match in the other list."""

    left: Annotated[str, About("Entry")]
    right: Annotated[str | None, About("Match; null if none is similar enough")]
    right_index: Annotated[int | None, About("Index of the match, from 0")]
    score: Annotated[float | None, About("Score from 0 to 100")]


class Joined(TypedDict):
    """Result of joining two lists."""

    pairs: Annotated[list[Pairing], About("Entries of the left list in order")]
    unmatched_right: Annotated[list[str], About("Entries of the right list without a match")]


@tool(
    tags="deduplicate fuzzy duplicates near-duplicate merge record linkage clean list names",
    use_when=(
        "Remove near-duplicates from this list of company names",
        "Which of these customers are entered twice with typos?",
        "Group spellings of the same city",
    ),
    examples=(
        Example(
            {"texts": ["Acme Ltd", "Acme Ltd.", "ACME  ltd", "Globex", "Globexx"], "min_score": 90},
            {
                "unique": ["Acme Ltd", "Globex"],
                "groups": [{"keep": "Acme Ltd", "indexes": [0, 1, 2]}, {"keep": "Globex", "indexes": [3, 4]}],
                "removed": 3,
            },
            source="read by a person",
        ),
        Example(
            {"texts": ["ab", "AB"], "ignore_case": False, "metric": "levenshtein"},
            {"removed": 0},
            source="two edits of two",
        ),
        Refusal({"texts": []}, "texts"),
    ),
    reply={
        "removed": "I removed {removed|near-duplicate}; what is left: {unique}",
        "": "There are no near-duplicates.",
    },
    pace="normal",
)
def text_deduplicate_fuzzy(
    texts: Strings, metric: ChosenMetric = "ratio", min_score: Cutoff = 88, ignore_case: IgnoreCase = True
) -> Deduplicated:
    """Find near-duplicates in a list and keep the first of each group.

    Texts belong to the same group if a chain of pairs with at least the minimum score links them. Returns the list
    without duplicates, and the groups.
    """
    ready = prepare(texts, ignore_case)
    scores = score_table(ready, ready, metric)
    leaders = _leaders(scores >= min_score)
    groups: dict[int, list[int]] = {}
    for index, leader in enumerate(leaders):
        groups.setdefault(leader, []).append(index)
    clusters: list[Cluster] = [
        {"keep": texts[leader], "members": [texts[index] for index in members], "indexes": members}
        for leader, members in groups.items()
        if len(members) > 1
    ]
    unique = [texts[leader] for leader in groups]
    return {"unique": unique, "groups": clusters, "removed": len(texts) - len(unique)}


@tool(
    tags="fuzzy join match two lists record linkage reconcile vlookup names",
    use_when=(
        "Match the names of this list with those of the other despite different spellings",
        "Do a fuzzy VLOOKUP between two columns",
        "Reconcile customers of two systems",
    ),
    examples=(
        Example(
            {
                "left": ["Jon Smith", "Maria Garcia", "X"],
                "right": ["Maria García", "John Smith", "Li Wei"],
                "min_score": 80,
            },
            {
                "pairs": [
                    {"left": "Jon Smith", "right": "John Smith", "right_index": 1},
                    {"left": "Maria Garcia", "right": "Maria García", "right_index": 0},
                    {"left": "X", "right": None, "score": None},
                ],
                "unmatched_right": ["Li Wei"],
            },
            source="read by a person",
        ),
        Example(
            {"left": ["aa", "ab"], "right": ["aa"], "one_to_one": False, "min_score": 50, "metric": "levenshtein"},
            {"pairs": [{"right": "aa", "score": 100.0}, {"right": "aa", "score": 50.0}]},
            source="by hand",
        ),
        Refusal({"left": ["a"], "right": []}, "right"),
    ),
    reply={
        "unmatched_right": "Without a match: {unmatched_right}. The pairs: {pairs}",
        "": "The pairs: {pairs}",
    },
    pace="normal",
)
def text_join_fuzzy(
    left: Strings,
    right: Strings,
    metric: ChosenMetric = "token_sort",
    min_score: Cutoff = 75,
    one_to_one: Annotated[bool, About("Whether each entry of the right list may be used only once")] = True,
    ignore_case: IgnoreCase = True,
) -> Joined:
    """Pair the entries of two lists by their similarity (likeness), best pairs first.

    Use it to link records whose names are spelled differently. Returns each left entry with its match and score, and
    right entries without one.
    """
    scores = score_table(prepare(left, ignore_case), prepare(right, ignore_case), metric)
    partners = _partners(scores, min_score, one_to_one)
    pairs: list[Pairing] = []
    for index, text in enumerate(left):
        at = partners.get(index)
        score = None if at is None else round(float(scores[index, at]), 4)
        pairs.append({"left": text, "right": None if at is None else right[at], "right_index": at, "score": score})
    used = set(partners.values())
    return {"pairs": pairs, "unmatched_right": [text for at, text in enumerate(right) if at not in used]}


def _leaders(linked: Any) -> list[int]:
    """Return the first row of the connected group of each row."""
    leaders = list(range(len(linked)))
    for start in range(len(linked)):
        if leaders[start] != start:
            continue
        waiting = [start]
        while waiting:
            for index in np.flatnonzero(linked[waiting.pop()]):
                if leaders[index] == index and index > start:
                    leaders[index] = start
                    waiting.append(int(index))
    return leaders


def _partners(scores: Any, min_score: float, one_to_one: bool) -> dict[int, int]:
    """Return the match of each row, by descending score."""
    if not one_to_one:
        best = scores.argmax(axis=1)
        return {row: int(at) for row, at in enumerate(best) if scores[row, at] >= min_score}
    rows, columns = np.nonzero(scores >= min_score)
    order = np.argsort(-scores[rows, columns], kind="stable")
    partners: dict[int, int] = {}
    used: set[int] = set()
    for row, column in zip(rows[order].tolist(), columns[order].tolist(), strict=True):
        if row not in partners and column not in used:
            partners[row] = column
            used.add(column)
    return partners
