"""Search for contexts and documents."""

import math
import re
from collections import Counter
from typing import Annotated

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, Text, ToolError, tool
from retinue_tools.text._segments import need_words, words_of
from retinue_tools.text.keywords import Documents

_K1, _B = 1.5, 0.75
"""Usual parameters of BM25 (Robertson and Zaragoza 2009)."""


class Context(TypedDict):
    """An occurrence of a word."""

    before: Annotated[str, About("Text before it")]
    match: Annotated[str, About("Word as it occurs")]
    after: Annotated[str, About("Text after it")]
    position: Annotated[int, About("Start position, in characters from 0")]


class Contexts(TypedDict):
    """Contexts of a word."""

    contexts: Annotated[list[Context], About("In text order")]
    count: Annotated[int, About("Total number of occurrences")]


class Ranked(TypedDict):
    """A ranked document."""

    index: Annotated[int, About("Index of the document in the given list, from 0")]
    score: Annotated[float, About("BM25 score; 0 if no word of the query occurs")]
    matched: Annotated[list[str], About("Words of the query that occur in it")]


class Ranking(TypedDict):
    """Documents ranked by relevance to a query."""

    ranking: Annotated[list[Ranked], About("Best first, without documents that do not match")]


@tool(
    tags="concordance kwic keyword in context corpus find occurrences usage",
    use_when=(
        "Show every place where 'liberty' occurs with some words around it",
        "How is the word 'sanction' used in this report?",
        "Make a concordance of a name in this chapter",
    ),
    examples=(
        Example(
            {"text": "The cat sat. A cat ran; concatenate!", "word": "Cat", "characters": 6},
            {
                "contexts": [
                    {"before": "The ", "match": "cat", "after": " sat. ", "position": 4},
                    {"before": "at. A ", "match": "cat", "after": " ran; ", "position": 15},
                ],
                "count": 2,
            },
            source="by hand",
        ),
        Example({"text": "The cat concatenates", "word": "cat", "whole_words": False}, {"count": 2}, source="by hand"),
        Refusal({"text": "The cat sat.", "word": "dog"}, "does not occur"),
    ),
    reply={
        "contexts": "\u201c{args.word}\u201d occurs {count|time}: {contexts}",
        "": "\u201c{args.word}\u201d does not occur in the text.",
    },
)
def text_find_contexts(
    text: Text,
    word: Annotated[
        str, About("Word or phrase to search for; case is ignored", "liberty", min_length=1, max_length=200)
    ],
    characters: Annotated[int, About("Number of characters on either side", minimum=0, maximum=500)] = 40,
    whole_words: Annotated[bool, About("Whether to match whole words only")] = True,
    top: Annotated[int, About("Maximum number of occurrences", minimum=1, maximum=500)] = 100,
) -> Contexts:
    """Show a word in its contexts (a KWIC concordance): each occurrence with the text before and after.

    Returns the occurrences with their positions, and the total number.
    """
    pattern = rf"(?<!\w){re.escape(word)}(?!\w)" if whole_words else re.escape(word)
    matches = list(re.finditer(pattern, text, re.IGNORECASE))
    if not matches:
        raise ToolError(f"{word!r} does not occur in the text. Try whole_words=false or another form of the word.")
    contexts: list[Context] = [
        {
            "before": text[max(0, match.start() - characters) : match.start()],
            "match": match[0],
            "after": text[match.end() : match.end() + characters],
            "position": match.start(),
        }
        for match in matches[:top]
    ]
    return {"contexts": contexts, "count": len(matches)}


@tool(
    tags="search rank bm25 relevance retrieval query documents okapi",
    use_when=(
        "Which of these paragraphs answers best a question about refunds?",
        "Rank these documents by relevance to 'solar panel subsidy'",
        "Find the most relevant notes for a query",
    ),
    examples=(
        Example(
            {"query": "cat dog", "documents": ["the cat sat", "the dog and the cat", "a bird flew"]},
            {
                "ranking": [
                    {"index": 1, "score": 1.246810, "matched": ["cat", "dog"]},
                    {"index": 0, "score": 0.511885, "matched": ["cat"]},
                ]
            },
            tolerance=1e-3,
            source="by hand: ln(1 + (3 - n + 0.5)/(n + 0.5)) is 0.4700 and 0.9808; mean length 11/3, k1 1.5, b 0.75",
        ),
        Example(
            {"query": "tea", "documents": ["tea tea tea", "tea is a drink from leaves", "coffee"], "top": 1},
            {"ranking": [{"index": 0, "matched": ["tea"]}]},
            source="by definition: the shorter document with more occurrences leads",
        ),
        Refusal({"query": "?", "documents": ["a", "b"]}, "contains no words"),
    ),
    reply={
        "ranking.1": "The best document has the index {ranking.0.index}, counted from 0: {ranking}",
        "ranking": "Only the document with the index {ranking.0.index}, counted from 0, fits.",
        "": "None of the documents fits.",
    },
)
def text_rank_documents(
    query: Annotated[str, About("Text to search for", "refund of a ticket", min_length=1, max_length=1000)],
    documents: Documents,
    top: Annotated[int, About("Maximum number of results", minimum=1, maximum=500)] = 20,
) -> Ranking:
    """Rank documents by how well they fit a query, with the BM25 formula of search engines.

    Words are matched literally, ignoring case. Returns the indexes of matching documents with their scores.
    """
    query_words = list(dict.fromkeys(word.casefold() for word in need_words(query)))
    bags = [Counter(word.casefold() for word in words_of(document)) for document in documents]
    mean = sum(bag.total() for bag in bags) / len(bags) or 1.0
    weights = {word: _weight(sum(word in bag for bag in bags), len(bags)) for word in query_words}
    ranking: list[Ranked] = []
    for index, bag in enumerate(bags):
        matched = [word for word in query_words if word in bag]
        length = _K1 * (1 - _B + _B * bag.total() / mean)
        score = sum(weights[word] * bag[word] * (_K1 + 1) / (bag[word] + length) for word in matched)
        ranking += [{"index": index, "score": round(score, 6), "matched": matched}] if matched else []
    return {"ranking": sorted(ranking, key=lambda ranked: -ranked["score"])[:top]}


def _weight(holding: int, total: int) -> float:
    """Return the inverse document frequency, never negative (Lucene's form)."""
    return math.log(1 + (total - holding + 0.5) / (holding + 0.5))
