"""Readability: formulas, syllables, and style review."""

import math
import re
from collections import Counter
from collections.abc import Callable
from typing import Annotated, Literal

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.text._segments import Prose, need_words, sentence_spans, sentences_of, words_of
from retinue_tools.text._syllables import syllables


class WordSyllables(TypedDict):
    """A word with its syllables."""

    word: Annotated[str, About("The word")]
    syllables: Annotated[int, About("Number of syllables")]


class LineSyllables(TypedDict):
    """A line with its syllables."""

    line: Annotated[str, About("The line")]
    syllables: Annotated[int, About("Number of syllables")]


class Syllables(TypedDict):
    """Syllables in a text."""

    total: Annotated[int, About("Total number of syllables")]
    lines: Annotated[list[LineSyllables], About("Syllables by line, such as 5, 7, 5 in a haiku")]
    words: Annotated[list[WordSyllables], About("Syllables of each distinct word, longest first")]


@tool(
    tags="syllable counter haiku poem verse english pronunciation",
    use_when=(
        "How many syllables has 'extraordinary'?",
        "Does my haiku follow 5-7-5?",
        "Count the syllables of every line of this verse",
        "How many syllables has this word?",
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
        Refusal({"text": "!"}, "contains no words"),
    ),
    reply={
        "lines.1": "I count {total|syllable}: {lines}",
        "": "I count {total|syllable}.",
    },
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


_LEVELS = (
    (90.0, "very easy"), (80.0, "easy"), (70.0, "fairly easy"), (60.0, "plain English"), (50.0, "fairly difficult"),
    (30.0, "difficult"), (-math.inf, "very difficult"),
)  # fmt: skip
"""Flesch (1949), The Art of Readable Writing: the scale of reading ease."""


class Scores(TypedDict):
    """Readability of an English text. Grades are US school years."""

    flesch_reading_ease: Annotated[float, About("206.835 - 1.015 words/sentence - 84.6 syllables/word; 100 is easiest")]
    level: Annotated[str, About("Level of the reading ease, after Flesch")]
    flesch_kincaid_grade: Annotated[float, About("0.39 words/sentence + 11.8 syllables/word - 15.59")]
    gunning_fog: Annotated[float, About("0.4 (words/sentence + percent of words with 3 or more syllables)")]
    smog_grade: Annotated[float, About("3.1291 + 1.043 sqrt(words of 3 or more syllables per 30 sentences)")]
    coleman_liau: Annotated[float, About("0.0588 letters per 100 words - 0.296 sentences per 100 words - 15.8")]
    automated_readability: Annotated[float, About("4.71 characters/word + 0.5 words/sentence - 21.43")]
    lix: Annotated[float, About("words/sentence + percent of words longer than 6 letters (Björnsson), any language")]
    mean_grade: Annotated[float, About("Mean of the five grades")]
    words: Annotated[int, About("Number of words")]
    sentences: Annotated[int, About("Number of sentences")]
    syllables: Annotated[int, About("Number of syllables")]
    complex_words: Annotated[int, About("Number of words of three or more syllables")]


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
    reply=(
        "The Flesch reading ease is {flesch_reading_ease}, which is {level}; the school "
        "grade is {flesch_kincaid_grade}."
    ),
)
def text_score_readability(text: Prose) -> Scores:
    """Score how hard an English text is to read: Flesch, Flesch-Kincaid, Gunning fog, SMOG, Coleman-Liau, ARI, LIX.

    Syllables are counted by rules and a list of exceptions. Returns all scores, the level in words and the underlying
    counts. The scores are only meaningful for texts of about 100 words or more.
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


_BE = r"(?:am|is|are|was|were|be|been|being|get|gets|got)"


_IRREGULAR = (
    "born broken brought built bought caught chosen done drawn driven eaten fallen felt fought found forgotten frozen"
    " given gone grown heard held hidden hit kept known laid led left lost made meant met paid put read run said seen"
    " sold sent set shown shut spoken spent stolen taken taught told thought thrown understood won worn written"
)


_PASSIVE = re.compile(
    rf"\b{_BE}\s+(?:not\s+)?(?:\w+ly\s+)?(?:\w{{2,}}ed|{'|'.join(_IRREGULAR.split())})\b", re.IGNORECASE
)


_ADVERB = re.compile(
    r"\b(?!only\b|family\b|reply\b|apply\b|supply\b|early\b|daily\b|italy\b|july\b|fly\b)\w{2,}ly\b", re.I
)


_WORDY = {
    "in order to": "to", "due to the fact that": "because", "at this point in time": "now", "a majority of": "most",
    "in the event that": "if", "with regard to": "about", "with respect to": "about", "prior to": "before",
    "subsequent to": "after", "in spite of the fact that": "although", "for the purpose of": "for", "utilize": "use",
    "utilise": "use", "facilitate": "help", "commence": "begin", "terminate": "end", "in close proximity to": "near",
    "a large number of": "many", "has the ability to": "can", "have the ability to": "can", "is able to": "can",
    "are able to": "can", "it is important to note that": "(leave out)", "on a regular basis": "regularly",
    "in the near future": "soon", "at the present time": "now", "by means of": "by", "in addition to": "besides",
    "despite the fact that": "although", "until such time as": "until", "each and every": "every",
}  # fmt: skip


Finding = Literal["long_sentence", "passive", "adverb", "wordy", "doubled_word"]


class Remark(TypedDict):
    """A style remark."""

    kind: Annotated[Finding, About("Kind of finding")]
    passage: Annotated[str, About("Passage")]
    position: Annotated[int, About("Start in the text, in characters from 0")]
    advice: Annotated[str, About("Advice")]


class Review(TypedDict):
    """Style review."""

    remarks: Annotated[list[Remark], About("In text order, at most 500")]
    counts: Annotated[dict[str, int], About("Number by kind")]
    words: Annotated[int, About("Number of words")]


@tool(
    tags="style passive voice adverbs long sentences wordy plain english proofreading editor repeated word the the",
    use_when=(
        "Where do I use the passive voice in this report?",
        "Find sentences that are too long and doubled words like 'the the'",
        "How can this text be made plainer and shorter?",
        "Proofread the style of my essay",
    ),
    examples=(
        Example(
            {"text": "The door was quickly closed in order to to stop the wind."},
            {
                "remarks": [
                    {"kind": "passive", "passage": "was quickly closed", "position": 9},
                    {"kind": "adverb", "passage": "quickly", "position": 13},
                    {"kind": "wordy", "passage": "in order to", "position": 28},
                    {"kind": "doubled_word", "passage": "to to", "position": 37},
                ],
                "counts": {"passive": 1, "adverb": 1, "wordy": 1, "doubled_word": 1},
            },
            source="read by a person",
        ),
        Example(
            {"text": "One two three four five six seven. Eight nine.", "max_sentence_words": 5},
            {"remarks": [{"kind": "long_sentence", "position": 0}], "words": 9},
            source="by hand",
        ),
        Refusal({"text": " "}, "contains no words"),
    ),
    reply={
        "remarks": "The style could be better here: {remarks}",
        "": "I found nothing to improve in the {words|word}.",
    },
)
def text_review_style(
    text: Prose,
    max_sentence_words: Annotated[int, About("Length above which sentences are reported", minimum=5, maximum=100)] = 25,
) -> Review:
    """Review the style of an English text: long sentences, passive voice, adverbs, wordy phrases and doubled words.

    Findings are based on patterns, not on grammar, so check each one. Returns them with their positions and advice.
    """
    total = len(need_words(text))
    remarks = [*_long_sentences(text, max_sentence_words), *_matches(text)]
    remarks.sort(key=lambda remark: (remark["position"], remark["kind"]))
    return {
        "remarks": remarks[:500],
        "counts": dict(Counter(str(remark["kind"]) for remark in remarks)),
        "words": total,
    }


def _long_sentences(text: str, most: int) -> list[Remark]:
    remarks: list[Remark] = []
    for start, end in sentence_spans(text):
        if (size := len(words_of(text[start:end]))) > most:
            advice = f"{size} words: make two sentences of it."
            remarks.append(
                {"kind": "long_sentence", "passage": text[start:end][:300], "position": start, "advice": advice}
            )
    return remarks


def _matches(text: str) -> list[Remark]:
    """Yield the findings of the patterns."""
    wordy = re.compile(rf"\b(?:{'|'.join(map(re.escape, _WORDY))})\b", re.IGNORECASE)
    doubled = re.compile(r"\b(?!had\b|that\b)([^\W\d_]+)\s+\1\b", re.IGNORECASE)
    searches: list[tuple[Finding, re.Pattern[str], Callable[[str], str]]] = [
        ("passive", _PASSIVE, lambda _: "Say who does it, if that matters."),
        ("adverb", _ADVERB, lambda _: "See whether a stronger verb does without it."),
        ("wordy", wordy, lambda passage: f"Shorter: {_WORDY[passage.lower()]}."),
        ("doubled_word", doubled, lambda _: "Drop one of the two."),
    ]
    return [
        {"kind": kind, "passage": match[0], "position": match.start(), "advice": advice(match[0])}
        for kind, pattern, advice in searches
        for match in pattern.finditer(text)
    ]
