"""Letter games: run lengths, pig latin, pangrams, isograms, anagrams and rotations."""

import re
import string
from collections import Counter
from itertools import groupby
from typing import Annotated, Literal, NotRequired

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, Text, ToolError, tool
from retinue_tools.text.transliteration import without_accents

_MOST_CHARACTERS = 1_000_000
_RUNS = {
    "count_first": re.compile(r"(?P<count>[0-9]*)(?P<letter>[^0-9])", re.DOTALL),
    "letter_first": re.compile(r"(?P<letter>[^0-9])(?P<count>[0-9]*)", re.DOTALL),
}
_ONSET = re.compile(
    r"(?i)((?:y(?=[aeiou]))?(?:[b-df-hj-np-tv-z]*?qu|[b-df-hj-np-tv-xz]+(?:y(?=[aeiou]))?)?)(.*)", re.DOTALL
)

_ARTICLES = {"pangram": "a", "isogram": "an", "anagram": "an", "rotation": "a"}

Kind = Literal["pangram", "isogram", "anagram", "rotation"]


class Runs(TypedDict):
    """A run-length encoded or decoded text."""

    result: Annotated[str, About("The text")]
    runs: Annotated[int, About("Number of runs of equal characters")]


class PigLatin(TypedDict):
    """A text in pig latin."""

    result: Annotated[str, About("The text")]


class Wordplay(TypedDict):
    """Result of a wordplay check."""

    holds: Annotated[bool, About("Whether the text is of the requested kind")]
    verdict: Annotated[str, About("Result as a sentence, with the reason")]
    distinct_letters: Annotated[int, About("Number of different letters A to Z in the text")]
    missing_letters: NotRequired[Annotated[list[str], About("Letters A to Z missing for a pangram")]]
    repeated_letters: NotRequired[Annotated[list[str], About("Letters repeated in violation of an isogram")]]


@tool(
    tags="run length encoding rle compress decode expand repeated characters runs",
    use_when=(
        "Run-length encode AAABBBCCD",
        "Expand the run-length code 3A2B4C",
        "Compress repeated letters to letter and count",
    ),
    examples=(
        Example(
            {"text": "WWWWWWWWWWWWBWWWWWWWWWWWWBBB", "direction": "encode"},
            {"result": "12W1B12W3B", "runs": 4},
            source="Wikipedia, Run-length encoding, shortened",
        ),
        Example({"text": "3A2B4C", "direction": "decode"}, {"result": "AAABBCCCC"}, source="by hand"),
        Example(
            {"text": "aaabccd", "direction": "encode", "style": "letter_first", "write_ones": False},
            {"result": "a3bc2d"},
            source="by hand",
        ),
        Example({"text": "a3bc2d", "direction": "decode"}, {"result": "aaabccd"}, source="by hand"),
        Refusal({"text": "AA11", "direction": "encode"}, "has digits"),
        Refusal({"text": "999999999A", "direction": "decode"}, "more than"),
    ),
    reply={
        "result": "{result}",
        "": "The text: {result}",
    },
)
def text_convert_runs(
    text: Annotated[str, About("Text, or its code", "AAABBBCCD", min_length=1, max_length=100_000)],
    direction: Annotated[Literal["encode", "decode"], About("Encode or decode")],
    style: Annotated[
        Literal["count_first", "letter_first"],
        About("Format of codes: 3A or A3; a code that begins with a letter is decoded as A3"),
    ] = "count_first",
    write_ones: Annotated[bool, About("Whether a single character gets the count 1")] = True,
) -> Runs:
    """Encode a text by run lengths (AAAB is 3A1B), or expand such a code.

    Returns the text and the number of runs.
    """
    if direction == "decode":
        return _expand(text.strip())
    if re.search("[0-9]", text):
        raise ToolError(
            "The text has digits, which cannot be distinguished from the counts. Give a text without digits."
        )
    runs = [(letter, len(list(run))) for letter, run in groupby(text)]
    counts = [(letter, str(count) if write_ones or count > 1 else "") for letter, count in runs]
    parts = [count + letter if style == "count_first" else letter + count for letter, count in counts]
    return {"result": "".join(parts), "runs": len(runs)}


@tool(
    tags="pig latin language game words igpay atinlay translate funny",
    use_when=(
        "Say 'hello world' in pig latin",
        "Pig latin for 'apple eats string', with -way after vowels",
        "Translate this sentence to Igpay Atinlay",
    ),
    examples=(
        Example({"text": "Pig Latin"}, {"result": "Igpay Atinlay"}, source="its name in itself"),
        Example(
            {"text": "apple eats string!"},
            {"result": "appleway eatsway ingstray!"},
            source="Wikipedia, Pig Latin: rules",
        ),
        Example({"text": "Quiet yellow rhythm"}, {"result": "Ietquay ellowyay ythmrhay"}, source="by the same rules"),
        Example({"text": "I eat", "after_vowel": "yay"}, {"result": "Iyay eatyay"}, source="Wikipedia, Pig Latin"),
        Refusal({"text": "123"}, "no words"),
    ),
    reply={
        "result": "{result}",
        "": "The text in pig latin: {result}",
    },
)
def text_convert_pig_latin(
    text: Text,
    after_vowel: Annotated[
        Literal["way", "yay", "ay", "hay"], About("Ending of words that begin with a vowel")
    ] = "way",
) -> PigLatin:
    """Translate English words into pig latin: leading consonants move to the end with -ay, words with a leading vowel
    get -way.

    Capitals and punctuation keep their positions. Returns the text.
    """
    if not re.search("[A-Za-z]", text):
        raise ToolError("The text has no words of the letters A to Z.")
    words = re.compile(r"[A-Za-z]+(?:['\u2019][A-Za-z]+)*")
    return {"result": words.sub(lambda match: _pig_word(match[0], after_vowel), text)}


@tool(
    tags="pangram isogram heterogram anagram rotation check letters alphabet yes no repeated missing",
    use_when=(
        "Is 'The five boxing wizards jump quickly' a pangram?",
        "Is 'lumberjack' an isogram?",
        "Are 'dusty' and 'study' anagrams?",
        "Which letters of the alphabet are missing in this sentence?",
        "Is 'abc' a rotation of 'cab'?",
        "Does this word repeat a letter?",
    ),
    examples=(
        Example(
            {"text": "The five boxing wizards jump quickly", "kind": "pangram"},
            {
                "holds": True,
                "distinct_letters": 26,
                "missing_letters": [],
                "verdict": "It is a pangram: it has all 26 letters.",
            },
            source="Wikipedia, Pangram",
        ),
        Example({"text": "isograms", "kind": "isogram"}, {"holds": False, "repeated_letters": ["s"]}, source="by hand"),
        Example(
            {"text": "Eleven plus two", "kind": "anagram", "other": "Twelve plus one"}, {"holds": True}, "well known"
        ),
        Example({"text": "cab", "kind": "rotation", "other": "abc"}, {"holds": True}, source="by hand"),
        Refusal({"text": "listen", "kind": "anagram"}, "other"),
        Refusal({"text": "42", "kind": "pangram"}, "letters A to Z"),
    ),
    reply="{verdict}",
)
def text_check_wordplay(
    text: Annotated[str, About("Word or sentence", "The quick brown fox", min_length=1, max_length=50_000)],
    kind: Annotated[
        Kind, About("pangram: has all 26 letters; isogram: no letter twice; anagram, rotation: of the other text")
    ],
    other: Annotated[
        str | None, About("The other word of an anagram or a rotation", "silent", max_length=50_000)
    ] = None,
) -> Wordplay:
    """Check whether a text is a pangram or an isogram, or whether two are anagrams or rotations.

    Case, spaces, accents and punctuation are ignored. Returns the reason, and the missing or repeated letters.
    """
    letters, others = _letters(text), _letters(other or "")
    if not letters:
        raise ToolError("The text has no letters A to Z.")
    if kind in ("anagram", "rotation") and not others:
        raise ToolError(f"For {kind}, give the second word as other.")
    holds, reason = _judge(kind, letters, others)
    counts = Counter(letters)
    result: Wordplay = {
        "holds": holds,
        "verdict": f"It is {'' if holds else 'not '}{_ARTICLES[kind]} {kind}: {reason}.",
        "distinct_letters": len(counts),
    }
    if kind == "pangram":
        result["missing_letters"] = _missing(letters)
    if kind == "isogram":
        result["repeated_letters"] = _repeat(letters)
    return result


def _letters(text: str) -> str:
    return "".join(one for one in without_accents(text).lower() if one in string.ascii_lowercase)


def _missing(letters: str) -> list[str]:
    return [one for one in string.ascii_lowercase if one not in letters]


def _repeat(letters: str) -> list[str]:
    return sorted(one for one, count in Counter(letters).items() if count > 1)


def _judge(kind: Kind, letters: str, others: str) -> tuple[bool, str]:
    """Return whether letters are of a kind, and why."""
    match kind:
        case "pangram":
            missing = _missing(letters)
            return not missing, f"it lacks {', '.join(missing)}" if missing else "it has all 26 letters"
        case "isogram":
            repeated = _repeat(letters)
            return not repeated, f"it repeats {', '.join(repeated)}" if repeated else "no letter comes twice"
        case "rotation":
            holds = len(letters) == len(others) and letters in others * 2
            return holds, f"{others[:100]} {'becomes' if holds else 'never becomes'} {letters[:100]} by turning"
    return _anagrams(Counter(letters), Counter(others))


def _anagrams(first: Counter[str], second: Counter[str]) -> tuple[bool, str]:
    """Check whether the same letters occur equally often."""
    if first == second:
        return True, "both have the same letters, each as often"
    parts = {"first": first - second, "second": second - first}
    extra = [f"only the {name} has {', '.join(sorted(more.elements())[:50])}" for name, more in parts.items() if more]
    return False, f"the letters differ, {'; '.join(extra)}"


def _expand(code: str) -> Runs:
    """Decode a code. A code that begins with a digit has the counts first."""
    pattern = _RUNS["count_first" if code[:1].isdigit() else "letter_first"]
    found = list(pattern.finditer(code))
    if "".join(run[0] for run in found) != code:
        raise ToolError("A count has no character. Write 3A2B or A3B2.")
    counts = [int(run["count"][:9] or 1) for run in found]
    if sum(counts) > _MOST_CHARACTERS:
        raise ToolError(f"The result would have more than {_MOST_CHARACTERS:,} characters. Give smaller counts.")
    return {
        "result": "".join(run["letter"] * count for run, count in zip(found, counts, strict=True)),
        "runs": len(found),
    }


def _pig_word(word: str, after_vowel: str) -> str:
    """Move the leading consonants of a word to its end. A leading y is one of them, and so is the u after q."""
    found = _ONSET.fullmatch(word)
    onset, rest = (found[1], found[2]) if found else ("", word)
    if not onset:
        ending = after_vowel
    elif not rest:
        onset, rest, ending = "", word, "ay"
    else:
        ending = "ay"
    turned = rest + onset + ending
    if word.isupper() and len(word) > 1:
        return turned.upper()
    return turned[:1].upper() + turned[1:].lower() if word[:1].isupper() else turned
