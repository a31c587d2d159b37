"""How varied the words of a text are."""

import math
from collections import Counter
from collections.abc import Sequence
from typing import Annotated

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, tool
from retinue_tools.text._segments import Prose, need_words


class Diversity(TypedDict):
    """How rich the vocabulary of a text is."""

    tokens: Annotated[int, About("Words")]
    types: Annotated[int, About("Different words, whatever their case")]
    type_token_ratio: Annotated[float, About("types / tokens; falls with the length of the text")]
    root_ttr: Annotated[float, About("Guiraud's index, types / sqrt(tokens)")]
    moving_average_ttr: Annotated[float, About("Mean ratio in windows of 50 words, or of all if fewer")]
    mtld: Annotated[float | None, About("Measure of textual lexical diversity; null if no word repeats")]
    yule_k: Annotated[float, About("Yule's characteristic K, 0 if no word repeats; low is rich")]
    hapax_legomena: Annotated[int, About("Words that occur once")]
    hapax_percent: Annotated[float, About("Part of the different words that occur once")]


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
        Refusal({"text": "-"}, "holds no words"),
    ),
)
def text_measure_vocabulary(text: Prose) -> Diversity:
    """Measure how varied the vocabulary of a text is: type-token ratios, MTLD, Yule's K and words used once.

    Use it to compare authors, learners or drafts; MTLD and the moving average hardly depend on length. Returns all
    measures.
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
    """Mean length of runs whose ratio stays above the threshold, in one direction (McCarthy and Jarvis 2010)."""
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
