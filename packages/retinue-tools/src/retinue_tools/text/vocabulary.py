"""Vocabulary: measures of diversity, and selection of words by length, beginning, ending or position."""

import math
from collections import Counter
from collections.abc import Sequence
from statistics import fmean, median
from typing import Annotated, Literal

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, Text, ToolError, tool
from retinue_tools.text._segments import Prose, need_words


class Diversity(TypedDict):
    """Vocabulary diversity of a text."""

    tokens: Annotated[int, About("Number of words")]
    types: Annotated[int, About("Number of distinct words, ignoring case")]
    type_token_ratio: Annotated[float, About("types / tokens; decreases with the length of the text")]
    root_ttr: Annotated[float, About("Guiraud's index, types / sqrt(tokens)")]
    moving_average_ttr: Annotated[float, About("Mean ratio in windows of 50 words, or of all if fewer")]
    mtld: Annotated[float | None, About("Measure of textual lexical diversity; null if no word repeats")]
    yule_k: Annotated[float, About("Yule's characteristic K, 0 if no word repeats; low means rich")]
    hapax_legomena: Annotated[int, About("Number of words that occur once")]
    hapax_percent: Annotated[float, About("Share of distinct words that occur once")]


@tool(
    tags="lexical diversity vocabulary richness type token ratio mtld yule hapax stylometry",
    use_when=(
        "How rich is the vocabulary of this essay?",
        "Compute the type-token ratio and MTLD of a text",
        "How many words occur only once in this chapter?",
    ),
    examples=(
        Example(
            {"text": "a b a c a d"},
            {
                "tokens": 6,
                "types": 4,
                "type_token_ratio": 0.6667,
                "root_ttr": 1.633,
                "yule_k": 1666.6667,
                "hapax_legomena": 3,
                "hapax_percent": 75.0,
            },
            tolerance=1e-4,
            source="by hand: Yule's K = 10,000 (sum of i^2 V_i - N) / N^2 = 10,000 (9 + 3 - 6) / 36",
        ),
        Example({"text": "of the people by the people for the people"}, {"tokens": 9, "types": 5}, source="by hand"),
        Refusal({"text": "-"}, "contains no words"),
    ),
    reply={
        "mtld": (
            "The text has {types} distinct words of {tokens}, a type-token ratio of "
            "{type_token_ratio} and an MTLD of {mtld}."
        ),
        "": "The text has {types} distinct words of {tokens}, a type-token ratio of {type_token_ratio}.",
    },
)
def text_measure_vocabulary(text: Prose) -> Diversity:
    """Measure how varied the vocabulary of a text is: type-token ratios, MTLD, Yule's K and words used once.

    Use it to compare authors, learners or drafts; MTLD and the moving average are almost independent of length. Returns
    all measures.
    """
    words = [word.casefold() for word in need_words(text)]
    counts, size = Counter(words), len(words)
    once = sum(count == 1 for count in counts.values())
    forward, backward = _mtld(words), _mtld(words[::-1])
    return {
        "tokens": size,
        "types": len(counts),
        "type_token_ratio": round(len(counts) / size, 4),
        "root_ttr": round(len(counts) / math.sqrt(size), 4),
        "moving_average_ttr": round(_moving_ratio(words, min(50, size)), 4),
        "mtld": None if forward is None or backward is None else round((forward + backward) / 2, 2),
        "yule_k": round(1e4 * (sum(count**2 for count in counts.values()) - size) / size**2, 4),
        "hapax_legomena": once,
        "hapax_percent": round(100 * once / len(counts), 2),
    }


def _mtld(words: Sequence[str], threshold: float = 0.72) -> float | None:
    """Return the mean length of runs whose ratio stays above the threshold, in one direction (McCarthy and Jarvis
    2010).
    """
    factors, seen, length = 0.0, set[str](), 0
    for word in words:
        seen.add(word)
        length += 1
        if len(seen) / length <= threshold:
            factors, seen, length = factors + 1, set(), 0
    if length:
        factors += (1 - len(seen) / length) / (1 - threshold)
    return len(words) / factors if factors else None


def _moving_ratio(words: Sequence[str], window: int) -> float:
    counts, total = Counter(words[:window]), 0.0
    total = len(counts) / window
    for leaving, coming in zip(words, words[window:], strict=False):
        counts[leaving] -= 1
        if not counts[leaving]:
            del counts[leaving]
        counts[coming] += 1
        total += len(counts) / window
    return total / (len(words) - window + 1)


_MOST_WORDS = 5000

Ends = Annotated[
    str | None,
    About("Letters; several alternatives are separated by commas, such as a, e, i, o, u", "b", max_length=200),
]


class PickedWord(TypedDict):
    """A word with its length and position."""

    word: Annotated[str, About("The word")]
    length: Annotated[int, About("Number of letters and digits, without hyphens and apostrophes")]
    position: Annotated[int, About("Position among all words of the text, from 1")]


class PickedWords(TypedDict):
    """Selected words."""

    words: Annotated[list[str], About("Words, the first 5,000")]
    count: Annotated[int, About("Number of matching words")]
    details: Annotated[list[PickedWord], About("Words with their lengths and positions")]
    mean_length: Annotated[float, About("Mean length of the matching words")]
    median_length: Annotated[float, About("Median length of the matching words")]


@tool(
    tags="words longest shortest nth length letters starting ending beginning prefix suffix pick sentence",
    use_when=(
        "What is the longest word of this sentence?",
        "Which words have exactly 5 letters?",
        "Find the words that start with b",
        "Words ending in -ing of a text",
        "What is the third word?",
        "Which is the shortest word?",
        "Give the length of each word",
    ),
    examples=(
        Example(
            {"text": "The quick brown fox jumped over the lazy dog.", "choose": "longest"},
            {"words": ["jumped"], "details": [{"word": "jumped", "length": 6, "position": 5}]},
            source="counted by hand",
        ),
        Example(
            {"text": "apple, pear, orange, fig, umbrella", "begins_with": "a, e, i, o, u"},
            {"words": ["apple", "orange", "umbrella"], "count": 3},
            source="by hand",
        ),
        Example({"text": "a bb ccc dddd"}, {"median_length": 2.5, "mean_length": 2.5, "count": 4}, source="by hand"),
        Example(
            {"text": "Going on, he kept singing and ran", "ends_with": "-ing", "min_length": 6},
            {"words": ["singing"]},
            source="by hand",
        ),
        Example({"text": "one two three four", "nth": -1}, {"words": ["four"]}, source="by hand"),
        Refusal({"text": "one two", "nth": 3}, "2 words match, so there is no word 3"),
        Refusal({"text": "...", "choose": "longest"}, "no words"),
    ),
    reply={
        "words.1": "I found {count|word}: {words}",
        "words": "The word is \u201c{words.0}\u201d.",
        "": "There is no such word in the text.",
    },
)
def text_pick_words(
    text: Text,
    choose: Annotated[
        Literal["all", "longest", "shortest"], About("Selection among the matching words; several if equal")
    ] = "all",
    length: Annotated[int | None, About("Exact number of letters", 5, minimum=1, maximum=1000)] = None,
    min_length: Annotated[int | None, About("Minimum number of letters", 4, minimum=1, maximum=1000)] = None,
    max_length: Annotated[int | None, About("Maximum number of letters", 3, minimum=1, maximum=1000)] = None,
    begins_with: Ends = None,
    ends_with: Ends = None,
    nth: Annotated[int | None, About("Only the nth of the matching words; -1 is the last", 3)] = None,
) -> PickedWords:
    """Pick words of a text: the longest, shortest or nth, those with a number of letters, or with a beginning or
    ending.

    Case is ignored. Returns the words in order with lengths and positions; all words if nothing else is given.
    """
    lengths = (length or min_length or 1, length or max_length or len(text))
    fitting = [one for one in _words(text) if lengths[0] <= one["length"] <= lengths[1]]
    for test, letters in ((str.startswith, begins_with), (str.endswith, ends_with)):
        tests = _alternatives(letters)
        fitting = [one for one in fitting if not tests or any(test(one["word"].lower(), end) for end in tests)]
    picked = _nth(_extreme(fitting, choose), nth)
    sizes = [one["length"] for one in picked]
    return {
        "words": [one["word"] for one in picked[:_MOST_WORDS]],
        "count": len(picked),
        "details": picked[:_MOST_WORDS],
        "mean_length": round(fmean(sizes), 4) if sizes else 0.0,
        "median_length": float(median(sizes)) if sizes else 0.0,
    }


def _words(text: str) -> list[PickedWord]:
    return [
        {"word": word, "length": sum(one.isalnum() for one in word), "position": place}
        for place, word in enumerate(need_words(text), 1)
    ]


def _alternatives(letters: str | None) -> list[str]:
    """Return the beginnings or endings, without the hyphens and dots that mark them."""
    parts = (part.strip(" -\u2026.*'\"").lower() for part in (letters or "").split(","))
    return [part for part in parts if part]


def _extreme(words: list[PickedWord], choose: str) -> list[PickedWord]:
    """Return all words, or each longest or shortest once."""
    if choose == "all" or not words:
        return words
    best = (max if choose == "longest" else min)(one["length"] for one in words)
    once = {one["word"].lower(): one for one in reversed(words) if one["length"] == best}
    return sorted(once.values(), key=lambda one: one["position"])


def _nth(words: list[PickedWord], nth: int | None) -> list[PickedWord]:
    if nth is None:
        return words
    if nth == 0 or abs(nth) > len(words):
        raise ToolError(
            f"{len(words)} words match, so there is no word {nth}. Give a position from 1, or from -1 backwards."
        )
    return [words[nth - 1 if nth > 0 else nth]]
