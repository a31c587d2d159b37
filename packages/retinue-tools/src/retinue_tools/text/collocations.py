"""Words that stand side by side more often than chance would have it."""

import math
from collections import Counter
from itertools import pairwise
from typing import Annotated

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, Text, ToolError, tool
from retinue_tools.text._segments import lower_words, sentences_of
from retinue_tools.text._stop_words import StopLanguage, stop_words

Top = Annotated[int, About("How many to return at most, the strongest first", minimum=1, maximum=1000)]


class Collocation(TypedDict):
    """Two words that stand side by side."""

    pair: Annotated[str, About("The words")]
    count: Annotated[int, About("How often they stand side by side")]
    pmi_bits: Annotated[float, About("Pointwise mutual information in bits")]
    log_likelihood: Annotated[float, About("Dunning's log-likelihood ratio; above 10.83 is p < 0.001")]


class Collocations(TypedDict):
    """Word pairs of a text."""

    pairs: Annotated[list[Collocation], About("The strongest by log-likelihood first")]


@tool(
    tags="collocation bigram pmi mutual information log likelihood phrase association corpus linguistics",
    use_when=(
        "Which word pairs belong together in this corpus?",
        "Find collocations like 'climate change' in these articles",
        "Rank the bigrams of my text by mutual information",
    ),
    examples=(
        Example(
            {
                "text": "New York is big. New York is old. Old men like tea. Big men like rain.",
                "skip_stop_words_of": "none",
            },
            {
                "pairs": [
                    {"pair": "men like", "count": 2, "pmi_bits": 2.584963, "log_likelihood": 10.8134},
                    {"pair": "new york", "count": 2, "pmi_bits": 2.584963, "log_likelihood": 10.8134},
                    {"pair": "york is", "count": 2, "pmi_bits": 2.584963, "log_likelihood": 10.8134},
                ]
            },
            tolerance=1e-4,
            source="by hand: 12 pairs, each word twice on its side: log2(12*2/(2*2)); 2*(12 ln 12 - 2 ln 2 - 10 ln 10)",
        ),
        Example(
            {"text": "Salt water. Salt water! Fresh water. Fresh air.", "min_count": 2, "top": 1},
            {"pairs": [{"pair": "salt water", "count": 2, "pmi_bits": 0.415037}]},
            tolerance=1e-5,
            source="by hand: 4 pairs, log2(2*4 / (2*3)) = log2(4/3)",
        ),
        Refusal({"text": "Every word differs here."}, "No pair of words"),
    ),
)
def text_find_collocations(
    text: Text,
    min_count: Annotated[int, About("How often a pair must occur", minimum=2, maximum=1000)] = 2,
    skip_stop_words_of: Annotated[StopLanguage, About("Leave out pairs with function words of it")] = "english",
    top: Top = 30,
) -> Collocations:
    """Find pairs of neighbouring words that occur together more often than chance would have it.

    Pairs are ranked by Dunning's log-likelihood ratio; pointwise mutual information is given too. Returns pairs with
    their counts and scores.
    """
    stop = stop_words(skip_stop_words_of)
    lists = [lower_words(sentence) for sentence in sentences_of(text)]
    pairs = Counter(pair for words in lists for pair in pairwise(words))
    firsts = Counter(word for words in lists for word in words[:-1])
    seconds = Counter(word for words in lists for word in words[1:])
    total = pairs.total()
    found: list[Collocation] = [
        {
            "pair": f"{first} {second}",
            "count": count,
            "pmi_bits": round(math.log2(count * total / (firsts[first] * seconds[second])), 6),
            "log_likelihood": round(_log_likelihood(count, firsts[first], seconds[second], total), 4),
        }
        for (first, second), count in pairs.items()
        if count >= min_count and not {first, second} & stop
    ]
    if not found:
        raise ToolError("No pair of words occurs often enough. Give more text, or lower min_count.")
    return {"pairs": sorted(found, key=lambda pair: (-pair["log_likelihood"], pair["pair"]))[:top]}


def _log_likelihood(both: int, first: int, second: int, total: int) -> float:
    """Dunning (1993), from the contingency table of two words."""
    cells = (both, first - both, second - both, total - first - second + both)
    margins = (first, total - first, second, total - second)
    inner = sum(map(_x_log_x, cells)) + _x_log_x(total) - sum(map(_x_log_x, margins))
    return max(2 * inner, 0.0)


def _x_log_x(value: int) -> float:
    return value * math.log(value) if value > 0 else 0.0
