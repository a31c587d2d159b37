"""Counts of words, sentences and other parts of a text."""

import re
from collections import Counter
from typing import Annotated

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, Text, ToolError, tool
from retinue_tools.text._segments import lower_words, need_words, paragraphs_of, sentences_of
from retinue_tools.text._stop_words import StopLanguage, stop_words

_READING_WORDS_PER_MINUTE = 238
"""Brysbaert (2019), How many words do we read per minute?: mean of silent reading of English non-fiction."""
_SPEAKING_WORDS_PER_MINUTE = 150

Top = Annotated[int, About("Maximum number of results, most frequent first", minimum=1, maximum=1000)]


class Statistics(TypedDict):
    """Length of a text in several units."""

    words: Annotated[int, About("Number of words and numbers; each Chinese or Japanese character counts as one")]
    characters: Annotated[int, About("Number of code points including spaces")]
    characters_without_spaces: Annotated[int, About("Number of code points without white space")]
    bytes_utf8: Annotated[int, About("Size in UTF-8")]
    distinct_words: Annotated[int, About("Number of distinct words, ignoring case")]
    sentences: Annotated[int, About("Number of sentences")]
    paragraphs: Annotated[int, About("Number of paragraphs, separated by blank lines")]
    lines: Annotated[int, About("Number of lines, including empty ones")]
    mean_word_length: Annotated[float, About("Mean characters per word")]
    mean_sentence_words: Annotated[float, About("Mean words per sentence")]
    longest_word: Annotated[str, About("Longest word, the first of several")]
    reading_minutes: Annotated[float, About("Silent reading time, at 238 words per minute")]
    speaking_minutes: Annotated[float, About("Speaking time, at 150 words per minute")]


class Frequency(TypedDict):
    """Frequency of an item."""

    item: Annotated[str, About("Word, run of words or character")]
    count: Annotated[int, About("Number of occurrences")]
    percent: Annotated[float, About("Share of all that were counted")]


class Frequencies(TypedDict):
    """Frequencies of items."""

    items: Annotated[list[Frequency], About("Most frequent first; ties in text order")]
    total: Annotated[int, About("Total number counted")]
    distinct: Annotated[int, About("Number of distinct items")]


@tool(
    tags="word count character count length reading time paragraphs statistics essay limit",
    use_when=(
        "How many words does this essay have?",
        "How long does it take to read this article aloud?",
        "Is this text under 280 characters?",
        "Count the paragraphs and sentences of my abstract",
        "How long is my essay in words and characters?",
        "Word count of a paragraph",
        "Word count of my essay",
    ),
    examples=(
        Example(
            {"text": "The quick brown fox jumps over the lazy dog. It barked!\n\nThe end."},
            {
                "words": 13,
                "distinct_words": 11,
                "sentences": 3,
                "paragraphs": 2,
                "lines": 3,
                "characters": 65,
                "characters_without_spaces": 52,
                "bytes_utf8": 65,
                "longest_word": "barked",
                "mean_word_length": 3.77,
                "mean_sentence_words": 4.33,
                "reading_minutes": 0.05,
                "speaking_minutes": 0.09,
            },
            source="counted by hand",
        ),
        Example(
            {"text": "\u4f60\u597d caf\u00e9"},
            {"words": 3, "characters": 7, "bytes_utf8": 12},
            source="RFC 3629: 3+3+1+3+2",
        ),
        Refusal({"text": "   "}, "contains no words"),
    ),
    reply="The text has {words|word}, {characters|character} and {sentences|sentence}.",
)
def text_count_statistics(text: Text) -> Statistics:
    """Count the characters, bytes, words, sentences, paragraphs and lines of a text, and estimate its reading time.

    Use it for length limits and summaries of a document. Returns all counts, means and the longest word.
    """
    words, sentences = need_words(text), sentences_of(text)
    return {
        "words": len(words),
        "characters": len(text),
        "characters_without_spaces": sum(not character.isspace() for character in text),
        "bytes_utf8": len(text.encode("utf-8", "replace")),
        "distinct_words": len({word.casefold() for word in words}),
        "sentences": len(sentences),
        "paragraphs": len(paragraphs_of(text)),
        "lines": len(text.splitlines()),
        "mean_word_length": round(sum(map(len, words)) / len(words), 2),
        "mean_sentence_words": round(len(words) / len(sentences), 2),
        "longest_word": max(words, key=len),
        "reading_minutes": round(len(words) / _READING_WORDS_PER_MINUTE, 2),
        "speaking_minutes": round(len(words) / _SPEAKING_WORDS_PER_MINUTE, 2),
    }


@tool(
    tags="word frequency most common words count ngram bigram trigram phrases word cloud",
    use_when=(
        "Which words does this speech use most?",
        "What are the most frequent three-word phrases in these reviews?",
        "Make the data of a word cloud without stop words",
        "How often does 'whale' occur in this chapter?",
        "How often does a word occur in a text?",
    ),
    examples=(
        Example(
            {"text": "The cat saw the other cat. A cat!", "skip_stop_words_of": "english", "top": 2},
            {"items": [{"item": "cat", "count": 3, "percent": 75.0}, {"item": "saw", "count": 1, "percent": 25.0}]},
            source="counted by hand: the, other and a are stop words",
        ),
        Example(
            {"text": "to be or not to be", "words_together": 2},
            {
                "items": [
                    {"item": "to be", "count": 2, "percent": 40.0},
                    {"item": "be or", "count": 1, "percent": 20.0},
                    {"item": "or not", "count": 1, "percent": 20.0},
                    {"item": "not to", "count": 1, "percent": 20.0},
                ],
                "total": 5,
                "distinct": 4,
            },
            source="counted by hand",
        ),
        Refusal({"text": "to be", "words_together": 3}, "fewer words"),
    ),
    reply={
        "items": "The most frequent is \u201c{items.0.item}\u201d, {items.0.count|time}: {items}",
        "": "There are no words to count.",
    },
)
def text_count_word_frequency(
    text: Text,
    words_together: Annotated[int, About("1 for words, 2 for pairs, 3 for triples…", minimum=1, maximum=6)] = 1,
    skip_stop_words_of: Annotated[StopLanguage, About("Language of function words to ignore")] = "none",
    top: Top = 50,
) -> Frequencies:
    """Count the most frequent words of a text, or runs of two to six words (n-grams).

    Case is ignored, stop words can be omitted; runs do not cross sentences. Returns counts and percentages.
    """
    stop = stop_words(skip_stop_words_of)
    need_words(text)
    counts: Counter[str] = Counter()
    for sentence in sentences_of(text):
        words = [word for word in lower_words(sentence) if word not in stop]
        runs = zip(*(words[offset:] for offset in range(words_together)), strict=False)
        counts.update(" ".join(run) for run in runs)
    if not counts:
        raise ToolError("Each sentence has fewer words than the requested run, not counting stop words.")
    return frequencies(counts, top)


def frequencies(counts: Counter[str], top: int) -> Frequencies:
    total = counts.total()
    items: list[Frequency] = [
        {"item": item, "count": count, "percent": round(100 * count / total, 2)}
        for item, count in counts.most_common(top)
    ]
    return {"items": items, "total": total, "distinct": len(counts)}


class WordCount(TypedDict):
    """Occurrences of a word or phrase."""

    count: Annotated[int, About("Number of occurrences as requested: whole words, or anywhere")]
    whole_words: int
    anywhere: Annotated[int, About("Number of occurrences including those within words")]
    positions: Annotated[list[int], About("Start positions, from 0")]


@tool(
    tags="count occurrences word phrase substring text how often times appears frequency of one word",
    use_when=(
        "How often does 'the' occur in: the cat and the dog saw the bird?",
        "Count the word rain in 'rain, rain, go away, rainy day'",
        "How many times does 'an' appear in banana?",
    ),
    examples=(
        Example(
            {"text": "Rain, rain, go away, rainy day", "word": "rain"}, {"count": 2, "anywhere": 3}, source="by hand"
        ),
        Example(
            {"text": "banana", "word": "an", "within_words": True}, {"count": 2, "positions": [1, 3]}, source="by hand"
        ),
        Refusal({"text": "a", "word": ""}, "word"),
    ),
    reply="\u201c{args.word}\u201d occurs {count|time}.",
)
def text_count_word(
    text: Text,
    word: Annotated[str, About("Word or phrase to count", "rain", min_length=1, max_length=200)],
    match_case: Annotated[bool, About("Whether to distinguish Rain and rain")] = False,
    within_words: Annotated[bool, About("Whether to count occurrences within other words")] = False,
) -> WordCount:
    """Count how often a word or phrase occurs in a text, as a whole word or anywhere."""
    flags = re.NOFLAG if match_case else re.IGNORECASE
    whole = [one.start() for one in re.finditer(rf"(?<!\w){re.escape(word)}(?!\w)", text, flags)]
    anywhere = [one.start() for one in re.finditer(re.escape(word), text, flags)]
    positions = anywhere if within_words else whole
    return {
        "count": len(positions),
        "whole_words": len(whole),
        "anywhere": len(anywhere),
        "positions": positions[:1000],
    }
