"""How hard a text is to read, by the textbook formulas, and where its style could be plainer."""

import math
from typing import Annotated

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.text._segments import Prose, need_words, sentences_of, words_of
from retinue_tools.text._syllables import syllables

_LEVELS = (
    (90.0, "very easy"), (80.0, "easy"), (70.0, "fairly easy"), (60.0, "plain English"), (50.0, "fairly difficult"),
    (30.0, "difficult"), (-math.inf, "very difficult"),
)  # fmt: skip
"""Flesch (1949), The Art of Readable Writing: the scale of reading ease."""


class Scores(TypedDict):
    """Readability of an English text. Grades are years of school in the United States."""

    flesch_reading_ease: Annotated[float, About("206.835 - 1.015 words/sentence - 84.6 syllables/word; 100 is easiest")]
    level: Annotated[str, About("What the reading ease means, after Flesch")]
    flesch_kincaid_grade: Annotated[float, About("0.39 words/sentence + 11.8 syllables/word - 15.59")]
    gunning_fog: Annotated[float, About("0.4 (words/sentence + percent of words with 3 or more syllables)")]
    smog_grade: Annotated[float, About("3.1291 + 1.043 sqrt(words of 3 or more syllables per 30 sentences)")]
    coleman_liau: Annotated[float, About("0.0588 letters per 100 words - 0.296 sentences per 100 words - 15.8")]
    automated_readability: Annotated[float, About("4.71 characters/word + 0.5 words/sentence - 21.43")]
    lix: Annotated[float, About("words/sentence + percent of words longer than 6 letters (Björnsson), any language")]
    mean_grade: Annotated[float, About("Mean of the five grades")]
    words: Annotated[int, About("Words counted")]
    sentences: Annotated[int, About("Sentences counted")]
    syllables: Annotated[int, About("Syllables counted")]
    complex_words: Annotated[int, About("Words of three or more syllables")]


class WordSyllables(TypedDict):
    """A word and its syllables."""

    word: Annotated[str, About("The word")]
    syllables: Annotated[int, About("How many syllables it has")]


class LineSyllables(TypedDict):
    """A line and its syllables."""

    line: Annotated[str, About("The line")]
    syllables: Annotated[int, About("How many syllables it has")]


class Syllables(TypedDict):
    """Syllables of a text."""

    total: Annotated[int, About("Syllables of the whole text")]
    lines: Annotated[list[LineSyllables], About("Syllables line by line, as in a haiku of 5, 7, 5")]
    words: Annotated[list[WordSyllables], About("Syllables of each different word, the longest first")]


@tool(
    tags="readability flesch kincaid gunning fog smog coleman liau ari lix grade level reading ease plain language",
    use_when=(
        "What is the Flesch reading ease of this paragraph?",
        "Which school grade can read this letter?",
        "Is my leaflet easy enough to understand? Give the Gunning fog index",
        "Which school grade can read this text?",
    ),
    examples=(
        Example(
            {"text": "The cat sat on the mat."},
            {
                "flesch_reading_ease": 116.15,
                "flesch_kincaid_grade": -1.45,
                "gunning_fog": 2.4,
                "syllables": 6,
                "words": 6,
                "sentences": 1,
                "level": "very easy",
                "lix": 6.0,
            },
            tolerance=1e-3,
            source="by hand: 206.835 - 1.015*6 - 84.6; Wikipedia, Flesch-Kincaid: 'The cat sat on the mat' scores 116",
        ),
        Example(
            {"text": "The Australian platypus is seemingly a hybrid of a mammal and reptilian creature."},
            {"flesch_reading_ease": 37.5, "syllables": 24, "words": 13, "flesch_kincaid_grade": 11.3},
            tolerance=0.01,
            source="Wikipedia, Flesch-Kincaid readability tests: 24 syllables in 13 words score 37.5",
        ),
        Refusal({"text": "12 34"}, "no words with letters"),
    ),
)
def text_score_readability(text: Prose) -> Scores:
    """Score how hard an English text is to read: Flesch, Flesch-Kincaid, Gunning fog, SMOG, Coleman-Liau, ARI, LIX.

    Syllables are counted by rules and a list of exceptions. Returns all scores, the level in words and the counts
    behind them. The scores need some 100 words to mean much.
    """
    words = [word for word in need_words(text) if any(map(str.isalpha, word))]
    if not words:
        raise ToolError("The text has no words with letters. Give English prose.")
    count, sentences = len(words), len(sentences_of(text))
    sizes = [syllables(word) for word in words]
    letters = [sum(map(str.isalnum, word)) for word in words]
    hard, length = sum(size >= 3 for size in sizes), count / sentences
    ease = 206.835 - 1.015 * length - 84.6 * sum(sizes) / count
    grades = {
        "flesch_kincaid_grade": 0.39 * length + 11.8 * sum(sizes) / count - 15.59,
        "gunning_fog": 0.4 * (length + 100 * hard / count),
        "smog_grade": 3.1291 + 1.043 * math.sqrt(hard * 30 / sentences),
        "coleman_liau": 5.88 * sum(letters) / count - 29.6 * sentences / count - 15.8,
        "automated_readability": 4.71 * sum(letters) / count + 0.5 * length - 21.43,
    }
    rounded = {name: round(grade, 2) for name, grade in grades.items()}
    return {
        "flesch_reading_ease": round(ease, 2),
        "level": next(name for least, name in _LEVELS if ease >= least),
        "flesch_kincaid_grade": rounded["flesch_kincaid_grade"],
        "gunning_fog": rounded["gunning_fog"],
        "smog_grade": rounded["smog_grade"],
        "coleman_liau": rounded["coleman_liau"],
        "automated_readability": rounded["automated_readability"],
        "lix": round(length + 100 * sum(size > 6 for size in letters) / count, 2),
        "mean_grade": round(sum(grades.values()) / len(grades), 2),
        "words": count,
        "sentences": sentences,
        "syllables": sum(sizes),
        "complex_words": hard,
    }


@tool(
    tags="syllable counter haiku poem verse english pronunciation",
    use_when=(
        "How many syllables has 'extraordinary'?",
        "Does my haiku follow 5-7-5?",
        "Count the syllables of every line of this verse",
    ),
    examples=(
        Example(
            {"text": "An old silent pond\nA frog jumps into the pond\nSplash! Silence again"},
            {
                "total": 17,
                "lines": [
                    {"line": "An old silent pond", "syllables": 5},
                    {"line": "A frog jumps into the pond", "syllables": 7},
                    {"line": "Splash! Silence again", "syllables": 5},
                ],
            },
            source="Basho's haiku in a well-known English version of 5, 7 and 5 syllables",
        ),
        Example(
            {"text": "created science idea people table rhythm walked"},
            {"total": 15},
            source="Merriam-Webster: cre-at-ed, sci-ence, i-de-a, peo-ple, ta-ble, rhyth-m, walked",
        ),
        Refusal({"text": "!"}, "holds no words"),
    ),
)
def text_count_syllables(
    text: Annotated[str, About("English words or verse", "Old pond", min_length=1, max_length=50_000)],
) -> Syllables:
    """Count the syllables of English words, line by line, by rules and a list of exceptions.

    Use it for verse, haiku and reading aids. Returns the total, the count of each line and of each word.
    """
    distinct = dict.fromkeys(word.lower() for word in need_words(text))
    words: list[WordSyllables] = [{"word": word, "syllables": syllables(word)} for word in distinct]
    lines: list[LineSyllables] = [
        {"line": line.strip(), "syllables": sum(map(syllables, words_of(line)))}
        for line in text.splitlines()
        if line.strip()
    ]
    words.sort(key=lambda word: -word["syllables"])
    return {"total": sum(line["syllables"] for line in lines), "lines": lines, "words": words}
