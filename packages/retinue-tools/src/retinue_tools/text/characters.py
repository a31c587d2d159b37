"""Letter and character counts, and bracket checks."""

import math
import unicodedata
from collections import Counter
from typing import Annotated, Literal, NotRequired

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, Text, ToolError, tool
from retinue_tools.text._segments import words_of
from retinue_tools.text.word_counts import Frequencies, Top, frequencies


class Letters(Frequencies):
    """Character frequencies."""

    entropy_bits: Annotated[float, About("Shannon entropy per character in bits")]
    index_of_coincidence: Annotated[
        float | None,
        About(
            "Index of coincidence: probability that two drawn characters are equal, without replacement; null for "
            "one character"
        ),
    ]


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
    reply={
        "items.1": "The most frequent is {items.0.item}, {items.0.count|time} of {total}: {items}",
        "items": "{items.0.item} occurs {items.0.count|time} of {total}.",
        "": "There is nothing to count.",
    },
)
def text_count_letters(
    text: Text,
    count: Annotated[
        Literal["letters", "letters_and_digits", "everything"],
        About("Characters to count; letters are converted to lower case, 'everything' keeps case and spaces"),
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
        **frequencies(counts, top),
        "entropy_bits": round(max(entropy, 0.0), 6),
        "index_of_coincidence": round(pairs / (total * (total - 1)), 6) if total > 1 else None,
    }


_PAIRS = {")": "(", "]": "[", "}": "{", ">": "<"}


class Brackets(TypedDict):
    """Result of checking brackets."""

    balanced: bool
    problem: str
    position: Annotated[int | None, About("Position of the first bracket that does not match, from 1")]
    depth: Annotated[int, About("Maximum nesting depth")]


@tool(
    tags="brackets balanced parentheses braces match unmatched nesting check stack",
    use_when=(
        "Are the brackets in (a[b]{c(d}) balanced?",
        "Which bracket is unmatched in f(x, g(y)?",
        "How deep are the parentheses of ((1+2)*(3+(4-5))) nested?",
    ),
    examples=(
        Example({"text": "(a[b]{c})"}, {"balanced": True, "depth": 2, "position": None}, source="by hand"),
        Example(
            {"text": "(a[b)]"},
            {"balanced": False, "position": 5, "problem": "')' at 5 closes '[' at 3."},
            source="by hand",
        ),
        Refusal({"text": 5}, "text"),
    ),
    reply={
        "balanced": "Yes, the brackets match; they are nested {depth|level} deep.",
        "problem": "No, the brackets do not match: {problem}",
        "": "No, the brackets do not match.",
    },
)
def text_check_brackets(
    text: Text,
    angles: Annotated[bool, About("Whether < and > are brackets too")] = False,
) -> Brackets:
    """Check whether round, square and curly brackets of a text match, and how deep they are nested."""
    pairs = _PAIRS if angles else {close: opening for close, opening in _PAIRS.items() if close != ">"}
    opened: list[tuple[str, int]] = []
    depth = 0
    for place, one in enumerate(text, start=1):
        if one in pairs.values():
            opened.append((one, place))
            depth = max(depth, len(opened))
        elif one in pairs:
            before = opened.pop() if opened else None
            if before is None:
                return _unmatched_brackets(f"{one!r} at {place} closes nothing.", place, depth)
            if before[0] != pairs[one]:
                return _unmatched_brackets(f"{one!r} at {place} closes {before[0]!r} at {before[1]}.", place, depth)
    if opened:
        return _unmatched_brackets(f"{opened[-1][0]!r} at {opened[-1][1]} is not closed.", opened[-1][1], depth)
    return {"balanced": True, "problem": "", "position": None, "depth": depth}


def _unmatched_brackets(problem: str, place: int, depth: int) -> Brackets:
    return {"balanced": False, "problem": problem, "position": place, "depth": depth}


_MOST_WORDS = 2000


class KindsOfWord(TypedDict):
    """The letters of a word."""

    word: Annotated[str, About("The word")]
    letters: Annotated[int, About("Number of letters")]
    vowels: Annotated[int, About("Number of vowels")]
    consonants: Annotated[int, About("Number of consonants")]


class Kinds(TypedDict):
    """Number of characters of each kind."""

    vowels: Annotated[int, About("Letters a, e, i, o and u, including accented ones, and y if requested")]
    consonants: Annotated[int, About("All other letters of the Latin alphabet")]
    letters: Annotated[int, About("Letters of all alphabets")]
    digits: Annotated[int, About("Digits")]
    capitals: Annotated[int, About("Upper-case letters")]
    small_letters: Annotated[int, About("Lower-case letters")]
    spaces: Annotated[int, About("Spaces and tabs")]
    line_breaks: Annotated[int, About("Line breaks")]
    punctuation: Annotated[int, About("Punctuation: full stops, commas, quotation marks, brackets, @, # and others")]
    symbols: Annotated[int, About("Symbols such as +, =, currency signs and emoji")]
    characters: Annotated[int, About("Total number of characters")]
    vowels_found: Annotated[str, About("Vowels in order, the first 1,000")]
    words: NotRequired[Annotated[list[KindsOfWord], About("Counts by word, the first 2,000")]]


@tool(
    tags="count vowels consonants letters digits capitals uppercase lowercase spaces punctuation kinds",
    use_when=(
        "How many vowels and consonants are in this sentence?",
        "Count the capital letters of a text",
        "How many digits are in this password?",
        "How many spaces and punctuation marks has this line?",
        "Number of upper-case and lower-case letters",
        "How many vowels has each word?",
    ),
    examples=(
        Example(
            {"text": "Hello, World 42!"},
            {
                "vowels": 3,
                "consonants": 7,
                "letters": 10,
                "digits": 2,
                "capitals": 2,
                "small_letters": 8,
                "spaces": 2,
                "punctuation": 2,
                "symbols": 0,
                "characters": 16,
                "vowels_found": "eoo",
                "line_breaks": 0,
            },
            source="counted by hand",
        ),
        Example({"text": "rhythm", "y_is_vowel": True}, {"vowels": 1, "consonants": 5}, source="counted by hand"),
        Example(
            {"text": "blue green", "by_word": True},
            {
                "words": [
                    {"word": "blue", "letters": 4, "vowels": 2, "consonants": 2},
                    {"word": "green", "letters": 5, "vowels": 2, "consonants": 3},
                ]
            },
            source="counted by hand",
        ),
        Refusal({"text": ""}, "The text is empty"),
    ),
    reply=("I count {vowels|vowel} and {consonants|consonant}; of {letters|letter}, {capitals} are capitals."),
)
def text_count_kinds(
    text: Text,
    y_is_vowel: Annotated[bool, About("Whether y counts as a vowel instead of a consonant")] = False,
    by_word: Annotated[bool, About("Whether to count vowels and consonants of each word too")] = False,
) -> Kinds:
    """Count vowels, consonants, letters, digits, capitals, small letters, spaces, punctuation and symbols of a text.

    Use it to count characters of a kind. Returns all counts at once, and those of each word on request.
    """
    if not text:
        raise ToolError("The text is empty. Give some text.")
    vowels = _vowels(text, y_is_vowel=y_is_vowel)
    kinds = [unicodedata.category(one) for one in text]
    counts: Kinds = {
        "vowels": len(vowels),
        "consonants": _latin(text) - len(vowels),
        "letters": sum(one.isalpha() for one in text),
        "digits": sum(one.isdecimal() for one in text),
        "capitals": sum(one.isupper() for one in text),
        "small_letters": sum(one.islower() for one in text),
        "spaces": sum(one == "\t" or kind == "Zs" for one, kind in zip(text, kinds, strict=True)),
        "line_breaks": text.count("\n"),
        "punctuation": sum(kind.startswith("P") for kind in kinds),
        "symbols": sum(kind.startswith("S") for kind in kinds),
        "characters": len(text),
        "vowels_found": "".join(vowels[:1000]),
    }
    if by_word:
        counts["words"] = [_of_word(word, y_is_vowel=y_is_vowel) for word in words_of(text)[:_MOST_WORDS]]
    return counts


def _of_word(word: str, *, y_is_vowel: bool) -> KindsOfWord:
    vowels = len(_vowels(word, y_is_vowel=y_is_vowel))
    letters = sum(one.isalpha() for one in word)
    return {"word": word, "letters": letters, "vowels": vowels, "consonants": _latin(word) - vowels}


def _vowels(text: str, *, y_is_vowel: bool) -> list[str]:
    vowels = "aeiouæœø" + "y" * y_is_vowel
    return [one for one in unicodedata.normalize("NFC", text) if _plain(one) in vowels]


def _latin(text: str) -> int:
    """Return the number of Latin letters."""
    return sum(one.isalpha() and "LATIN" in unicodedata.name(one, "") for one in unicodedata.normalize("NFC", text))


def _plain(letter: str) -> str:
    """Return a letter in lower case and without its accent."""
    return unicodedata.normalize("NFD", letter.lower())[:1]
