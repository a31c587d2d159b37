"""Kinds of characters of a text: vowels, consonants, capitals, digits and the like, counted."""

import unicodedata
from typing import Annotated, NotRequired

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, Text, ToolError, tool
from retinue_tools.text._segments import words_of

_MOST_WORDS = 2000


class KindsOfWord(TypedDict):
    """The letters of a word."""

    word: Annotated[str, About("The word")]
    letters: Annotated[int, About("Letters of it")]
    vowels: Annotated[int, About("Vowels of it")]
    consonants: Annotated[int, About("Consonants of it")]


class Kinds(TypedDict):
    """How many characters of each kind a text has."""

    vowels: Annotated[int, About("The letters a, e, i, o and u, with accents too, and y where it is to count")]
    consonants: Annotated[int, About("All other letters of the Latin alphabet")]
    letters: Annotated[int, About("Letters of all alphabets")]
    digits: Annotated[int, About("Digits")]
    capitals: Annotated[int, About("Capital letters")]
    small_letters: Annotated[int, About("Small letters")]
    spaces: Annotated[int, About("Spaces and tabs")]
    line_breaks: Annotated[int, About("Line breaks")]
    punctuation: Annotated[int, About("Punctuation: full stops, commas, quotation marks, brackets, @, # and others")]
    symbols: Annotated[int, About("Symbols such as +, =, currency signs and emoji")]
    characters: Annotated[int, About("All characters together")]
    vowels_found: Annotated[str, About("The vowels in their order, the first 1,000")]
    words: NotRequired[Annotated[list[KindsOfWord], About("Word by word, the first 2,000")]]


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
)
def text_count_kinds(
    text: Text,
    y_is_vowel: Annotated[bool, About("Whether y counts as a vowel instead of a consonant")] = False,
    by_word: Annotated[bool, About("Whether to count vowels and consonants of each word too")] = False,
) -> Kinds:
    """Count vowels, consonants, letters, digits, capitals, small letters, spaces, punctuation and symbols of a text.

    Use it where the number of characters of a kind is wanted. Returns all counts at once; each word on request.
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
    wanted = "aeiouæœø" + "y" * y_is_vowel
    return [one for one in unicodedata.normalize("NFC", text) if _plain(one) in wanted]


def _latin(text: str) -> int:
    """How many Latin letters there are."""
    return sum(one.isalpha() and "LATIN" in unicodedata.name(one, "") for one in unicodedata.normalize("NFC", text))


def _plain(letter: str) -> str:
    """A letter made small and without its accent."""
    return unicodedata.normalize("NFD", letter.lower())[:1]
