"""Similarity measures for strings."""

from collections.abc import Sequence
from typing import Annotated, Any, Literal

import numpy as np
from rapidfuzz import distance, fuzz, process

from retinue.sdk import About

Metric = Literal[
    "ratio", "partial", "token_sort", "token_set", "weighted", "jaro_winkler", "levenshtein", "damerau_levenshtein"
]


ChosenMetric = Annotated[
    Metric,
    About(
        "Metric: ratio counts insertions and deletions, partial finds the shorter in the longer, token_sort ignores "
        "the order of words, token_set also ignores repeated and extra words, weighted chooses the best of these, "
        "jaro_winkler is for names, levenshtein and damerau_levenshtein for typing errors"
    ),
]


Short = Annotated[str, About("A text", "Jon Smith", max_length=2000)]


Strings = Annotated[
    list[Annotated[str, About("A text", max_length=1000)]],
    About("Texts", ["New York Jets", "New York Giants", "Dallas Cowboys"], min_items=1, max_items=3000),
]


Cutoff = Annotated[float, About("Minimum score, 0 to 100", minimum=0, maximum=100)]


IgnoreCase = Annotated[bool, About("Whether to ignore case, punctuation and surrounding spaces")]


def scorers() -> dict[Metric, Any]:
    """Return the functions of the metrics; see `scaled`."""
    return {
        "ratio": fuzz.ratio,
        "partial": fuzz.partial_ratio,
        "token_sort": fuzz.token_sort_ratio,
        "token_set": fuzz.token_set_ratio,
        "weighted": fuzz.WRatio,
        "jaro_winkler": distance.JaroWinkler.normalized_similarity,
        "levenshtein": distance.Levenshtein.normalized_similarity,
        "damerau_levenshtein": distance.DamerauLevenshtein.normalized_similarity,
    }


def scale(score: float, metric: Metric) -> float:
    """Scale to 0 to 100: the last three scorers range from 0 to 1."""
    return score * 100 if metric in {"jaro_winkler", "levenshtein", "damerau_levenshtein"} else score


def prepare(texts: Sequence[str], ignore_case: bool) -> list[str]:
    """Return the texts for comparison: without case and punctuation if these are ignored."""
    if not ignore_case:
        return list(texts)
    spaced = ("".join(one if one.isalnum() else " " for one in text.casefold()) for text in texts)
    return [" ".join(text.split()) for text in spaced]


def score_table(left: Sequence[str], right: Sequence[str], metric: Metric) -> Any:
    """Return scores from 0 to 100 of each pair, rounded to remove the noise of single precision."""
    scores = process.cdist(left, right, scorer=scorers()[metric], dtype=np.float32)
    return np.round(scores.astype(np.float64) * scale(1.0, metric), 4)
