"""Keywords, distinctive terms, and collocations: words that often occur next to each other."""

import math
import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import Annotated

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, Text, ToolError, tool
from retinue_tools.text._segments import Prose, lower_words, sentences_of, words_of
from retinue_tools.text._stop_words import StopLanguage, stop_words

_PHRASE_WORD = re.compile(r"[^\W_]+(?:[-'\u2019][^\W_]+)*|[^\w\s]|\n")
_ABSTRACT = (
    "Compatibility of systems of linear constraints over the set of natural numbers. Criteria of compatibility of a "
    "system of linear Diophantine equations, strict inequations, and nonstrict inequations are considered. Upper "
    "bounds for components of a minimal set of solutions and algorithms of construction of minimal generating sets "
    "of solutions for all types of systems are given. These criteria and the corresponding algorithms for "
    "constructing a minimal supporting set of solutions can be used in solving all the considered types of systems "
    "and systems of mixed types."
)

Documents = Annotated[
    list[Annotated[str, About("Document", max_length=50_000)]],
    About(
        "Documents",
        ["The cat sat on the mat.", "Dogs chase cats.", "Stocks fell sharply."],
        min_items=2,
        max_items=500,
    ),
]


class Keyword(TypedDict):
    """A key phrase."""

    phrase: Annotated[str, About("Phrase in lower case")]
    score: Annotated[
        float, About("Sum of degree/frequency of its words: long and well connected phrases score highest")
    ]
    count: Annotated[int, About("Number of occurrences as a separate phrase")]


class Keywords(TypedDict):
    """Keywords of a text."""

    keywords: Annotated[list[Keyword], About("Best first")]


class Term(TypedDict):
    """A distinctive term."""

    term: Annotated[str, About("Word in lower case")]
    weight: Annotated[float, About("TF-IDF weight: tf * ln(N / df)")]


class Marked(TypedDict):
    """Distinctive terms of documents."""

    documents: Annotated[list[list[Term]], About("Terms of each document, highest weight first")]


@tool(
    tags="keyword extraction rake keyphrase topics tags seo phrases",
    use_when=(
        "What are the keywords of this abstract?",
        "Suggest tags for this blog post",
        "Extract the key phrases from a German article",
    ),
    examples=(
        Example(
            {"text": _ABSTRACT, "top": 3},
            {
                "keywords": [
                    {"phrase": "minimal generating sets", "score": 8.6667},
                    {"phrase": "linear diophantine equations", "score": 8.5},
                    {"phrase": "minimal supporting set", "score": 7.6667},
                ]
            },
            tolerance=1e-4,
            source="Rose et al. 2010, Automatic Keyword Extraction, figure 1.3: 8.7, 8.5, 7.7",
        ),
        Example(
            {"text": "Der Zug der Deutschen Bahn ist spät. Der Zug fährt.", "language": "german", "top": 1},
            {"keywords": [{"phrase": "deutschen bahn", "score": 4.0, "count": 1}]},
            source="by hand: two words of degree 2 and frequency 1",
        ),
        Refusal({"text": "it is what it is"}, "only function words"),
    ),
    reply={
        "keywords": "The keywords: {keywords}",
        "": "I found no keywords in the text.",
    },
)
def text_extract_keywords(
    text: Prose,
    language: Annotated[StopLanguage, About("Language whose function words separate phrases")] = "english",
    max_words: Annotated[int, About("Maximum number of words in a phrase", minimum=1, maximum=6)] = 4,
    top: Annotated[int, About("Maximum number of results", minimum=1, maximum=200)] = 15,
) -> Keywords:
    """Extract the keywords and key phrases of one text by RAKE (rapid automatic keyword extraction).

    Use it for tags and indexes if there are no other texts for comparison. Returns phrases with scores.
    """
    phrases = [phrase for phrase in _phrases(text, stop_words(language)) if len(phrase) <= max_words]
    if not phrases:
        raise ToolError("The text contains only function words or numbers, or its phrases are longer than max_words.")
    frequency = Counter(word for phrase in phrases for word in phrase)
    degree: Counter[str] = Counter()
    for phrase in phrases:
        for word in phrase:
            degree[word] += len(phrase)
    counts = Counter(" ".join(phrase) for phrase in phrases)
    found: list[Keyword] = [
        {
            "phrase": phrase,
            "score": round(sum(degree[one] / frequency[one] for one in phrase.split(" ")), 4),
            "count": n,
        }
        for phrase, n in counts.items()
    ]
    return {"keywords": sorted(found, key=lambda keyword: (-keyword["score"], -keyword["count"]))[:top]}


@tool(
    tags="tfidf tf-idf terms keywords corpus compare documents distinctive words",
    use_when=(
        "Which words set each of these reviews apart from the others?",
        "Compute TF-IDF keywords for every chapter",
        "What is typical of each of these three speeches?",
    ),
    examples=(
        Example(
            {"documents": ["apple pie apple", "pie crust"], "skip_stop_words_of": "none"},
            {
                "documents": [
                    [{"term": "apple", "weight": 1.386294}, {"term": "pie", "weight": 0.0}],
                    [{"term": "crust", "weight": 0.693147}, {"term": "pie", "weight": 0.0}],
                ]
            },
            tolerance=1e-5,
            source="by hand: 2 ln 2 and ln 2",
        ),
        Example(
            {"documents": ["the sun", "the moon"], "top": 1},
            {"documents": [[{"term": "sun"}], [{"term": "moon"}]]},
            "by hand",
        ),
        Refusal({"documents": ["alone"]}, "documents"),
    ),
    reply="The words that set each document apart: {documents}",
)
def text_extract_distinctive_terms(
    documents: Documents,
    skip_stop_words_of: Annotated[StopLanguage, About("Language of function words to ignore")] = "english",
    top: Annotated[int, About("Maximum number of terms per document", minimum=1, maximum=100)] = 10,
) -> Marked:
    """Find the words that distinguish (mark) each document from the others, by TF-IDF.

    Use it to compare several texts. Returns the terms of each document with weights.
    """
    stop = stop_words(skip_stop_words_of)
    bags = [Counter(word.casefold() for word in words_of(text) if word.casefold() not in stop) for text in documents]
    spread = Counter(word for bag in bags for word in bag)
    weighted = [[(word, count * math.log(len(bags) / spread[word])) for word, count in bag.items()] for bag in bags]
    return {"documents": [_heaviest(terms, top) for terms in weighted]}


def _heaviest(terms: Sequence[tuple[str, float]], top: int) -> list[Term]:
    ordered = sorted(terms, key=lambda term: (-term[1], term[0]))[:top]
    return [{"term": word, "weight": round(weight, 6)} for word, weight in ordered]


def _phrases(text: str, stop: frozenset[str]) -> list[list[str]]:
    """Return runs of words between function words, numbers and punctuation."""
    phrases: list[list[str]] = [[]]
    for part in _PHRASE_WORD.findall(text.lower()):
        is_content = part not in stop and any(map(str.isalpha, part))
        if is_content:
            phrases[-1].append(part)
        elif part != "\n" and phrases[-1]:
            phrases.append([])
    return [phrase for phrase in phrases if phrase]


Top = Annotated[int, About("Maximum number of results, strongest first", minimum=1, maximum=1000)]


class Collocation(TypedDict):
    """A pair of adjacent words."""

    pair: Annotated[str, About("The words")]
    count: Annotated[int, About("Number of occurrences next to each other")]
    pmi_bits: Annotated[float, About("Pointwise mutual information in bits")]
    log_likelihood: Annotated[float, About("Dunning's log-likelihood ratio; above 10.83 is p < 0.001")]


class Collocations(TypedDict):
    """Word pairs in a text."""

    pairs: Annotated[list[Collocation], About("Strongest by log-likelihood first")]


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
    reply={
        "pairs": "These words belong together: {pairs}",
        "": "No words occur together often enough.",
    },
)
def text_find_collocations(
    text: Text,
    min_count: Annotated[int, About("Minimum number of occurrences of a pair", minimum=2, maximum=1000)] = 2,
    skip_stop_words_of: Annotated[
        StopLanguage, About("Language of function words; pairs that contain them are ignored")
    ] = "english",
    top: Top = 30,
) -> Collocations:
    """Find pairs of neighbouring words that occur together more often than by chance.

    Pairs are ranked by Dunning's log-likelihood ratio; pointwise mutual information is returned too. Returns pairs with
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
    """Compute Dunning's ratio (1993) from the contingency table of two words."""
    cells = (both, first - both, second - both, total - first - second + both)
    margins = (first, total - first, second, total - second)
    inner = sum(map(_x_log_x, cells)) + _x_log_x(total) - sum(map(_x_log_x, margins))
    return max(2 * inner, 0.0)


def _x_log_x(value: int) -> float:
    return value * math.log(value) if value > 0 else 0.0
