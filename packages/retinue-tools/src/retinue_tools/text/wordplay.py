"""Word puzzles: anagrams, palindromes, reversals, and words from given letters."""

import re
import unicodedata
from collections import Counter
from typing import Annotated, Literal

import regex
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, Text, ToolError, tool

Words = Annotated[
    list[Annotated[str, About("A word", max_length=200)]],
    About("The words", ["listen", "silent", "banana"], min_items=1, max_items=50_000),
]


class AnagramGroups(TypedDict):
    """Words with the same letters."""

    groups: Annotated[list[list[str]], About("Groups of two or more anagrams, in list order")]
    of_letters: Annotated[list[str], About("Words that can be formed from the given letters, longest first")]


class Palindrome(TypedDict):
    """Result of a palindrome check."""

    is_palindrome: Annotated[bool, About("Whether it is a palindrome, ignoring spaces, punctuation, case and accents")]
    letters: Annotated[str, About("Compared letters and digits")]
    longest: Annotated[str, About("Longest palindrome among these letters")]


class Reversed(TypedDict):
    """A reversed text."""

    result: Annotated[str, About("The text")]


@tool(
    tags="anagram scrabble words letters puzzle unscramble rearrange",
    use_when=(
        "Which of these words are anagrams of each other?",
        "Which words of my list can I lay with the letters R, A, T, S, E?",
        "Find the anagrams of 'listen' in a word list",
        "Which words can I make from these letters?",
    ),
    examples=(
        Example(
            {"words": ["Listen", "silent", "banana", "Dormitory", "dirty room", "enlist"]},
            {"groups": [["Listen", "silent", "enlist"], ["Dormitory", "dirty room"]]},
            source="well-known anagrams",
        ),
        Example(
            {"words": ["star", "stare", "rats", "seat", "tree"], "letters": "rats?", "whole": False},
            {"of_letters": ["stare", "star", "rats", "seat"]},
            source="by hand: ? stands for any letter",
        ),
        Refusal({"words": ["..."]}, "no letters"),
    ),
    reply={
        "of_letters": "From these letters you can form {of_letters}.",
        "groups": "These are anagrams of each other: {groups}",
        "": "There are no anagrams among these words.",
    },
)
def text_find_anagrams(
    words: Words,
    letters: Annotated[str | None, About("Letters for forming words; ? is any letter", "rats?", max_length=50)] = None,
    whole: Annotated[bool, About("Whether all given letters must be used")] = True,
) -> AnagramGroups:
    """Find which words of a list are anagrams of each other, and which can be formed from given letters.

    Case, spaces and punctuation are ignored. Returns the groups and the matching words.
    """
    bags = {word: _letters(word) for word in words}
    if not any(bags.values()):
        raise ToolError("The words have no letters.")
    groups: dict[str, list[str]] = {}
    for word, bag in bags.items():
        groups.setdefault("".join(sorted(bag)), []).append(word)
    fitting = [word for word in bags if letters and bags[word] and _fits(bags[word], letters, whole)]
    return {
        "groups": [group for key, group in groups.items() if key and len(group) > 1][:1000],
        "of_letters": sorted(fitting, key=lambda word: -len(bags[word]))[:1000],
    }


@tool(
    tags="palindrome check backwards phrase longest palindromic substring",
    use_when=(
        "Is 'A man, a plan, a canal: Panama' a palindrome?",
        "Does this word read the same backwards?",
        "What is the longest palindrome in this text?",
    ),
    examples=(
        Example(
            {"text": "A man, a plan, a canal: Panama!"},
            {"is_palindrome": True, "letters": "amanaplanacanalpanama"},
            source="a well-known palindrome",
        ),
        Example({"text": "xabccbay"}, {"is_palindrome": False, "longest": "abccba"}, source="by hand"),
        Refusal({"text": "?!"}, "no letters"),
    ),
    reply={
        "is_palindrome": "Yes, it is a palindrome.",
        "longest": "No, it is not a palindrome; the longest one in it is {longest}.",
        "": "No, it is not a palindrome.",
    },
)
def text_check_palindrome(
    text: Annotated[str, About("Word or phrase", "Never odd or even", min_length=1, max_length=20_000)],
) -> Palindrome:
    """Check whether a phrase is a palindrome, ignoring spaces, punctuation, case and accents.

    Returns the result, the compared letters, and the longest palindrome among them.
    """
    letters = _letters(text)
    if not letters:
        raise ToolError("The text has no letters or digits.")
    return {"is_palindrome": letters == letters[::-1], "letters": letters, "longest": _longest_palindrome(letters)}


@tool(
    tags="reverse backwards mirror words lines text flip",
    use_when=(
        "Write this sentence backwards",
        "Reverse the order of these lines",
        "Turn the words of the sentence around",
        "Write a word backwards",
    ),
    examples=(
        Example(
            {"text": "cafe\u0301 \U0001f1eb\U0001f1f7!"},
            {"result": "!\U0001f1eb\U0001f1f7 e\u0301fac"},
            "Unicode Annex 29",
        ),
        Example({"text": "one  two\nthree four", "by": "words"}, {"result": "two one\nfour three"}, source="by hand"),
        Example({"text": "a\nb\nc", "by": "lines"}, {"result": "c\nb\na"}, source="by hand"),
        Refusal({"text": "a", "by": "pages"}, "by"),
    ),
    reply={
        "result": "{result}",
        "": "The reversed text: {result}",
    },
)
def text_reverse_order(
    text: Text, by: Annotated[Literal["characters", "words", "lines"], About("Unit to reverse")] = "characters"
) -> Reversed:
    """Reverse a text by characters, by the words of each line, or by lines.

    A character is what a reader sees as one: accents and emoji of several code points are kept together. Returns the
    text.
    """
    if by == "lines":
        return {"result": "\n".join(text.splitlines()[::-1])}
    if by == "words":
        return {"result": "\n".join(" ".join(line.split()[::-1]) for line in text.splitlines())}
    return {"result": "".join(regex.findall(r"\X", text)[::-1])}


def _letters(text: str) -> str:
    apart = unicodedata.normalize("NFD", text.casefold())
    return "".join(one for one in apart if one.isalnum())


def _fits(word: str, letters: str, whole: bool) -> bool:
    rack, jokers = Counter(_letters(letters)), letters.count("?")
    lacking = (Counter(word) - rack).total()
    return lacking <= jokers and (not whole or len(word) == rack.total() + jokers)


def _longest_palindrome(letters: str) -> str:
    """Manacher's algorithm, on the letters with marks between them."""
    marked = "\0".join(f"\1{letters}\2")
    radii, center, right = [0] * len(marked), 0, 0
    for at in range(1, len(marked) - 1):
        radius = min(right - at, radii[2 * center - at]) if at < right else 0
        while marked[at + radius + 1] == marked[at - radius - 1]:
            radius += 1
        radii[at] = radius
        if at + radius > right:
            center, right = at, at + radius
    best = max(range(len(marked)), key=radii.__getitem__)
    return re.sub("\0", "", marked[best - radii[best] : best + radii[best] + 1])
