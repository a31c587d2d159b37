"""Summaries of a text's own sentences."""

import math
from collections.abc import Sequence
from typing import Annotated

import networkx as nx
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.text._segments import need_words, sentences_of, words_of
from retinue_tools.text._stop_words import StopLanguage, stop_words

_MOST_SENTENCES = 400


class KeySentence(TypedDict):
    """A central sentence."""

    sentence: Annotated[str, About("The sentence")]
    index: Annotated[int, About("Index of the sentence, from 0")]
    rank: Annotated[float, About("Share of the total PageRank, which is 1")]


class Summary(TypedDict):
    """Summary of a text."""

    summary: Annotated[str, About("Chosen sentences in text order")]
    sentences: Annotated[list[KeySentence], About("Chosen sentences, most central first")]
    of_sentences: Annotated[int, About("Number of sentences in the text")]


@tool(
    tags="summary summarise summarize textrank extractive key sentences abstract tldr",
    use_when=(
        "Summarise this article in three of its own sentences",
        "What are the most important sentences of this report?",
        "Make a TL;DR by quoting the text only",
        "Make a long text short",
        "Sum up an article",
    ),
    examples=(
        Example(
            {
                "text": "Bees collect nectar from flowers. The weather was mild. Bees make honey from nectar of"
                " flowers."
                " Honey keeps for years. Trains run late.",
                "sentences": 1,
            },
            {"summary": "Bees make honey from nectar of flowers.", "of_sentences": 5},
            source="by reason: this sentence alone shares words with two others",
        ),
        Example(
            {"text": "Der Hund bellt laut. Der Hund bellt nachts. Es regnet.", "sentences": 2, "language": "german"},
            {"summary": "Der Hund bellt laut. Der Hund bellt nachts."},
            source="by reason: the two resemble each other, the third is alone",
        ),
        Refusal({"text": "One sentence only.", "sentences": 1}, "more sentences"),
    ),
    reply={
        "summary": "{summary}",
        "": "The summary: {summary}",
    },
    tier="starter",
    credits=2,
    pace="normal",
    memory_mb=1024,
)
def text_summarize_sentences(
    text: Annotated[
        str,
        About("Text of at most 400 sentences", "Bees make honey. Honey keeps.", min_length=1, max_length=200_000),
    ],
    sentences: Annotated[int, About("Number of sentences in the summary", minimum=1, maximum=50)] = 3,
    language: Annotated[StopLanguage, About("Language whose function words are ignored")] = "english",
) -> Summary:
    """Summarise a text by its most central sentences (TextRank), without adding any words.

    Sentences that share words with many others rank highest. Returns the summary in text order, and the chosen
    sentences with their ranks.
    """
    need_words(text)
    parts = sentences_of(text)
    if not sentences < len(parts) <= _MOST_SENTENCES:
        raise ToolError(f"The text must have more sentences than the summary, and at most {_MOST_SENTENCES}.")
    ranks = _ranks(parts, stop_words(language))
    best = sorted(range(len(parts)), key=lambda index: (-ranks[index], index))[:sentences]
    return {
        "summary": " ".join(parts[index] for index in sorted(best)),
        "sentences": [{"sentence": parts[index], "index": index, "rank": round(ranks[index], 6)} for index in best],
        "of_sentences": len(parts),
    }


def _ranks(sentences: Sequence[str], stop: frozenset[str]) -> dict[int, float]:
    """Compute PageRank over the similarity of sentences (Mihalcea and Tarau 2004)."""
    bags = [{word.lower() for word in words_of(sentence)} - stop for sentence in sentences]
    graph = nx.Graph()
    graph.add_nodes_from(range(len(bags)))
    for first, bag in enumerate(bags):
        for second in range(first):
            if common := len(bag & bags[second]):
                graph.add_edge(first, second, weight=common / math.log(len(bag) * len(bags[second]) + math.e))
    ranks: dict[int, float] = nx.pagerank(graph, weight="weight")
    return {index: float(rank) for index, rank in ranks.items()}
