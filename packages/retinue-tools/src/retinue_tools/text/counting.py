"""What a text consists of, counted."""

import math
from collections import Counter
from typing import Annotated, Literal

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, Text, ToolError, tool
from retinue_tools.text._segments import lower_words, need_words, paragraphs_of, sentences_of
from retinue_tools.text._stop_words import StopLanguage, stop_words

_READING_WORDS_PER_MINUTE = 238
"""Brysbaert (2019), How many words do we read per minute?: mean of silent reading of English non-fiction."""
_SPEAKING_WORDS_PER_MINUTE = 150

Top = Annotated[int, About("How many to return at most, the most frequent first", minimum=1, maximum=1000)]


class Statistics(TypedDict):
    """How long a text is, in several units."""

    words: Annotated[int, About("Words and numbers; each Chinese or Japanese character counts as one")]
    characters: Annotated[int, About("Code points with spaces")]
    characters_without_spaces: Annotated[int, About("Code points that are no white space")]
    bytes_utf8: Annotated[int, About("Size in UTF-8")]
    distinct_words: Annotated[int, About("Different words, whatever their case")]
    sentences: Annotated[int, About("Sentences")]
    paragraphs: Annotated[int, About("Parts between blank lines")]
    lines: Annotated[int, About("Lines, empty ones too")]
    mean_word_length: Annotated[float, About("Mean characters of a word")]
    mean_sentence_words: Annotated[float, About("Mean words of a sentence")]
    longest_word: Annotated[str, About("The longest word, the first of several")]
    reading_minutes: Annotated[float, About("Time to read it silently, at 238 words a minute")]
    speaking_minutes: Annotated[float, About("Time to say it aloud, at 150 words a minute")]


class Frequency(TypedDict):
    """How often something occurs."""

    item: Annotated[str, About("The word, run of words or character")]
    count: Annotated[int, About("How often it occurs")]
    percent: Annotated[float, About("Its part of all that were counted")]


class Frequencies(TypedDict):
    """What occurs how often."""

    items: Annotated[list[Frequency], About("The most frequent first; equal ones in the order of the text")]
    total: Annotated[int, About("All that were counted")]
    distinct: Annotated[int, About("How many different ones there are")]


class Letters(Frequencies):
    """Characters and how evenly they are spread."""

    entropy_bits: Annotated[float, About("Shannon entropy of a character in bits")]
    index_of_coincidence: Annotated[
        float | None, About("Chance that two characters drawn are equal, without replacement; null for one character")
    ]


@tool(
    tags="word count character count length reading time paragraphs statistics essay limit",
    use_when=(
        "How many words does this essay have?",
        "How long does it take to read this article aloud?",
        "Is this text under 280 characters?",
        "Count the paragraphs and sentences of my abstract",
        "How long is my essay in words and characters?",
        "Word count of a paragraph",
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
        Refusal({"text": "   "}, "holds no words"),
    ),
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
)
def text_count_word_frequency(
    text: Text,
    words_together: Annotated[int, About("1 for words, 2 for pairs, 3 for triples…", minimum=1, maximum=6)] = 1,
    skip_stop_words_of: Annotated[StopLanguage, About("Leave out the function words of this language")] = "none",
    top: Top = 50,
) -> Frequencies:
    """Count the most frequent words of a text, or runs of two to six words (n-grams).

    Case is ignored, stop words can be left out; runs do not cross sentences. Returns counts and percentages.
    """
    stop = stop_words(skip_stop_words_of)
    need_words(text)
    counts: Counter[str] = Counter()
    for sentence in sentences_of(text):
        words = [word for word in lower_words(sentence) if word not in stop]
        runs = zip(*(words[offset:] for offset in range(words_together)), strict=False)
        counts.update(" ".join(run) for run in runs)
    if not counts:
        raise ToolError("Each sentence has fewer words than were asked for together, not counting stop words.")
    return _frequencies(counts, top)


@tool(
    tags="letter frequency character histogram entropy index of coincidence cryptanalysis alphabet",
    use_when=(
        "How often does each letter occur in this ciphertext?",
        "What is the Shannon entropy of this string?",
        "Compute the index of coincidence of a text",
    ),
    examples=(
        Example(
            {"text": "Mississippi"},
            {
                "items": [
                    {"item": "i", "count": 4, "percent": 36.36},
                    {"item": "s", "count": 4, "percent": 36.36},
                    {"item": "p", "count": 2, "percent": 18.18},
                    {"item": "m", "count": 1, "percent": 9.09},
                ],
                "total": 11,
                "entropy_bits": 1.8230,
                "index_of_coincidence": 0.236364,
            },
            tolerance=1e-4,
            source="by hand: 8/11 log2(11/4) + 2/11 log2(11/2) + 1/11 log2 11 = 1.8230; (12+12+2)/110",
        ),
        Example({"text": "aB 1!", "count": "everything", "top": 1}, {"total": 5, "distinct": 5}, source="by hand"),
        Refusal({"text": "123"}, "nothing to count"),
    ),
)
def text_count_letters(
    text: Text,
    count: Annotated[
        Literal["letters", "letters_and_digits", "everything"],
        About("Which characters count; letters are made small, 'everything' keeps case and spaces"),
    ] = "letters",
    top: Top = 100,
) -> Letters:
    """Count how often each letter or character occurs, with the entropy and the index of coincidence.

    Use it for cryptanalysis, randomness checks and letter statistics. Returns characters by frequency.
    """
    tests = {"letters": str.isalpha, "letters_and_digits": str.isalnum}
    chosen = list(text) if count == "everything" else [one for one in text.lower() if tests[count](one)]
    if not chosen:
        raise ToolError(f"There is nothing to count: the text has no {count.replace('_', ' ')}.")
    counts, total = Counter(chosen), len(chosen)
    entropy = math.log2(total) - sum(number * math.log2(number) for number in counts.values()) / total
    pairs = sum(number * (number - 1) for number in counts.values())
    return {
        **_frequencies(counts, top),
        "entropy_bits": round(max(entropy, 0.0), 6),
        "index_of_coincidence": round(pairs / (total * (total - 1)), 6) if total > 1 else None,
    }


def _frequencies(counts: Counter[str], top: int) -> Frequencies:
    total = counts.total()
    items: list[Frequency] = [
        {"item": item, "count": count, "percent": round(100 * count / total, 2)}
        for item, count in counts.most_common(top)
    ]
    return {"items": items, "total": total, "distinct": len(counts)}
